/* A report for programs: everything that the verdict weighed, as JSON. */
#include "sweep/report/report_parts.h"

static void put_key(FILE *out, const char *key, double x)
{
    fprintf(out, ",\"%s\":", key);
    text_json_real(out, x);
}

/* A head count, null for 0. */
static void put_heads(FILE *out, const char *key, int64_t heads)
{
    if (heads)
        fprintf(out, ",\"%s\":%lld", key, (long long)heads);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void put_headline(FILE *out, const struct verdict_row *row)
{
    fprintf(out, "{\"heads\":%lld,\"n\":%d,\"n_bad\":%d", (long long)row->heads, row->test.n,
            row->bad);
    put_key(out, "mean", row->test.mean);
    put_key(out, "ci95_low", row->test.low);
    put_key(out, "ci95_high", row->test.high);
    fprintf(out, ",\"all_equal\":%s", row->test.all_equal ? "true" : "false");
    put_key(out, "completed_mean", row->completed_mean);
    put_key(out, "mean_val_acc", row->val_mean);
    fprintf(out, ",\"n_solved\":%d", row->solved);
    put_key(out, "solved_low", row->solved_low);
    put_key(out, "solved_high", row->solved_high);
    put_key(out, "p_against_best", row->best_p);
    fprintf(out, ",\"among_best\":%s}", row->among_best ? "true" : "false");
}

static void put_comparison(FILE *out, const struct verdict *v, const struct verdict_rival *r)
{
    const struct stats_paired *p = &r->pair;
    fprintf(out, "{\"heads_a\":%lld,\"heads_b\":%lld,\"n\":%d,\"wins\":%d,\"losses\":%d",
            (long long)v->candidate, (long long)r->heads, p->n, p->wins, p->losses);
    put_key(out, "mean_diff", p->mean);
    put_key(out, "sd_diff", p->sd);
    put_key(out, "ci95_low", p->low);
    put_key(out, "ci95_high", p->high);
    put_key(out, "t", p->t);
    put_key(out, "p", p->p);
    put_key(out, "sign_flip_p", p->sign_flip_p);
    put_key(out, "sign_flip_least", p->sign_flip_least);
    fprintf(out, ",\"sign_flip_exact\":%s,\"outcome\":\"%s\"}", p->exact ? "true" : "false",
            rival_outcome_name(r->outcome));
}

static void put_verdict(FILE *out, const struct verdict *v, bool preliminary)
{
    fprintf(out, "{\"kind\":\"%s\",\"preliminary\":%s", verdict_kind_name(v->kind),
            preliminary ? "true" : "false");
    put_heads(out, "candidate", v->candidate);
    put_key(out, "alpha", v->alpha);
    put_heads(out, "best", v->best);
    put_heads(out, "smallest_among_best", v->smallest_among_best);
    fputs(",\"heads\":[", out);
    for (int i = 0; i < v->rows; i++) {
        fputs(i ? "," : "", out);
        put_headline(out, &v->row[i]);
    }
    fputs("],\"comparisons\":[", out);
    for (int i = 0; i < v->rivals; i++) {
        fputs(i ? "," : "", out);
        put_comparison(out, v, &v->rival[i]);
    }
    fputs("],\"sentences\":[", out);
    for (int i = 0; i < v->sentences; i++) {
        fputs(i ? "," : "", out);
        text_json(out, v->sentence[i]);
    }
    fputs("]}", out);
}

enum status report_json(const struct report_data *r, const struct report_map *map, FILE *out,
                        struct message *m)
{
    fputs("{\"sweep\":", out);
    text_json(out, r->name);
    fputs(",\"question\":", out);
    text_json(out, r->question);
    fputs(",\"remark\":", out);
    text_json(out, r->remark[0] ? r->remark : NULL);
    fputs(",\"overrides\":", out);
    text_json_as_is(out, r->overrides);
    fprintf(out, ",\"planned\":%ld,\"ended\":%ld,\"map\":", r->planned, r->ended);
    report_map_json(map, out);
    fputs(",\"settings\":[", out);
    for (int i = 0; i < r->settings; i++) {
        const struct report_setting *set = &r->setting[i];
        int ended = 0;
        for (int k = 0; k < set->count; k++)
            ended += set->heads[k].n;
        fputs(i ? ",{\"setting\":" : "{\"setting\":", out);
        text_json_as_is(out, set->setting);
        fputs(",\"setting_label\":", out);
        text_json(out, set->label);
        fputs(",\"rows\":", out);
        enum status s = table_write(set->by_heads, TABLE_JSON, false, out, m);
        if (s != STATUS_OK)
            return s;
        fputs(",\"verdict\":", out);
        put_verdict(out, set->verdict, ended < set->input.planned);
        fputc('}', out);
    }
    fputs("]}\n", out);
    return text_check(out, m);
}
