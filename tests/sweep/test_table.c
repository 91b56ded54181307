/* Tables in four formats. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scope_help.h"
#include "sweep/report/table.h"

#include "tests/test.h"

static const struct table_column columns[] = {
    {.name = "name", .title = "name"},
    {.name = "heads", .title = "heads", .right = true},
    {.name = "acc", .title = "accuracy", .right = true, .decimals = 2},
    {.title = "plot"},
    {.name = "setting"},
    {0},
};

static struct scope *all; /* that has all tables */

static struct table *example_in(struct scope *x)
{
    struct table *t = table_new(x, columns);
    table_text(t, "größe");
    table_integer(t, 8);
    table_real(t, .1);
    table_text(t, "├●┤");
    table_json(t, "{\"a\":[1,2]}");
    table_emphasize(t);
    table_text(t, "a|b, \"c\"\n\033[2J\302\233x");
    table_integer(t, 1000);
    table_real(t, NAN);
    table_printf(t, "%d%%", 50);
    table_text(t, NULL);
    return t;
}

static void assert_written(const struct table *t, enum table_format format, bool color,
                           const char *expected)
{
    struct text_buffer text = {0};
    FILE *out = text_stream(&text);
    table_write(t, format, color, out);
    fclose(out);
    assert_string_equal(text.text, expected);
    free(text.text);
}

static void assert_plain(const struct table *t, enum table_format format, const char *expected)
{
    assert_written(t, format, false, expected);
}

TEST(test_formats)
{
    struct table *t = example_in(all);
    assert_plain(t, TABLE_TEXT,
                 "name             heads  accuracy  plot\n"
                 "größe                8      0.10  ├●┤\n"
                 "a|b, \"c\"??[2J?x   1000            50%\n");
    assert_written(t, TABLE_TEXT, true,
                   "\033[4mname             heads  accuracy  plot\033[0m\n"
                   "\033[1mgröße                8      0.10  ├●┤\033[0m\n"
                   "a|b, \"c\"??[2J?x   1000            50%\n");
    assert_written(t, TABLE_CSV, true,
                   "name,heads,acc,setting\n"
                   "größe,8,0.1,\"{\"\"a\"\":[1,2]}\"\n"
                   "\"a|b, \"\"c\"\"\n\033[2J\302\233x\",1000,,\n");
    assert_written(t, TABLE_JSON, true,
                   "[{\"name\":\"größe\",\"heads\":8,\"acc\":0.1,\"setting\":{\"a\":[1,2]}},"
                   "{\"name\":\"a|b, \\\"c\\\"\\n\\u001b[2J\\u009bx\",\"heads\":1000,"
                   "\"acc\":null,\"setting\":null}]");
    assert_written(t, TABLE_MARKDOWN, true,
                   "| name | heads | accuracy | plot |\n"
                   "| :--- | ---: | ---: | :--- |\n"
                   "| größe | 8 | 0.10 | ├●┤ |\n"
                   "| a\\|b, \"c\"??[2J?x | 1000 |  | 50% |\n");
    assert_int_equal(table_width(t), 38);
    assert_int_equal(table_rows(t), 2);
    t = table_new(all, columns);
    table_emphasize(t); /* no row */
    assert_plain(t, TABLE_TEXT, "name  heads  accuracy  plot\n");
    assert_plain(t, TABLE_JSON, "[]");
}

struct fruit {
    const char *kind;
    int64_t count;
    int boxes;
    double weight;
    bool ripe;
};

static void make_price(struct table *t, const void *row)
{
    const struct fruit *f = row;
    table_printf(t, "%g.-", 2 * f->weight);
}

enum { HEAVY = 1, FRESH = 2 };
static const struct table_column fruits[] = {
    {.name = "kind", .title = "kind", TABLE_CELL(struct fruit, kind), .page = {.title = "Kind"}},
    {.name = "count", TABLE_CELL(struct fruit, count), .empty_zero = true},
    {.name = "boxes",
     .title = "boxes",
     TABLE_CELL(struct fruit, boxes),
     .page = {.title = "Boxes", .show = "one", .hint = "of wood", .optional = true}},
    {.name = "weight",
     .title = "weight",
     TABLE_CELL(struct fruit, weight),
     .decimals = 1,
     .when = HEAVY,
     .legend = " weight: in kg;"},
    {.name = "ripe", .title = "ripe", TABLE_CELL(struct fruit, ripe), .only_if = FRESH},
    {.title = "price", .make = make_price, .legend = " price: of all;"},
    {.page = {.title = "Weight", .key = "weight"}, TABLE_CELL(struct fruit, weight), .when = HEAVY},
    {0}};

