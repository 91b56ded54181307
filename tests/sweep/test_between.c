/* Settings against each other, by paired t tests worked out by hand. */
#include "verdict_help.h"

#include "sweep/judge/between.h"

enum { PAIRS = 4 };

/* A setting with one head count, 8, or two, 4 and 8, of the same trials. */
struct setting {
    struct verdict_input in;
    struct verdict_heads heads[2];
    struct verdict_trial trial[MAX_TRIALS];
    struct verdict_choice choice[2];
};

struct pairs {
    int count;
    struct setting setting[PAIRS];
    struct between_pair pair[PAIRS];
};

/* Differences: a - b .078 (t = 4.894, p = .00808), a - c .046 (3.807, .0190), c - b .032 (6.532,
 * .00284), each with 4 degrees of freedom. */
static const double a[5] = {.99, .97, .98, 1.0, .96}, b[5] = {.90, .93, .85, .95, .88},
                    c[5] = {.93, .96, .90, .97, .91};
static const double P_AB = .00807786094080393, P_AC = .018989231492511395,
                    P_CB = .0028378459267344586;

static void set_up(struct pairs *p)
{
    *p = (struct pairs){0};
    for (int i = 0; i < PAIRS; i++)
        p->setting[i].in = (struct verdict_input){.chance = .0625, .steps = 1500};
}

/* Gives setting i these values; a negative one is a bad trial. */
static void fill(struct pairs *p, int i, int n, const double *value)
{
    struct setting *s = &p->setting[i];
    for (int k = 0; k < n; k++)
        s->trial[k] = (struct verdict_trial){.seed = k,
                                             .bad = value[k] < 0,
                                             .test = value[k],
                                             .val = value[k],
                                             .exact = NAN,
                                             .late_slope = NAN};
    s->in.count = 2;
    s->in.heads = s->heads;
    s->in.choice = s->choice;
    s->heads[0] = (struct verdict_heads){.heads = 4, .n = n, .trial = s->trial};
    s->heads[1] = (struct verdict_heads){.heads = 8, .n = n, .trial = s->trial, .d_head = 4};
}

static struct between_pair *add_pair(struct pairs *p, int first, int second, int64_t heads)
{
    static const char *const names[PAIRS] = {"kv_heads=1", "kv_heads=8", "kv_heads=2",
                                             "kv_heads=4"};
    struct between_pair *pair = &p->pair[p->count++];
    *pair = (struct between_pair){
        .sides = {.heads = heads, .name = {names[first], names[second]}, .same = "d_ff=64"}};
    for (int i = 0; i < 2; i++) {
        const struct setting *s = &p->setting[i ? second : first];
        int k = heads == 8;
        pair->of[i] = (struct between_setting){&s->in, k, s->heads[k].n, names[i ? second : first]};
    }
    return pair;
}

static struct between_pair *add_claim(struct pairs *p, int better, int than)
{
    struct between_pair *pair = add_pair(p, better, than, 8);
    pair->claimed = true;
    return pair;
}

static void judge_all(struct pairs *p)
{
    assert_int_equal(between_judge(p->pair, p->count, NULL), STATUS_OK);
}

static void forget(struct pairs *p)
{
    between_free(p->pair, p->count);
    assert_null(p->pair[0].verdict);
    set_up(p);
}

static void test_numbers(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    const struct between_pair *pair = add_pair(&p, 0, 1, 8);
    judge_all(&p);
    const struct verdict_rival *r = between_rival(pair);
    assert_near(r->pair.mean, .078);
    assert_near(r->pair.sd, 0.03563705936241093);
    assert_near(r->pair.low, 0.03375074638784399);
    assert_near(r->pair.high, 0.12224925361215598);
    assert_near(r->pair.t, 4.894155280077635);
    assert_near(r->pair.p, P_AB);
    assert_near(r->pair.sign_flip_p, 2. / 32);
    assert_near(pair->p, P_AB); /* the only one: nothing to correct for */
    assert_each(pair->family == 1, r->pair.wins == 5, r->pair.losses == 0, r->unpaired == 0);
    assert_int_equal(r->outcome, RIVAL_BEATEN);
    assert_string_equal(verdict_kind_name(pair->verdict->kind), "setting_better");
    assert_each(!pair->verdict->prediction, !pair->verdict->preliminary);
    forget(&p);
}

