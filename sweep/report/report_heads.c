#include "sweep/report/report_heads_parts.h"

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

struct table *heads_table(struct scope *x, const struct rows *r)
{
    static const struct table_column none = {0};
    struct table *t = table_new(x, &none);
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

struct heads_names heads_measures(struct scope *x, const char *table)
{
    struct heads_names n = {0};
    struct rows *r = scope_rows(x,
                                "SELECT name FROM pragma_table_info(?1) WHERE name NOT IN"
                                " ('trial_id', 'step', 'split', 'layer', 'head') ORDER BY cid",
                                VALUES(TEXT(table)));
    while (scope_next(x, r)) {
        n.name = arena_grow(&x->arena, n.name, (size_t)n.count, sizeof *n.name);
        n.name[n.count++] = scope_given(x, r, 0);
    }
    return n;
}

/* ?1: sweep, ?2: trial (0: all), ?3: options of the study, ?4: split. */
const char heads_measured_sql[] =
    "WITH one AS MATERIALIZED ("
    "    SELECT t.trial_id, t.setting, t.setting_label, c.heads, t.best_step AS step,"
    "           iif(?4 = 'test', t.test_loss, t.val_loss) AS loss"
    "      FROM trial AS t JOIN config AS c USING (config_id) JOIN study AS y USING (trial_id)"
    "     WHERE iif(?2 > 0, t.trial_id = ?2, t.sweep_id = ?1 AND t.in_plan = 1"
    "               AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen')"
    "       AND t.state = 'completed' AND y.name = 'heads' AND y.options = ?3"
    "       AND y.checkpoint_sha256 = t.checkpoint_sha256"
    "), main AS MATERIALIZED ("
    "    SELECT trial_id, layer, head, slot, max(mass) AS mass"
    "      FROM one JOIN head_slot USING (trial_id, step)"
    "     WHERE split = ?4 AND mass IS NOT NULL GROUP BY trial_id, layer, head"
    ")";

struct rows *heads_query(struct scope *x, const struct heads_question *q, const char *sql)
{
    return scope_rows(x, sql,
                      VALUES(INTEGER(q->sweep_id), INTEGER(q->trial_id),
                             TEXT(q->on_test ? "{\"on\":\"test\"}" : "{\"on\":\"val\"}"),
                             TEXT(q->on_test ? "test" : "val")));
}

enum status report_heads(struct store *s, const struct heads_question *q, struct text_page page,
                         FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "the report", m);
    if (scope_enter(x)) {
        (q->trial_id ? heads_of_trial : heads_of_sweep)(x, q, page, out);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}
