#include "sweep/db/trial_span.h"

#include "sweep/db/rows.h"

enum status trial_span_read(struct store *s, int64_t sweep_id, struct trial_span *span,
                            struct message *m)
{
    struct rows r = rows_open(
        s, m, "SELECT count(*), min(trial_id), max(trial_id) FROM trial WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    *span = (struct trial_span){0};
    if (rows_next(&r))
        *span = (struct trial_span){rows_integer(&r, 0), rows_integer(&r, 1), rows_integer(&r, 2)};
    return rows_close(&r);
}

bool trial_span_dense(const struct trial_span *span)
{
    return span->most - span->least < 2 * span->count;
}