/* The better comes first, with its name: of losses the smaller one. */
static void test_order(void **state)
{
    (void)state;
    for (int loss = 0; loss < 2; loss++) {
        struct pairs p;
        set_up(&p);
        fill(&p, 0, 5, a);
        fill(&p, 1, 5, b);
        p.setting[0].in.loss = p.setting[1].in.loss = loss;
        p.setting[0].in.guess_loss = p.setting[1].in.guess_loss = loss ? 2.7 : 0;
        const struct between_pair *pair = add_pair(&p, !loss, loss, 8);
        judge_all(&p);
        assert_string_equal(pair->sides.name[0], loss ? "kv_heads=8" : "kv_heads=1");
        assert_string_equal(pair->of[0].setting, pair->sides.name[0]);
        assert_string_equal(pair->sides.name[1], pair->of[1].setting);
        assert_near(between_rival(pair)->pair.mean, loss ? -.078 : .078);
        assert_each(between_rival(pair)->pair.wins == 5,
                    between_rival(pair)->outcome == RIVAL_BEATEN);
        forget(&p);
    }
}

/* Holm 1979, apart for each head count; what could not be tested counts. */
static void test_correction(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    fill(&p, 2, 5, c);
    fill(&p, 3, 1, a);
    add_pair(&p, 0, 1, 8);
    add_pair(&p, 0, 2, 8);
    add_pair(&p, 1, 2, 8);
    add_pair(&p, 0, 1, 4);
    judge_all(&p);
    assert_near(p.pair[0].p, 2 * P_AB);
    assert_near(p.pair[1].p, P_AC);
    assert_near(p.pair[2].p, 3 * P_CB);
    assert_near(p.pair[3].p, P_AB);
    assert_each(p.pair[0].family == 3, p.pair[2].family == 3, p.pair[3].family == 1);
    forget(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    fill(&p, 2, 5, c);
    fill(&p, 3, 1, a);
    add_pair(&p, 0, 2, 8);
    add_pair(&p, 0, 1, 8);
    add_pair(&p, 0, 3, 8);
    judge_all(&p);
    assert_near(p.pair[1].p, 3 * P_AB);
    assert_near(p.pair[0].p, 2 * P_AC);
    assert_true(isnan(p.pair[2].p));
    assert_int_equal(p.pair[2].verdict->kind, VERDICT_UNTESTED);
    forget(&p);
}

/* Significant by itself, not among three. */
static void test_corrected_kind(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, c);
    fill(&p, 2, 5, c);
    fill(&p, 3, 5, c);
    for (int i = 1; i < PAIRS; i++)
        add_pair(&p, 0, i, 8);
    judge_all(&p);
    for (int i = 0; i < p.count; i++) {
        assert_near(p.pair[i].p, 3 * P_AC);
        assert_near(between_rival(&p.pair[i])->pair.p, P_AC);
        assert_int_equal(p.pair[i].verdict->kind, VERDICT_NOT_SIGNIFICANT);
        assert_int_equal(between_rival(&p.pair[i])->outcome, RIVAL_NOT_BEATEN);
    }
    forget(&p);
}

