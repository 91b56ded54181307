#include "sweep/evidence/evidence_parts.h"

/* The last part of a dotted path: what is left of it after everything up to the last dot. */
#define LAST_PART(key) "substr(" key ", 1 + length(rtrim(" key ", replace(" key ", '.', ''))))"

/* What each head count chose, and which of it lies at the edge of what was tried. */
static const char CHOICES[] =
    "SELECT setting, heads, group_concat(name || '=' || value, ', '),"
    "       coalesce(group_concat(iif(edge, name, NULL), ', '), '')"
    "  FROM (SELECT c.setting, c.heads, " LAST_PART(
        "o.key") " AS name, o.value AS value,"
                 "               low < high AND o.value IN (low, high) AS edge"
                 "          FROM chosen AS c, json_each(c.tuning) AS o LEFT JOIN"
                 "               (SELECT setting, heads, o.key, min(o.value) AS low, max(o.value) "
                 "AS high"
                 "                  FROM tuning, json_each(tuning.tuning) AS o"
                 "                 WHERE o.type IN ('integer', 'real') GROUP BY setting, heads, "
                 "o.key) AS t"
                 "            ON t.setting = c.setting AND t.heads = c.heads AND t.key = o.key)"
                 " GROUP BY setting, heads ORDER BY setting, heads";

static void read_choices(struct scope *x, struct evidence *e)
{
    enum { SETTING, HEADS, LABEL, EDGE };
    struct rows *rows = scope_rows_of_sweep(x, CHOICES, VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, SETTING));
        if (!set)
            continue;
        set->choice =
            arena_grow(&x->arena, set->choice, (size_t)set->input.choices, sizeof *set->choice);
        set->choice[set->input.choices++] = (struct verdict_choice){
            rows_integer(rows, HEADS), scope_column(x, rows, LABEL), scope_column(x, rows, EDGE)};
    }
}

/* "0.001, 0.003 and 0.01". */
static void read_rates(struct scope *x, struct evidence *e)
{
    enum { SETTING, RATE, LAST };
    struct text_buffer text = scope_text(x);
    struct rows *rows = scope_rows_of_sweep(
        x,
        "SELECT setting, rate, lead(rate) OVER (PARTITION BY setting ORDER BY rate) IS NULL"
        " FROM (SELECT DISTINCT setting, tuning ->> '$.\"train.lr\"' AS rate FROM tuning)"
        " WHERE rate IS NOT NULL ORDER BY setting, rate",
        VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, SETTING));
        bool last = rows_integer(rows, LAST) != 0;
        text_add(&text, "%s%.6g", !text.used ? "" : last ? " and " : ", ", rows_real(rows, RATE));
        if (set)
            set->input.tuned_lr = text.text;
        if (last)
            text = scope_text(x);
    }
}

void evidence_read_tune(struct scope *x, struct evidence *e)
{
    read_choices(x, e);
    read_rates(x, e);
}
