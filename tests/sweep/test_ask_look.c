/* What a file is taken for: its columns guessed from its first rows, and what it is refused for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/ask/look.h"

#include <cmocka.h>

/* n rows of a header's columns: @ stands for the number of the row, % for one of three words, $ for
 * one of two that are longer. */
static char *make_rows(const char *header, const char *row, int n)
{
    static const char *const three[] = {"red", "green", "blue"};
    static const char *const two[] = {"spam and eggs", "ham"};
    struct text_made {
        char *text;
        size_t used;
    } made = {calloc(1, 1 << 16), 0};
    assert_non_null(made.text);
    made.used = (size_t)sprintf(made.text, "%s", header);
    for (int i = 0; i < n; i++)
        for (const char *c = row; *c; c++)
            made.used += (size_t)(*c == '@'   ? sprintf(made.text + made.used, "%d", 1000 + i)
                                  : *c == '%' ? sprintf(made.text + made.used, "%s", three[i % 3])
                                  : *c == '$' ? sprintf(made.text + made.used, "%s", two[i % 2])
                                              : sprintf(made.text + made.used, "%c", *c));
    return made.text;
}

static const struct {
    const char *path, *header, *row, *given_text, *given_label;
    const char *text, *label; /* NULL: refused, ... */
    char separator;
    const char *says; /* ... saying this */
} files[] = {
    {"a.csv", "text,label\n", "a row with number @,%\n", NULL, NULL, "text", "label", 0, NULL},
    {"a.csv", "id,body,stars\n", "@,a row with number @,%\n", NULL, NULL, "body", "stars", 0, NULL},
    {"a.csv", "stars,body\n", "%,\"a \"\"row\"\",\nwith number @\"\n", NULL, NULL, "body", "stars",
     0, NULL},
    {"a.csv", ",body,stars\n", "@,a row with number @,%\n", NULL, NULL, "body", "stars", 0, NULL},
    {"a.csv", "id;body;stars\n", "@;a row with number @, too;%\n", NULL, NULL, "body", "stars", ';',
     NULL},
    {"a.txt", "body\tstars\n", "a row with number @\t%\n", NULL, NULL, "body", "stars", '\t', NULL},
    {"a.tsv", "body\tstars\n", "a row with number @\t%\n", NULL, NULL, "body", "stars", 0, NULL},
    {"a.jsonl", "", "{\"id\": @, \"msg\": \"a row with number @\", \"spam\": \"%\"}\n", NULL, NULL,
     "msg", "spam", 0, NULL},
    /* of two that come back the one with fewer values, unless another one is given */
    {"a.csv", "body,colour,kind\n", "a row with number @,%,$\n", NULL, NULL, "body", "kind", 0,
     NULL},
    {"a.csv", "body,colour,kind\n", "a row with number @,%,$\n", NULL, "colour", "body", "colour",
     0, NULL},
    {"a.csv", "body,colour,kind\n", "a row with number @,%,$\n", "kind", NULL, "kind", "colour", 0,
     NULL},
    /* what is called text and label is these, whatever it holds */
    {"a.csv", "text,label,body\n", "@,@,a row with number @\n", NULL, NULL, "text", "label", 0,
     NULL},
    {"a.csv", "id,body\n", "@,a row with number @\n", NULL, NULL, NULL, NULL, 0,
     "its columns are id, body. Name the label's with --label-column"},
    {"a.csv", "id,body,stars\n", "@,a row with number @,%\n", "nobody", NULL, NULL, NULL, 0,
     "no column beside the one that you named"},
    {"a.csv", "one line\n", "another one @\n", NULL, NULL, NULL, NULL, 0, "has no row of names"},
    {"a.json", "[\n", "{\"a\": 1},\n", NULL, NULL, NULL, NULL, 0, "--mode lm"},
};

static void columns_are_guessed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct look_columns c;
        struct message m = {{0}};
        char *text = make_rows(files[i].header, files[i].row, 60);
        enum status s = look_columns(files[i].path, text, strlen(text), '\0', files[i].given_text,
                                     files[i].given_label, &c, &m);
        if (!files[i].text && (s != STATUS_BAD_INPUT || !strstr(m.text, files[i].says)))
            fail_msg("%zu: status %d, %s", i, s, m.text);
        if (files[i].text && (s != STATUS_OK || strcmp(c.text, files[i].text) != 0 ||
                              strcmp(c.label, files[i].label) != 0))
            fail_msg("%zu: status %d (%s), text %s, label %s", i, s, m.text, c.text, c.label);
        if (files[i].text)
            assert_int_equal(c.separator, files[i].separator);
        free(text);
    }
}

/* The last row may be cut off anywhere. */
static void a_head_may_end_anywhere(void **state)
{
    struct look_columns c;
    struct message m = {{0}};
    char *text = make_rows("id,body,stars\n", "@,\"a row with number @\",%\n", 20);
    (void)state;
    for (size_t n = strlen(text); n > strlen(text) - 30; n--) {
        assert_int_equal(look_columns("a.csv", text, n, '\0', NULL, NULL, &c, &m), STATUS_OK);
        assert_string_equal(c.text, "body");
        assert_string_equal(c.label, "stars");
    }
    free(text);
}

