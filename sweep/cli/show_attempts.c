#include "sweep/cli/show_attempts.h"

#include "sweep/report/rows_table.h"

const struct table_column show_attempt_columns[] = {
    {.name = "attempt", .title = "attempt", .right = true},
    {.name = "outcome", .title = "outcome"},
    {.name = "started", .title = "started", .leave_out = 5},
    {.name = "ended", .title = "ended", .leave_out = 3},
    {.name = "resumed_from_step", .title = "from step", .right = true},
    {.name = "host", .title = "host", .leave_out = 2},
    {.name = "job", .title = "job", .leave_out = 2},
    {.name = "pid"},
    {.name = "exit_code", .title = "exit", .right = true, .leave_out = 4},
    {.name = "signal", .title = "signal", .right = true, .leave_out = 4},
    {.name = "cpu_s", .title = "CPU s", .right = true, .decimals = 2, .leave_out = 1},
    {.name = "max_rss_kib", .title = "KiB", .right = true, .leave_out = 1},
    {.name = "error"},
    {.name = "note"},
    {0}};
const char show_attempt_sql[] =
    "SELECT attempt, coalesce(outcome, 'running'), started, ended, resumed_from_step, host, job,"
    "       pid, exit_code, signal, cpu_s, max_rss_kib, error, note"
    "  FROM attempt WHERE trial_id = ?1 ORDER BY attempt";

void show_errors(struct scope *x, int64_t trial)
{
    enum { ATTEMPT, ERROR, NOTE };
    struct rows *r =
        scope_rows(x,
                   "SELECT attempt, error, note FROM attempt"
                   " WHERE trial_id = ?1 AND coalesce(error, note) IS NOT NULL ORDER BY attempt",
                   VALUES(INTEGER(trial)));
    while (scope_next(x, r))
        for (int i = ERROR; i <= NOTE; i++)
            if (!rows_null(r, i))
                text_print(stdout, "\n%s of attempt %lld:\n%s\n", i == ERROR ? "Error" : "Note",
                           (long long)rows_integer(r, ATTEMPT), rows_text(r, i));
}
