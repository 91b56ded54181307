/* Settings against each other, by paired t tests worked out by hand. */
#include "between_help.h"

TEST(test_numbers)
{
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
TEST(test_order)
{
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
TEST(test_correction)
{
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
TEST(test_corrected_kind)
{
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
TEST(test_claim)
{
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

/* Instances are what is counted: .075, .085 and .045 of two seeds each. */
TEST(test_replicates)
{
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
TEST(test_blocks)
{
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
TEST(test_choices)
{
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
}

/* What is not significant after correction is not so at an edge either. */
TEST(test_corrected_edge)
{
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
