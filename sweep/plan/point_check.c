/* What a point's options cannot be together. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/encoder_cost.h"
#include "sweep/plan/machine.h"
#include "sweep/plan/point.h"

void point_io(const struct task_shape *shape, struct encoder_io *io)
{
    memset(io, 0, sizeof *io);
    io->length = shape->length;
    io->fields = shape->fields;
    for (int i = 0; i < shape->fields; i++) {
        io->field[i] = shape->field[i];
        io->vocab[i] = shape->vocab[i];
    }
    io->slots = shape->slots;
    io->classes = shape->classes;
}

const char *point_file(const struct point *p)
{
    const struct option_entry *file = option_find(p->task->options, "file");
    return p->task->file && file ? (const char *)p->task_options + file->offset : NULL;
}

void point_set_file(struct point *p, const char *path)
{
    const struct option_entry *file = option_find(p->task->options, "file");
    if (p->task->file && file && strlen(path) <= (size_t)file->max)
        memcpy(p->task_options + file->offset, path, strlen(path) + 1);
}

int64_t point_examples(int64_t part, int64_t wanted)
{
    return part > 0 && wanted > part ? part : wanted;
}

double point_memory(const struct point *p, const struct encoder_io *io,
                    const struct task_shape *shape)
{
    double targets = (double)io->slots * (shape->per_sequence ? 1 : (double)io->length);
    double padding = shape->padded ? (double)io->length : 0;
    double example = 4 * ((double)io->length * io->fields + targets) + padding;
    double examples = (double)p->train.batch;
    const int64_t wanted[TASK_PARTS] = {[TASK_TRAIN] = p->train.examples,
                                        [TASK_VAL] = p->train.val_examples,
                                        [TASK_TEST] = p->train.test_examples};
    for (int i = 0; i < TASK_PARTS; i++)
        examples += (double)point_examples(shape->part[i], wanted[i]);
    return encoder_memory(&p->model, io, (long)p->train.batch) + examples * example + shape->memory;
}

static enum status check_memory(const struct point *p, const struct encoder_io *io,
                                const struct task_shape *shape, struct message *m)
{
    const double most = 0x1p36; /* of any trial */
    struct machine_memory here = machine_memory();
    double needed = point_memory(p, io, shape), allowed = fmin(here.bytes, most);
    if (needed <= allowed)
        return STATUS_OK;
    return status_fail(
        m, STATUS_BAD_INPUT,
        "it would take about %.3g GiB of memory, more than the %.3g GiB %s; make "
        "model.d_model, model.d_ff, model.layers, task.length or train.batch smaller",
        needed / 0x1p30, allowed / 0x1p30,
        here.bytes > most ? "that a trial may take"
        : here.by_group   ? "that this process's control group may take"
                          : "of this machine");
}

static enum status check_pool(const struct point *p, const struct task_shape *shape,
                              struct message *m)
{
    if (shape->per_sequence && p->model.pool == POOL_NONE)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.pool is none, but task %s has one target per sequence; use mean or "
            "first",
            p->task->name);
    if (!shape->per_sequence && p->model.pool != POOL_NONE)
        return status_fail(m, STATUS_BAD_INPUT,
                           "model.pool is %s, but task %s has a target per position; use none",
                           p->model.pool == POOL_MEAN ? "mean" : "first", p->task->name);
    return STATUS_OK;
}

static enum status check_mask(const struct point *p, const struct task_shape *shape,
                              struct message *m)
{
    if (!shape->causal || p->model.mask == MASK_CAUSAL)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
                       "model.mask is none, but in the inputs of task %s each target stands "
                       "further on, where the model could read it; use causal",
                       p->task->name);
}

static enum status check_warmup(const struct point *p, struct message *m)
{
    if (p->train.warmup <= p->train.steps)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
                       "train.schedule.warmup is %" PRId64 ", more than train.steps %" PRId64,
                       p->train.warmup, p->train.steps);
}

static enum status check_shapes(const struct point *p, struct point_fault *fault, struct message *m)
{
    struct encoder_shapes shapes;
    enum status s = encoder_shapes(&p->model, &shapes, m);
    if (s)
        *fault = (struct point_fault){shapes.fault.option, shapes.fault.rule};
    return s;
}

/* Fills fault unless s is OK. */
static enum status located(struct point_fault *fault, const char *const *option, enum status s)
{
    if (s)
        *fault = (struct point_fault){option, NULL};
    return s;
}

enum status point_check(const struct point *p, struct encoder_io *io, struct task_shape *shape,
                        struct point_fault *fault, struct message *m)
{
    static const char *const pool[] = {"model.pool", "task.name", NULL};
    static const char *const mask[] = {"model.mask", "task.name", NULL};
    static const char *const warmup[] = {"train.schedule.warmup", "train.steps", NULL};
    static const char *const memory[] = {"model.d_model", "model.d_ff",  "model.layers",
                                         "task.length",   "train.batch", NULL};
    struct point_fault unwanted = {0};
    fault = fault ? fault : &unwanted;
    memset(shape, 0, sizeof *shape);
    enum status s = p->task->shape(p->task_options, shape, m);
    if (located(fault, shape->at_fault, s))
        return s;
    point_io(shape, io);
    if ((s = check_shapes(p, fault, m)) || (s = located(fault, pool, check_pool(p, shape, m))) ||
        (s = located(fault, mask, check_mask(p, shape, m))) ||
        (s = located(fault, warmup, check_warmup(p, m))))
        return s;
    return located(fault, memory, check_memory(p, io, shape, m));
}
