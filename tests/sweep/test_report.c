/* Reports where the contract cannot see them: on terminals, wide and narrow, with other people's
 * names, and where they cannot be written (tests/data/contract/made: what they say). */
#include "report_help.h"

static char *compared(struct fixture *f, enum report_format format, int columns)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum status s = report_write_several(f->store, (int64_t[]){1, 2}, 2, format,
                                         (struct text_page){.columns = columns}, out, &f->message);
    if (s != STATUS_OK)
        fail_msg("%s", f->message.text);
    fclose(out);
    return text;
}

static void load_anew(struct fixture *f, const char *names)
{
    sql(f, "DELETE FROM evaluation; DELETE FROM plan_change; DELETE FROM trial; DELETE FROM config;"
           "DELETE FROM sweep; DROP TABLE IF EXISTS temp.made; DROP TABLE IF EXISTS temp.kv");
    load(f, names);
}

FIXTURE(set_up, tear_down)

/* No line is wider than a page, with colour there is nothing new but escapes. */
TEST(test_text)
{
    load(f, "gather");
    char *plain = report(f, REPORT_TEXT, false), *colored = report(f, REPORT_TEXT, true);
    assert_null(strchr(plain, '\033'));
    char *to = colored;
    for (const char *from = colored; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    assert_true(to < colored + strlen(colored));
    *to = '\0';
    assert_string_equal(plain, colored);
    for (char *rest = plain, *line; (line = strsep(&rest, "\n"));)
        assert_true(text_width(line) <= 100);
    free(plain);
    free(colored);
}

/* On a narrow terminal columns are left out, the least important first, and it says which. */
TEST(test_narrow)
{
    static const char *const rest[] = {"gather",         "gather two", "gather two changed-claim",
                                       "gather shifted", "gather kv",  "gather kv kv-claim"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        load_anew(f, rest[i]);
        for (int columns = i < 4 ? 60 : 70; columns <= 100; columns += i ? 10 : 1)
            assert_fits(report_on(f, REPORT_TEXT, (struct text_page){.columns = columns}), columns);
    }
    load_anew(f, "gather");
    assert_file("gather-60.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 60}));
    assert_file("gather-80.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 80}));
    load(f, "cells");
    char *text = report_on(f, REPORT_TEXT, (struct text_page){.columns = 40});
    *strstr(text, "\nslots=1") = '\0'; /* the map alone */
    assert_file("map-40.txt", text);
}

TEST(test_narrow_comparison)
{
    static const char *const last[] = {"gather side side-by-side", "gather side side-diverged"};
    for (int i = 0; i < 2; i++) {
        load_anew(f, last[i]);
        for (int columns = 50; columns <= 100; columns++)
            assert_fits(compared(f, REPORT_TEXT, columns), columns);
    }
}

/* Names are other people's text. */
TEST(test_hostile_name)
{
    load(f, "gather");
    sql(f, "UPDATE sweep SET name = 'a\"b\\c' || char(27) || '[2J' || char(10) || ',|x*'");
    char *text = report(f, REPORT_TEXT, true), *csv = report(f, REPORT_CSV, false);
    char *markdown = report(f, REPORT_MARKDOWN, false), *json = report(f, REPORT_JSON, false);
    assert_null(strstr(text, "\033[2J"));
    assert_non_null(strstr(text, "a\"b\\c?[2J?,|x*"));
    assert_non_null(strstr(csv, "\n\"a\"\"b\\c\033[2J\n,|x*\",{}"));
    assert_non_null(strstr(markdown, "# a\"b\\\\c?\\[2J?,\\|x\\*\n"));
    assert_json(f, json, "$.sweep", "a\"b\\c\033[2J\n,|x*");
    free(text);
    free(csv);
    free(markdown);
    free(json);
    load(f, "side");
    sql(f, "UPDATE sweep SET name = 'b|' || char(27) || '[2J' WHERE sweep_id = 2");
    text = compared(f, REPORT_TEXT, 0);
    markdown = compared(f, REPORT_MARKDOWN, 0);
    json = compared(f, REPORT_JSON, 0);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "A is a\"b\\c?[2J?,|x*, B is b|?[2J."));
    assert_non_null(strstr(markdown, "B is b\\|?\\[2J."));
    assert_json(f, json, "$.sweeps[1].sweep", "b|\033[2J");
    free(text);
    free(markdown);
    free(json);
}

TEST(test_failures)
{
    load(f, "gather");
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
        assert_int_equal(report_write(f->store, 1, (enum report_format)format, false,
                                      (struct text_page){0}, full, &f->message),
                         STATUS_DISK_FULL);
        clearerr(full);
    }
    load(f, "side");
    for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
        assert_int_equal(report_write_several(f->store, (int64_t[]){1, 2}, 2,
                                              (enum report_format)format, (struct text_page){0},
                                              full, &f->message),
                         STATUS_DISK_FULL);
        clearerr(full);
    }
    fclose(full);
    assert_int_equal(report_write_several(f->store, (int64_t[]){1, 7}, 2, REPORT_TEXT,
                                          (struct text_page){0}, stdout, &f->message),
                     STATUS_BAD_INPUT);
    assert_int_equal(
        report_write(f->store, 7, REPORT_TEXT, false, (struct text_page){0}, stdout, &f->message),
        STATUS_BAD_INPUT);
    sql(f, "DROP TABLE t_quantile");
    assert_int_equal(
        report_write(f->store, 1, REPORT_JSON, false, (struct text_page){0}, stdout, &f->message),
        STATUS_INTERNAL);
    assert_non_null(strstr(f->message.text, "t_quantile"));
}