static struct table *fruit_table(unsigned conditions)
{
    static const struct fruit rows[] = {{"apple", 12, 3, 4.25, true}, {"pear", 0, 1, 2, false}};
    struct table *t = table_when(all, fruits, conditions);
    table_row(t, &rows[0]);
    table_row(t, &rows[1]);
    return t;
}

/* Cells that come from members of a row, and what conditions leave of the columns. */
TEST(test_typed)
{
    assert_plain(fruit_table(HEAVY | FRESH), TABLE_TEXT,
                 "kind   boxes  weight  ripe  price\n"
                 "apple      3     4.2  yes   8.5.-\n"
                 "pear       1     2.0        4.-\n");
    assert_plain(fruit_table(HEAVY | FRESH), TABLE_CSV,
                 "kind,count,boxes,weight,ripe\n"
                 "apple,12,3,4.25,true\n"
                 "pear,,1,2,false\n");
    assert_plain(fruit_table(FRESH), TABLE_MARKDOWN,
                 "| kind | boxes | ripe | price |\n"
                 "| :--- | ---: | :--- | :--- |\n"
                 "| apple | 3 | yes | 8.5.- |\n"
                 "| pear | 1 |  | 4.- |\n");
    assert_plain(fruit_table(0), TABLE_JSON,
                 "[{\"kind\":\"apple\",\"count\":12,\"boxes\":3,\"weight\":4.25},"
                 "{\"kind\":\"pear\",\"count\":null,\"boxes\":1,\"weight\":2}]");
    struct table *people = table_of_people(all, fruits, FRESH);
    assert_plain(people, TABLE_CSV, "\n");
    assert_plain(people, TABLE_TEXT, "kind  boxes  ripe  price\n");
}

TEST(test_legend)
{
    struct text_buffer text = {0}, gone = {0}, none = {0};
    table_legend(fruits, HEAVY, &none, &none, &text);
    assert_string_equal(text.text, " weight: in kg; price: of all;");
    text.used = 0;
    table_name_column(&gone, "price");
    table_legend(fruits, HEAVY, &gone, &none, &text); /* nothing explains what is not there */
    assert_string_equal(text.text, " weight: in kg;");
    text.used = 0;
    table_legend(fruits, HEAVY, &gone, &gone, &text); /* in another table it is */
    assert_string_equal(text.text, " weight: in kg; price: of all;");
    free(gone.text);
    free(text.text);
}

TEST(test_page_columns)
{
    struct text_buffer text = {0};
    struct json_writer w = {.text = &text};
    table_page_columns(fruits, HEAVY, &w, NULL);
    assert_string_equal(
        text.text,
        "[{\"title\":\"Kind\",\"key\":\"kind\",\"words\":true},"
        "{\"title\":\"Boxes\",\"key\":\"boxes\",\"show\":\"one\",\"hint\":\"of wood\","
        "\"optional\":true},{\"title\":\"Weight\",\"key\":\"weight\",\"show\":\"four\"}]");
    free(text.text);
}

/* Columns go by rank, all of one rank together, until the rest fits; a column without a rank never.
 * Several tables name each column once. */
TEST(test_fit)
{
    static const struct table_column ranked[] = {{.name = "heads", .title = "heads"},
                                                 {.name = "min", .title = "min", .leave_out = 1},
                                                 {.name = "mean", .title = "mean"},
                                                 {.name = "max", .title = "max", .leave_out = 1},
                                                 {.name = "in", .title = "in", .leave_out = 2},
                                                 {0}};
    static const struct {
        int page;
        const char *text, *names;
    } cases[] = {{25, "heads  min  mean  max  in\n1      2    3     4    5\n", ""},
                 {24, "heads  mean  in\n1      3     5\n", "min, max"},
                 {14, "heads  mean\n1      3\n", "min, max, in"},
                 {5, "heads  mean\n1      3\n", "min, max, in"}};
    struct text_buffer names = {0};
    for (int i = 0; i < 4; i++) {
        struct table *t = table_new(all, ranked);
        for (int c = 1; c <= 5; c++)
            table_integer(t, c);
        table_fit(t, cases[i].page, &names, NULL);
        assert_plain(t, TABLE_TEXT, cases[i].text);
        assert_plain(t, TABLE_CSV, "heads,min,mean,max,in\n1,2,3,4,5\n");
        assert_string_equal(names.text ? names.text : "", cases[i].names);
    }
    free(names.text);
    struct table *t = table_new(all, ranked);
    for (int c = 1; c <= 5; c++)
        table_integer(t, c);
    struct text_buffer text = {0};
    FILE *out = text_stream(&text);
    table_write_page(t, (struct text_page){.columns = 24}, out);
    fclose(out);
    assert_string_equal(text.text, "heads  mean  in\n1      3     5\n"
                                   "Left out for lack of\nroom: min, max; --json\nhas all.\n");
    free(text.text);
}

