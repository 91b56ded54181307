#include "sweep/worker/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"

double trial_elapsed_s(const struct trial *t)
{
    return t->before_s + clock_now_s() - t->started_s;
}

double trial_cpu_s(const struct trial *t)
{
    return t->cpu_before_s + clock_s(CLOCK_PROCESS_CPUTIME_ID) - t->cpu_started_s;
}

enum status trial_new(struct arena *a, const struct point *p, uint32_t seed, enum metric metric,
                      const struct data_place *place, struct trial **out, struct message *m)
{
    struct trial *t = arena_alloc(a, 1, sizeof *t);
    t->point = *p;
    t->seed = seed;
    t->metric = metric;
    t->started_s = clock_now_s();
    t->cpu_started_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    enum status s = data_new(a, p, seed, place, &t->data, m);
    if (s != STATUS_OK)
        return s;
    s = trainer_new(a, &p->model, data_io(t->data), &p->train, seed, data_fill, t->data,
                    &t->trainer, m);
    if (s != STATUS_OK)
        goto failed;
    t->curve_capacity = (int)(p->train.steps / p->train.eval_every + 1);
    t->curve = arena_alloc(a, (size_t)t->curve_capacity, sizeof *t->curve);
    t->room = test_room_new(a, t->data);
    t->best = arena_alloc(a, (size_t)t->trainer->encoder->nn.size, sizeof *t->best);
    s = data_draw(t->data, m);
    if (s != STATUS_OK)
        goto failed;
    t->result.curve = t->curve;
    t->result.chance = data_shape(t->data)->chance;
    *out = t;
    return STATUS_OK;
failed:
    data_close(t->data);
    return s;
}

void trial_close(struct trial *t)
{
    if (t)
        data_close(t->data);
}

enum status trial_measure(struct arena *a, struct trial *t, struct message *m)
{
    const struct encoder *e = t->trainer->encoder;
    t->measured_set = *data_val(t->data);
    if (t->measured_set.n > TRIAL_MEASURED)
        t->measured_set.n = TRIAL_MEASURED;
    enum status s = measurer_new(a, e, &t->measured_set, data_sources(a, t->data, &t->measured_set),
                                 true, &t->measurer, m);
    if (s != STATUS_OK)
        return s;
    t->measured = arena_alloc(a, (size_t)t->curve_capacity, sizeof *t->measured);
    for (int i = 0; i < t->curve_capacity; i++)
        measured_new(a, t->measurer, &t->measured[i]);
    t->result.measured = t->measured;
    return STATUS_OK;
}

bool trial_done(const struct trial *t)
{
    return t->trainer->step >= t->point.train.steps;
}

static enum status diverged(struct trial *t, struct message *m)
{
    t->result.diverged = true;
    t->result.bad_step = t->trainer->step + 1;
    t->result.steps_done = t->trainer->step;
    t->result.train_s = trial_cpu_s(t);
    t->result.error = m->text;
    return STATUS_DIVERGED;
}

const struct curve_row *trial_best(const struct trial *t)
{
    const struct result *r = &t->result;
    for (int i = r->rows - 1; i >= 0 && r->has_best; i--)
        if (t->curve[i].step == r->best_step)
            return &t->curve[i];
    return NULL;
}

static enum status evaluate(struct trial *t, struct message *m)
{
    struct curve_row row = {
        .step = t->trainer->step, .grad_norm = t->trainer->grad_norm, .lr = t->trainer->lr};
    struct metrics val = {0};
    trainer_take_means(t->trainer, &row.train_loss, &row.train_acc);
    trainer_evaluate(t->trainer, data_val(t->data), &val);
    row.val_loss = val.loss;
    row.val_acc = val.acc;
    row.elapsed_s = trial_elapsed_s(t);
    row.cpu_s = trial_cpu_s(t);
    if (!isfinite(val.loss)) {
        status_fail(m, STATUS_DIVERGED,
                    "the validation loss is not finite after step %" PRId64 ": weights overflow",
                    t->trainer->step);
        return diverged(t, m);
    }
    const struct curve_row *best = trial_best(t);
    bool better = !best || metric_cost(t->metric, row.val_acc, row.val_loss) <
                               metric_cost(t->metric, best->val_acc, best->val_loss);
    if (t->measurer)
        measurer_take(t->measurer, &t->measured[t->result.rows]);
    t->curve[t->result.rows++] = row;
    if (better) { /* strictly: the earliest of the best steps stays */
        t->has_best = t->result.has_best = true;
        t->result.best_step = row.step;
        t->result.train_acc = row.train_acc;
        t->result.val_acc = row.val_acc;
        memcpy(t->best, t->trainer->encoder->nn.data,
               (size_t)t->trainer->encoder->nn.size * sizeof *t->best);
    }
    return STATUS_OK;
}

