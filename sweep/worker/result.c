#include "sweep/worker/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/json_write.h"
#include "engine/base/sha256.h"
#include "engine/checkpoint.h"

#define RESULT_FORMAT "headcount.result.1"

static void add_number(struct json_writer *w, const char *key, double x, bool present)
{
    json_add_digits(w, key, present ? x : NAN, 17);
}

void curve_row_json(const struct curve_row *row, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_add_integer(w, "step", row->step);
    add_number(w, "train_loss", row->train_loss, true);
    add_number(w, "train_acc", row->train_acc, true);
    add_number(w, "val_loss", row->val_loss, true);
    add_number(w, "val_acc", row->val_acc, true);
    add_number(w, "grad_norm", row->grad_norm, true);
    add_number(w, "lr", row->lr, true);
    add_number(w, "elapsed_s", row->elapsed_s, true);
    add_number(w, "cpu_s", row->cpu_s, true);
    json_end_object(w);
}

static void add_measures(struct json_writer *w, const struct result *r)
{
    for (int level = 0; level < MEASURE_LEVELS; level++) {
        json_begin_list(w, measure_level_table((enum measure_level)level));
        for (int i = r->measured_from; i < r->rows; i++)
            measured_rows(&r->measured[i], (enum measure_level)level, r->curve[i].step, w);
        json_end_list(w);
    }
}

static void add_numbers(struct json_writer *w, const char *key, const double *x, int n)
{
    json_begin_list(w, key);
    for (int k = 0; k < n; k++)
        add_number(w, NULL, x[k], true);
    json_end_list(w);
}

/* How the test came out in its parts. */
static void add_parts(struct json_writer *w, const struct result *r)
{
    if (r->blocks)
        add_numbers(w, "block_loss", r->block_loss, r->blocks);
    if (r->labels)
        json_begin_list(w, "label_acc");
    for (int k = 0; k < r->labels; k++) {
        const struct result_label *label = &r->label[k];
        json_begin_object(w, NULL);
        json_add_text(w, "label", label->name);
        json_add_integer(w, "n", label->n);
        add_number(w, "acc", (double)label->right / (double)label->n, true);
        json_end_object(w);
    }
    if (r->labels)
        json_end_list(w);
}

char *result_json(const struct result *r)
{
    struct text_buffer t = {0};
    struct json_writer w = {.text = &t};
    bool tested = r->has_best && !r->diverged;
    json_begin_object(&w, NULL);
    json_add_text(&w, "state", trial_state_name(r->diverged ? TRIAL_DIVERGED : TRIAL_COMPLETED));
    json_add_integer(&w, "steps_done", r->steps_done);
    add_number(&w, "best_step", (double)r->best_step, r->has_best);
    add_number(&w, "train_acc", r->train_acc, r->has_best);
    add_number(&w, "val_acc", r->val_acc, r->has_best);
    add_number(&w, "test_acc", r->test_acc, tested);
    if (tested)
        add_numbers(&w, "test_acc_by_slot", r->test_acc_by_slot, r->slots);
    else
        json_add_null(&w, "test_acc_by_slot");
    add_number(&w, "test_exact", r->test_exact, tested);
    add_number(&w, "test_loss", r->test_loss, tested);
    if (tested)
        add_parts(&w, r);
    add_number(&w, "chance", r->chance, true);
    add_number(&w, "train_s", r->train_s, true);
    add_number(&w, "resumed_from_step", (double)r->resumed_from_step, true);
    json_add_text(&w, "error", r->error);
    add_number(&w, "bad_step", (double)r->bad_step, r->diverged);
    json_begin_list(&w, "curve");
    for (int i = 0; i < r->rows; i++)
        curve_row_json(&r->curve[i], &w);
    json_end_list(&w);
    if (r->measured)
        add_measures(&w, r);
    json_end_object(&w);
    if (t.out_of_memory) {
        free(t.text);
        return NULL;
    }
    return t.text;
}

static void digest(const struct safetensors *s, char hex[65])
{
    struct sha256 h;
    sha256_init(&h);
    for (int i = 0; i < s->count; i++)
        sha256_update(&h, s->tensor[i].data, s->tensor[i].size);
    for (int i = 0; i < s->meta_count; i++) {
        if (strcmp(s->meta[i].key, "sha256") == 0)
            continue;
        sha256_update(&h, s->meta[i].key, strlen(s->meta[i].key) + 1);
        sha256_update(&h, s->meta[i].value, strlen(s->meta[i].value) + 1);
    }
    for (int i = 0; i < s->count; i++) {
        const struct safetensor *t = &s->tensor[i];
        sha256_update(&h, t->name, strlen(t->name) + 1);
        sha256_update(&h, &t->dtype, sizeof t->dtype);
        sha256_update(&h, t->shape, (size_t)t->rank * sizeof t->shape[0]);
    }
    sha256_final(&h, hex);
}