/* Judged at the full alpha, and nobody's p is corrected for it. */
static void test_claim(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, c);
    fill(&p, 2, 5, b);
    add_claim(&p, 0, 1);
    add_pair(&p, 0, 2, 8);
    add_pair(&p, 1, 2, 8);
    judge_all(&p);
    assert_int_equal(p.pair[0].verdict->kind, VERDICT_CLAIM_CONFIRMED);
    assert_each(p.pair[0].verdict->prediction, p.pair[0].family == 1, p.pair[0].verdict->decided);
    assert_near(p.pair[0].p, P_AC);
    assert_near(p.pair[1].p, P_AB);
    assert_near(p.pair[2].p, 2 * P_CB);
    forget(&p);
    /* One that came after results is a pair like others. */
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, c);
    fill(&p, 2, 5, b);
    p.setting[0].in.proof = (struct verdict_proof){PROOF_LATE, 3, 6, 0, 0};
    add_claim(&p, 0, 1);
    add_pair(&p, 0, 2, 8);
    add_pair(&p, 1, 2, 8);
    judge_all(&p);
    assert_int_equal(p.pair[0].verdict->kind, VERDICT_SETTING_BETTER);
    assert_each(!p.pair[0].verdict->prediction, p.pair[0].family == 3, p.pair[1].family == 3);
    assert_near(p.pair[2].p, 3 * P_CB);
    forget(&p);
}

static void assert_sentences(struct pairs *p, enum verdict_kind kind, const char *const *sentences)
{
    judge_all(p);
    struct verdict_text text;
    assert_string_equal(verdict_kind_name(p->pair[0].verdict->kind), verdict_kind_name(kind));
    assert_int_equal(verdict_text_new(&p->pair[0].input, p->pair[0].verdict, &text, NULL),
                     STATUS_OK);
    int i = 0;
    for (; sentences[i]; i++) {
        assert_true(i < text.count);
        assert_string_equal(text.sentence[i].text, sentences[i]);
    }
    assert_int_equal(text.count, i);
    verdict_text_free(&text);
    forget(p);
}

#define ASSERT_SENTENCES(p, kind, ...)                                                             \
    assert_sentences(p, kind, (const char *const[]){__VA_ARGS__, NULL})
#define ASSERT_CLAIM(p, kind, ...) (add_claim(p, 0, 1), ASSERT_SENTENCES(p, kind, __VA_ARGS__))
#define SCOPE                      ", within 1500 steps, on this task instance."
#define FEW                                                                                        \
    "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 are needed for " \
    "p < 0.05."

static void test_sentences(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_CONFIRMED,
        "Claim confirmed: kv_heads=1 is better than kv_heads=8 at 8 heads (d_ff=64), as "
        "predicted before the first trial" SCOPE,
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval +0.034 to "
        "+0.122, over 5 seeds (5 won, 0 lost); paired t test p = 0.00808, exact sign-flip "
        "test p = 0.0625.",
        FEW);
    fill(&p, 0, 5, b);
    fill(&p, 1, 5, a);
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_CONTRADICTED,
        "Claim contradicted: kv_heads=1 is significantly worse than kv_heads=8 at 8 heads "
        "(d_ff=64) (difference -0.078, p = 0.00808)" SCOPE,
        "kv_heads=1 against kv_heads=8 (d_ff=64): -0.078 test accuracy, 95% interval -0.122 to "
        "-0.034, over 5 seeds (0 won, 5 lost); paired t test p = 0.00808, exact sign-flip "
        "test p = 0.0625.",
        FEW);
    /* The trial that diverged is a guess: .9 - .0625 at its seed. */
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, (const double[]){.90, -1, .85, .95, .88});
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_NOT_CONFIRMED,
        "Claim not confirmed: kv_heads=1 is not shown to be better than kv_heads=8 at 8 "
        "heads (d_ff=64) (difference +0.251, p = 0.201)" SCOPE,
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.251 test accuracy, 95% interval -0.205 to "
        "+0.708, over 5 seeds (5 won, 0 lost); paired t test p = 0.201, exact sign-flip "
        "test p = 0.0625.",
        FEW);
    fill(&p, 0, 1, a);
    fill(&p, 1, 5, b);
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_UNTESTED,
        "Claim not tested yet: kv_heads=1 and kv_heads=8 at 8 heads (d_ff=64) have fewer "
        "than two seeds in common.",
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.090 test accuracy at the one seed in common.");
    fill(&p, 0, 0, a);
    fill(&p, 1, 0, b);
    ASSERT_CLAIM(&p, VERDICT_NOTHING,
                 "Not tested yet: no trial of kv_heads=1 or kv_heads=8 at 8 heads (d_ff=64) has "
                 "ended.");
    fill(&p, 0, 2, (const double[]){-1, -1});
    fill(&p, 1, 2, (const double[]){-1, -1});
    ASSERT_CLAIM(&p, VERDICT_UNTRAINED,
                 "No verdict: every trial of kv_heads=1 and kv_heads=8 at 8 heads (d_ff=64) that "
                 "has ended diverged or failed.");
    fill(&p, 0, 3, (const double[]){.062, .063, .0625});
    fill(&p, 1, 3, (const double[]){.062, .0624, .0625});
    ASSERT_CLAIM(&p, VERDICT_AT_CHANCE,
                 "At chance: neither kv_heads=1 nor kv_heads=8 at 8 heads (d_ff=64) is shown to be "
                 "better than guessing (test accuracy 0.0625)" SCOPE);
    fill(&p, 0, 3, (const double[]){1, 1, 1});
    fill(&p, 1, 3, (const double[]){1, 1, 1});
    ASSERT_CLAIM(&p, VERDICT_ALL_EQUAL,
                 "All equal: each trial of kv_heads=1 and kv_heads=8 at 8 heads (d_ff=64) has a "
                 "test accuracy of 1.000, within 1500 steps, on this task instance; the claim is "
                 "not confirmed.");
}

