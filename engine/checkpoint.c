#include "engine/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "engine/base/text.h"

static const char format_name[] = "headcount.checkpoint.1";
static const enum safetensors_dtype dtype_real = sizeof(real) == 4 ? DTYPE_F32 : DTYPE_F64;

/* Every parameter is in the file once per kind, best only from the first evaluation on. */
enum kind { KIND_PARAM, KIND_M, KIND_V, KIND_BEST, KINDS };
static const char *const prefix[KINDS] = {"param.", "m.", "v.", "best."};

static const real *flat_buffer(const struct trainer *t, enum kind k, const real *best)
{
    switch (k) {
    case KIND_PARAM:
        return t->encoder->nn.data;
    case KIND_M:
        return t->optim.m;
    case KIND_V:
        return t->optim.v;
    default:
        return best;
    }
}

/* The tensors of a checkpoint of t, without best where that is NULL; NO_MEMORY if there is none.
 * list->memory owns table and names. */
static enum status list_tensors(const struct trainer *t, const real *best, struct safetensors *list,
                                struct message *m)
{
    const struct nn *nn = &t->encoder->nn;
    int kinds = best ? KINDS : KIND_BEST;
    size_t text_size = 0;
    for (int i = 0; i < nn->count; i++)
        text_size += strlen(nn->list[i].tensor->name) + sizeof "param.";
    size_t table_size = (size_t)(kinds * nn->count) * sizeof *list->tensor;
    char *memory = malloc(table_size + (size_t)kinds * text_size + 1);
    if (!memory)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to list %d tensors", kinds * nn->count);
    *list = (struct safetensors){.memory = memory, .tensor = (struct safetensor *)(void *)memory};
    char *name = memory + table_size;
    for (int k = 0; k < kinds; k++)
        for (int i = 0; i < nn->count; i++) {
            const struct tensor *p = nn->list[i].tensor;
            struct safetensor *e = &list->tensor[list->count++];
            *e = (struct safetensor){.name = name, .dtype = dtype_real, .rank = p->shape.rank};
            for (int d = 0; d < p->shape.rank; d++)
                e->shape[d] = p->shape.dim[d];
            e->data = flat_buffer(t, (enum kind)k, best) + (p->data - nn->data);
            e->size = (size_t)tensor_size(p) * sizeof(real);
            name += sprintf(name, "%s%s", prefix[k], p->name) + 1;
        }
    return STATUS_OK;
}

static void digest_tensors(const struct safetensors *f, char hex[65])
{
    struct sha256 s;
    sha256_init(&s);
    for (int i = 0; i < f->count; i++)
        sha256_update(&s, f->tensor[i].data, f->tensor[i].size);
    sha256_final(&s, hex);
}

static void digest_meta(const struct safetensors *f, char hex[65])
{
    struct sha256 s;
    sha256_init(&s);
    for (int i = 0; i < f->meta_count; i++) {
        const struct safetensors_meta *e = &f->meta[i];
        if (strcmp(e->key, "header") == 0)
            continue;
        sha256_update(&s, e->key, strlen(e->key) + 1);
        sha256_update(&s, e->value, strlen(e->value) + 1);
    }
    sha256_final(&s, hex);
}

/* The trainer's numbers that are not tensors. */
struct counters {
    int64_t step, t, loss_count, correct_sum, target_sum;
    double loss_sum, grad_norm, lr;
};
enum { INTEGERS = 5, REALS = 3, COUNTERS = INTEGERS + REALS, NUMBER_SIZE = 32 };
static const struct {
    const char *key;
    size_t offset;
} counter_list[COUNTERS] = {
    {"step", offsetof(struct counters, step)},
    {"t", offsetof(struct counters, t)},
    {"loss_count", offsetof(struct counters, loss_count)},
    {"correct_sum", offsetof(struct counters, correct_sum)},
    {"target_sum", offsetof(struct counters, target_sum)},
    {"loss_sum", offsetof(struct counters, loss_sum)},
    {"grad_norm", offsetof(struct counters, grad_norm)},
    {"lr", offsetof(struct counters, lr)},
};

static void counter_format(const struct counters *c, int i, char text[NUMBER_SIZE])
{
    const char *at = (const char *)c + counter_list[i].offset;
    if (i < INTEGERS)
        snprintf(text, NUMBER_SIZE, "%" PRId64, *(const int64_t *)(const void *)at);
    else
        snprintf(text, NUMBER_SIZE, "%.17g", *(const double *)(const void *)at);
}

/* Reads all counters; strict, in that each must be written as counter_format would. */
static enum status counters_read(const struct safetensors *f, struct counters *c, struct message *m)
{
    for (int i = 0; i < COUNTERS; i++) {
        const char *value = safetensors_meta(f, counter_list[i].key);
        char *at = (char *)c + counter_list[i].offset, again[NUMBER_SIZE];
        if (!value)
            return status_fail(m, STATUS_CORRUPT, "has no %s", counter_list[i].key);
        if (i < INTEGERS)
            *(int64_t *)(void *)at = strtoimax(value, NULL, 10);
        else
            *(double *)(void *)at = strtod(value, NULL);
        counter_format(c, i, again);
        bool sound = i < INTEGERS ? *(int64_t *)(void *)at >= 0 : isfinite(*(double *)(void *)at);
        if (!sound || strcmp(again, value) != 0)
            return status_fail(m, STATUS_CORRUPT, "%s is %.60s", counter_list[i].key, value);
    }
    return STATUS_OK;
}

