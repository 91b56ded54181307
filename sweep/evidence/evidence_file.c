/* What trials over a user's file were tested on, and how they did on each block of a text. */
#include <string.h>

#include "sweep/evidence/evidence_parts.h"

/* What is sampled, and what a guess costs that knows how often each byte or label comes. */
static void read_data(struct scope *x, struct evidence *e)
{
    enum { TEXT, ENTROPY, INTERLEAVED };
    struct rows *rows =
        scope_rows(x,
                   "SELECT mode = 'lm', config_json ->> '$.task.options.entropy',"
                   "       config_json ->> '$.task.options.split' IS 'interleaved' FROM config"
                   " WHERE config_id = ? AND task = 'text'",
                   NO_VALUES);
    for (int i = 0; i < e->settings; i++) {
        struct verdict_input *in = &e->setting[i].input;
        rows_rebind(rows, VALUES(INTEGER(e->setting[i].config_id)));
        if (!rows_next(rows))
            continue;
        in->data = rows_integer(rows, TEXT) ? VERDICT_TEXT : VERDICT_ROWS;
        in->guess_loss = rows_null(rows, ENTROPY) ? 0 : rows_real(rows, ENTROPY);
        in->interleaved = rows_integer(rows, INTERLEAVED);
    }
    scope_close(x, rows);
}

/* The same of each trial, where files are what is replicated. */
static void read_guesses(struct scope *x, struct evidence *e)
{
    struct rows *rows =
        scope_rows(x,
                   "SELECT config_json ->> '$.task.options.entropy' FROM trial"
                   " JOIN config USING (config_id) WHERE trial_id = ? AND task = 'text'",
                   NO_VALUES);
    for (int i = 0; i < e->trials; i++) {
        rows_rebind(rows, VALUES(INTEGER(e->trial[i].trial_id)));
        if (rows_next(rows) && !rows_null(rows, 0))
            e->trial[i].guess = rows_real(rows, 0);
    }
    scope_close(x, rows);
}

/* ---- blocks ---- */

/* A trial's losses, as they lie in e->block. */
struct losses {
    size_t first;
    int count;
};

/* Those of each trial of `e`. */
static struct losses *read_losses(struct scope *x, struct evidence *e)
{
    struct losses *of = arena_alloc(&x->arena, (size_t)e->trials, sizeof *of);
    struct rows *rows =
        scope_rows(x, "SELECT loss FROM block_loss WHERE trial_id = ? ORDER BY block", NO_VALUES);
    size_t blocks = 0;
    for (int i = 0; i < e->trials; i++) {
        of[i].first = blocks;
        rows_rebind(rows, VALUES(INTEGER(e->trial[i].trial_id)));
        for (; rows_next(rows); of[i].count++) {
            e->block = arena_grow(&x->arena, e->block, blocks, sizeof *e->block);
            e->block[blocks++] = rows_real(rows, 0);
        }
    }
    scope_close(x, rows);
    return of;
}

/* Gives the trials of a setting their blocks: those that have as many as most have. */
static void share_out(struct evidence *e, struct evidence_setting *set, const struct losses *of)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < set->count; k++)
            for (int i = set->first[k]; i < set->first[k] + set->heads[k].n; i++) {
                if (pass == 0 && of[i].count > set->input.blocks)
                    set->input.blocks = of[i].count;
                else if (pass == 1 && of[i].count == set->input.blocks)
                    e->trial[i].block = e->block + of[i].first;
            }
    for (int k = 0; set->confirm && k < set->confirm->count; k++) {
        int first = set->confirm->first[k];
        for (int i = first; i < first + set->confirm->heads[k].n; i++)
            if (of[i].count == set->input.blocks)
                e->trial[i].block = e->block + of[i].first;
    }
}

static bool any_text(const struct evidence *e)
{
    bool any = false;
    for (int i = 0; i < e->settings; i++)
        any = any || e->setting[i].input.data == VERDICT_TEXT;
    return any;
}

void evidence_read_file(struct scope *x, struct evidence *e)
{
    read_data(x, e);
    if (e->base.loss && e->base.replicated && strstr(e->base.replicated, "task.file"))
        read_guesses(x, e);
    if (!e->base.loss || !any_text(e))
        return;
    const struct losses *of = read_losses(x, e);
    for (int i = 0; i < e->settings; i++)
        if (e->setting[i].input.data == VERDICT_TEXT)
            share_out(e, &e->setting[i], of);
}
