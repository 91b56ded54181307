#include "sweep/report/report_heads_parts.h"

#include <stdlib.h>
#include <string.h>

/* How columns look to people, by name. Those that are not here are for programs, but for measures
 * of a single trial, which are all shown. */
static const struct look {
    const char *name, *title;
    int decimals, leave_out;
} looks[] = {
    {"setting_label", "setting", 0, 0},
    {"heads", "heads", 0, 0},
    {"n", "n", 0, 0},
    {"layer", "layer", 0, 0},
    {"head", "head", 0, 0},
    {"sharp", "sharp", 1, 0},
    {"places", "places", 1, 0},
    {"duplicates", "duplicates", 1, 0},
    {"main_slot", "slot", 0, 0},
    {"main_mass", "mass", 2, 0},
    {"mean_rise", "loss +", 3, 0},
    {"rise", "loss +", 3, 0},
    {"confidence", "confidence", 2, 5},
    {"entropy", "entropy", 2, 4},
    {"importance_spread", "spread", 2, 0},
    {"importance_norm", "importance", 2, 0},
    {"distance", "distance", 1, 1},
    {"wo_share", "W_O", 2, 1},
    {"disagreement_subspace", "D_sub", 3, 2},
    {"disagreement_position", "D_pos", 3, 0},
    {"disagreement_output", "D_out", 3, 2},
    {"effective_rank", "rank", 1, 0},
};

static void name_column(struct heads_table *t, int i, const char *name)
{
    struct table_column *c = &t->column[i];
    snprintf(t->name[i], sizeof t->name[i], "%s", name);
    c->name = t->name[i];
    c->right = strcmp(name, "setting_label") != 0;
    for (size_t k = 0; k < sizeof looks / sizeof looks[0]; k++)
        if (strcmp(looks[k].name, name) == 0) {
            c->title = looks[k].title;
            c->decimals = looks[k].decimals;
            c->leave_out = looks[k].leave_out;
        }
}

static enum status too_many(struct message *m)
{
    return status_fail(m, STATUS_INTERNAL, "more than %d columns of measures", HEADS_COLUMNS_MAX);
}

bool heads_table_begin(struct heads_table *t, struct rows *r, struct message *m)
{
    *t = (struct heads_table){.table = NULL};
    if (r->status != STATUS_OK)
        return false;
    int n = rows_columns(r);
    if (n > HEADS_COLUMNS_MAX) {
        r->status = too_many(m);
        return false;
    }
    for (int i = 0; i < n; i++)
        name_column(t, i, rows_name(r, i));
    t->table = table_new(t->column);
    return true;
}

void heads_table_row(struct heads_table *t, const struct rows *r)
{
    for (int i = 0; i < rows_columns(r); i++)
        rows_cell(r, i, t->table);
}

enum status heads_measures(struct store *s, const char *table, struct heads_names *n,
                           struct message *m)
{
    n->count = 0;
    struct rows r = rows_open(s, m,
                              "SELECT name FROM pragma_table_info(?1) WHERE name NOT IN"
                              " ('trial_id', 'step', 'split', 'layer', 'head') ORDER BY cid",
                              VALUES(TEXT(table)));
    while (rows_next(&r)) {
        if (n->count == HEADS_COLUMNS_MAX) {
            r.status = too_many(m);
            break;
        }
        rows_copy(&r, 0, n->name[n->count++], sizeof n->name[0]);
    }
    return rows_close(&r);
}

/* ?1: sweep, ?2: trial (0: all), ?3: options of the study, ?4: split. */
const char heads_measured_sql[] =
    "WITH one AS MATERIALIZED ("
    "    SELECT t.trial_id, t.setting, t.setting_label, c.heads, t.best_step AS step,"
    "           iif(?4 = 'test', t.test_loss, t.val_loss) AS loss"
    "      FROM trial AS t JOIN config AS c USING (config_id) JOIN study AS y USING (trial_id)"
    "     WHERE iif(?2 > 0, t.trial_id = ?2, t.sweep_id = ?1 AND t.in_plan = 1"
    "               AND t.is_tuning = 0 AND t.choice = 'chosen')"
    "       AND t.state = 'completed' AND y.name = 'heads' AND y.options = ?3"
    "       AND y.checkpoint_sha256 = t.checkpoint_sha256"
    "), main AS MATERIALIZED ("
    "    SELECT trial_id, layer, head, slot, max(mass) AS mass"
    "      FROM one JOIN head_slot USING (trial_id, step)"
    "     WHERE split = ?4 AND mass IS NOT NULL GROUP BY trial_id, layer, head"
    ")";

struct rows heads_query(struct store *s, const struct heads_question *q, struct text_buffer *sql,
                        struct message *m)
{
    struct rows r;
    if (sql->out_of_memory)
        r = (struct rows){.status = status_fail(m, STATUS_NO_MEMORY, "no memory for the report")};
    else
        r = rows_open(s, m, sql->text,
                      VALUES(INTEGER(q->sweep_id), INTEGER(q->trial_id),
                             TEXT(q->on_test ? "{\"on\":\"test\"}" : "{\"on\":\"val\"}"),
                             TEXT(q->on_test ? "test" : "val")));
    free(sql->text);
    *sql = (struct text_buffer){0};
    return r;
}

enum status report_heads(struct store *s, const struct heads_question *q, struct text_page page,
                         FILE *out, struct message *m)
{
    return q->trial_id ? heads_of_trial(s, q, page, out, m) : heads_of_sweep(s, q, page, out, m);
}
