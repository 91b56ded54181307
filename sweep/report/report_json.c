/* A report for programs: everything that the verdict weighed, as JSON. */
#include <math.h>

#include "sweep/report/report_parts.h"

/* A loss of bytes, beside its nats. */
static void add_bits(struct json_writer *w, const struct verdict_input *in, const char *key,
                     double loss)
{
    if (verdict_has_bits(in))
        json_add_real(w, key, loss / M_LN2);
}

/* Of a text: over what each interval goes. That over both is the one of the comparison. */
static void add_crossed(struct json_writer *w, const struct crossed *c, double level)
{
    static const char *const over[CROSSED_OVER] = {
        [CROSSED_ROWS] = "seeds", [CROSSED_COLUMNS] = "blocks", [CROSSED_BOTH] = "both"};
    if (c->columns == 0)
        return;
    json_add_integer(w, "blocks", c->columns);
    json_add_real(w, "blocks_effective", c->effective);
    json_begin_object(w, "over");
    for (int i = 0; i < CROSSED_OVER; i++) {
        double low, high;
        crossed_interval(c, (enum crossed_over)i, level, &low, &high);
        json_begin_object(w, over[i]);
        json_add_real(w, "se", c->se[i]);
        json_add_real(w, "df", c->df[i]);
        json_add_real(w, "ci_low", low);
        json_add_real(w, "ci_high", high);
        json_add_real(w, "p", crossed_p(c, (enum crossed_over)i));
        json_end_object(w);
    }
    json_end_object(w);
}

/* The interval of a difference is at the level of the verdict, which looks raise. */
static void add_difference(struct json_writer *w, const struct verdict_input *in,
                           const struct verdict *v, const struct verdict_rival *r)
{
    const struct stats_paired *p = &r->pair;
    json_add_integer(w, "n", p->n);
    json_add_integer(w, "wins", p->wins);
    json_add_integer(w, "losses", p->losses);
    json_add_integer(w, "seed_pairs", r->seed_pairs);
    json_add_integer(w, "unpaired", r->unpaired);
    json_add_real(w, "mean_diff", p->mean);
    json_add_real(w, "sd_diff", p->sd);
    json_add_real(w, "sd_between", r->sd_between);
    json_add_real(w, "sd_within", r->sd_within);
    json_add_real(w, "ci_level", v->level);
    json_add_real(w, "ci_low", p->low);
    json_add_real(w, "ci_high", p->high);
    add_bits(w, in, "mean_diff_bits", p->mean);
    add_bits(w, in, "ci_low_bits", p->low);
    add_bits(w, in, "ci_high_bits", p->high);
    add_crossed(w, &r->crossed, v->level);
    json_add_real(w, "t", p->t);
    json_add_real(w, "p", p->p);
    json_add_real(w, "sign_flip_p", p->sign_flip_p);
    json_add_real(w, "sign_flip_least", p->sign_flip_least);
    json_add_bool(w, "sign_flip_exact", p->exact);
    json_add_real(w, "p_deciding", r->p);
}

/* The candidate against its rivals. */
static void add_comparisons(struct json_writer *w, const struct verdict_input *in,
                            const struct verdict *v, const struct verdict_rival *rival)
{
    json_begin_list(w, "comparisons");
    for (int i = 0; i < v->rivals; i++) {
        json_begin_object(w, NULL);
        json_add_integer(w, "heads_a", v->candidate);
        json_add_integer(w, "heads_b", rival[i].arm);
        add_difference(w, in, v, &rival[i]);
        json_add_text(w, "outcome", rival_outcome_name(rival[i].outcome));
        json_end_object(w);
    }
    json_end_list(w);
}

void report_proof_json(const struct verdict_input *in, struct json_writer *w)
{
    const struct verdict_proof *proof = &in->claim.proof;
    json_begin_object(w, "claim_proof");
    json_add_text(w, "status", verdict_proof_name(proof->status));
    json_add_integer(w, "seen", proof->seen);
    json_add_integer(w, "pairs", proof->pairs);
    json_add_integer(w, "added", proof->added);
    json_add_integer(w, "removed", proof->removed);
    json_add_integer(w, "similar", in->claim.similar.trials);
    json_begin_list(w, "similar_differ");
    for (int i = 0; i < in->claim.similar.count; i++)
        json_add_text(w, NULL, in->claim.similar.differ[i]);
    json_end_list(w);
    json_end_object(w);
}