static void test_limits(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[1].trial[2].limited = true;
    ASSERT_CLAIM(&p, VERDICT_CLAIM_UNDECIDED,
                 "Claim undecided: kv_heads=8 at 8 heads (d_ff=64) did not finish within the limit "
                 "of time or memory.",
                 "With 4 seeds the exact sign-flip test cannot go below p = 0.125; at least 6 are "
                 "needed for p < 0.05.");
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[0].trial[2].limited = true;
    p.setting[1].trial[0].limited = true;
    ASSERT_CLAIM(&p, VERDICT_UNFINISHED,
                 "No verdict: kv_heads=1 and kv_heads=8 at 8 heads (d_ff=64) did not finish within "
                 "the limit of time or memory.");
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[1].trial[2].limited = true;
    add_pair(&p, 0, 1, 8);
    judge_all(&p);
    assert_int_equal(p.pair[0].verdict->kind, VERDICT_UNFINISHED);
    assert_true(isnan(p.pair[0].p));
    forget(&p);
}

/* Why it is none; and that trials are still to come. */
static void test_no_prediction(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[0].in.proof = (struct verdict_proof){PROOF_LATE, 3, 10, 0, 0};
    ASSERT_CLAIM(
        &p, VERDICT_SETTING_BETTER,
        "Exploratory finding: kv_heads=1 is better than kv_heads=8 at 8 heads (d_ff=64) "
        "(difference +0.078, p = 0.00808 after correction for the number of pairs)" SCOPE,
        "The claim, kv_heads=1 better than kv_heads=8 at 8 heads (d_ff=64), is no "
        "prediction: it was written after 3 of 10 trials had ended. The results are "
        "judged as if it were not there.",
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval +0.034 to "
        "+0.122, over 5 seeds (5 won, 0 lost); paired t test p = 0.00808, exact sign-flip "
        "test p = 0.0625.",
        FEW);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, a);
    struct between_pair *pair = add_claim(&p, 0, 1);
    pair->of[0].planned = 8;
    judge_all(&p);
    assert_each(pair->verdict->preliminary, !pair->verdict->decided);
    struct verdict_text text;
    assert_int_equal(verdict_text_new(&pair->input, pair->verdict, &text, NULL), STATUS_OK);
    assert_non_null(strstr(text.sentence[0].text, "Preliminary, with 10 of 13 trials ended ("));
    verdict_text_free(&text);
    forget(&p);
}

