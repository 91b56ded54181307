/* A report for programs: everything that the verdict weighed, as JSON. */
#include <math.h>

#include "sweep/report/report_parts.h"

/* A head count, null for 0. */
static void put_heads(FILE *out, const char *key, int64_t heads)
{
    if (heads)
        fprintf(out, ",\"%s\":%lld", key, (long long)heads);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void put_flag(FILE *out, const char *key, bool flag)
{
    fprintf(out, ",\"%s\":%s", key, flag ? "true" : "false");
}

static void put_integer(FILE *out, const char *key, int64_t n)
{
    fprintf(out, ",\"%s\":%lld", key, (long long)n);
}

/* A loss of bytes, beside its nats. */
static void put_bits(FILE *out, const struct verdict_input *in, const char *key, double loss)
{
    if (verdict_has_bits(in))
        text_json_member(out, key, loss / M_LN2);
}

static void put_row(FILE *out, const struct verdict_input *in, const struct verdict_row *row)
{
    fprintf(out, "{\"heads\":%lld", (long long)row->heads);
    put_heads(out, "d_head", row->d_head);
    put_integer(out, "n", row->test.n);
    put_integer(out, "n_trials", row->trials);
    put_integer(out, "n_bad", row->bad);
    put_integer(out, "n_limit", row->limited);
    text_json_member(out, "mean", row->test.mean);
    text_json_member(out, "sd", row->test.sd);
    text_json_member(out, "ci95_low", row->test.low);
    text_json_member(out, "ci95_high", row->test.high);
    put_bits(out, in, "mean_bits", row->test.mean);
    put_bits(out, in, "ci95_low_bits", row->test.low);
    put_bits(out, in, "ci95_high_bits", row->test.high);
    put_flag(out, "all_equal", row->test.all_equal);
    text_json_member(out, "min", row->test.min);
    text_json_member(out, "median", row->test.median);
    text_json_member(out, "max", row->test.max);
    text_json_member(out, "median_low", row->median_low);
    text_json_member(out, "median_high", row->median_high);
    put_flag(out, "two_clusters", row->bimodal);
    text_json_member(out, "completed_mean", row->completed_mean);
    text_json_member(out, "mean_val", row->val_mean);
    text_json_member(out, "mean_exact", row->exact_mean);
    put_integer(out, "n_solved", row->solved);
    text_json_member(out, "solved_low", row->solved_low);
    text_json_member(out, "solved_high", row->solved_high);
    put_flag(out, "above_chance", row->above_chance);
    text_json_member(out, "p_above_chance", row->chance_p);
    put_flag(out, "still_improving", row->improving);
    text_json_member(out, "late_gain", row->late_gain);
    text_json_member(out, "late_gain_low", row->late_low);
    text_json_member(out, "late_gain_high", row->late_high);
    text_json_member(out, "p_against_best", row->best_p);
    put_flag(out, "among_best", row->among_best);
    text_json_member(out, "p_within_margin", row->plateau_p);
    text_json_member(out, "p_equivalent", row->equivalent_p);
    put_flag(out, "equivalent", row->equivalent);
    put_flag(out, "in_plateau", row->in_plateau);
    fputc('}', out);
}

/* Of a text: over what each interval goes. That over both is the one of the comparison. */
static void put_crossed(FILE *out, const struct crossed *c, double level)
{
    static const char *const over[CROSSED_OVER] = {
        [CROSSED_ROWS] = "seeds", [CROSSED_COLUMNS] = "blocks", [CROSSED_BOTH] = "both"};
    if (c->columns == 0)
        return;
    put_integer(out, "blocks", c->columns);
    text_json_member(out, "blocks_effective", c->effective);
    fputs(",\"over\":{", out);
    for (int i = 0; i < CROSSED_OVER; i++) {
        double low, high;
        crossed_interval(c, (enum crossed_over)i, level, &low, &high);
        fprintf(out, "%s\"%s\":{\"se\":", i ? "," : "", over[i]);
        text_json_real(out, c->se[i]);
        text_json_member(out, "df", c->df[i]);
        text_json_member(out, "ci_low", low);
        text_json_member(out, "ci_high", high);
        text_json_member(out, "p", crossed_p(c, (enum crossed_over)i));
        fputc('}', out);
    }
    fputc('}', out);
}

/* The interval of a difference is at the level of the verdict, which looks raise. */
static void put_comparison(FILE *out, const struct report_setting *set,
                           const struct verdict_rival *r)
{
    const struct verdict *v = set->verdict;
    const struct stats_paired *p = &r->pair;
    fprintf(out, "{\"heads_a\":%lld,\"heads_b\":%lld", (long long)v->candidate,
            (long long)r->heads);
    put_integer(out, "n", p->n);
    put_integer(out, "wins", p->wins);
    put_integer(out, "losses", p->losses);
    put_integer(out, "seed_pairs", r->seed_pairs);
    put_integer(out, "unpaired", r->unpaired);
    text_json_member(out, "mean_diff", p->mean);
    text_json_member(out, "sd_diff", p->sd);
    text_json_member(out, "sd_between", r->sd_between);
    text_json_member(out, "sd_within", r->sd_within);
    text_json_member(out, "ci_level", v->level);
    text_json_member(out, "ci_low", p->low);
    text_json_member(out, "ci_high", p->high);
    put_bits(out, &set->input, "mean_diff_bits", p->mean);
    put_bits(out, &set->input, "ci_low_bits", p->low);
    put_bits(out, &set->input, "ci_high_bits", p->high);
    put_crossed(out, &r->crossed, v->level);
    text_json_member(out, "t", p->t);
    text_json_member(out, "p", p->p);
    text_json_member(out, "sign_flip_p", p->sign_flip_p);
    text_json_member(out, "sign_flip_least", p->sign_flip_least);
    put_flag(out, "sign_flip_exact", p->exact);
    text_json_member(out, "p_deciding", r->p);
    fprintf(out, ",\"outcome\":\"%s\"}", rival_outcome_name(r->outcome));
}

/* Whether the claim was first, and how many results could be seen where it was not. */
static void put_proof(FILE *out, const struct verdict_proof *proof)
{
    fprintf(out, ",\"claim_proof\":{\"status\":\"%s\"", verdict_proof_name(proof->status));
    put_integer(out, "seen", proof->seen);
    put_integer(out, "pairs", proof->pairs);
    put_integer(out, "added", proof->added);
    put_integer(out, "removed", proof->removed);
    fputc('}', out);
}

/* What would be picked at other tolerances. */
static void put_sensitivity(FILE *out, const struct verdict *v)
{
    fputs(",\"sensitivity\":[", out);
    for (int i = 0; i < VERDICT_TOLERANCES; i++) {
        fprintf(out, "%s{\"tolerance\":", i ? "," : "");
        text_json_real(out, VERDICT_TOLERANCE_AT[i]);
        put_heads(out, "candidate", v->candidate_at[i]);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_plateau(FILE *out, const struct verdict *v)
{
    put_heads(out, "plateau_low", v->plateau_low);
    put_heads(out, "plateau_high", v->plateau_high);
    put_integer(out, "plateau_holes", v->plateau_holes);
    text_json_member(out, "plateau_margin", v->plateau_margin);
    put_heads(out, "best", v->best);
    put_heads(out, "smallest_among_best", v->smallest_among_best);
}

static void put_verdict(FILE *out, const struct report_setting *set)
{
    const struct verdict *v = set->verdict;
    fprintf(out, "{\"kind\":\"%s\"", verdict_kind_name(v->kind));
    put_flag(out, "preliminary", v->preliminary);
    put_flag(out, "decided", v->decided);
    put_integer(out, "looks", v->looks);
    put_integer(out, "look", v->look);
    put_flag(out, "prediction", v->prediction);
    if (set->input.has_claim)
        put_proof(out, &v->proof);
    put_plateau(out, v);
    put_heads(out, "candidate", v->candidate);
    put_sensitivity(out, v);
    fprintf(out, ",\"unit\":\"%s\"", v->unit);
    put_integer(out, "units", v->units);
    text_json_member(out, "alpha", v->alpha);
    text_json_member(out, "guess", v->guess);
    put_bits(out, &set->input, "guess_bits", v->guess);
    put_integer(out, "finished", v->finished);
    put_heads(out, "smallest", v->smallest);
    put_heads(out, "largest", v->largest);
    put_integer(out, "interior", v->interior);
    fputs(",\"heads\":[", out);
    for (int i = 0; i < v->rows; i++) {
        fputs(i ? "," : "", out);
        put_row(out, &set->input, &v->row[i]);
    }
    fputs("],\"comparisons\":[", out);
    for (int i = 0; i < v->rivals; i++) {
        fputs(i ? "," : "", out);
        put_comparison(out, set, &v->rival[i]);
    }
    fprintf(out, "],\"lead\":%d,\"sentences\":[", set->text.headlines);
    for (int i = 0; i < set->text.count; i++) {
        fputs(i ? "," : "", out);
        text_json(out, set->text.sentence[i].text);
    }
    fputs("]}", out);
}

/* ---- the sweep ---- */

static void put_outside(FILE *out, const struct evidence *e)
{
    fputs(",\"outside_plan\":[", out);
    for (int i = 0; i < e->outsides; i++) {
        const struct evidence_outside *o = &e->outside[i];
        fprintf(out, "%s{\"heads\":%lld,\"ended\":%d,\"completed\":%d", i ? "," : "",
                (long long)o->heads, o->ended, o->completed);
        text_json_member(out, "mean", o->mean);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_changes(FILE *out, const struct evidence *e)
{
    fputs(",\"plan_changes\":[", out);
    for (int i = 0; i < e->changes; i++) {
        const struct evidence_change *c = &e->change[i];
        fputs(i ? ",{\"changed\":" : "{\"changed\":", out);
        text_json(out, c->changed);
        put_integer(out, "pairs", c->pairs);
        put_integer(out, "added", c->added);
        put_integer(out, "removed", c->removed);
        put_integer(out, "seen", c->seen);
        put_integer(out, "seen_outside", c->outside);
        fputs(",\"what\":", out);
        text_json_as_is(out, c->what);
        fputs(",\"claim\":", out);
        text_json_as_is(out, c->claim[0] ? c->claim : "null");
        fputc('}', out);
    }
    fputc(']', out);
}

/* What was asked of all settings alike. */
static void put_asked(FILE *out, const struct verdict_input *base)
{
    fprintf(out, ",\"metric\":\"%s\"", base->loss ? "test_loss" : "test_acc");
    fputs(",\"replicate\":", out);
    text_json(out, base->replicated);
    text_json_member(out, "equivalence", base->equivalence > 0 ? base->equivalence : NAN);
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
    fputs(",\"shards\":", out);
    text_json_as_is(out, r->shards);
    fputs(",\"shards_left\":", out);
    text_json_as_is(out, r->shards_left.json.text ? r->shards_left.json.text : "null");
    fputs(",\"kernels\":", out);
    text_json_as_is(out, r->kernels.json.text);
    put_asked(out, &r->evidence->base);
    fprintf(out, ",\"planned\":%ld,\"ended\":%ld,\"not_needed\":%ld", r->planned, r->ended,
            r->counts.trials[TRIAL_NOT_NEEDED]);
    put_outside(out, r->evidence);
    put_changes(out, r->evidence);
    fputs(",\"map\":", out);
    report_map_json(map, out);
    fputs(",\"settings\":[", out);
    for (int i = 0; i < r->settings; i++) {
        const struct report_setting *set = &r->setting[i];
        fputs(i ? ",{\"setting\":" : "{\"setting\":", out);
        text_json_as_is(out, set->setting);
        fputs(",\"setting_label\":", out);
        text_json(out, set->label);
        fputs(",\"rows\":", out);
        enum status s = table_write(set->by_heads, TABLE_JSON, false, out, m);
        if (s != STATUS_OK)
            return s;
        report_shift_json(r->shift, set->setting, out);
        report_labels_json(r->labels, set->setting, out);
        fputs(",\"verdict\":", out);
        put_verdict(out, set);
        fputc('}', out);
    }
    fputs("]}\n", out);
    return text_check(out, m);
}
