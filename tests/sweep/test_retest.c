/* What weights give when they are tested again, against rows and results: what other kernels may
 * make of it is let pass, more is told. */
#include "store_help.h"

#include <math.h>

#include "engine/base/sha256.h"
#include "engine/kernels/blas.h"
#include "sweep/study/study.h"
#include "sweep/trials/store_check.h"
#include "sweep/worker/trial.h"

/* "test_acc row result; ..." of what is off. */
struct off {
    char text[400];
};

static void note(void *context, const struct store_retested *v)
{
    struct off *off = context;
    size_t used = strlen(off->text);
    snprintf(off->text + used, sizeof off->text - used, "%s%s%s%s", used ? "; " : "", v->name,
             v->row_off ? " row" : "", v->result_off ? " result" : "");
}

static void assert_off(struct fixture *x, struct store *s, const char *answer, const char *expected)
{
    struct off off = {""};
    assert_ok(store_compare_retest(s, 1, answer, note, &off, &x->m));
    if (strcmp(off.text, expected) != 0)
        fail_msg("%s, not %s\n%s", off.text, expected, answer);
}

/* ---- what counts as another value ---- */

#define CASES "{\"val_acc\":100,\"test_acc\":1000,\"test_exact\":50,\"test_acc_by_slot\":[500,500]}"

FIXTURE(set_up, tear_down)

/* The trial's row and result have the same values; the weights give others. */
TEST(small_differences_of_other_kernels_are_accepted)
{
    static const struct {
        const char *change, *expected; /* SQL, of the JSON a */
    } cases[] = {
        {"a", ""},
        {"json_set(a, '$.test_acc', .502)", ""},
        {"json_set(a, '$.test_acc', .503)", "test_acc row result"},
        {"json_set(a, '$.test_acc', .497)", "test_acc row result"},
        {"json_set(a, '$.test_acc', NULL)", "test_acc row result"},
        {"json_set(a, '$.val_acc', .52)", ""},
        {"json_set(a, '$.val_acc', .53)", "val_acc row result"},
        {"json_set(a, '$.test_exact', .04)", ""},
        {"json_set(a, '$.test_exact', .06)", "test_exact row result"},
        {"json_set(a, '$.test_acc_by_slot', json('[0.504,0.996]'))", ""},
        {"json_set(a, '$.test_acc_by_slot', json('[0.5,0.99]'))", "test_acc_by_slot 1 row result"},
        {"json_set(a, '$.test_loss', .25002)", ""},
        {"json_set(a, '$.test_loss', .2501)", "test_loss row result"},
        {"json_set(a, '$.curve[0].val_loss', 1.2501)", ""},
        {"json_set(a, '$.curve[0].val_loss', 1.251)", "val_loss row result"},
        {"json_set(a, '$.train_acc', .9, '$.train_s', 7, '$.chance', 1)", ""},
        {"json_set(a, '$.block_loss', json('[1,2]'))", "block_loss 0 row result; block_loss 1 row "
                                                       "result"},
        {"json_set(a, '$.label_acc', json('[{\"label\":\"it\",\"n\":9,\"acc\":1}]'))",
         "label_acc it row result"},
    };
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_true(finish(x, r.s, &c, result_of(0.5)));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[4096], answer[4096];
        snprintf(sql, sizeof sql,
                 "SELECT json_object('result', json(a), 'again', json(%s), 'cases', json('" CASES
                 "')) FROM (SELECT '%s' AS a)",
                 cases[i].change, result_of(0.5));
        snprintf(answer, sizeof answer, "%s", ask(r.db, sql));
        assert_off(x, r.s, answer, cases[i].expected);
    }
}

/* Of row and result, the one that the weights do not give. */
TEST(the_value_that_the_weights_do_not_give_is_named)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    char answer[4096];
    assert_true(finish(x, r.s, &c, result_of(0.5)));
    snprintf(answer, sizeof answer, "{\"result\":%s,", result_of(0.625));
    snprintf(answer + strlen(answer), sizeof answer - strlen(answer),
             "\"again\":%s,\"cases\":" CASES "}", result_of(0.5));
    assert_off(x, r.s, answer, "test_acc result; val_acc result; test_acc_by_slot 0 result");
    run_sql(r.db, "UPDATE trial SET test_acc = .625, val_acc = .5 + 1e-9, test_loss = .25 + 2e-6");
    snprintf(answer, sizeof answer, "{\"result\":%s,", result_of(0.5));
    snprintf(answer + strlen(answer), sizeof answer - strlen(answer),
             "\"again\":%s,\"cases\":" CASES "}", result_of(0.5));
    assert_off(x, r.s, answer, "test_acc row");
}