/* What fresh trials say of the finding, where `confirm` asks for some. */
static void add_confirmation(struct json_writer *w, const struct report_setting *set)
{
    const struct verdict_confirm *confirm = set->input.confirm;
    const struct verdict *fresh = set->verdict->confirmed;
    if (!confirm)
        return;
    json_begin_object(w, "confirmation");
    json_add_integer(w, "units", confirm->units);
    json_add_bool(w, "written", confirm->written);
    if (fresh) {
        json_add_text(w, "kind", verdict_kind_name(fresh->kind));
        json_add_bool(w, "preliminary", fresh->preliminary);
        json_add_integer(w, "planned", confirm->input->planned);
        json_add_integer(w, "ended", fresh->ended);
        json_begin_object(w, "claim");
        json_add_integer(w, "best", confirm->input->claim.best);
        json_begin_list(w, "over");
        for (int i = 0; i < confirm->input->claim.over_count; i++)
            json_add_integer(w, NULL, confirm->input->claim.over[i]);
        json_end_list(w);
        json_end_object(w);
        report_proof_json(confirm->input, w);
        json_add_real(w, "alpha", fresh->alpha);
        add_comparisons(w, confirm->input, fresh, fresh->rival);
    }
    json_end_object(w);
}

/* What would be picked at other tolerances. */
static void add_sensitivity(struct json_writer *w, const struct verdict *v)
{
    json_begin_list(w, "sensitivity");
    for (int i = 0; i < VERDICT_TOLERANCES; i++) {
        json_begin_object(w, NULL);
        json_add_real(w, "tolerance", VERDICT_TOLERANCE_AT[i]);
        json_add_nonzero(w, "candidate", v->candidate_at[i]);
        json_end_object(w);
    }
    json_end_list(w);
}

static void add_plateau(struct json_writer *w, const struct verdict *v)
{
    json_add_nonzero(w, "plateau_low", v->plateau_low);
    json_add_nonzero(w, "plateau_high", v->plateau_high);
    json_add_integer(w, "plateau_holes", v->plateau_holes);
    json_add_real(w, "plateau_margin", v->plateau_margin);
    json_add_nonzero(w, "best", v->best);
    json_add_nonzero(w, "smallest_among_best", v->smallest_among_best);
}

/* Under tune, what head counts chose where a better value may lie beyond. */
static void add_edges(struct json_writer *w, const struct verdict_input *in)
{
    json_begin_list(w, "edges");
    for (int i = 0; i < in->count; i++)
        for (int k = 0; k < in->arm[i].axes; k++) {
            const struct verdict_axis *a = &in->arm[i].axis[k];
            if (a->edge == GRID_INNER)
                continue;
            json_begin_object(w, NULL);
            json_add_integer(w, "heads", in->arm[i].id);
            json_add_text(w, "axis", a->path);
            json_add_real(w, "value", a->value[a->chosen].number);
            json_add_text(w, "edge", grid_edge_name(a->edge));
            json_begin_list(w, "tried");
            for (int n = 0; n < a->values; n++)
                if (isnan(a->value[n].number))
                    json_add_text(w, NULL, a->value[n].text);
                else
                    json_add_real(w, NULL, a->value[n].number);
            json_end_list(w);
            json_end_object(w);
        }
    json_end_list(w);
}

/* What was found, of which head counts. */
static void add_finding(struct json_writer *w, const struct report_setting *set)
{
    const struct verdict *v = set->verdict;
    json_add_text(w, "kind", verdict_kind_name(v->kind));
    json_add_bool(w, "preliminary", v->preliminary);
    json_add_bool(w, "decided", v->decided);
    json_add_integer(w, "looks", set->input.looks);
    json_add_integer(w, "look", set->input.look);
    json_add_bool(w, "prediction", v->prediction);
    if (set->input.claim.best)
        report_proof_json(&set->input, w);
    add_plateau(w, v);
    json_add_nonzero(w, "candidate", v->candidate);
    add_sensitivity(w, v);
    json_add_text(w, "unit", v->unit);
    json_add_integer(w, "units", v->units);
    json_add_real(w, "alpha", v->alpha);
    json_add_real(w, "guess", v->guess);
    add_bits(w, &set->input, "guess_bits", v->guess);
    json_add_integer(w, "finished", v->finished);
    json_add_nonzero(w, "smallest", v->smallest);
    json_add_nonzero(w, "largest", v->largest);
    json_add_integer(w, "interior", v->interior);
    add_edges(w, &set->input);
}

