#include "sweep/ask/begun.h"

#include <stdio.h>
#include <string.h>

#include "sweep/db/rows.h"

enum status begun_find(struct store *s, const char *name, struct begun *b, struct message *m)
{
    const char *digits = strrchr(name, '-');
    struct rows r =
        rows_open(s, m,
                  "SELECT name, (SELECT what ->> '$.confirm.seeds' FROM confirmations AS c"
                  "  WHERE c.sweep_id = s.sweep_id AND c.claim IS NOT NULL LIMIT 1)"
                  " FROM sweep AS s WHERE name LIKE '%' || ?2"
                  " ORDER BY name <> ?1, sweep_id LIMIT 1",
                  VALUES(TEXT(name), TEXT(digits)));
    *b = (struct begun){0};
    snprintf(b->name, sizeof b->name, "%s", name);
    if (rows_next(&r)) {
        rows_copy(&r, 0, b->name, sizeof b->name);
        b->confirm = (int)rows_integer(&r, 1);
    }
    return rows_close(&r);
}
