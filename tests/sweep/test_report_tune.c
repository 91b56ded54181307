/* Reports on sweeps whose head counts choose a value of their own. */
#include "report_help.h"

#define TUNED "[\"train.batch\",\"train.lr\"]"

/* A setting of 1 and 2 heads at three learning rates, where those that score .9 are chosen. */
static void add_tuned(struct fixture *f, int slots, const char *setting, const char *label,
                      const double score[2][3])
{
    static const double lr[3] = {.001, .003, .01};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            char tuning[60];
            snprintf(tuning, sizeof tuning, "{\"train.batch\":64,\"train.lr\":%g}", lr[k]);
            struct grid_point p = {slots, i + 1, lr[k], setting, label, tuning};
            int config = 20 * (slots - 4) + 10 * i + k + 1;
            bool chosen = score[i][k] >= .9;
            add_config(f, config, &p, 9488);
            for (int seed = 1000; seed < 1003; seed++)
                add_trial(f, config, seed, &p, "chosen", score[i][k]);
            for (int seed = 0; seed < 3; seed++)
                add_trial(f, config, seed, &p, chosen ? "chosen" : "eliminated",
                          chosen ? score[i][k] + .001 * seed : NAN);
        }
    }
    sql(f, "UPDATE trial SET state = 'not_needed' WHERE choice = 'eliminated'");
}

FIXTURE(set_up, tear_down)

/* Under tune: trials that wait for the choice are one planned trial per seed; what was chosen is
 * named, and that a choice is at an edge. */
TEST(test_tune)
{
    static const double score[2][3] = {{.8, .9, .7}, {.5, .6, .95}};
    add_sweep(f, "'gather'", TUNED, "NULL");
    add_tuned(f, 4, "{}", "", score);
    assert_file("tune.txt", report(f, REPORT_TEXT));
    /* A grid that has grown: what was chosen waits again, though it has results. */
    sql(f, "UPDATE trial SET choice = 'waiting' WHERE NOT is_tuning AND state = 'completed'");
    sql(f, "UPDATE trial SET state = 'queued' WHERE trial_id = 21000");
    char *json = report(f, REPORT_JSON);
    assert_json(f, json, "$.settings[0].verdict.kind", "nothing");
    assert_json(f, json, "$.settings[0].rows", "[]");
    assert_json(f, json, "$.planned", "24");
    assert_json(f, json, "$.ended", "23");
    assert_json(f, json, "$.not_needed", "12");
    free(json);
    assert_says(report(f, REPORT_MARKDOWN),
                "is being chosen among 0.001, 0.003 and 0.01; 1 of 2 has one so far.");
}

/* exclude can give a head count other values than the others have, in one setting or in all. */
TEST(test_values_of_a_head_count)
{
    static const double inner[2][3] = {{.8, .9, .7}, {.5, .95, .6}};
    add_sweep(f, "'gather'", TUNED, "NULL");
    add_tuned(f, 4, "{\"task.slots\":4}", "slots=4", inner);
    add_tuned(f, 5, "{\"task.slots\":5}", "slots=5", inner);
    sql(f, "DELETE FROM trial WHERE tuning NOT LIKE '%%0.003%%' AND config_id IN"
           " (SELECT config_id FROM config WHERE heads = 1)");
    char *text = report(f, REPORT_MARKDOWN);
    assert_non_null(strstr(text, "rate was chosen among 0.001, 0.003 and 0.01 (1 head: 0.003 "
                                 "alone).\n"));
    assert_says(text,
                ", each head count at its own best of lr 0.001, 0.003 and 0.01 (1 head: 0.003 "
                "alone), on this task instance");
    sql(f, "DELETE FROM trial WHERE setting LIKE '%%5%%' AND tuning LIKE '%%0.001%%'");
    text = report(f, REPORT_MARKDOWN);
    assert_non_null(strstr(text, "rate was chosen among those that its setting names.\n"));
    assert_says(text,
                ", each head count at its own best of lr 0.003 and 0.01 (1 head: 0.003 alone), "
                "on this task instance");
}

/* Edges of which no finding is are told in one sentence. */
TEST(test_edges)
{
    static const double low[2][3] = {{.9, .8, .7}, {.5, .95, .6}};
    static const double high[2][3] = {{.8, .9, .7}, {.5, .6, .95}};
    static const double inner[2][3] = {{.8, .9, .7}, {.5, .95, .6}};
    static const double other[2][3] = {{.8, .7, .9}, {.5, .95, .6}};
    add_sweep(f, "'gather'", TUNED, "NULL");
    add_tuned(f, 4, "{\"task.slots\":4}", "slots=4", high);
    add_tuned(f, 5, "{\"task.slots\":5}", "slots=5", low);
    add_tuned(f, 6, "{\"task.slots\":6}", "slots=6", inner);
    add_tuned(f, 7, "{\"task.slots\":7}", "slots=7", low);
    add_tuned(f, 8, "{\"task.slots\":8}", "slots=8", other);
    char *text = report(f, REPORT_MARKDOWN), *first = strstr(text, "At the edge");
    assert_non_null(first);
    assert_null(strstr(first + 1, "At the edge"));
    assert_says(text,
                "\n- At the edge of the grid: 1 head chose the largest lr tried, "
                "0.01, and may be better beyond it (slots=8); 1 head chose the smallest lr tried, "
                "0.001, and may be better beyond it (slots=5; slots=7).\n");
}
