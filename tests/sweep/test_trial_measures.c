/* `measure: evals`: what heads are measured as they are trained, resumed exactly, in the result. */
#include "trial_help.h"

static struct trial *new_measured(struct arena *a, bool measure)
{
    struct point p = sample_point("gather");
    struct message m;
    p.train.val_examples = 300;
    struct trial *t = new_trial(a, &p, 3);
    if (measure && trial_measure(a, t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return t;
}

/* The result's rows of heads, layers and slots: what follows its curve. */
static char *measures_of(const struct trial *t)
{
    char *json = result_json(&t->result);
    const char *at = strstr(json, ",\"head_metric\":[");
    char *rows = strdup(at ? at : "");
    free(json);
    return rows;
}

TEST(a_trial_interrupted_anywhere_has_the_same_measures)
{
    static const int64_t stops[] = {0, 1, 24, 25, 26, 50, 59, 60};
    struct arena a, b, c;
    struct message m;
    name_file("x.ckpt");
    struct trial *whole = new_measured(&a, true);
    advance(whole, 60);
    char *expected = measures_of(whole);
    assert_non_null(strstr(expected, "[{\"step\":25,\"layer\":0,\"head\":0,\"confidence\":0."));
    assert_non_null(strstr(expected, "{\"step\":60,\"layer\":0,\"head\":1,\"slot\":3,\"mass\":0."));
    assert_null(strstr(expected, "ablation"));
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        bool other;
        struct trial *first = new_measured(&b, true), *second = new_measured(&c, true);
        advance(first, stops[i]);
        assert_int_equal(trial_save(first, path, "build", &m), STATUS_OK);
        assert_int_equal(trial_resume(second, path, "build", &other, &m), STATUS_OK);
        advance(second, 60);
        char *rows = measures_of(second);
        assert_string_equal(rows, expected);
        free(rows);
        arena_free(&b);
        arena_free(&c);
    }
    free(expected);
    arena_free(&a);
}

/* Measuring changes nothing of the training, and a result without it has not a byte more. */
TEST(measuring_does_not_change_training)
{
    struct arena a, b;
    struct trial *with = new_measured(&a, true), *without = new_measured(&b, false);
    advance(with, 60);
    advance(without, 60);
    assert_memory_equal(with->trainer->encoder->nn.data, without->trainer->encoder->nn.data,
                        (size_t)with->trainer->encoder->nn.size * sizeof(real));
    for (int i = 0; i < with->result.rows; i++) {
        with->curve[i].elapsed_s = without->curve[i].elapsed_s = 0;
        with->curve[i].cpu_s = without->curve[i].cpu_s = 0;
    }
    with->result.train_s = without->result.train_s = 0;
    char *more = result_json(&with->result), *plain = result_json(&without->result);
    assert_null(strstr(plain, "head_metric"));
    assert_memory_equal(more, plain, strlen(plain) - 1);
    assert_memory_equal(more + strlen(plain) - 1, ",\"head_metric\":[{", 17);
    free(more);
    free(plain);
    arena_free(&a);
    arena_free(&b);
}

/* The key came, or went, while the trial was interrupted: what was not measured has no rows. */
TEST(steps_before_measuring_was_asked_for_have_no_rows)
{
    struct arena a, b, c;
    struct message m;
    bool other;
    name_file("x.ckpt");
    struct trial *first = new_measured(&a, false);
    advance(first, 30);
    assert_int_equal(trial_save(first, path, "build", &m), STATUS_OK);
    struct trial *second = new_measured(&b, true);
    assert_int_equal(trial_resume(second, path, "build", &other, &m), STATUS_OK);
    advance(second, 55);
    assert_int_equal(trial_save(second, path, "build", &m), STATUS_OK);
    struct trial *third = new_measured(&c, true);
    assert_int_equal(trial_resume(third, path, "build", &other, &m), STATUS_OK);
    advance(third, 60);
    char *rows = measures_of(third);
    assert_null(strstr(rows, "\"step\":25,"));
    assert_non_null(strstr(rows, "[{\"step\":50,"));
    assert_non_null(strstr(rows, "},{\"step\":60,"));
    free(rows);
    arena_free(&a);
    struct trial *last = new_measured(&a, false);
    assert_int_equal(trial_resume(last, path, "build", &other, &m), STATUS_OK);
    advance(last, 60);
    rows = measures_of(last);
    assert_string_equal(rows, "");
    free(rows);
    arena_free(&a);
    arena_free(&b);
    arena_free(&c);
}

/* Values that break off are a damaged checkpoint; more or fewer than this build has are another
 * build's, and are left out. */
TEST(damaged_values)
{
    struct arena a;
    struct message m;
    bool other;
    char text[256];
    name_file("x.ckpt");
    struct trial *t = new_measured(&a, true);
    advance(t, 30);
    const struct safetensors_meta none[] = {{NULL, NULL}};
    const char *row = "1 1 25 0x0p+0 0x0p+0\n25 0 0 0 0 0 0 0 0\n";
    snprintf(text, sizeof text, "%smeasures 0 %zu\n0x1p+0\n", row, t->measured->count);
    assert_int_equal(checkpoint_write(path, t->trainer, t->best, text, none, &m), STATUS_OK);
    assert_int_equal(trial_resume(t, path, "build", &other, &m), STATUS_CORRUPT);
    assert_string_equal(m.text, "the measures of row 1 in the checkpoint cannot be read");
    const struct {
        int from;
        size_t count;
    } others[] = {{0, 1}, {-1, t->measured->count}, {2, t->measured->count}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(text, sizeof text, "%smeasures %d %zu\n0x1p+0\n", row, others[i].from,
                 others[i].count);
        assert_int_equal(checkpoint_write(path, t->trainer, t->best, text, none, &m), STATUS_OK);
        assert_int_equal(trial_resume(t, path, "build", &other, &m), STATUS_OK);
        assert_int_equal(t->result.measured_from, 1);
    }
    arena_free(&a);
}

GROUP(make_folder, remove_whole_folder)
