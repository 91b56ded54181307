/* What is said of two settings that were held against each other. */
#include "between_help.h"

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

TEST(test_sentences)
{
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_CONFIRMED,
        "Claim confirmed: kv_heads=1 is better than kv_heads=8 at 8 heads (d_ff=64) (difference in "
        "test accuracy +0.078, p = .00808), as predicted before the first trial, within 1500 "
        "steps, on this task instance.",
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval +0.034 to "
        "+0.122, over 5 seeds (5 won, 0 lost); two-sided paired t test p = .00808.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against "
        "kv_heads=8.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.");
    fill(&p, 0, 5, b);
    fill(&p, 1, 5, a);
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_CONTRADICTED,
        "Claim contradicted: kv_heads=1 is significantly worse than kv_heads=8 at 8 heads "
        "(d_ff=64) (difference in test accuracy -0.078, p = .00808), within 1500 steps, on this "
        "task instance.",
        "kv_heads=1 against kv_heads=8 (d_ff=64): -0.078 test accuracy, 95% interval -0.122 to "
        "-0.034, over 5 seeds (0 won, 5 lost); two-sided paired t test p = .00808.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against "
        "kv_heads=8.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.");
    /* The trial that diverged is a guess: .9 - .0625 at its seed. */
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, (const double[]){.90, -1, .85, .95, .88});
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_NOT_CONFIRMED,
        "Claim not confirmed: kv_heads=1 is not shown to be better than kv_heads=8 at 8 heads "
        "(d_ff=64) (difference in test accuracy +0.251, p = .201), within 1500 steps, on this task "
        "instance.",
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.251 test accuracy, 95% interval -0.205 to "
        "+0.708, over 5 seeds (5 won, 0 lost); two-sided paired t test p = .201.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against "
        "kv_heads=8.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.");
    fill(&p, 0, 1, a);
    fill(&p, 1, 5, b);
    ASSERT_CLAIM(
        &p, VERDICT_CLAIM_UNTESTED,
        "Claim not tested yet: kv_heads=1 and kv_heads=8 at 8 heads (d_ff=64) have fewer than two "
        "seeds in common.",
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.090 test accuracy at the one seed in common.");
    fill(&p, 0, 0, a);
    fill(&p, 1, 0, b);
    ASSERT_CLAIM(
        &p, VERDICT_NOTHING,
        "Not tested yet: no trial of kv_heads=1 or kv_heads=8 at 8 heads (d_ff=64) has ended.");
    fill(&p, 0, 2, (const double[]){-1, -1});
    fill(&p, 1, 2, (const double[]){-1, -1});
    ASSERT_CLAIM(&p, VERDICT_UNTRAINED,
                 "No verdict: every trial of kv_heads=1 and kv_heads=8 at 8 heads (d_ff=64) that "
                 "has ended diverged or failed.");
    fill(&p, 0, 3, (const double[]){.062, .063, .0625});
    fill(&p, 1, 3, (const double[]){.062, .0624, .0625});
    ASSERT_CLAIM(
        &p, VERDICT_AT_CHANCE,
        "At chance: neither kv_heads=1 nor kv_heads=8 at 8 heads (d_ff=64) is shown to be better "
        "than guessing (test accuracy 0.0625), within 1500 steps, on this task instance.");
    fill(&p, 0, 3, (const double[]){1, 1, 1});
    fill(&p, 1, 3, (const double[]){1, 1, 1});
    ASSERT_CLAIM(
        &p, VERDICT_ALL_EQUAL,
        "All equal: each trial of kv_heads=1 and kv_heads=8 at 8 heads (d_ff=64) has a test "
        "accuracy of 1.000, within 1500 steps, on this task instance; the claim is not confirmed.");
}

/* Guesses that are better than what the other one has come to. */
TEST(test_guesses)
{
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 8, (const double[]){-1, -1, -1, -1, -1, -1, -1, -1});
    fill(&p, 1, 8, (const double[]){3.5, 3.6, 3.5, 3.4, 3.5, 3.6, 3.5, 2.4});
    p.setting[0].in.loss = p.setting[1].in.loss = true;
    add_pair(&p, 1, 0, 8);
    judge_all(&p);
    struct verdict_text text;
    assert_int_equal(verdict_text_new(&p.pair[0].input, p.pair[0].verdict, &text, NULL), STATUS_OK);
    assert_string_equal(
        text.sentence[0].text,
        "Not significant: kv_heads=1 is not shown to be better than kv_heads=8 at 8 heads "
        "(d_ff=64) "
        "(difference in test loss, less is better: -0.602, p = .0037 after correction for the "
        "number of pairs, but most trials with kv_heads=1 diverged or failed), within 1500 steps, "
        "on this task instance.");
    assert_true(
        verdict_won_by_guesses(&p.pair[0].input, p.pair[0].verdict, between_rival(&p.pair[0])));
    verdict_text_free(&text);
    forget(&p);
    fill(&p, 0, 5, (const double[]){-1, -1, -1, .9, .9});
    fill(&p, 1, 5, (const double[]){-1, -1, -1, -1, -1});
    ASSERT_CLAIM(&p, VERDICT_UNTRAINED,
                 "No verdict: more than half of the trials both of kv_heads=1 and of kv_heads=8 at "
                 "8 heads (d_ff=64) that have ended diverged or failed.");
}

