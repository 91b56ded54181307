#include "sweep/study/study_job.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "sweep/worker/wire.h"

/* The members of struct study_trial that a worker gets. */
struct field {
    const char *key;
    enum { FIELD_TEXT, FIELD_INTEGER, FIELD_SEED, FIELD_REAL } type;
    size_t offset, size; /* size: of a text */
};
#define TEXT_FIELD(member)                                                                         \
    {                                                                                              \
#member, FIELD_TEXT, offsetof(struct study_trial, member),                                 \
            sizeof((struct study_trial *)0)->member                                                \
    }
#define FIELD(member, type)                                                                        \
    {                                                                                              \
#member, type, offsetof(struct study_trial, member), 0                                     \
    }
static const struct field fields[] = {
    FIELD(trial_id, FIELD_INTEGER),
    FIELD(sweep_id, FIELD_INTEGER),
    FIELD(best_step, FIELD_INTEGER),
    TEXT_FIELD(file),
    TEXT_FIELD(sha256),
    TEXT_FIELD(config_sha256),
    FIELD(seed, FIELD_SEED),
    FIELD(n_params, FIELD_INTEGER),
    FIELD(heads, FIELD_INTEGER),
    FIELD(layers, FIELD_INTEGER),
    FIELD(val_acc, FIELD_REAL),
    FIELD(test_acc, FIELD_REAL),
    TEXT_FIELD(setting),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void add_trial(struct json_writer *w, const struct study_trial *t)
{
    json_begin_object(w, NULL);
    for (int i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];
        const char *at = (const char *)t + f->offset;
        if (f->type == FIELD_TEXT)
            json_add_text(w, f->key, at);
        else if (f->type == FIELD_REAL)
            json_add_digits(w, f->key, *(const double *)(const void *)at, 17);
        else if (f->type == FIELD_SEED)
            json_add_integer(w, f->key, *(const uint32_t *)(const void *)at);
        else
            json_add_integer(w, f->key, *(const int64_t *)(const void *)at);
    }
    json_end_object(w);
}

enum status study_job_text(const struct study *study, const struct study_job *j, char **text,
                           struct message *m)
{
    struct text_buffer b = {0};
    struct json_writer w = {.text = &b};
    json_begin_object(&w, NULL);
    json_add_text(&w, "study", study->name);
    json_add_bytes(&w, "folder", j->folder);
    json_add_json(&w, "options", j->options);
    json_add_text(&w, "data", j->data->path);
    json_begin_list(&w, "trials");
    for (int i = 0; i < j->trials; i++)
        add_trial(&w, &j->trial[i]);
    json_end_list(&w);
    json_end_object(&w);
    enum status s = STATUS_OK;
    if (b.out_of_memory)
        s = status_fail(m, STATUS_NO_MEMORY, "out of memory for a worker's job");
    else if (b.used >= WIRE_JOB_MAX)
        s = status_fail(m, STATUS_BAD_INPUT, "%d trials are too many for one job", j->trials);
    if (s != STATUS_OK)
        free(b.text);
    *text = s == STATUS_OK ? b.text : NULL;
    return s;
}

static bool read_field(struct json *value, const struct field *f, struct study_trial *t)
{
    char *at = (char *)t + f->offset;
    const char *text;
    int64_t integer;
    bool quoted;
    switch (f->type) {
    case FIELD_TEXT:
        if (!json_string(value, &text) || strlen(text) >= f->size)
            return false;
        memcpy(at, text, strlen(text) + 1);
        return true;
    case FIELD_REAL:
        if (!json_scalar(value, &text, &quoted) || quoted)
            return false;
        *(double *)(void *)at = strtod(text, NULL);
        return true;
    case FIELD_INTEGER:
        return json_integer(value, (int64_t *)(void *)at);
    case FIELD_SEED:
        if (!json_integer(value, &integer) || integer > UINT32_MAX)
            return false;
        *(uint32_t *)(void *)at = (uint32_t)integer;
        return true;
    }
    return false;
}

static bool read_trial(struct json *list, struct study_trial *t)
{
    struct json object = *list, value;
    if (!json_skip(list))
        return false;
    for (int i = 0; i < FIELDS; i++)
        if (!json_member(&object, fields[i].key, &value) || !read_field(&value, &fields[i], t))
            return false;
    return true;
}

/* How many there are, 0 where they cannot be read; list: where they go, NULL only to count. */
static int read_trials(struct json trials, struct study_trial *list)
{
    struct study_trial unused;
    int n = 0;
    bool more = json_take(&trials, '[');
    for (; more; n++)
        if (!read_trial(&trials, list ? &list[n] : &unused) || !json_more(&trials, ']', &more))
            return 0;
    return n;
}

/* NULL where it is not there. */
static const struct data_place *read_data(struct arena *a, const struct json *job)
{
    struct data_place *data = arena_alloc(a, 1, sizeof *data);
    struct json value;
    const char *path;
    if (!json_member(job, "data", &value) || !json_string(&value, &path) ||
        strlen(path) >= sizeof data->path)
        return NULL;
    memcpy(data->path, path, strlen(path) + 1);
    return data;
}

/* The options as they stand. */
static const char *copy_options(struct arena *a, struct json value)
{
    const unsigned char *begin = value.next;
    json_skip(&value);
    char *text = arena_alloc(a, (size_t)(value.next - begin) + 1, 1);
    return memcpy(text, begin, (size_t)(value.next - begin));
}

/* Strings are unescaped into job.text one over the other: what is to stay is copied. */
enum status study_job_parse(struct arena *a, const char *text, const struct study **study,
                            struct study_job *j, struct message *m)
{
    size_t size = strlen(text);
    const unsigned char *bytes = (const unsigned char *)text;
    struct json job = {.start = bytes,
                       .next = bytes,
                       .end = bytes + size,
                       .place = "job",
                       .text = arena_alloc(a, size + 1, 1),
                       .m = m};
    struct json whole = job, value, trials;
    const char *string;
    if (!json_skip(&whole) || !json_end(&whole))
        return STATUS_INTERNAL;
    *study = NULL;
    if (json_member(&job, "study", &value) && json_string(&value, &string))
        *study = study_find(string);
    if (json_member(&job, "folder", &value) && json_bytes(&value, &string))
        j->folder = arena_string(a, string);
    if (json_member(&job, "options", &value))
        j->options = copy_options(a, value);
    j->data = read_data(a, &job);
    j->trials = json_member(&job, "trials", &trials) ? read_trials(trials, NULL) : 0;
    if (!*study || !j->folder || !j->options || !j->data || j->trials == 0)
        return status_fail(m, STATUS_INTERNAL,
                           "the job lacks its study, folder, options, data or trials");
    struct study_trial *list = arena_alloc(a, (size_t)j->trials, sizeof *list);
    read_trials(trials, list);
    j->trial = list;
    return STATUS_OK;
}
