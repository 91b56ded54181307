#include "sweep/evidence/evidence_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
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

static enum status read_choices(struct store *s, struct evidence *e, struct message *m)
{
    enum { SETTING, HEADS, LABEL, EDGE };
    struct rows rows = rows_of_sweep(s, m, CHOICES, VALUES(INTEGER(e->sweep_id)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(&rows, SETTING));
        if (!set)
            continue;
        struct verdict_choice *choice =
            array_grow(set->choice, (size_t)set->input.choices, sizeof *choice);
        if (choice) {
            set->choice = choice;
            choice += set->input.choices++;
            *choice = (struct verdict_choice){rows_integer(&rows, HEADS),
                                              text_copy(rows_text(&rows, LABEL)),
                                              text_copy(rows_text(&rows, EDGE))};
        }
        if (!choice || !choice->label || !choice->edge)
            status = evidence_no_memory(m);
    }
    return rows_close_after(&rows, status);
}

/* "0.001, 0.003 and 0.01": `more` numbers are to come. */
static enum status add_rate(struct evidence_setting *set, double rate, bool more, struct message *m)
{
    size_t used = set->tuned_lr ? strlen(set->tuned_lr) : 0;
    char *longer = realloc(set->tuned_lr, used + 32);
    if (!longer)
        return evidence_no_memory(m);
    set->tuned_lr = longer;
    set->input.tuned_lr = longer;
    snprintf(longer + used, 32, "%s%.6g", used == 0 ? "" : more ? ", " : " and ", rate);
    return STATUS_OK;
}

static enum status read_rates(struct store *s, struct evidence *e, struct message *m)
{
    struct rows rows = rows_of_sweep(
        s, m,
        "SELECT setting, rate, lead(rate) OVER (PARTITION BY setting ORDER BY rate) IS NOT NULL"
        " FROM (SELECT DISTINCT setting, tuning ->> '$.\"train.lr\"' AS rate FROM tuning)"
        " WHERE rate IS NOT NULL ORDER BY setting, rate",
        VALUES(INTEGER(e->sweep_id)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(&rows, 0));
        if (set)
            status = add_rate(set, rows_real(&rows, 1), rows_integer(&rows, 2) != 0, m);
    }
    return rows_close_after(&rows, status);
}

enum status evidence_read_tune(struct store *s, struct evidence *e, struct message *m)
{
    enum status status = read_choices(s, e, m);
    return status == STATUS_OK ? read_rates(s, e, m) : status;
}