/* ---- weights ---- */

struct trained {
    struct arena arena;
    struct trial *trial;
    struct study_trial asked;
    char config[POINT_JSON_MAX];
};

static void train(struct fixture *x, struct trained *t)
{
    struct point p;
    bool evaluated;
    point_init(&p, task_find("copy"));
    p.model.d_model = p.model.d_ff = 8;
    p.model.heads = 2;
    p.train.steps = 30;
    p.train.eval_every = 10;
    p.train.val_examples = p.train.test_examples = 16;
    point_json(&p, t->config);
    arena_init(&t->arena, NULL);
    assert_ok(blas_start(1, &x->m));
    assert_ok(trial_new(&t->arena, &p, 3, METRIC_VAL_ACC, NULL, &t->trial, &x->m));
    while (!trial_done(t->trial))
        assert_ok(trial_step(t->trial, &evaluated, &x->m));
    trial_test(t->trial);
    t->asked = (struct study_trial){
        .trial_id = 1, .file = "t1-a1.result", .seed = 3, .heads = 2, .layers = 1};
    t->asked.n_params = t->trial->trainer->encoder->nn.size;
    sha256_hex(t->config, strlen(t->config), t->asked.config_sha256);
}

/* Writes a result with the trial's weights, and asks what they give. Freed by who calls. */
static char *retest(struct fixture *x, struct trained *t, const struct result *r)
{
    char path[400];
    struct result_file f;
    struct message *m = &x->m;
    const struct data_place nowhere = {.copied = false};
    struct study_answer out = {{0}};
    struct arena a;
    struct result_owner owner = {t->asked.config_sha256, t->asked.seed, t->asked.n_params};
    snprintf(path, sizeof path, "%s/%s", x->folder, t->asked.file);
    assert_ok(result_write(path, r, &t->trial->trainer->encoder->nn, t->config, 3, m));
    assert_ok(result_open(path, &owner, &f, m));
    memcpy(t->asked.sha256, f.sha256, sizeof f.sha256);
    result_close(&f);
    arena_init(&a, NULL);
    const struct study_job job = {x->folder, 1, &t->asked, "{}", &nowhere};
    assert_ok(study_retest.answer(&a, &job, &out, m));
    arena_free(&a);
    assert_false(out.json.out_of_memory);
    return out.json.text;
}

/* A result whose numbers were edited, with a new digest and the row to match: only the weights
 * know. */
TEST(an_edited_result_is_told_by_its_weights)
{
    static struct trained t;
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    train(x, &t);
    struct result told = t.trial->result;
    char *honest = result_json(&told), *answer = retest(x, &t, &told);
    assert_true(finish(x, r.s, &c, honest));
    assert_off(x, r.s, answer, "");
    free(answer);
    told.test_acc = .99;
    told.test_loss *= .9;
    answer = retest(x, &t, &told);
    assert_off(x, r.s, answer, "test_acc result; test_loss result");
    run_sql(r.db, "UPDATE trial SET test_acc = .99");
    assert_off(x, r.s, answer, "test_acc row result; test_loss result");
    free(answer);
    /* Numbers of one seed, weights of another: as if a file were put in the place of its like. */
    encoder_init(t.trial->trainer->encoder, 4);
    answer = retest(x, &t, &t.trial->result);
    assert_true(strstr(answer, honest) != NULL);
    struct off off = {""};
    assert_ok(store_compare_retest(r.s, 1, answer, note, &off, &x->m));
    assert_non_null(strstr(off.text, "test_loss row result"));
    free(answer);
    free(honest);
    arena_free(&t.arena);
}

/* What cannot be read is an error of its own. */
TEST(weights_that_are_not_recorded_are_refused)
{
    static struct trained t;
    const struct data_place nowhere = {.copied = false};
    struct study_answer out = {{0}};
    struct arena a;
    train(x, &t);
    free(retest(x, &t, &t.trial->result));
    t.asked.sha256[0] = t.asked.sha256[0] == 'a' ? 'b' : 'a';
    arena_init(&a, NULL);
    const struct study_job job = {x->folder, 1, &t.asked, "{}", &nowhere};
    assert_status(STATUS_CORRUPT, study_retest.answer(&a, &job, &out, &x->m));
    assert_non_null(strstr(x->m.text, "not the file that the results file recorded"));
    assert_null(out.json.text);
    arena_free(&a);
    arena_free(&t.arena);
}