/* A late claim that the data contradict: the two keep their order. */
static void test_no_prediction_worse(void **state)
{
    (void)state;
    struct verdict_value rate[2] = {{.001, "0.001"}, {.003, "0.003"}};
    struct verdict_axis edge = {"train.lr", 2, rate, 1, GRID_LARGEST};
    struct pairs p;
    set_up(&p);
    for (int at_edge = 0; at_edge < 2; at_edge++) {
        struct verdict_text text;
        fill(&p, 0, 5, b);
        fill(&p, 1, 5, a);
        p.setting[0].in.proof = (struct verdict_proof){PROOF_LATE, 10, 10, 0, 0};
        p.setting[0].choice[0] = (struct verdict_choice){8, 1, &edge};
        p.setting[0].in.choices = at_edge;
        const struct between_pair *pair = add_claim(&p, 0, 1);
        judge_all(&p);
        assert_int_equal(pair->verdict->kind,
                         at_edge ? VERDICT_RIVAL_AT_EDGE : VERDICT_SETTING_BETTER);
        assert_int_equal(between_rival(pair)->outcome, at_edge ? RIVAL_OVER_EDGE : RIVAL_BETTER);
        assert_string_equal(pair->sides.name[0], "kv_heads=1");
        assert_int_equal(verdict_text_new(&pair->input, pair->verdict, &text, NULL), STATUS_OK);
        const char *expected =
            at_edge ? "Nothing is shown: kv_heads=1 did worse than kv_heads=8 at 8 heads (d_ff=64) "
                      "(difference -0.078, p = 0.00808 after correction for the number of pairs)"
                    : "Exploratory finding: kv_heads=1 is worse than kv_heads=8 at 8 heads "
                      "(d_ff=64) (difference -0.078, p = 0.00808 after correction for the number "
                      "of pairs)";
        assert_memory_equal(text.sentence[0].text, expected, strlen(expected));
        verdict_text_free(&text);
        forget(&p);
    }
}

/* What may have been known, and a budget that no curve can judge. */
static void test_similar(void **state)
{
    (void)state;
    static char *differ[] = {"train.eval_every"};
    struct pairs p;
    set_up(&p);
    for (int right = 0; right < 2; right++) {
        fill(&p, !right, 5, a);
        fill(&p, right, 5, b);
        p.setting[0].in.decays = true;
        add_claim(&p, 0, 1)->similar = (struct verdict_similar){48, 1, differ};
        if (right)
            ASSERT_SENTENCES(
                &p, VERDICT_CLAIM_CONFIRMED,
                "Claim confirmed after 1500 steps: kv_heads=1 is better than kv_heads=8 at 8 heads "
                "(d_ff=64), on this task instance, as predicted before its first trial; 48 trials "
                "like these had ended, which differ in train.eval_every.",
                "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval "
                "+0.034 to +0.122, over 5 seeds (5 won, 0 lost); paired t test p = 0.00808, exact "
                "sign-flip test p = 0.0625.",
                FEW);
        else
            ASSERT_SENTENCES(
                &p, VERDICT_CLAIM_CONTRADICTED,
                "Claim contradicted after 1500 steps: kv_heads=1 is significantly worse than "
                "kv_heads=8 at 8 heads (d_ff=64) (difference -0.078, p = 0.00808), on this task "
                "instance.",
                "When the claim was written, 48 trials like these had ended, which differ in "
                "train.eval_every.",
                "kv_heads=1 against kv_heads=8 (d_ff=64): -0.078 test accuracy, 95% interval "
                "-0.122 to -0.034, over 5 seeds (0 won, 5 lost); paired t test p = 0.00808, exact "
                "sign-flip test p = 0.0625.",
                FEW);
    }
}

