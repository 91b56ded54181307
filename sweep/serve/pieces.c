#include "sweep/serve/pieces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json_write.h"
#include "sweep/db/rows.h"
#include "sweep/page/page.h"
#include "sweep/page/page_paths.h"
#include "sweep/serve/metrics.h"

enum { HEADS_MAX = 4000 };

int piece_code(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return REQUEST_OK;
    case STATUS_BUSY:
    case STATUS_NO_MEMORY:
    case STATUS_BAD_INPUT: /* no results file, or one of a newer format */
    case STATUS_CORRUPT:
    case STATUS_IO:
    case STATUS_INTERRUPTED: /* it takes too long */
        return PIECE_UNAVAILABLE;
    case STATUS_DISK_FULL:
    case STATUS_DIVERGED:
    case STATUS_INTERNAL:
        break;
    }
    return PIECE_FAULT;
}

/* Of those trials that are this sweep's and have a curve. */
static enum status put_curves(struct store *s, const struct request *q, FILE *out,
                              struct message *m)
{
    struct json_writer w = {.out = out};
    enum status status = STATUS_OK;
    json_begin_object(&w, NULL);
    json_begin_list(&w, "curves");
    for (int i = 0; i < q->n_trials && status == STATUS_OK; i++) {
        int64_t has;
        status = rows_ask(s, m,
                          "SELECT 1 FROM trial WHERE trial_id = ?1 AND sweep_id = ?2"
                          " AND EXISTS (SELECT 1 FROM curve WHERE curve.trial_id = ?1)",
                          VALUES(INTEGER(q->trials[i]), INTEGER(q->sweep_id)), &has);
        if (status != STATUS_OK || !has)
            continue;
        json_add_key(&w, NULL);
        status = page_curve(s, q->trials[i], q->most, out, m);
    }
    json_end_list(&w);
    json_end_object(&w);
    fputc('\n', out);
    return status == STATUS_OK ? text_check(out, m) : status;
}

static enum status put_piece(struct store *s, const struct request *q, FILE *out, struct message *m)
{
    switch (q->kind) {
    case REQUEST_INDEX:
        return page_index(s, out, m);
    case REQUEST_SUMMARY:
        return page_summary(s, q->sweep_id, out, m);
    case REQUEST_TRIALS:
        return page_trials(s, q->sweep_id, q->after, q->most, out, m);
    case REQUEST_CURVES:
        return put_curves(s, q, out, m);
    case REQUEST_HEADS:
        return page_heads(s, q->sweep_id, q->trial, HEADS_MAX, out, m);
    case REQUEST_ATTENTION:
        return page_attention_or_missing(s, q->trial, out, m);
    case REQUEST_METRICS:
        return metrics_of_file(s, out, m);
    case REQUEST_PAGE:
    case REQUEST_EVENTS:
    case REQUEST_KINDS:
        break;
    }
    return status_fail(m, STATUS_INTERNAL, "this is not read from a results file");
}

static int find_and_write(struct store *s, const struct request *q, FILE *out, struct message *m)
{
    int64_t has = 1;
    enum status status = STATUS_OK;
    if (q->sweep_id)
        status = rows_ask(s, m, "SELECT 1 FROM sweep WHERE sweep_id = ?1",
                          VALUES(INTEGER(q->sweep_id)), &has);
    if (status == STATUS_OK && !has) {
        status_fail(m, status, "this file has no sweep %" PRId64, q->sweep_id);
        return REQUEST_NOT_FOUND;
    }
    if (status == STATUS_OK && q->trial)
        status = rows_ask(s, m, "SELECT 1 FROM trial WHERE trial_id = ?1 AND sweep_id = ?2",
                          VALUES(INTEGER(q->trial), INTEGER(q->sweep_id)), &has);
    if (status == STATUS_OK && !has) {
        status_fail(m, status, "this sweep has no trial %" PRId64, q->trial);
        return REQUEST_NOT_FOUND;
    }
    if (status == STATUS_OK)
        status = put_piece(s, q, out, m);
    return piece_code(status);
}

int piece_write(struct store *s, const struct request *q, FILE *out, struct message *m)
{
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return piece_code(status);
    int code = find_and_write(s, q, out, m);
    store_snapshot_end(s);
    return code;
}

void piece_words(const char *path, const struct message *m, struct message *words)
{
    struct text_buffer cut = {0};
    FILE *out = text_stream(&cut);
    if (out)
        page_names_only(m->text, path, out);
    if (out)
        fclose(out);
    bool good = cut.text && !cut.out_of_memory;
    status_fail(words, STATUS_IO, "%s", good ? cut.text : "no memory");
    free(cut.text);
}

void piece_error(struct text_buffer *body, const char *sentence)
{
    struct json_writer w = {.text = body};
    json_begin_object(&w, NULL);
    json_add_text(&w, "error", sentence);
    json_end_object(&w);
    text_add(body, "\n");
}