void result_tensors(const struct nn *nn, struct safetensor *tensor)
{
    for (int i = 0; i < nn->count; i++) {
        const struct tensor *p = nn->list[i].tensor;
        tensor[i] = (struct safetensor){
            .name = p->name,
            .dtype = sizeof(real) == 8 ? DTYPE_F64 : DTYPE_F32,
            .rank = p->shape.rank,
            .data = p->data,
            .size = (size_t)tensor_size(p) * sizeof(real),
        };
        for (int k = 0; k < p->shape.rank; k++)
            tensor[i].shape[k] = p->shape.dim[k];
    }
}

enum status result_write(const char *path, const struct result *r, const struct nn *nn,
                         const char *config, uint32_t seed, struct message *m)
{
    enum status s = STATUS_NO_MEMORY;
    int count = r->has_best ? nn->count : 0;
    char *json = result_json(r);
    struct safetensor *tensor = calloc((size_t)count + 1, sizeof *tensor);
    if (!json || !tensor) {
        status_fail(m, s, "no memory for the result");
        goto done;
    }
    if (count)
        result_tensors(nn, tensor);
    char seed_text[16], test_acc[32], sha256[65];
    snprintf(seed_text, sizeof seed_text, "%" PRIu32, seed);
    snprintf(test_acc, sizeof test_acc, "%.17g", r->test_acc);
    struct safetensors_meta meta[] = {
        {"format", RESULT_FORMAT}, {"trial", json},        {"config", config},
        {"seed", seed_text},       {"test_acc", test_acc}, {"sha256", sha256},
    };
    struct safetensors file = {
        .count = count, .tensor = tensor, .meta_count = sizeof meta / sizeof meta[0], .meta = meta};
    digest(&file, sha256);
    s = safetensors_write(path, &file, NULL, m);
done:
    free(tensor);
    free(json);
    return s;
}

/* Spaces and other spellings of the header, which the digest does not see. */
static enum status check_spelling(const struct safetensors_file *f, struct message *m)
{
    char *header;
    size_t size;
    enum status s = safetensors_header(&f->list, &header, &size, m);
    if (s == STATUS_NO_MEMORY)
        return s;
    bool same = s == STATUS_OK && size == f->header_size && memcmp(f->header, header, size) == 0;
    free(header);
    return same ? STATUS_OK
                : status_fail(m, STATUS_CORRUPT, "its bytes do not match their SHA-256");
}

static enum status check_owner(const struct safetensors *list, const struct result_owner *owner,
                               const char *what, struct message *m)
{
    const char *config = safetensors_meta(list, "config"), *seed = safetensors_meta(list, "seed");
    char sha256[65], expected[16];
    if (!config || !seed)
        return status_fail(m, STATUS_CORRUPT, "not a %s of this program", what);
    sha256_hex(config, strlen(config), sha256);
    snprintf(expected, sizeof expected, "%" PRIu32, owner->seed);
    if (strcmp(sha256, owner->config_sha256) != 0 || strcmp(seed, expected) != 0)
        return status_fail(m, STATUS_CORRUPT, "the %s of another configuration or seed", what);
    return STATUS_OK;
}

static enum status refuse_size(const struct safetensors_file *f, const struct result_owner *owner,
                               struct message *m)
{
    return status_fail(m, STATUS_CORRUPT, "has %s of weights; %s take %zu",
                       text_counted((long long)f->data_size, "byte").text,
                       text_counted(owner->n_params, "parameter").text,
                       (size_t)owner->n_params * sizeof(real));
}

/* How often the file holds all parameters; -1 where it holds parts of them. */
static int64_t copies(const struct safetensors_file *f, const struct result_owner *owner)
{
    int64_t numbers = (int64_t)(f->data_size / sizeof(real));
    bool whole = f->data_size % sizeof(real) == 0 && owner->n_params > 0;
    return whole && numbers % owner->n_params == 0 ? numbers / owner->n_params : -1;
}

