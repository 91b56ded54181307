#include "sweep/cli/status_lost.h"

#include "sweep/trials/lost.h"

/* ?1 sweep, ?2 how many machines are told of. An agent's errors begin with its host. */
static const char LOST[] =
    "WITH lost AS MATERIALIZED ("
    "  SELECT host, count(*) AS n, max(ended), replace("
    "         iif(substr(error, 1, length(host) + 2) = host || ': ',"
    "             substr(error, length(host) + 3), error), char(10), ' ') AS why"
    "    FROM (" LOST_ATTEMPTS ")"
    "   WHERE ended >= (SELECT last_run FROM sweep WHERE sweep_id = ?1) GROUP BY host"
    "), away AS ("
    "  SELECT host, n, why FROM lost WHERE host NOT IN ("
    "    SELECT host FROM trial JOIN attempt USING (trial_id, attempt)"
    "     WHERE state = 'running' AND sweep_id = ?1 AND in_plan = 1 AND host IS NOT NULL)"
    "), worst AS (SELECT * FROM away ORDER BY n DESC, host LIMIT ?2"
    ") SELECT (SELECT json_group_object(host, json_object('attempts', n, 'error', why)) FROM lost),"
    "  (SELECT group_concat(format('%s, which lost %d attempt%s, the last one to: %s', host, n,"
    "          iif(n = 1, '', 's'), substr(why, 1, 300)), '; ') FROM worst),"
    "  (SELECT count(*) FROM away)";

struct status_lost status_lost(struct scope *x, int64_t sweep_id)
{
    enum { JSON, WORDS, AWAY };
    struct text_buffer words = scope_text(x);
    struct status_lost lost = {0};
    struct rows *r = scope_rows(x, LOST, VALUES(INTEGER(sweep_id), INTEGER(LOST_SHOWN)));
    while (scope_next(x, r)) {
        int64_t more = rows_integer(r, AWAY) - LOST_SHOWN;
        lost.json = scope_column(x, r, JSON);
        if (!rows_null(r, WORDS))
            text_add(&words, "%s", rows_text(r, WORDS));
        if (more > 0)
            text_add(&words, "; and %lld more", (long long)more);
    }
    lost.words = words.text;
    return lost;
}