TEST(test_limits)
{
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[1].trial[2].limited = true;
    ASSERT_CLAIM(&p, VERDICT_CLAIM_UNDECIDED,
                 "Claim undecided: kv_heads=8 at 8 heads (d_ff=64) did not finish within the limit "
                 "of time or memory.",
                 "With 4 seeds the exact sign-flip test cannot go below p = .125; at least 6 are "
                 "needed for p < .05.");
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
TEST(test_no_prediction)
{
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[0].in.proof = (struct verdict_proof){PROOF_LATE, 3, 10, 0, 0};
    ASSERT_CLAIM(
        &p, VERDICT_SETTING_BETTER,
        "Exploratory finding: kv_heads=1 is better than kv_heads=8 at 8 heads (d_ff=64) "
        "(difference in test accuracy +0.078, p = .00808 after correction for the number of "
        "pairs), within 1500 steps, on this task instance.",
        "The claim, kv_heads=1 better than kv_heads=8 at 8 heads (d_ff=64), is no prediction: it "
        "was written after 3 of 10 trials had ended. The results are judged as if it were not "
        "there.",
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval +0.034 to "
        "+0.122, over 5 seeds (5 won, 0 lost); two-sided paired t test p = .00808.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against "
        "kv_heads=8.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.");
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
TEST(test_no_prediction_worse)
{
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
            at_edge ? "Undecided: kv_heads=1 did worse than kv_heads=8 at 8 heads (d_ff=64) "
                      "(difference in test accuracy -0.078, p = .00808 after correction for the "
                      "number of pairs)"
                    : "Exploratory finding: kv_heads=1 is worse than kv_heads=8 at 8 heads "
                      "(d_ff=64) (difference in test accuracy -0.078, p = .00808 after correction "
                      "for the number of pairs)";
        assert_memory_equal(text.sentence[0].text, expected, strlen(expected));
        verdict_text_free(&text);
        forget(&p);
    }
}

/* What may have been known, and a budget that no curve can judge. */
TEST(test_similar)
{
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
                "(d_ff=64) (difference in test accuracy +0.078, p = .00808), on this task "
                "instance, as predicted before its first trial; 48 trials like these had ended, "
                "which differ in train.eval_every.",
                "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval "
                "+0.034 to +0.122, over 5 seeds (5 won, 0 lost); two-sided paired t test p = "
                ".00808.",
                "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 "
                "against kv_heads=8.",
                "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are "
                "needed for p < .05.");
        else
            ASSERT_SENTENCES(&p, VERDICT_CLAIM_CONTRADICTED,
                             "Claim contradicted after 1500 steps: kv_heads=1 is significantly "
                             "worse than kv_heads=8 at 8 heads (d_ff=64) (difference in test "
                             "accuracy -0.078, p = .00808), on this task instance.",
                             "When the claim was written, 48 trials like these had ended, which "
                             "differ in train.eval_every.",
                             "kv_heads=1 against kv_heads=8 (d_ff=64): -0.078 test accuracy, 95% "
                             "interval -0.122 to -0.034, over 5 seeds (0 won, 5 lost); two-sided "
                             "paired t test p = .00808.",
                             "The exact sign-flip test, which assumes no normal distribution, "
                             "gives p = .0625 against kv_heads=8.",
                             "With 5 seeds the exact sign-flip test cannot go below p = .0625; at "
                             "least 6 are needed for p < .05.");
    }
}

/* Caveats of head counts that are true of settings. */
TEST(test_caveats)
{
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
    assert_int_equal(text.count, 6);
    assert_non_null(strstr(text.sentence[1].text,
                           "kv_heads=1 varies 11 times as much between splits as kv_heads=8. If "
                           "rare splits"));
    assert_non_null(strstr(text.sentence[2].text, "Splits share rows: "));
    verdict_text_free(&text);
    forget(&p);
}

/* Under tune: what each chose, and what would help where one lies at an edge. */
TEST(test_edge)
{
    struct verdict_value rate[3] = {{.001, "0.001"}, {.003, "0.003"}, {.01, "0.01"}};
    struct verdict_axis inner = {"train.lr", 3, rate, 1, GRID_INNER},
                        few = {"train.lr", 2, rate, 1, GRID_LARGEST};
    struct pairs p;
    set_up(&p);
    fill(&p, 0, 5, a);
    fill(&p, 1, 5, b);
    p.setting[0].choice[0] = (struct verdict_choice){8, 1, &inner};
    p.setting[1].choice[0] = (struct verdict_choice){8, 1, &few};
    p.setting[0].in.choices = p.setting[1].in.choices = 1;
    ASSERT_CLAIM(
        &p, VERDICT_RIVAL_AT_EDGE,
        "Claim undecided: kv_heads=1 did better than kv_heads=8 at 8 heads (d_ff=64) (difference "
        "in test accuracy +0.078, p = .00808), within 1500 steps, each at its own best of lr "
        "0.001, 0.003 and 0.01 (kv_heads=8: 0.001 and 0.003), on this task instance, but "
        "kv_heads=8 chose the largest lr tried, 0.003, and may be better beyond it; try more "
        "values (`extend` in `tune`, or a wider list).",
        "kv_heads=1 against kv_heads=8 (d_ff=64): +0.078 test accuracy, 95% interval +0.034 to "
        "+0.122, over 5 seeds (5 won, 0 lost); two-sided paired t test p = .00808.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against "
        "kv_heads=8.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.");
}
