#include "sweep/report/report_kernels.h"

#include <stdlib.h>

#include "sweep/store/rows.h"

/* Of each trial the attempt that completed it, which is its last. */
static const char KINDS[] =
    "WITH done AS MATERIALIZED (SELECT build_id, count(*) AS n"
    "   FROM trial AS t JOIN attempt AS a USING (trial_id, attempt)"
    "  WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.state = 'completed' GROUP BY build_id)"
    "SELECT core_type, kernels, openblas, compiler, flags, sum(n),"
    "       count(*) OVER (PARTITION BY core_type, kernels) > 1"
    "  FROM done JOIN build USING (build_id)"
    " GROUP BY core_type, kernels, openblas, compiler, flags"
    " ORDER BY sum(n) DESC, core_type, kernels, openblas, compiler, flags";
enum { CORE_TYPE, OURS, OPENBLAS, COMPILER, FLAGS, TRIALS, TWINS };

static void add_kind(struct report_kernels *k, struct rows *r)
{
    static const char *const key[] = {"core_type", "kernels", "openblas", "compiler", "flags"};
    long long trials = (long long)rows_integer(r, TRIALS);
    text_add(&k->words, k->kinds ? "; %lld with %s, %s" : "%lld with %s, %s", trials,
             rows_given(r, CORE_TYPE), rows_given(r, OURS));
    if (rows_integer(r, TWINS)) /* the rest tells them apart */
        text_add(&k->words, " (%s, %s, %s)", rows_given(r, OPENBLAS), rows_given(r, COMPILER),
                 rows_given(r, FLAGS));
    text_add(&k->json, "%s{\"trials\":%lld", k->kinds ? "," : "", trials);
    for (int i = CORE_TYPE; i <= FLAGS; i++) {
        text_add(&k->json, ",\"%s\":", key[i]);
        text_add_json(&k->json, rows_given(r, i));
    }
    text_add(&k->json, "}");
    k->kinds++;
}

enum status report_kernels_read(struct store *s, int64_t sweep_id, struct report_kernels *k,
                                struct message *m)
{
    struct rows r = rows_open(s, m, KINDS, VALUES(INTEGER(sweep_id)));
    text_add(&k->json, "[");
    while (rows_next(&r))
        add_kind(k, &r);
    text_add(&k->json, "]");
    enum status status = rows_close(&r);
    if (status == STATUS_OK && (k->words.out_of_memory || k->json.out_of_memory))
        status = status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    return status;
}

void report_kernels_free(struct report_kernels *k)
{
    free(k->words.text);
    free(k->json.text);
    *k = (struct report_kernels){0};
}
