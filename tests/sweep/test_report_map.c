/* The map: what a report says where one or two quantities vary beside the head counts. */
#include "report_help.h"

/* A setting of a map at which `edge` heads or more do well, but for seed 3, which needs twice as
 * many at 4 slots; edge 0: nothing is learned. Over 1, 2, 4 and 8 heads, 4 seeds. */
static void add_cell(struct fixture *f, int slots, int d_model, int edge)
{
    char setting[80], label[80];
    snprintf(setting, sizeof setting, "{\"model.d_model\":%d,\"task.slots\":%d}", d_model, slots);
    snprintf(label, sizeof label, "slots=%d, d_model=%d", slots, d_model);
    for (int i = 0; i < 4; i++) {
        struct grid_point p = {slots, 1 << i, .003, setting, label, "{}"};
        int config = slots * 100 + d_model + i;
        add_config(f, config, &p, 9488);
        for (int seed = 0; seed < 4; seed++) {
            int needed = seed == 3 && slots == 4 ? 2 * edge : edge;
            double acc = edge == 0 ? .0625 : 1 << i >= needed ? .99 : .5 + .1 * i;
            add_trial(f, config, seed, &p, "chosen", acc + .001 * (seed ^ i));
        }
    }
}

static void add_map(struct fixture *f)
{
    add_sweep(f, "'map'", "[]", "NULL");
    for (int slots = 1; slots <= 4; slots *= 2) {
        add_cell(f, slots, 10, slots);
        add_cell(f, slots, 20, slots);
    }
    add_cell(f, 8, 10, 8);
    add_cell(f, 8, 20, 0);
}

/* The map alone. */
static void assert_map(const char *name, char *text)
{
    *strstr(text, "\nslots=1") = '\0';
    assert_file(name, text);
}

FIXTURE(set_up, tear_down)

/* Two quantities beside heads are a map, in columns where there is room; h* doubles with slots. */
TEST(test_map)
{
    add_map(f);
    assert_map("map.txt", report(f, REPORT_TEXT));
    assert_map("map-40.txt", report_on(f, REPORT, REPORT_TEXT, (struct text_page){.columns = 40}));
}

/* Takes trials of at least 8 slots and 10 numbers to that accuracy, in test or validation. */
static void set_hardest(struct fixture *f, const char *column, double acc)
{
    sql(f, "UPDATE trial SET %s = min(%s, %.4f) WHERE setting LIKE '%%:10,%%slots\":8}'", column,
        column, acc);
}

/* Where no trial reaches .99 there is a best head count, but it is enough for nothing. */
TEST(test_unsolved)
{
    add_map(f);
    set_hardest(f, "val_acc", .98); /* how often a setting is solved is a matter of its tests */
    assert_silent(report(f, REPORT_TEXT), "unsolved");
    set_hardest(f, "test_acc", .9899);
    assert_map("map-unsolved.txt", report(f, REPORT_TEXT)); /* too few are left above the floor */
    assert_says(report(f, REPORT_JSON), "\"kind\":\"edge\",\"h_star\":null,\"unsolved\":true");
    assert_says(report(f, REPORT_MARKDOWN), "| 8 | 8 (unsolved) | at chance |\n");
    sql(f, "UPDATE trial SET test_acc = .99 WHERE trial_id = (SELECT max(trial_id) FROM trial"
           " WHERE setting LIKE '%%:10,%%slots\":8}')"); /* one is enough, of any head count */
    assert_says(report(f, REPORT_TEXT), "8 (8)");
}

/* Losses have no such bound. */
TEST(test_losses)
{
    add_map(f);
    sql(f, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize';"
           "UPDATE trial SET val_loss = 1.5 - val_acc, test_loss = 1.5 - test_acc");
    assert_silent(report(f, REPORT_JSON), "\"unsolved\":true");
}

/* Where no h* is at the floor, the second line would be the first. */
TEST(test_no_floor)
{
    add_map(f);
    sql(f, "UPDATE trial SET test_acc = .5, val_acc = .5 WHERE config_id IN"
           " (SELECT config_id FROM config WHERE heads = 1)");
    assert_says(report(f, REPORT_JSON), "\"fit_above_floor\":null");
    assert_silent(report(f, REPORT_TEXT), "smallest head count tried and could");
}

/* A setting with one head count has nothing to choose from: neither a set that may be the best nor
 * an h*. */
TEST(test_alone)
{
    add_map(f);
    sql(f, "DELETE FROM trial WHERE setting LIKE '%%:10,%%slots\":8}' AND config_id NOT IN"
           " (SELECT config_id FROM config WHERE heads = 8)");
    assert_says(report(f, REPORT_JSON), "\"kind\":\"single\",\"h_star\":null");
    assert_says(report(f, REPORT_TEXT), "    8  one head count  at chance\n");
}

/* Seeds that all give the same line do not tell how far it may lie off. */
TEST(test_same_draws)
{
    static const char none[] = "\"ci95_low\":null,\"ci95_high\":null}]";
    add_map(f);
    assert_silent(report(f, REPORT_JSON), none);
    sql(f, "UPDATE trial SET val_acc = (SELECT val_acc FROM trial AS t"
           " WHERE t.config_id = trial.config_id AND t.seed = 0)");
    assert_says(report(f, REPORT_JSON), none);
    assert_says(report(f, REPORT_TEXT), "slots: coefficient +1.00, without an interval; doubling");
    f->explain = true;
    assert_says(
        report(f, REPORT_MARKDOWN),
        "; no intervals, as nearly all of 9999 bootstrap draws of the 4 seeds give the same "
        "line, which does not make it exact.");
}

/* One quantity is a list; what cannot be put on a scale, or has too few values, is no map. */
TEST(test_one_axis)
{
    static const char *const none[] = {
        "'{\"model.d_model\":\"' || slots || '\"}'",
        "'{\"train.examples\":' || (slots - 1) || '}'",
        "'{\"task.instance\":' || slots || '}'",
        "'{\"a\":1,\"b\":2,\"c\":' || slots || '}'",
        "'{\"task.offsets\":[' || slots || ']}'",
        "'{\"model.d_model\":' || min(slots, 2) || '}'",
        "iif(slots = 1, '{}', '{\"model.d_model\":' || slots || '}')",
        "'{\"' || iif(slots = 1, 'a', 'b') || '\":' || slots || '}'"};
    add_map(f);
    sql(f, "DELETE FROM trial WHERE setting LIKE '%%:20,%%'");
    sql(f,
        "UPDATE trial SET setting = '{\"task.slots\":' || slots || '}', setting_label = 'slots=' ||"
        " slots FROM config AS c WHERE c.config_id = trial.config_id");
    assert_map("map-one.txt", report(f, REPORT_TEXT));
    sql(f, "UPDATE trial SET test_acc = min(test_acc, .9) WHERE setting <> '{\"task.slots\":1}'");
    assert_says(report(f, REPORT_MARKDOWN), "1 setting has an h\\*, and ");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        sql(f, "UPDATE trial SET setting = %s FROM config AS c WHERE c.config_id = trial.config_id",
            none[i]);
        assert_silent(report(f, REPORT_TEXT), "h*");
        assert_says(report(f, REPORT_JSON), "\"map\":null");
    }
    /* and with one head count there is nothing to follow */
    sql(f, "UPDATE trial SET setting = '{\"task.slots\":' || slots || '}' FROM config AS c"
           " WHERE c.config_id = trial.config_id;"
           "DELETE FROM trial WHERE config_id IN (SELECT config_id FROM config WHERE heads > 1)");
    assert_silent(report(f, REPORT_TEXT), "h*");
}
