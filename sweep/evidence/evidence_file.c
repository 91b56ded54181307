/* What trials over a user's file were tested on, and how they did on each block of a text. */
#include <stdlib.h>

#include "engine/base/array.h"
#include "sweep/evidence/evidence_parts.h"

/* What is sampled, and what a guess costs that knows how often each byte or label comes. */
static enum status read_data(struct store *s, struct evidence *e, struct message *m)
{
    enum { TEXT, ENTROPY };
    struct rows rows =
        rows_open(s, m,
                  "SELECT mode = 'lm', config_json ->> '$.task.options.entropy' FROM config"
                  " WHERE config_id = ? AND task = 'text'",
                  NO_VALUES);
    for (int i = 0; i < e->settings; i++) {
        struct verdict_input *in = &e->setting[i].input;
        rows_rebind(&rows, VALUES(INTEGER(e->setting[i].config_id)));
        if (!rows_next(&rows))
            continue;
        in->data = rows_integer(&rows, TEXT) ? VERDICT_TEXT : VERDICT_ROWS;
        in->guess_loss = rows_null(&rows, ENTROPY) ? 0 : rows_real(&rows, ENTROPY);
    }
    return rows_close(&rows);
}

/* ---- blocks ---- */

/* A trial's losses, as they lie in e->block. */
struct losses {
    size_t first;
    int count;
};

/* Those of each trial of `e`. */
static enum status read_losses(struct store *s, struct evidence *e, struct losses *of,
                               struct message *m)
{
    struct rows rows =
        rows_open(s, m, "SELECT loss FROM block_loss WHERE trial_id = ? ORDER BY block", NO_VALUES);
    size_t blocks = 0;
    bool room = true;
    for (int i = 0; i < e->trials && room; i++) {
        of[i].first = blocks;
        rows_rebind(&rows, VALUES(INTEGER(e->trial[i].trial_id)));
        while (room && rows_next(&rows)) {
            double *grown = array_grow(e->block, blocks, sizeof *grown);
            room = grown != NULL;
            if (!room)
                break;
            e->block = grown;
            grown[blocks++] = rows_real(&rows, 0);
            of[i].count++;
        }
    }
    enum status closed = rows_close(&rows);
    return room ? closed : evidence_no_memory(m);
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
}

static bool any_text(const struct evidence *e)
{
    bool any = false;
    for (int i = 0; i < e->settings; i++)
        any = any || e->setting[i].input.data == VERDICT_TEXT;
    return any;
}

enum status evidence_read_file(struct store *s, struct evidence *e, struct message *m)
{
    enum status status = read_data(s, e, m);
    if (status != STATUS_OK || !e->base.loss || !any_text(e) || e->trials == 0)
        return status;
    struct losses *of = calloc((size_t)e->trials, sizeof *of);
    if (!of)
        return evidence_no_memory(m);
    status = read_losses(s, e, of, m);
    for (int i = 0; i < e->settings && status == STATUS_OK; i++)
        if (e->setting[i].input.data == VERDICT_TEXT)
            share_out(e, &e->setting[i], of);
    free(of);
    return status;
}
