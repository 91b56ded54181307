#include "sweep/report/report_kernels.h"

#include <stdlib.h>

#include "engine/base/json_write.h"
#include "sweep/db/rows.h"

/* ?1: [[build_id,trials],...] */
static const char KINDS[] = "WITH done AS MATERIALIZED"
                            " (SELECT value ->> 0 AS build_id, value ->> 1 AS n FROM json_each(?1))"
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

enum status report_kernels_read(struct store *s, const struct evidence *e, struct report_kernels *k,
                                struct message *m)
{
    struct text_buffer builds = {0};
    for (int i = 0; i < e->builds; i++)
        text_add(&builds, "%s[%lld,%lld]", i ? "," : "[", (long long)e->build[i].build_id,
                 (long long)e->build[i].completed);
    text_add(&builds, e->builds ? "]" : "[]");
    text_add(&k->json, "[");
    enum status status = STATUS_OK;
    if (!builds.out_of_memory) {
        struct rows r = rows_open(s, m, KINDS, VALUES(TEXT(builds.text)));
        while (rows_next(&r))
            add_kind(k, &r);
        status = rows_close(&r);
    }
    text_add(&k->json, "]");
    if (status == STATUS_OK &&
        (builds.out_of_memory || k->words.out_of_memory || k->json.out_of_memory))
        status = status_no_memory(m, "the report");
    free(builds.text);
    return status;
}

void report_kernels_free(struct report_kernels *k)
{
    free(k->words.text);
    free(k->json.text);
    *k = (struct report_kernels){0};
}