/* Caveats of head counts that are true of settings. */
static void test_caveats(void **state)
{
    (void)state;
    struct verdict_text text;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, (const double[]){.99, .80, .95, .85, .90});
    fill(&p, 1, 5, (const double[]){.70, .70, .71, .69, .70});
    for (int i = 0; i < 2; i++) {
        p.setting[i].in.data = VERDICT_ROWS;
        p.setting[i].in.replicated = "task.instance";
        for (int k = 0; k < 5; k++)
            p.setting[i].trial[k].unit = k;
    }
    const struct between_pair *pair = add_claim(&p, 0, 1);
    judge_all(&p);
    assert_int_equal(pair->verdict->kind, VERDICT_CLAIM_CONFIRMED);
    assert_int_equal(verdict_text_new(&pair->input, pair->verdict, &text, NULL), STATUS_OK);
    assert_int_equal(text.count, 5);
    assert_non_null(strstr(text.sentence[2].text,
                           "kv_heads=1, better than kv_heads=8, varies more between splits (11 "
                           "times as much). If rare splits"));
    assert_non_null(strstr(text.sentence[3].text, "Splits share rows: "));
    verdict_text_free(&text);
    forget(&p);
}

/* Instances are what is counted: .075, .085 and .045 of two seeds each. */
static void test_replicates(void **state)
{
    (void)state;
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 6, (const double[]){.99, .97, .98, 1.0, .96, .94});
    fill(&p, 1, 6, (const double[]){.90, .93, .85, .95, .88, .92});
    for (int i = 0; i < 2; i++) {
        p.setting[i].in.replicated = "task.instance";
        for (int k = 0; k < 6; k++) {
            p.setting[i].trial[k].seed = k % 2;
            p.setting[i].trial[k].unit = k / 2;
        }
    }
    const struct between_pair *pair = add_pair(&p, 0, 1, 8);
    judge_all(&p);
    const struct verdict_rival *r = between_rival(pair);
    assert_each(r->pair.n == 3, r->seed_pairs == 6, pair->verdict->units == 3);
    assert_near(r->pair.mean, 0.06833333333333332);
    assert_near(r->pair.p, 0.02793370987353726);
    assert_string_equal(pair->verdict->unit, "task instance");
    forget(&p);
}

/* Over seeds and blocks of a text, as head counts are. */
static void test_blocks(void **state)
{
    (void)state;
    static const double block[2][3][2] = {{{1, 2}, {1.1, 2.2}, {.9, 2.1}},
                                          {{1.5, 2.1}, {1.4, 2.5}, {1.6, 2.3}}};
    struct pairs p;
    struct sketch s = sketch_new();
    set_up(&p);
    for (int i = 0; i < 2; i++) {
        double mean[3];
        for (int k = 0; k < 3; k++)
            mean[k] = (block[i][k][0] + block[i][k][1]) / 2;
        fill(&p, i, 3, mean);
        add(&s, i + 1, mean[0], 3, mean);
        struct verdict_input *in[] = {&p.setting[i].in, &s.in};
        for (int w = 0; w < 2; w++) {
            in[w]->loss = true;
            in[w]->data = VERDICT_TEXT;
            in[w]->blocks = 2;
            in[w]->guess_loss = 3;
        }
        for (int k = 0; k < 3; k++)
            p.setting[i].trial[k].block = s.trial[i][k].block = block[i][k];
    }
    claim(&s, 1, 2, 0);
    add_pair(&p, 0, 1, 8);
    judge_all(&p);
    struct verdict *v = judge_sketch(&s);
    const struct verdict_rival *r = between_rival(&p.pair[0]);
    assert_each(r->crossed.columns == 2, crossed_testable(&r->crossed), p.pair[0].verdict->blocks);
    assert_near(r->pair.p, v->rival[0].pair.p);
    assert_near(r->pair.low, v->rival[0].pair.low);
    assert_near(r->pair.mean, v->rival[0].pair.mean);
    verdict_free(v);
    forget(&p);
    /* Texts that were cut otherwise have no blocks in common. */
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[0].in.loss = p.setting[1].in.loss = true;
    p.setting[0].in.guess_loss = p.setting[1].in.guess_loss = 3;
    p.setting[0].in.blocks = 2;
    add_pair(&p, 0, 1, 8);
    judge_all(&p);
    assert_int_equal(between_rival(&p.pair[0])->crossed.columns, 0);
    forget(&p);
}

