/* What a file is taken for, and what it is refused for. */
#include "sweep/ask/look.h"
#include "tests/sweep/rows_help.h"

static enum status look_at(const char *name, const void *bytes, size_t size, const char *set,
                           struct look *l, struct message *m)
{
    write_file(name, bytes, size);
    enum status s = look_file(path, &set, set ? 1 : 0, l, m);
    unlink(path);
    return s;
}

GROUP(make_folder, remove_folder)

TEST(files_are_taken_for_what_they_are)
{
    struct look *l = malloc(sizeof *l);
    struct message m = {{0}};
    char *rows = make_rows("id,body,stars\n", "@,a row with number @,%\n", 300);
    assert_non_null(l);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), NULL, l, &m), STATUS_OK);
    assert_int_equal(l->kind, LOOK_ROWS);
    assert_int_equal(look_integer(l, "rows"), 300);
    assert_int_equal(look_integer(l, "classes"), 3);
    assert_string_equal(look_string(l, "text_column"), "body");
    assert_true(l->names_columns && !l->names_separator && l->shape.per_sequence);
    assert_string_equal(l->form, "CSV");
    assert_string_equal(l->warning, "");
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

/* The first half of the file has one label only. */
TEST(rows_sorted_by_their_label_are_taken)
{
    struct look *l = malloc(sizeof *l);
    struct message m = {{0}};
    char *rows = make_rows("review,sentiment\n", "~,neg\n", 200);
    char *more = make_rows("", "~ again,pos\n", 200);
    size_t size = strlen(rows);
    rows = realloc(rows, size + strlen(more) + 1);
    assert_true(l && rows);
    strcpy(rows + size, more);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), NULL, l, &m), STATUS_OK);
    assert_string_equal(look_string(l, "text_column"), "review");
    assert_string_equal(look_string(l, "label_column"), "sentiment");
    assert_int_equal(look_integer(l, "classes"), 2);
    assert_int_equal(l->typical, 1506); /* of both halves */
    free(more);
    free(rows);
    free(l);
}

/* Of 30 labels, which the first 64 KiB have about once. */
TEST(many_labels_of_long_texts_are_taken)
{
    enum { ROWS = 300, LABELS = 30, ROW = 2000 };
    struct look *l = malloc(sizeof *l);
    char *rows = malloc(ROWS * ROW);
    struct message m = {{0}};
    assert_true(l && rows);
    int used = sprintf(rows, "message,group\n");
    for (int i = 0; i < ROWS; i++)
        used += sprintf(rows + used, "\"a \"\"message\"\",\n%01800d\",group %d\n", i, i % LABELS);
    assert_int_equal(look_at("a.csv", rows, (size_t)used, NULL, l, &m), STATUS_OK);
    assert_string_equal(look_string(l, "text_column"), "message");
    assert_string_equal(look_string(l, "label_column"), "group");
    assert_int_equal(look_integer(l, "classes"), LABELS);
    free(rows);
    free(l);
}

/* What the reader of rows says, with its place, and no other reason. */
TEST(what_is_wrong_with_rows_is_said)
{
    static const struct {
        const char *header, *row, *set, *place, *fault;
    } faults[] = {
        {"body,flag\n", "row number @,?\n", NULL, "line 11, column 17: ", "the label is empty"},
        {"id,body,stars\n", "@,?,%\n", NULL, "line 11, column 6: ", "the text is empty"},
        {"body,stars\n", "row number @,%\n", "task.label_column=body",
         "line 2, column 1: ", "only 1 row has the label \"row number 1000\""},
        {"id,body,stars\n", "@,row number @,%\n", "task.label_column=star", "line 1, column 1: ",
         "no column \"star\" (only id, body, stars); did you mean task.label_column: stars?"},
        {"id,body,stars\n", "@,row number @,%\n", "task.text_column=nobody",
         "line 1, column 1: ", "no column \"nobody\" (only id, body, stars)"},
    };
    struct look *l = malloc(sizeof *l);
    assert_non_null(l);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct message m = {{0}};
        char *rows = make_rows(faults[i].header, faults[i].row, 300);
        enum status s = look_at("a.csv", rows, strlen(rows), faults[i].set, l, &m);
        if (s != STATUS_BAD_INPUT || !strstr(m.text, faults[i].place) ||
            !strstr(m.text, faults[i].fault))
            fail_msg("%zu: status %d, %s", i, s, m.text);
        free(rows);
    }
    free(l);
}

TEST(utf_16_is_told_from_a_file_without_columns)
{
    static const char rows[] = "\xff\xfe"
                               "t\0e\0x\0t\0,\0l\0a\0b\0e\0l\0\n";
    struct look *l = malloc(sizeof *l);
    struct message m = {{0}};
    assert_non_null(l);
    assert_int_equal(look_at("a.csv", rows, sizeof rows, NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "is UTF-16, not text; save it as UTF-8"));
    assert_int_equal(look_at("a.txt", rows, sizeof rows, NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "is UTF-16, not text; save it as UTF-8"));
    assert_int_equal(look_at("a.csv", rows + 2, sizeof rows - 2, NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "line 1, column 2: a NUL byte; if the file is UTF-16"));
    free(l);
}

TEST(what_nothing_can_be_told_by_is_refused)
{
    enum { SIZE = 20000 };
    struct look *l = malloc(sizeof *l);
    unsigned char *bytes = calloc(1, SIZE);
    struct message m = {{0}};
    uint32_t x = 1;
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
    assert_non_null(strstr(m.text, "its bytes look random"));
    char *rows = make_rows("text,label\n", "number @,%\n", 60);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "has 60 rows, of which only 6 can be tested on"));
    free(rows);
    rows = make_rows("text,label\n", "number @,one\n", 300);
    assert_int_equal(look_at("a.csv", rows, strlen(rows), NULL, l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "all rows have the label \"one\""));
    assert_int_equal(look_at("a.csv", rows, strlen(rows), "task.wide=1", l, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "no option wide"));
    free(rows);
    free(bytes);
    free(l);
}

TEST(toys_take_their_options)
{
    static const char *const slots[] = {"task.slots=3", "model.layers=2", "task.offsets=[1, 2, 5]"};
    static const char *const near[] = {"task.slotz=3"};
    struct look *l = malloc(sizeof *l);
    struct message m = {{0}};
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
