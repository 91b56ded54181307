#include "sweep/serve/pieces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json_write.h"
#include "sweep/db/rows.h"
#include "sweep/page/page.h"
#include "sweep/page/page_write.h"
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
static void put_curves(struct scope *x, const struct request *q, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_begin_list(&w, "curves");
    for (int i = 0; i < q->listed; i++) {
        if (!scope_ask(x,
                       "SELECT 1 FROM trial WHERE trial_id = ?1 AND sweep_id = ?2"
                       " AND EXISTS (SELECT 1 FROM curve WHERE curve.trial_id = ?1)",
                       VALUES(INTEGER(q->list[i]), INTEGER(q->sweep_id))))
            continue;
        json_add_key(&w, NULL);
        page_curve(x, q->list[i], q->most, out);
    }
    json_end_list(&w);
    json_end_object(&w);
    fputc('\n', out);
}

static void put_comparison(struct scope *x, const struct request *q, FILE *out)
{
    int64_t sweep_id[1 + REQUEST_WITH_MAX] = {q->sweep_id};
    memcpy(sweep_id + 1, q->list, (size_t)q->listed * sizeof *sweep_id);
    page_comparison(x, sweep_id, 1 + q->listed, out);
}

static void put_piece(struct scope *x, const struct request *q, FILE *out)
{
    switch (q->kind) {
    case REQUEST_INDEX:
        page_index(x, out);
        return;
    case REQUEST_SUMMARY:
        page_summary(x, q->sweep_id, out);
        return;
    case REQUEST_TRIALS:
        page_trials(x, q->sweep_id, q->after, q->most, out);
        return;
    case REQUEST_CURVES:
        put_curves(x, q, out);
        return;
    case REQUEST_HEADS:
        page_heads(x, q->sweep_id, q->trial, HEADS_MAX, out);
        return;
    case REQUEST_ATTENTION:
        scope_check(x, page_attention_or_missing(x->store, q->trial, out, x->message));
        return;
    case REQUEST_TRIAL:
        page_trial(x, q->trial, out);
        return;
    case REQUEST_COMPARISON:
        put_comparison(x, q, out);
        return;
    case REQUEST_METRICS:
        metrics_of_file(x, out);
        return;
    case REQUEST_PAGE:
    case REQUEST_EVENTS:
    case REQUEST_KINDS:
        break;
    }
    scope_fail(x, STATUS_INTERNAL, "this is not read from a results file");
}

static bool find_sweep(struct scope *x, int64_t sweep_id)
{
    if (scope_ask(x, "SELECT 1 FROM sweep WHERE sweep_id = ?1", VALUES(INTEGER(sweep_id))))
        return true;
    status_fail(x->message, STATUS_BAD_INPUT, "this file has no sweep %" PRId64, sweep_id);
    return false;
}

/* Whether there is what is asked about; else x->message says what is not. */
static bool find(struct scope *x, const struct request *q)
{
    for (int i = 0; q->kind == REQUEST_COMPARISON && i < q->listed; i++)
        if (!find_sweep(x, q->list[i]))
            return false;
    if (q->sweep_id && !find_sweep(x, q->sweep_id))
        return false;
    if (q->trial && !scope_ask(x, "SELECT 1 FROM trial WHERE trial_id = ?1 AND sweep_id = ?2",
                               VALUES(INTEGER(q->trial), INTEGER(q->sweep_id))))
        status_fail(x->message, STATUS_BAD_INPUT, "this sweep has no trial %" PRId64, q->trial);
    else
        return true;
    return false;
}

int piece_write(struct store *s, const struct request *q, FILE *out, struct message *m)
{
    volatile bool found = true; /* set behind a setjmp */
    struct scope *x = scope_new(s, "a page", m);
    if (scope_enter(x)) {
        scope_read_begin(x);
        if (find(x, q))
            put_piece(x, q, out);
        else
            found = false;
        scope_read_end(x);
        scope_check(x, text_check(out, m));
    }
    enum status status = scope_end(x);
    if (!found)
        return REQUEST_NOT_FOUND;
    return status == STATUS_BAD_INPUT ? REQUEST_BAD : piece_code(status);
}

void piece_words(const char *path, const struct message *m, struct message *words)
{
    struct text_buffer cut = {0};
    page_names_only(m->text, path, &cut);
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
