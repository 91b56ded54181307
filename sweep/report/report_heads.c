#include "sweep/report/report_heads_parts.h"

#include <stdlib.h>
#include <string.h>

/* How columns look to people. Those that are not here are for programs, but for measures of a
 * single trial, which are all shown. */
static const struct table_column looks[] = {
    {.name = "setting_label", .title = "setting"},
    {NAMED("heads"), PAGE("Heads")},
    {NAMED("n"), PAGE("n")},
    {NAMED("layer")},
    {NAMED("head")},
    {NAMED("sharp"), .decimals = 1,
     PAGE_ANY("Sharp", .hint = "at least half of its attention lies on one place")},
    {NAMED("places"), .decimals = 1,
     PAGE_ANY("Places", .hint = "different ones that sharp heads look at")},
    {NAMED("duplicates"), .decimals = 1, PAGE_ANY("Duplicates")},
    {.name = "main_slot", .title = "slot"},
    {.name = "main_mass", .title = "mass", .decimals = 2, PAGE_ANY("Mass on the main place")},
    {.name = "mean_rise",
     .title = "loss +",
     .decimals = 3,
     PAGE("Loss without one", .show = "signed")},
    {.name = "rise", .title = "loss +", .decimals = 3},
    {NAMED("confidence"), .decimals = 2, .leave_out = 5, PAGE("Confidence")},
    {NAMED("entropy"), .decimals = 2, .leave_out = 4, PAGE("Entropy")},
    {.name = "importance_spread", .title = "spread", .decimals = 2},
    {.name = "importance_norm", .title = "importance", .decimals = 2},
    {NAMED("distance"), .decimals = 1, .leave_out = 1},
    {.name = "wo_share", .title = "W_O", .decimals = 2, .leave_out = 1},
    {.name = "disagreement_subspace", .title = "D_sub", .decimals = 3, .leave_out = 2},
    {.name = "disagreement_position",
     .title = "D_pos",
     .decimals = 3,
     PAGE_ANY("Disagreement of positions")},
    {.name = "disagreement_output", .title = "D_out", .decimals = 3, .leave_out = 2},
    {.name = "effective_rank", .title = "rank", .decimals = 1, PAGE_ANY("Effective rank")},
    {0}};

void report_heads_page_columns(struct json_writer *w)
{
    table_page_columns(looks, ~0u, w, "heads");
}

struct table *heads_table(const struct rows *r)
{
    static const struct table_column none = {0};
    struct table *t = table_new(&none);
    for (int i = 0; r->status == STATUS_OK && i < rows_columns(r); i++) {
        const char *name = rows_name(r, i);
        const struct table_column *look = looks;
        while (look->name && strcmp(look->name, name) != 0)
            look++;
        struct table_column c = *look;
        c.right = strcmp(name, "setting_label") != 0;
        table_add_named(t, c, "%s", name);
    }
    return t;
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
            r.status = status_fail(m, STATUS_INTERNAL, "more than %d columns of measures",
                                   HEADS_COLUMNS_MAX);
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
        r = (struct rows){.status = status_no_memory(m, "the report")};
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
