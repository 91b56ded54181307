#include "sweep/ask/begun.h"

#include <stdio.h>
#include <string.h>

#include "sweep/ask/ask_file.h"
#include "sweep/db/rows.h"

/* *sweep_id: 0 where there is none. A person may have given a file of ask's another name and other
 * values, so of other names only what ask wrote itself counts. */
static enum status find_sweep(struct store *s, const char *name, int64_t *sweep_id, struct begun *b,
                              struct message *m)
{
    struct rows r =
        rows_open(s, m,
                  "SELECT sweep_id, name, yaml, overrides,"
                  " (SELECT what ->> '$.confirm.seeds' FROM confirmations AS c"
                  "   WHERE c.sweep_id = s.sweep_id AND c.claim IS NOT NULL LIMIT 1)"
                  " FROM sweep AS s WHERE name LIKE '%' || ?2 ORDER BY name <> ?1, sweep_id",
                  VALUES(TEXT(name), TEXT(strrchr(name, '-'))));
    *sweep_id = 0;
    while (*sweep_id == 0 && rows_next(&r)) {
        const char *yaml = rows_text(&r, 2);
        if (strcmp(rows_text(&r, 1), name) != 0 &&
            (strcmp(rows_text(&r, 3), "[]") != 0 || !ask_file_is_own(yaml, strlen(yaml))))
            continue;
        *sweep_id = rows_integer(&r, 0);
        rows_copy(&r, 1, b->name, sizeof b->name);
        b->claimed = (int)rows_integer(&r, 4);
        b->there = true;
    }
    return rows_close(&r);
}

/* On how many seeds every head count has ended a trial. */
static enum status count_seeds(struct store *s, int64_t sweep_id, bool tuning, int *seeds,
                               struct message *m)
{
    int64_t fewest = 0;
    enum status status =
        rows_ask(s, m,
                 "SELECT min(n) FROM (SELECT count(DISTINCT CASE WHEN state IN"
                 "   ('completed', 'diverged', 'failed') THEN seed END) AS n"
                 "  FROM trial JOIN config USING (config_id)"
                 "  WHERE sweep_id = ?1 AND is_tuning = ?2 AND confirms = 0 GROUP BY heads)",
                 VALUES(INTEGER(sweep_id), INTEGER(tuning)), &fewest);
    *seeds = (int)fewest;
    return status;
}

enum status begun_find(struct store *s, const char *name, struct begun *b, struct message *m)
{
    int64_t sweep_id;
    *b = (struct begun){0};
    snprintf(b->name, sizeof b->name, "%s", name);
    if (!s)
        return STATUS_OK;
    enum status status = find_sweep(s, name, &sweep_id, b, m);
    if (status == STATUS_OK && sweep_id)
        status = count_seeds(s, sweep_id, false, &b->seeds, m);
    if (status == STATUS_OK && sweep_id)
        status = count_seeds(s, sweep_id, true, &b->tune_seeds, m);
    return status;
}

void begun_keep(const struct begun *b, struct design *d)
{
    struct design higher = *d;
    while (higher.level + 1 < design_levels()) {
        design_set_level(&higher, higher.level + 1);
        /* without tuning trials all of a level is its seeds */
        bool tuned = b->tune_seeds == 0 || design_level(&higher)->tune_seeds <= b->tune_seeds;
        if (!tuned || higher.seeds > b->seeds)
            break;
        d->level = higher.level;
        d->seeds = d->seeds > higher.seeds ? d->seeds : higher.seeds;
    }
    d->seeds = d->seeds > b->seeds ? d->seeds : b->seeds;
    d->confirm = b->claimed > 0 ? b->claimed : d->confirm;
}