enum status result_check(const struct safetensors_file *f, const struct result_owner *owner,
                         struct message *m)
{
    const char *format = safetensors_meta(&f->list, "format");
    if (!format || strcmp(format, RESULT_FORMAT) != 0 || !safetensors_meta(&f->list, "trial"))
        return status_fail(m, STATUS_CORRUPT, "not a result of this program");
    enum status s = check_spelling(f, m);
    if (s == STATUS_OK)
        s = check_owner(&f->list, owner, "result", m);
    if (s == STATUS_OK && f->data_size != 0 && copies(f, owner) != 1)
        s = refuse_size(f, owner, m);
    return s;
}

enum status result_check_checkpoint(const struct safetensors_file *f,
                                    const struct result_owner *owner, struct message *m)
{
    enum status s = checkpoint_check(&f->list, m);
    if (s == STATUS_OK)
        s = check_owner(&f->list, owner, "checkpoint", m);
    /* Weights and two moments of each, and the best weights from the first evaluation on. */
    if (s == STATUS_OK && copies(f, owner) != 3 && copies(f, owner) != 4)
        s = refuse_size(f, owner, m);
    return s;
}

static enum status check_digest(const struct safetensors *list, struct message *m)
{
    const char *stored = safetensors_meta(list, "sha256");
    char sha256[65];
    digest(list, sha256);
    if (!stored || strcmp(stored, sha256) != 0)
        return status_fail(m, STATUS_CORRUPT, "its bytes do not match their SHA-256");
    return STATUS_OK;
}

static void hash_file(const struct safetensors_file *f, char hex[65])
{
    struct sha256 h;
    sha256_init(&h);
    sha256_update(&h, f->header, f->header_size);
    sha256_update(&h, f->data, f->data_size);
    sha256_final(&h, hex);
}

/* The outcome of the trial, as its JSON says. */
static enum status read_state(const char *trial_json, enum trial_state *state, struct message *m)
{
    size_t size = strlen(trial_json);
    char *buffer = malloc(size + 1);
    if (!buffer)
        return status_no_memory(m, "a result");
    const unsigned char *bytes = (const unsigned char *)trial_json;
    struct json trial = {.start = bytes,
                         .next = bytes,
                         .end = bytes + size,
                         .place = "trial",
                         .text = buffer,
                         .m = m},
                whole = trial, value;
    const char *name;
    enum status s = STATUS_CORRUPT;
    if (json_skip(&whole) && json_end(&whole)) {
        if (json_member(&trial, "state", &value) && json_string(&value, &name) &&
            trial_state_find(name, state) &&
            (*state == TRIAL_COMPLETED || *state == TRIAL_DIVERGED))
            s = STATUS_OK;
        else
            status_fail(m, s, "its trial has neither completed nor diverged");
    }
    free(buffer);
    return s;
}

enum status result_open(const char *path, const struct result_owner *owner, struct result_file *f,
                        struct message *m)
{
    memset(f, 0, sizeof *f);
    enum status s = safetensors_open(path, &f->file, m);
    if (s == STATUS_OK) {
        s = result_check(&f->file, owner, m);
        if (s != STATUS_OK)
            status_fail_within(m, s, "%s: ", path);
    }
    if (s == STATUS_OK)
        s = safetensors_load(&f->file, m);
    if (s == STATUS_OK) {
        f->trial_json = safetensors_meta(&f->file.list, "trial");
        f->config = safetensors_meta(&f->file.list, "config");
        s = check_digest(&f->file.list, m);
        if (s == STATUS_OK)
            s = read_state(f->trial_json, &f->state, m);
        if (s != STATUS_OK)
            status_fail_within(m, s, "%s: ", path);
    }
    if (s == STATUS_OK) {
        hash_file(&f->file, f->sha256);
    } else {
        result_close(f);
    }
    return s;
}

void result_close(struct result_file *f)
{
    safetensors_close(&f->file);
    memset(f, 0, sizeof *f);
    f->file.fd = -1;
}

enum status result_weights(const struct result_file *f, struct nn *nn, struct message *m)
{
    for (int i = 0; i < nn->count; i++) {
        struct tensor *p = nn->list[i].tensor;
        const struct safetensor *t = safetensors_find(&f->file.list, p->name);
        if (!t || t->size != (size_t)tensor_size(p) * sizeof(real) || t->rank != p->shape.rank)
            return status_fail(m, STATUS_CORRUPT, "the result has no weights %s of the right shape",
                               p->name);
        memcpy(p->data, t->data, t->size);
    }
    return STATUS_OK;
}
