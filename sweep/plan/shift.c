#include "sweep/plan/shift.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

struct shapes {
    struct task_shape trained, shifted;
};

static enum status check_fields(const struct shapes *s, const char **fault, struct message *m)
{
    const struct task_shape *a = &s->trained, *b = &s->shifted;
    if (a->slots != b->slots) {
        *fault = "slots";
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.slots is %ld there, but a model trained on %ld can answer no "
                           "other number; leave it out",
                           b->slots, a->slots);
    }
    if (a->fields != b->fields)
        return status_fail(m, STATUS_BAD_INPUT,
                           "inputs have %s there, but a model trained on %d can read no "
                           "other number; make them the same",
                           text_counted(b->fields, "field").text, a->fields);
    for (int f = 0; f < a->fields; f++)
        if (a->vocab[f] != b->vocab[f])
            return status_fail(m, STATUS_BAD_INPUT,
                               "the input field %s has %s there; a model trained on %ld "
                               "has no embedding for others",
                               a->field[f], text_counted(b->vocab[f], "token").text, a->vocab[f]);
    if (a->classes != b->classes)
        return status_fail(m, STATUS_BAD_INPUT,
                           "targets have %ld classes there; a model trained on %ld has no output "
                           "for others",
                           b->classes, a->classes);
    return STATUS_OK;
}

static enum status check_length(const struct point *p, const struct shapes *s, const char **fault,
                                struct message *m)
{
    if (s->trained.length == s->shifted.length || p->model.positions != POSITIONS_LEARNED)
        return STATUS_OK;
    *fault = "length";
    return status_fail(m, STATUS_BAD_INPUT,
                       "task.length is %ld there, but model.positions: learned knows only the %ld "
                       "positions of training; use sinusoidal, rotary or none",
                       s->shifted.length, s->trained.length);
}

/* Of a task over a file: the parts are those of training. */
static enum status check_division(const struct point *p, const struct point *shifted,
                                  const char **fault, struct message *m)
{
    static const char *const dividing[] = {"instance", "split"};
    for (size_t i = 0; p->task->file && i < sizeof dividing / sizeof *dividing; i++) {
        const struct option_entry *o = option_find(p->task->options, dividing[i]);
        char trained[OPTION_TEXT_MAX], tested[OPTION_TEXT_MAX];
        if (!o)
            continue;
        option_format(o, p->task_options, trained, sizeof trained);
        option_format(o, shifted->task_options, tested, sizeof tested);
        if (strcmp(trained, tested) == 0)
            continue;
        *fault = o->name;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.%s %s splits the file differently than %s in training, so the "
                           "model would be tested on what it was trained on; leave it out",
                           o->name, tested, trained);
    }
    return STATUS_OK;
}

/* Instance 0 is the task as described, whatever its options; another one is what was drawn. */
static enum status check_instance(const struct point *p, const struct point *shifted,
                                  const char **fault, struct message *m)
{
    size_t size = p->task->instance_size;
    int64_t instance = *point_instance(p);
    *fault = NULL;
    if (size == 0 || instance == 0 || *point_instance(shifted) != instance)
        return STATUS_OK;
    unsigned char *drawn = calloc(2, size);
    if (!drawn)
        return status_no_memory(m, "an instance of a task");
    p->task->instance(p->task_options, drawn);
    p->task->instance(shifted->task_options, drawn + size);
    bool same = memcmp(drawn, drawn + size, size) == 0;
    free(drawn);
    return same
               ? STATUS_OK
               : status_fail(m, STATUS_BAD_INPUT,
                             "task.instance %" PRId64 " draws something else there than in "
                             "training, as other options differ; train on task.instance 0, or name "
                             "another instance for the test set",
                             instance);
}

/* Of the options that point_check blames the first of the task: the others are as in training. */
static const char *task_option(const struct point_fault *f)
{
    for (const char *const *o = f->option; *o; o++)
        if (strncmp(*o, "task.", 5) == 0)
            return *o + 5;
    return NULL;
}

enum status point_shift(const struct point *p, const char *json, struct point *shifted,
                        const char **fault, struct message *m)
{
    struct shapes shapes;
    struct encoder_io io;
    struct point_fault why = {0};
    *shifted = *p;
    *fault = NULL;
    enum status s = p->task->shape(p->task_options, &shapes.trained, m);
    if (s == STATUS_OK)
        s = point_set_task(shifted, json, m);
    if (s != STATUS_OK)
        return s;
    s = point_check(shifted, &io, &shapes.shifted, &why, m);
    if (s != STATUS_OK) {
        *fault = why.option ? task_option(&why) : NULL;
        return s;
    }
    if ((s = check_fields(&shapes, fault, m)) || (s = check_division(p, shifted, fault, m)) ||
        (s = check_length(p, &shapes, fault, m)))
        return s;
    return check_instance(p, shifted, fault, m);
}
