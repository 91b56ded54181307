#include "sweep/ask/begun.h"

#include "sweep/db/rows.h"

enum status begun_confirmation(struct store *s, const char *sweep, bool *begun, struct message *m)
{
    struct rows r = rows_open(s, m,
                              "SELECT 1 FROM confirmations WHERE sweep = ?1 AND claim IS NOT NULL"
                              " LIMIT 1",
                              VALUES(TEXT(sweep)));
    *begun = rows_next(&r);
    return rows_close(&r);
}
