#include "sweep/report/report_kernels.h"

#include "engine/base/json_write.h"

/* ?1: sweep. Along the attempts from its first trial to its last, as they lie in the file. */
static const char KINDS[] = "WITH done AS MATERIALIZED ("
                            " SELECT build_id, count(*) AS n"
                            "  FROM attempt AS a CROSS JOIN trial USING (trial_id, attempt)"
                            "  WHERE a.trial_id"
                            "   BETWEEN (SELECT min(trial_id) FROM trial WHERE sweep_id = ?1)"
                            "   AND (SELECT max(trial_id) FROM trial WHERE sweep_id = ?1)"
                            "   AND sweep_id = ?1 AND in_plan = 1 AND state = 'completed'"
                            "  GROUP BY build_id)"
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
    struct json_writer w = {.text = &k->json, .further = k->kinds > 0};
    json_begin_object(&w, NULL);
    json_add_integer(&w, "trials", trials);
    for (int i = CORE_TYPE; i <= FLAGS; i++)
        json_add_text(&w, key[i], rows_given(r, i));
    json_end_object(&w);
    k->kinds++;
}

struct report_kernels report_kernels_read(struct scope *x, int64_t sweep_id)
{
    struct report_kernels k = {.words = scope_text(x), .json = scope_text(x)};
    struct rows *r = scope_rows(x, KINDS, VALUES(INTEGER(sweep_id)));
    text_add(&k.json, "[");
    while (scope_next(x, r))
        add_kind(&k, r);
    text_add(&k.json, "]");
    return k;
}