enum status trial_step(struct trial *t, bool *evaluated, struct message *m)
{
    *evaluated = false;
    enum status s = trainer_step(t->trainer, m);
    if (s == STATUS_DIVERGED)
        return diverged(t, m);
    if (s != STATUS_OK)
        return s;
    t->result.steps_done = t->trainer->step;
    if (t->trainer->step % t->point.train.eval_every == 0 || trial_done(t)) {
        s = evaluate(t, m);
        *evaluated = s == STATUS_OK;
    }
    return s;
}

void trial_test(struct trial *t)
{
    struct nn *nn = &t->trainer->encoder->nn;
    memcpy(nn->data, t->best, (size_t)nn->size * sizeof *nn->data);
    trial_test_values(t->trainer, t->data, &t->room, &t->result);
    t->result.train_s = trial_cpu_s(t);
    if (!isfinite(t->result.test_loss)) {
        t->result.diverged = true;
        t->result.bad_step = t->result.best_step;
        t->result.error = "the test loss is not finite with the weights of the best step";
    }
}

/* The part of the state that the engine does not know, as text: a line of counters, then the curve,
 * one row a line, then, where heads are measured, the first row that was and how many values each
 * has, and these. Hexadecimal floats, so that they come back exactly. */
static char *state_text(const struct trial *t)
{
    struct text_buffer text = {0};
    text_add(&text, "%d %d %" PRId64 " %a %a\n", t->result.rows, t->has_best, t->result.best_step,
             trial_elapsed_s(t), trial_cpu_s(t));
    for (int i = 0; i < t->result.rows; i++) {
        const struct curve_row *c = &t->curve[i];
        text_add(&text, "%" PRId64 " %a %a %a %a %a %a %a %a\n", c->step, c->train_loss,
                 c->train_acc, c->val_loss, c->val_acc, c->grad_norm, c->lr, c->elapsed_s,
                 c->cpu_s);
    }
    if (t->measurer)
        text_add(&text, "measures %d %zu\n", t->result.measured_from, t->measured->count);
    for (int i = t->result.measured_from; t->measurer && i < t->result.rows; i++)
        for (size_t k = 0; k < t->measured[i].count; k++)
            text_add(&text, "%a\n", t->measured[i].value[k]);
    if (text.out_of_memory) {
        free(text.text);
        return NULL;
    }
    return text.text;
}

/* The values of the `rows` rows that are there. An attempt that was not asked for measures, or
 * whose build had others, left none of them: then they begin with the next row. */
static enum status read_measures(struct trial *t, const char *text, int rows, struct message *m)
{
    int used = 0, from;
    size_t count;
    bool there = sscanf(text, "measures %d %zu\n%n", &from, &count, &used) == 2 &&
                 count == t->measured->count && from >= 0 && from <= rows;
    t->result.measured_from = there ? from : rows;
    if (!there)
        return STATUS_OK;
    text += used;
    for (int i = t->result.measured_from; i < rows; i++)
        for (size_t k = 0; k < count; k++) {
            char *end;
            t->measured[i].value[k] = strtod(text, &end);
            if (*end != '\n')
                return status_fail(m, STATUS_CORRUPT,
                                   "the measures of row %d in the checkpoint cannot be read",
                                   i + 1);
            text = end + 1;
        }
    return STATUS_OK;
}

static enum status read_state(struct trial *t, const char *text, struct message *m)
{
    int rows, has_best, used;
    struct result r = t->result;
    if (sscanf(text, "%d %d %" SCNd64 " %la %la\n%n", &rows, &has_best, &r.best_step, &t->before_s,
               &t->cpu_before_s, &used) != 5 ||
        rows < 0 || rows > t->curve_capacity)
        return status_fail(m, STATUS_CORRUPT, "the checkpoint's state is malformed");
    for (int i = 0; i < rows; i++) {
        struct curve_row *c = &t->curve[i];
        int length;
        text += used;
        if (sscanf(text, "%" SCNd64 " %la %la %la %la %la %la %la %la\n%n", &c->step,
                   &c->train_loss, &c->train_acc, &c->val_loss, &c->val_acc, &c->grad_norm, &c->lr,
                   &c->elapsed_s, &c->cpu_s, &length) != 9)
            return status_fail(m, STATUS_CORRUPT, "row %d of the checkpoint's curve cannot be read",
                               i + 1);
        used = length;
        if (has_best && c->step == r.best_step) {
            r.train_acc = c->train_acc;
            r.val_acc = c->val_acc;
        }
    }
    r.rows = rows;
    r.has_best = t->has_best = has_best;
    t->result = r;
    return t->measurer ? read_measures(t, text + used, rows, m) : STATUS_OK;
}