enum status checkpoint_write(const char *path, const struct trainer *t, const real *best,
                             const char *state, const struct safetensors_meta *extra,
                             struct message *m)
{
    struct safetensors f = {0};
    enum status s = list_tensors(t, best, &f, m);
    if (s != STATUS_OK)
        return s;

    int extras = 0;
    while (extra && extra[extras].key)
        extras++;
    f.meta = calloc((size_t)extras + COUNTERS + 4, sizeof *f.meta);
    if (!f.meta) {
        s = status_fail(m, STATUS_NO_MEMORY, "%s: no memory to write", path);
        goto done;
    }
    const struct counters c = {
        .step = t->step,
        .t = t->optim.t,
        .loss_count = t->loss_count,
        .correct_sum = t->correct_sum,
        .target_sum = t->target_sum,
        .loss_sum = t->loss_sum,
        .grad_norm = t->grad_norm,
        .lr = t->lr,
    };
    char number[COUNTERS][NUMBER_SIZE], tensors[65], header[65];
    f.meta[f.meta_count++] = (struct safetensors_meta){"format", format_name};
    for (int i = 0; i < COUNTERS; i++) {
        counter_format(&c, i, number[i]);
        f.meta[f.meta_count++] = (struct safetensors_meta){counter_list[i].key, number[i]};
    }
    f.meta[f.meta_count++] = (struct safetensors_meta){"state", state};
    digest_tensors(&f, tensors);
    f.meta[f.meta_count++] = (struct safetensors_meta){"sha256", tensors};
    for (int i = 0; i < extras; i++) {
        if (safetensors_meta(&f, extra[i].key) || strcmp(extra[i].key, "header") == 0) {
            s = status_fail(m, STATUS_INTERNAL, "%s: metadata %s given twice", path, extra[i].key);
            goto done;
        }
        f.meta[f.meta_count++] = extra[i];
    }
    digest_meta(&f, header);
    f.meta[f.meta_count++] = (struct safetensors_meta){"header", header};
    s = safetensors_write(path, &f, NULL, m);
done:
    free(f.meta);
    safetensors_free(&f);
    return s;
}

enum status checkpoint_check(const struct safetensors *f, struct message *m)
{
    const char *format = safetensors_meta(f, "format"), *header = safetensors_meta(f, "header");
    char hex[65];
    if (!format || strcmp(format, format_name) != 0)
        return status_fail(m, STATUS_CORRUPT, "is not a checkpoint of format %s", format_name);
    if (!safetensors_meta(f, "state"))
        return status_fail(m, STATUS_CORRUPT, "has no state");
    digest_meta(f, hex);
    if (!header || strcmp(header, hex) != 0)
        return status_fail(m, STATUS_CORRUPT, "the digest of its metadata does not match");
    return STATUS_OK;
}

static enum status check_digest(const struct safetensors *f, struct message *m)
{
    const char *tensors = safetensors_meta(f, "sha256");
    char hex[65];
    digest_tensors(f, hex);
    if (!tensors || strcmp(tensors, hex) != 0)
        return status_fail(m, STATUS_CORRUPT, "the digest of its tensors does not match");
    return STATUS_OK;
}

/* What the digests do not cover: names, offsets and the way the header is written. */
static enum status check_header(const struct safetensors_file *f, struct message *m)
{
    char *header;
    size_t size;
    enum status s = safetensors_header(&f->list, &header, &size, m);
    if (s != STATUS_OK)
        return s;
    if (size != f->header_size || memcmp(f->header, header, size) != 0)
        s = status_fail(m, STATUS_CORRUPT, "its header is not as it was written");
    free(header);
    return s;
}

/* Weights must be finite. A moment may be infinite (a huge gradient that clipping let pass), which
 * uninterrupted training would go on with; it never survives NaN. */
static bool numbers_sound(const struct safetensor *t, enum kind k)
{
    for (size_t i = 0; i < t->size; i += sizeof(real)) {
        real x;
        memcpy(&x, (const char *)t->data + i, sizeof x);
        if (isnan(x) || (isinf(x) && k != KIND_M && k != KIND_V))
            return false;
    }
    return true;
}