/* A title that several columns have says whose it is; what one table shows and another does not is
 * told apart from what none shows. */
TEST(test_fit_names_what_is_gone)
{
    static const struct table_column twice[] = {{.title = "a"},
                                                {.title = "range", .leave_out = 1},
                                                {.title = ""},
                                                {.title = "b"},
                                                {.title = "range"},
                                                {.title = "ms", .leave_out = 1},
                                                {0}};
    struct text_buffer left_out = {0}, shown = {0};
    struct table *t = table_new(all, twice);
    for (int c = 0; c < 6; c++)
        table_text(t, "x");
    table_fit(t, 14, &left_out, &shown);
    assert_string_equal(left_out.text, "range of a, ms");
    assert_string_equal(shown.text, "a, b, range of b");
    assert_false(table_share_names(&left_out, &shown));
    table_name_column(&shown, "ms");
    assert_true(table_share_names(&left_out, &shown));
    free(left_out.text);
    free(shown.text);
}

/* On a terminal, which would obey them, no control characters arrive. */
TEST(test_csv_on_a_terminal)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        skip(); /* no /dev/pts */
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    FILE *out = slave < 0 ? NULL : fdopen(slave, "w");
    if (!out)
        skip();
    table_write(example_in(all), TABLE_CSV, false, out);
    char text[512] = "";
    size_t used = 0;
    while (!strstr(text, "1000,,\r\n") && used < sizeof text - 1) {
        ssize_t n = read(master, text + used, sizeof text - 1 - used);
        assert_true(n > 0);
        used += (size_t)n;
        text[used] = '\0';
    }
    assert_string_equal(text, "name,heads,acc,setting\r\n"
                              "größe,8,0.1,\"{\"\"a\"\":[1,2]}\"\r\n"
                              "\"a|b, \"\"c\"\"??[2J?x\",1000,,\r\n");
    fclose(out);
    close(master);
}

TEST(test_no_memory)
{
    struct message m;
    assert_int_equal(IN_SCOPE(x, NULL, &m,
                              {
                                  x->arena.limit = 1 << 12;
                                  struct table *t = table_new(x, columns);
                                  for (int i = 0; i < 1000; i++)
                                      table_printf(t, "%d", i);
                                  fail_msg("%ld rows", table_rows(t));
                              }),
                     STATUS_NO_MEMORY);
    assert_string_equal(m.text, "no memory for a test");
}

TEST(test_write_errors)
{
    struct message m;
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(IN_SCOPE(x, NULL, &m, table_write(example_in(x), TABLE_TEXT, false, full)),
                     STATUS_DISK_FULL);
    clearerr(full);
    fclose(full);
    FILE *reader = fopen("/dev/null", "r"); /* cannot be written to */
    assert_non_null(reader);
    assert_int_equal(IN_SCOPE(x, NULL, &m, table_write(example_in(x), TABLE_CSV, false, reader)),
                     STATUS_IO);
    fclose(reader);
}

/* Chinese takes two columns of a terminal, a mark none. */
TEST(test_wide_characters)
{
    static const struct table_column labelled[] = {
        {.title = "label"}, {.title = "n", .right = true}, {0}};
    struct table *t = table_new(all, labelled);
    static const char *const labels[] = {"\u4e2d\u6587", "e\u0301te\u0301", "\U0001f600!", "plain"};
    for (int i = 0; i < 4; i++) {
        table_text(t, labels[i]);
        table_integer(t, i);
    }
    assert_plain(t, TABLE_TEXT,
                 "label  n\n"
                 "\u4e2d\u6587   0\n"
                 "e\u0301te\u0301    1\n"
                 "\U0001f600!    2\n"
                 "plain  3\n");
}

static int open_scope(void **state)
{
    (void)state;
    setenv("LC_ALL", "C.UTF-8", 1);
    all = scope_new(NULL, "the tests", NULL);
    return 0;
}

static int end_scope(void **state)
{
    (void)state;
    return scope_end(all) != STATUS_OK;
}

GROUP(open_scope, end_scope)