enum status trial_save(struct trial *t, const char *path, const char *build, struct message *m)
{
    enum status checked = data_check(t->data, false, m);
    if (checked != STATUS_OK)
        return checked;
    char *state = state_text(t);
    if (!state)
        return status_no_memory(m, "a checkpoint");
    char config[POINT_JSON_MAX], seed[16];
    point_json(&t->point, config);
    snprintf(seed, sizeof seed, "%" PRIu32, t->seed);
    const struct safetensors_meta extra[] = {
        {"build", build}, {"config", config}, {"seed", seed}, {NULL, NULL}};
    enum status s =
        checkpoint_write(path, t->trainer, t->has_best ? t->best : NULL, state, extra, m);
    free(state);
    return s;
}

enum status trial_resume(struct trial *t, const char *path, const char *build, bool *other_build,
                         struct message *m)
{
    char *state = NULL, *origin = NULL;
    bool has_best;
    enum status s = checkpoint_read(path, t->trainer, t->best, &has_best, &state, &origin, m);
    if (s == STATUS_OK)
        s = read_state(t, state, m);
    if (s == STATUS_OK && has_best != t->has_best)
        s = status_fail(m, STATUS_CORRUPT, "%s: best weights and best step disagree", path);
    if (s == STATUS_OK) {
        *other_build = !origin || strcmp(origin, build) != 0;
        t->result.resumed_from_step = t->trainer->step;
        t->result.steps_done = t->trainer->step;
        t->started_s = clock_now_s();
        t->cpu_started_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    }
    free(state);
    free(origin);
    return s;
}

/* ---- testing ---- */

struct test_room test_room_new(struct arena *a, const struct data *d)
{
    struct test_room room = {0};
    if (!data_label(d, 0))
        return room;
    room.predicted = arena_alloc(a, (size_t)data_test(d)->n, sizeof *room.predicted);
    room.label = arena_alloc(a, (size_t)data_shape(d)->classes, sizeof *room.label);
    return room;
}

/* Sequences lie in the order of the text, so that neighbours are a block of it. */
static void test_blocks(struct trainer *t, const struct data *d, struct result *r)
{
    const struct examples *set = data_test(d);
    long B = set->n < RESULT_BLOCKS ? set->n : RESULT_BLOCKS;
    for (long k = 0; k < B; k++) {
        long first = k * set->n / B, end = (k + 1) * set->n / B;
        const struct examples block = data_range(d, set, first, end - first);
        struct metrics metrics = {0};
        trainer_evaluate(t, &block, &metrics);
        r->block_loss[k] = metrics.loss;
    }
    r->blocks = (int)B;
}

static void test_labels(struct trainer *t, const struct data *d, const struct test_room *room,
                        struct result *r)
{
    const struct examples *set = data_test(d);
    long classes = data_shape(d)->classes;
    trainer_predict(t, set, room->predicted);
    memset(room->label, 0, (size_t)classes * sizeof *room->label);
    for (long i = 0; i < set->n; i++) {
        struct result_label *label = &room->label[set->targets[i]];
        label->n++;
        label->right += room->predicted[i] == set->targets[i];
    }
    r->labels = 0;
    for (long k = 0; k < classes; k++) {
        room->label[k].name = data_label(d, k);
        if (room->label[k].n > 0)
            room->label[r->labels++] = room->label[k];
    }
    r->label = room->label;
}

void trial_test_values(struct trainer *t, const struct data *d, const struct test_room *room,
                       struct result *r)
{
    struct metrics test = {.acc_by_slot = r->test_acc_by_slot};
    trainer_evaluate(t, data_test(d), &test);
    r->slots = (int)data_shape(d)->slots;
    r->test_acc = test.acc;
    r->test_exact = test.exact;
    r->test_loss = test.loss;
    if (data_shape(d)->bytes)
        test_blocks(t, d, r);
    if (room->label)
        test_labels(t, d, room, r);
}