/* Names, shapes and dtypes: where they agree, the data has the size that this model's must have. */
static enum status check_shapes(const struct safetensors *f, const struct safetensors *expected,
                                int parameters, struct message *m)
{
    if (f->count != expected->count)
        return status_fail(m, STATUS_CORRUPT, "has %s; this model needs %d or %d",
                           text_counted(f->count, "tensor").text, KIND_BEST * parameters,
                           KINDS * parameters);
    for (int i = 0; i < f->count; i++) {
        const struct safetensor *t = &f->tensor[i], *e = &expected->tensor[i];
        if (strcmp(t->name, e->name) != 0)
            return status_fail(m, STATUS_CORRUPT, "has tensor %.200s where this model needs %.200s",
                               t->name, e->name);
        if (t->dtype != e->dtype || t->rank != e->rank ||
            memcmp(t->shape, e->shape, (size_t)e->rank * sizeof *e->shape) != 0)
            return status_fail(m, STATUS_CORRUPT, "tensor %.200s has another shape or dtype",
                               t->name);
    }
    return STATUS_OK;
}

static enum status check_numbers(const struct safetensors *f, int parameters, struct message *m)
{
    for (int i = 0; i < f->count; i++)
        if (!numbers_sound(&f->tensor[i], (enum kind)(i / parameters)))
            return status_fail(m, STATUS_CORRUPT, "tensor %.200s holds NaN or Inf",
                               f->tensor[i].name);
    return STATUS_OK;
}

static void restore(struct trainer *t, real *best, const struct safetensors *f,
                    const struct counters *c)
{
    struct nn *nn = &t->encoder->nn;
    real *buffer[KINDS] = {nn->data, t->optim.m, t->optim.v, best};
    for (int i = 0; i < f->count; i++) {
        const struct tensor *p = nn->list[i % nn->count].tensor;
        real *to = buffer[i / nn->count];
        if (to)
            memcpy(to + (p->data - nn->data), f->tensor[i].data, f->tensor[i].size);
    }
    t->step = c->step;
    t->optim.t = c->t;
    t->loss_count = c->loss_count;
    t->correct_sum = c->correct_sum;
    t->target_sum = c->target_sum;
    t->loss_sum = c->loss_sum;
    t->grad_norm = c->grad_norm;
    t->lr = c->lr;
}

/* Every check that needs only the header, before the data is read. */
static enum status check_front(const struct safetensors_file *f, const struct trainer *t,
                               struct counters *c, struct message *m)
{
    struct safetensors expected = {0};
    int parameters = t->encoder->nn.count;
    bool with_best = f->list.count == KINDS * parameters;
    /* Only names and shapes are compared: any buffer stands for best. */
    enum status s = list_tensors(t, with_best ? t->encoder->nn.data : NULL, &expected, m);
    if (s == STATUS_OK)
        s = checkpoint_check(&f->list, m);
    if (s == STATUS_OK)
        s = check_header(f, m);
    if (s == STATUS_OK)
        s = check_shapes(&f->list, &expected, parameters, m);
    if (s == STATUS_OK)
        s = counters_read(&f->list, c, m);
    if (s == STATUS_OK && c->step > t->config.steps)
        s = status_fail(m, STATUS_CORRUPT, "is of step %" PRId64 " in a training of %" PRId64,
                        c->step, t->config.steps);
    safetensors_free(&expected);
    return s;
}

/* Every check of the file, before the trainer is changed. */
static enum status read_checked(struct safetensors_file *f, const struct trainer *t,
                                struct counters *c, struct message *m)
{
    enum status s = check_front(f, t, c, m);
    if (s != STATUS_OK)
        return status_fail_within(m, s, "%s: ", f->path);
    s = safetensors_load(f, m);
    if (s != STATUS_OK)
        return s;
    s = check_digest(&f->list, m);
    if (s == STATUS_OK)
        s = check_numbers(&f->list, t->encoder->nn.count, m);
    return s == STATUS_OK ? s : status_fail_within(m, s, "%s: ", f->path);
}

static enum status copy_text(const char *path, const char *text, char **copy, struct message *m)
{
    *copy = text ? strdup(text) : NULL;
    return *copy || !text ? STATUS_OK
                          : status_fail(m, STATUS_NO_MEMORY, "%s: no memory to read", path);
}

enum status checkpoint_read(const char *path, struct trainer *t, real *best, bool *has_best,
                            char **state, char **origin, struct message *m)
{
    *has_best = false;
    *state = *origin = NULL;

    struct safetensors_file f;
    struct counters c = {0};
    enum status s = safetensors_open(path, &f, m);
    if (s == STATUS_OK)
        s = read_checked(&f, t, &c, m);
    if (s == STATUS_OK)
        s = copy_text(path, safetensors_meta(&f.list, "state"), state, m);
    if (s == STATUS_OK)
        s = copy_text(path, safetensors_meta(&f.list, "build"), origin, m);
    if (s == STATUS_OK) {
        restore(t, best, &f.list, &c);
        *has_best = best && f.list.count == KINDS * t->encoder->nn.count;
    } else {
        free(*state);
        *state = NULL;
    }
    safetensors_close(&f);
    return s;
}

int64_t checkpoint_step(const char *path)
{
    struct safetensors_file f;
    struct counters c = {0};
    bool sound = safetensors_open(path, &f, NULL) == STATUS_OK &&
                 checkpoint_check(&f.list, NULL) == STATUS_OK &&
                 counters_read(&f.list, &c, NULL) == STATUS_OK;
    safetensors_close(&f);
    return sound ? c.step : -1;
}