/* Nine in ten: 54 of 60 texts have 5 bytes, the others 90. */
static void a_typical_length_is_that_of_nine_in_ten(void **state)
{
    struct look_columns c;
    struct message m = {{0}};
    char text[1 << 13];
    size_t used = (size_t)sprintf(text, "text,label\n");
    (void)state;
    for (int i = 0; i < 60; i++)
        used += (size_t)sprintf(text + used, "%0*d,%c\n", i % 10 == 3 ? 90 : 5, i, "ab"[i % 2]);
    assert_int_equal(look_columns("a.csv", text, used, '\0', NULL, NULL, &c, &m), STATUS_OK);
    assert_int_equal(c.typical, 5);
}

/* ---- whole files ---- */

static char folder[200];

static int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/headcount-look-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static enum status look_at(const char *name, const void *bytes, size_t size, const char *set,
                           struct look *l, struct message *m)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    enum status s = look_file(path, &set, set ? 1 : 0, l, m);
    unlink(path);
    return s;
}

static void files_are_taken_for_what_they_are(void **state)
{
    struct look *l = malloc(sizeof *l);
    struct message m = {{0}};
    char *rows = make_rows("id,body,stars\n", "@,a row with number @,%\n", 300);
    (void)state;
    assert_non_null(l);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), NULL, l, &m), STATUS_OK);
    assert_int_equal(l->kind, LOOK_ROWS);
    assert_int_equal(look_integer(l, "rows"), 300);
    assert_int_equal(look_integer(l, "classes"), 3);
    assert_string_equal(look_string(l, "text_column"), "body");
    assert_true(l->names_columns && !l->names_separator && l->shape.per_sequence);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), "task.mode=lm", l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "too short, with")); /* as rows it is not */
    assert_int_equal(look_at("a.txt", rows, strlen(rows), "task.separator=comma", l, &m),
                     STATUS_OK);
    assert_true(l->kind == LOOK_ROWS && l->names_separator);
    free(rows);
    rows = make_rows("", "a line of words, @ and %\n", 600);
    assert_int_equal(look_at("a.txt", rows, strlen(rows) - 1, NULL, l, &m), STATUS_OK);
    assert_int_equal(l->kind, LOOK_TEXT);
    assert_int_equal(l->lines, 600);
    assert_true(l->shape.causal);
    free(rows);
    free(l);
}

static void what_nothing_can_be_told_by_is_refused(void **state)
{
    enum { SIZE = 20000 };
    struct look *l = malloc(sizeof *l);
    unsigned char *bytes = calloc(1, SIZE);
    struct message m = {{0}};
    uint32_t x = 1;
    (void)state;
    assert_true(l && bytes);
    assert_int_equal(look_at("a.txt", bytes, 0, NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "is empty"));
    assert_int_equal(look_at("a.txt", bytes, 1, NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "too short, with 1 byte:"));
    assert_non_null(strstr(m.text, "Give a file of 10250 bytes or more"));
    assert_int_equal(look_at("a.txt", bytes, SIZE, NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "nearly all of its bytes are the same"));
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
    assert_int_equal(look_at("a.txt", bytes, SIZE, NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "as good as random"));
    char *rows = make_rows("text,label\n", "number @,%\n", 60);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "too few rows, 60, of which 6 can be tested on"));
    free(rows);
    rows = make_rows("text,label\n", "number @,one\n", 300);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "all rows have the label one"));
    assert_int_equal(look_at("a.csv", rows, strlen(rows), "task.wide=1", l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "no option wide"));
    free(rows);
    free(bytes);
    free(l);
}

static void toys_take_their_options(void **state)
{
    static const char *const slots[] = {"task.slots=3", "model.layers=2", "task.offsets=[1, 2, 5]"};
    static const char *const near[] = {"task.slotz=3"};
    struct look *l = malloc(sizeof *l);
    struct message m = {{0}};
    (void)state;
    assert_non_null(l);
    assert_int_equal(look_toy("gather", slots, 3, l, &m), STATUS_OK);
    assert_int_equal(look_integer(l, "slots"), 3);
    assert_int_equal(look_toy("gather", near, 1, l, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task gather has no option slotz; did you mean slots?");
    assert_int_equal(look_toy("gahter", NULL, 0, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "did you mean 'gather'?"));
    assert_int_equal(look_toy("text", NULL, 0, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "headcount ask FILE"));
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_guessed),
        cmocka_unit_test(a_head_may_end_anywhere),
        cmocka_unit_test(a_typical_length_is_that_of_nine_in_ten),
        cmocka_unit_test_setup_teardown(files_are_taken_for_what_they_are, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_nothing_can_be_told_by_is_refused, make_folder,
                                        remove_folder),
        cmocka_unit_test(toys_take_their_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