void report_sentences_json(const struct verdict_text *text, struct json_writer *w)
{
    json_add_integer(w, "lead", text->headlines);
    json_add_integer(w, "shown", text->shown);
    json_begin_list(w, "sentences");
    for (int i = 0; i < text->count; i++)
        json_add_text(w, NULL, text->sentence[i].text);
    json_end_list(w);
}

static void add_verdict(struct json_writer *w, struct scope *x, const struct report_setting *set)
{
    const struct verdict *v = set->verdict;
    json_begin_object(w, "verdict");
    add_finding(w, set);
    report_heads_json(x, set, w);
    add_comparisons(w, &set->input, v, v->rival);
    add_confirmation(w, set);
    report_sentences_json(&set->text, w);
    json_end_object(w);
}

/* ---- the sweep ---- */

static void add_outside(struct json_writer *w, const struct evidence *e)
{
    json_begin_list(w, "outside_plan");
    for (int i = 0; i < e->outsides; i++) {
        const struct evidence_outside *o = &e->outside[i];
        json_begin_object(w, NULL);
        json_add_integer(w, "heads", o->heads);
        json_add_integer(w, "ended", o->ended);
        json_add_integer(w, "completed", o->completed);
        json_add_real(w, "mean", o->mean);
        json_end_object(w);
    }
    json_end_list(w);
}

static void add_changes(struct json_writer *w, const struct evidence *e)
{
    json_begin_list(w, "plan_changes");
    for (int i = 0; i < e->changes; i++) {
        const struct evidence_change *c = &e->change[i];
        json_begin_object(w, NULL);
        json_add_text(w, "changed", c->changed);
        json_add_integer(w, "pairs", c->pairs);
        json_add_integer(w, "added", c->added);
        json_add_integer(w, "removed", c->removed);
        json_add_integer(w, "seen", c->seen);
        json_add_integer(w, "seen_outside", c->outside);
        json_add_integer(w, "similar", c->similar);
        json_add_json(w, "similar_differ", c->similar_differ);
        json_add_json(w, "what", c->what);
        json_add_json(w, "claim", c->claim[0] ? c->claim : NULL);
        json_end_object(w);
    }
    json_end_list(w);
}

/* What was asked, and how much of it has run. */
static void add_sweep(struct json_writer *w, const struct report_data *r)
{
    const struct evidence *e = r->evidence;
    json_add_text(w, "sweep", r->name);
    json_add_text(w, "question", r->question);
    json_add_text(w, "remark", r->remark[0] ? r->remark : NULL);
    json_add_json(w, "overrides", r->overrides);
    json_add_json(w, "shards", r->shards);
    json_add_json(w, "shards_left", r->shards_left.json.text);
    json_add_json(w, "kernels", r->kernels.json.text);
    json_add_text(w, "metric", e->base.loss ? "test_loss" : "test_acc");
    json_add_text(w, "replicate", e->base.replicated);
    json_add_real(w, "equivalence", e->equivalence > 0 ? e->equivalence : NAN);
    json_add_integer(w, "planned", r->planned);
    json_add_integer(w, "ended", r->ended);
    json_add_integer(w, "not_needed", r->counts.trials[TRIAL_NOT_NEEDED]);
    add_outside(w, r->evidence);
    add_changes(w, r->evidence);
}

static void add_setting(struct json_writer *w, const struct report_data *r,
                        const struct report_setting *set)
{
    json_begin_object(w, NULL);
    json_add_json(w, "setting", set->setting);
    json_add_text(w, "setting_label", set->label);
    table_add_json_rows(r->by_heads, set->first_row, set->rows, w, "rows");
    report_shift_json(r->shift, set->setting, w);
    report_labels_json(r->labels, set->setting, w);
    add_verdict(w, r->scope, set);
    json_end_object(w);
}

void report_json(const struct report_data *r, const struct report_map *map, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    add_sweep(&w, r);
    report_map_json(map, &w);
    report_between_json(r->between, &w);
    json_begin_list(&w, "settings");
    for (int i = 0; i < r->settings; i++)
        add_setting(&w, r, &r->setting[i]);
    json_end_list(&w);
    json_end_object(&w);
    fputc('\n', out);
}