/* Under tune each comes with what it chose at this head count; one that chose an edge of its grid
 * is not called worse. */
static void test_choices(void **state)
{
    (void)state;
    struct verdict_value rate[3] = {{.001, "0.001"}, {.003, "0.003"}, {.01, "0.01"}};
    struct verdict_axis inner = {"train.lr", 3, rate, 1, GRID_INNER},
                        edge = {"train.lr", 3, rate, 2, GRID_LARGEST};
    struct pairs p;
    for (int i = 0; i < 4; i++) {
        int claimed = i / 2, worse = i % 2;
        set_up(&p);
        fill(&p, 0, 5, a);
        fill(&p, 1, 5, b);
        p.setting[!worse].choice[0] = (struct verdict_choice){8, 1, &inner};
        p.setting[!worse].in.choices = 1;
        p.setting[worse].choice[0] = (struct verdict_choice){4, 1, &inner};
        p.setting[worse].choice[1] = (struct verdict_choice){8, 1, &edge};
        p.setting[worse].in.choices = 2;
        struct between_pair *pair = add_pair(&p, 0, 1, 8);
        pair->claimed = claimed;
        judge_all(&p);
        assert_int_equal(pair->input.choices, 2);
        assert_ptr_equal(pair->input.choice[0].axis, worse ? &inner : &edge);
        assert_ptr_equal(pair->input.choice[1].axis, worse ? &edge : &inner);
        assert_each(pair->input.choice[0].heads == 1, pair->input.choice[1].heads == 2);
        assert_int_equal(pair->verdict->kind, worse     ? VERDICT_RIVAL_AT_EDGE
                                              : claimed ? VERDICT_CLAIM_CONFIRMED
                                                        : VERDICT_SETTING_BETTER);
        forget(&p);
    }
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    struct verdict_axis few = {"train.lr", 2, rate, 1, GRID_LARGEST};
    p.setting[0].choice[0] = (struct verdict_choice){8, 1, &inner};
    p.setting[1].choice[0] = (struct verdict_choice){8, 1, &few};
    p.setting[0].in.choices = p.setting[1].in.choices = 1;
    ASSERT_CLAIM(&p, VERDICT_RIVAL_AT_EDGE,
                 "Claim undecided: kv_heads=1 did better than kv_heads=8 at 8 heads (d_ff=64) "
                 "(difference +0.078, p = 0.00808), within 1500 steps, each at its own best of lr "
                 "0.001, 0.003 and 0.01 (kv_heads=8: 0.001 and 0.003), on this task instance, but "
                 "kv_heads=8 chose the largest lr tried, 0.003, and may be better beyond it; try "
                 "more values (`extend` in `tune`, or a wider list).",
                 "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval "
                 "+0.034 to +0.122, over 5 seeds (5 won, 0 lost); paired t test p = 0.00808, exact "
                 "sign-flip test p = 0.0625.",
                 FEW);
}

/* What is not significant after correction is not so at an edge either. */
static void test_corrected_edge(void **state)
{
    (void)state;
    struct verdict_value rate[2] = {{.001, "0.001"}, {.003, "0.003"}};
    struct verdict_axis edge = {"train.lr", 2, rate, 1, GRID_LARGEST};
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    for (int i = 1; i < PAIRS; i++) {
        fill(&p, i, 5, c);
        p.setting[i].choice[0] = (struct verdict_choice){8, 1, &edge};
        p.setting[i].in.choices = 1;
        add_pair(&p, 0, i, 8);
    }
    judge_all(&p);
    for (int i = 0; i < p.count; i++)
        assert_int_equal(p.pair[i].verdict->kind, VERDICT_NOT_SIGNIFICANT);
    forget(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_correction),
        cmocka_unit_test(test_corrected_kind),
        cmocka_unit_test(test_claim),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_prediction),
        cmocka_unit_test(test_similar),
        cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_caveats),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_corrected_edge),
        cmocka_unit_test(test_no_prediction_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
