#include "sweep/study/study_job.h"

#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/kernels/blas.h"
#include "sweep/worker/fields.h"
#include "sweep/worker/wire.h"
#include "sweep/worker/worker_ends.h"

struct head {
    char study[32];
    char folder[PATH_MAX];
    struct data_place data;
    char options[WIRE_JOB_MAX];
    int64_t trials;
};
static const struct field head_field[] = {
    FIELD(struct head, study, FIELD_TEXT),       FIELD(struct head, folder, FIELD_TEXT),
    FIELD(struct head, data.path, FIELD_TEXT),   FIELD(struct head, data.name, FIELD_TEXT),
    FIELD(struct head, data.copied, FIELD_FLAG), FIELD(struct head, options, FIELD_TEXT),
    FIELD(struct head, trials, FIELD_INTEGER),
};
static const struct fields head_fields = FIELDS("job", struct head, head_field);

/* What a worker gets of a trial. */
static const struct field trial_field[] = {
    FIELD(struct study_trial, trial_id, FIELD_INTEGER),
    FIELD(struct study_trial, sweep_id, FIELD_INTEGER),
    FIELD(struct study_trial, best_step, FIELD_INTEGER),
    FIELD(struct study_trial, file, FIELD_TEXT),
    FIELD(struct study_trial, sha256, FIELD_TEXT),
    FIELD(struct study_trial, config_sha256, FIELD_TEXT),
    FIELD(struct study_trial, seed, FIELD_UNSIGNED),
    FIELD(struct study_trial, n_params, FIELD_INTEGER),
    FIELD(struct study_trial, heads, FIELD_INTEGER),
    FIELD(struct study_trial, layers, FIELD_INTEGER),
    FIELD(struct study_trial, val_acc, FIELD_REAL),
    FIELD(struct study_trial, test_acc, FIELD_REAL),
    FIELD(struct study_trial, setting, FIELD_TEXT),
};
static const struct fields trial_fields = FIELDS("trial", struct study_trial, trial_field);

static bool fill(char *to, size_t size, const char *text)
{
    return snprintf(to, size, "%s", text) < (int)size;
}

/* The length of what it writes into text[WIRE_JOB_MAX]; -1 where that does not suffice. */
static int write_job(const struct study *study, const struct study_job *j, struct head *head,
                     char *text)
{
    if (!fill(head->study, sizeof head->study, study->name) ||
        !fill(head->folder, sizeof head->folder, j->folder) ||
        !fill(head->options, sizeof head->options, j->options))
        return -1;
    head->data = *j->data;
    head->trials = j->trials;
    int used = fields_format(&head_fields, head, text, WIRE_JOB_MAX);
    for (int i = 0, n; i < j->trials && used >= 0; i++) {
        n = fields_format(&trial_fields, &j->trial[i], text + used, WIRE_JOB_MAX - (size_t)used);
        used = n < 0 ? -1 : used + n;
    }
    return used;
}

enum status study_job_text(const struct study *study, const struct study_job *j, char **text,
                           struct message *m)
{
    enum status s = STATUS_OK;
    struct head *head = malloc(sizeof *head);
    *text = malloc(WIRE_JOB_MAX);
    if (!head || !*text)
        s = status_no_memory(m, "a worker's job");
    else if (write_job(study, j, head, *text) < 0)
        s = status_fail(m, STATUS_BAD_INPUT, "%d trials are too many for one job", j->trials);
    free(head);
    if (s == STATUS_OK)
        return s;
    free(*text);
    *text = NULL;
    return s;
}

enum status study_job_parse(struct arena *a, const char *text, const struct study **study,
                            struct study_job *j, struct message *m)
{
    struct head *head = arena_alloc(a, 1, sizeof *head);
    enum status s = fields_parse_next(&head_fields, &text, head, m);
    if (s != STATUS_OK)
        return s;
    *study = study_find(head->study);
    if (!*study || head->trials < 1 || head->trials > WIRE_JOB_MAX)
        return status_fail(m, STATUS_BAD_INPUT, "the job is of no study, or of no trials");
    struct study_trial *list = arena_alloc(a, (size_t)head->trials, sizeof *list);
    for (int64_t i = 0; i < head->trials && s == STATUS_OK; i++)
        s = fields_parse_next(&trial_fields, &text, &list[i], m);
    if (s == STATUS_OK && *text)
        s = status_fail(m, STATUS_BAD_INPUT, "the job has more lines than trials");
    *j = (struct study_job){.folder = head->folder,
                            .trials = (int)head->trials,
                            .trial = list,
                            .options = head->options,
                            .data = &head->data};
    return s;
}

bool study_job_is(const char *text)
{
    return strncmp(text, "study=", sizeof "study=" - 1) ==
           0; /* its first line, which no other has */
}

/* ---- the worker ---- */

static enum status send_answer(const struct text_buffer *json, struct message *m)
{
    enum { PIECE = 1 << 16 };
    if (json->out_of_memory)
        return status_no_memory(m, "the answer");
    for (size_t at = 0; at < json->used; at += PIECE) {
        size_t size = json->used - at < PIECE ? json->used - at : PIECE;
        enum status s = wire_send(WIRE_MESSAGE_FD, WIRE_ANSWER, json->text + at, size, m);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}

static enum status answer(struct arena *a, const char *text, struct message *m)
{
    const struct study *study;
    struct study_job job = {0};
    struct study_answer out = {{0}};
    enum status s = study_job_parse(a, text, &study, &job, m);
    if (s == STATUS_OK)
        s = blas_start(1, m);
    if (s == STATUS_OK)
        s = study->answer(a, &job, &out, m);
    if (s == STATUS_OK)
        s = send_answer(&out.json, m);
    free(out.json.text);
    return s;
}

/* An arena that runs out of memory, wherever in the engine, comes back here. */
static enum status answer_guarded(const char *text, struct message *m)
{
    static struct arena a;
    jmp_buf exhausted;
    enum status s;
    arena_init(&a, &exhausted);
    if (setjmp(exhausted) != 0)
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for an answer (%zu MiB in use)",
                        a.used >> 20);
    else
        s = answer(&a, text, m);
    arena_free(&a);
    return s;
}

int study_worker(const char *job)
{
    struct message m = {.text = ""};
    enum status s = answer_guarded(job, &m);
    if (s != STATUS_OK)
        fprintf(stderr, "%s\n", m.text);
    close(WIRE_MESSAGE_FD); /* the last word: whoever waits for the end may lose patience now */
    return s == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
