/* What a file is taken for, and what it is refused for. Of rows, which column is taken for the text
 * and which for the label, and what is said where none is, or where the rows cannot be read. */
#include "datasets/corpus.h"
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

/* ---- columns ---- */

static enum status columns_of(const char *name, const char *rows, const char *text,
                              const char *label, struct look_columns *c, struct message *m)
{
    struct corpus file;
    write_file(name, rows, strlen(rows));
    assert_int_equal(corpus_open(path, &file, m), STATUS_OK);
    enum status s = look_columns(&file, '\0', text, label, c, m);
    corpus_close(&file);
    unlink(path);
    return s;
}

#define WORDS     "many words many words many words many words "
#define LONG_NAME WORDS WORDS WORDS

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
    /* one that is sometimes empty is the label if no other is, and the text if it mostly is not */
    {"a.csv", "body,kind,flag\n", "a row with number @,%,?\n", NULL, NULL, "body", "kind", 0, NULL},
    {"a.jsonl", "", "{\"body\": \"a row with number @\", \"kind\": \"%\", \"flag\": \"?\"}\n", NULL,
     NULL, "body", "kind", 0, NULL},
    {"a.csv", "body,flag\n", "a row with number @,?\n", NULL, NULL, "body", "flag", 0, NULL},
    {"a.csv", "id,body,stars\n", "@,?,%\n", NULL, NULL, "body", "stars", 0, NULL},
    {"a.csv", "body,note,kind\n", "a@,?,%\n", NULL, NULL, "body", "kind", 0, NULL},
    /* what is called text and label is these, whatever it holds, and also one without the other */
    {"a.csv", "text,label,body\n", "@,@,a row with number @\n", NULL, NULL, "text", "label", 0,
     NULL},
    {"a.csv", "text,category,bio\n", "@,%,a row with number @\n", NULL, NULL, "text", "category", 0,
     NULL},
    {"a.csv", "label,stars,body\n", "%,$,a row with number @\n", NULL, NULL, "body", "label", 0,
     NULL},
    /* what is given is believed */
    {"a.csv", "id,body\n", "@,a row with number @\n", NULL, "id", "body", "id", 0, NULL},
    {"a.csv", "text,body\n", "%,a row with number @\n", NULL, "text", "body", "text", 0, NULL},
    {"a.csv", "id,body,stars\n", "@,a row with number @,%\n", "nobody", NULL, "nobody", "stars", 0,
     NULL},
    /* nothing will do */
    {"a.csv", "id,body\n", "@,a row with number @\n", NULL, NULL, NULL, NULL, 0,
     "no column looks like a label, with two or more different values that repeat; its columns are "
     "id, body. Name the label's with --label-column"},
    {"a.csv", "id,body\n", "@,a row with number @\n", "body", NULL, NULL, NULL, 0,
     "no column other than the one that you named looks like a label"},
    {"a.jsonl", "", "{\"n\": @, \"kind\": \"%\"}\n", NULL, NULL, NULL, NULL, 0,
     "no column looks like a text, which nearly every row must have; its columns are n, kind. Name "
     "the text's with --text-column"},
    {"a.csv", "one line\n", "another one @\n", NULL, NULL, NULL, NULL, 0,
     "its first row names only one column, one line, but a text and a label are needed"},
    {"a.csv", "id,body,stars\n", "", NULL, NULL, NULL, NULL, 0, "has no rows"},
    /* the rows cannot be read */
    {"a.csv", "id,body,stars\n", "@,a \"row\",%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 2, column 8: a quote within a field"},
    {"a.csv", "id,body,stars\n", "@,a row, with commas,%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 2, column 25: this is field 4, but line 1, the header, names only 3 columns"},
    {"a.csv", "body,stars\r", "a row with number @,%\r", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 1, column 12: a carriage return without a line feed after it"},
    {"a.json", "{\n", "\"text\": \"a row with number @\",\n", NULL, NULL, NULL, NULL, 0,
     "a.json, line 1, column 2: the line ends within the object; write each object on one line"},
    {"a.json", "[\n", "{\"a\": 1},\n", NULL, NULL, NULL, NULL, 0,
     "a.json, line 1, column 1: an array; write each of its objects on a line of its own (jq -c "
     "'.[]'); or ask with --mode lm"},
    {"a.csv", "# by me\nbody,stars\n", "a row with number @,%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 2, column 6: this is field 2, but line 1, the header, names only 1 column (# by "
     "me)"},
    {"a.jsonl", "", "{\"data\": {\"text\": \"a row with number @\"}, \"label\": \"%\"}\n", NULL,
     NULL, NULL, NULL, 0,
     "no member looks like a text; its members are data, label. Members of data, which is an "
     "object "
     "or a list, are not read: move them out (jq -c '. + .data')"},
    /* there is no header */
    {"a.csv", "a row of words,red\n", "a row with number @,%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 1, column 16: \"red\" is a value of its column too, so the first row does not "
     "seem "
     "to name the columns. Put a row of names before it, as in text,label; or if these are the "
     "names, give them with --text-column and --label-column"},
    {"a.csv", "a row of words;.5\n", "a row with number @;%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 1, column 16: \".5\" is a number, so the first row does not seem to name the "
     "columns. Put a row of names before it, as in text;label"},
    {"a.csv", LONG_NAME ",kind\n", "a row with number @,%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 1, column 1: \"many words many words many words many words many words many ..."
     "\" is as long as a text"},
    {"a.csv", LONG_NAME LONG_NAME ",red\n", "a row with number @,%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 1, column 1: the name of this column has more than 256 bytes, so the first row "
     "does not seem to name the columns; put a row of names before it"},
    {"a.csv", "a row of words,red\n", "a row with number @,%\n", "a row of words", "red",
     "a row of words", "red", 0, NULL},
    {"a.jsonl", "", "{\"1\": \"a row with number @\", \"red\": \"%\"}\n", NULL, NULL, "1", "red", 0,
     NULL},
    /* names that no option can hold */
    {"a.csv", "texte,\xe9tiquette\n", "a row with number @,%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 1, column 7: the name of this column is not UTF-8; save the file as UTF-8"},
    {"a.csv", "body,\x1bkind\n", "a row with number @,%\n", NULL, NULL, NULL, NULL, 0,
     "a.csv, line 1, column 6: the name of this column has a control character; remove it"},
    /* other separators */
    {"a.csv", "body|stars\n", "a row, with number @|%\n", NULL, NULL, "body", "stars", '|', NULL},
    {"a.csv", "sep=;\nbody;stars\n", "a row, with number @;%\n", NULL, NULL, "body", "stars", 0,
     NULL},
    {"a.tsv", "body\tstars\n", "\"Hello\" he said @\t%\n", NULL, NULL, "body", "stars", 0, NULL},
    {"a.jsonl", "", "{\"msg\": \"a row with number @\", \"kind\": \"%\", \"score\": NaN}\n", NULL,
     NULL, "msg", "kind", 0, NULL},
    /* usual names first */
    {"a.csv", "date,review,rating\n", "$,a row with number @,%\n", NULL, NULL, "review", "rating",
     0, NULL},
    {"a.csv", "Stars,review,Sentiment,kind\n", "%,a row with number @,%,$\n", NULL, NULL, "review",
     "Sentiment", 0, NULL},
    {"a.csv", "rating,review,kind\n", "@,a row with number @,%\n", NULL, NULL, "review", "kind", 0,
     NULL}, /* one that no value comes back in is none */
};

TEST(columns_are_guessed_or_the_reason_is_said)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct look_columns c;
        struct message m = {{0}};
        char *rows = make_rows(files[i].header, files[i].row, 60);
        enum status s =
            columns_of(files[i].path, rows, files[i].given_text, files[i].given_label, &c, &m);
        if (!files[i].text && (s != STATUS_BAD_INPUT || !strstr(m.text, files[i].says)))
            fail_msg("%zu: status %d, %s", i, s, m.text);
        if (files[i].text && (s != STATUS_OK || strcmp(c.text, files[i].text) != 0 ||
                              strcmp(c.label, files[i].label) != 0))
            fail_msg("%zu: status %d (%s), text %s, label %s", i, s, m.text, c.text, c.label);
        if (files[i].text)
            assert_int_equal(c.separator, files[i].separator);
        free(rows);
    }
}

/* Which column else could be the label, where it is guessed. */
TEST(the_other_candidates_are_told)
{
    struct look_columns c;
    struct message m = {{0}};
    char *rows = make_rows("date,review,rating,id,who\n", "$,a row with number @,%,@,?\n", 60);
    assert_int_equal(columns_of("a.csv", rows, NULL, NULL, &c, &m), STATUS_OK);
    assert_string_equal(c.others, "date, who");
    assert_int_equal(columns_of("a.csv", rows, NULL, "rating", &c, &m), STATUS_OK);
    assert_string_equal(c.others, "");
    free(rows);
}

TEST(the_form_is_told)
{
    static const struct {
        const char *path, *header, *row, *form;
    } forms[] = {
        {"a.csv", "body,stars\n", "a row with number @,%\n", "CSV"},
        {"a.csv", "body;stars\n", "a row with number @;%\n", "CSV with semicolons"},
        {"a.csv", "body\tstars\n", "a row with number @\t%\n", "TSV"},
        {"a.tsv", "body\tstars\n", "a row with number @\t%\n", "TSV"},
        {"a.json", "", "{\"body\": \"a row with number @\", \"spam\": \"%\"}\n", "JSON Lines"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct look_columns c;
        struct message m;
        char *rows = make_rows(forms[i].header, forms[i].row, 60);
        assert_int_equal(columns_of(forms[i].path, rows, NULL, NULL, &c, &m), STATUS_OK);
        assert_string_equal(c.form, forms[i].form);
        free(rows);
    }
}

/* However long its values are where it has some. */
TEST(a_column_that_is_mostly_empty_is_no_text)
{
    enum { ROWS = 100, LONG = 900 };
    struct look_columns c;
    struct message m;
    char *rows = malloc(ROWS * (LONG + 100));
    assert_non_null(rows);
    int used = sprintf(rows, "body,note,stars\n");
    for (int i = 0; i < ROWS; i++)
        used += i % 5 == 0 ? sprintf(rows + used, "row %d,%0*d,%d\n", i, LONG, i, i % 3)
                           : sprintf(rows + used, "row %d,,%d\n", i, i % 3);
    assert_int_equal(columns_of("a.csv", rows, NULL, NULL, &c, &m), STATUS_OK);
    assert_string_equal(c.text, "body");
    free(rows);
}

/* Nine in ten: 54 of 60 texts have 5 bytes, the others 90. */
TEST(a_typical_length_is_that_of_nine_in_ten)
{
    struct look_columns c;
    struct message m = {{0}};
    char rows[1 << 13];
    int used = sprintf(rows, "text,label\n");
    for (int i = 0; i < 60; i++)
        used += sprintf(rows + used, "%0*d,%c\n", i % 10 == 3 ? 90 : 5, i, "ab"[i % 2]);
    assert_int_equal(columns_of("a.csv", rows, NULL, NULL, &c, &m), STATUS_OK);
    assert_int_equal(c.typical, 5);
}

/* Of 10,000 texts the second half is longer. */
TEST(a_typical_length_is_that_of_the_whole_file)
{
    enum { ROWS = 10000, LONG = 90 };
    struct look_columns c;
    struct message m = {{0}};
    char *rows = malloc(ROWS * (LONG + 10));
    assert_non_null(rows);
    int used = sprintf(rows, "text,label\n");
    for (int i = 0; i < ROWS; i++)
        used += sprintf(rows + used, "%0*d,%c\n", i < ROWS / 2 ? 5 : LONG, i, "ab"[i % 2]);
    assert_int_equal(columns_of("a.csv", rows, NULL, NULL, &c, &m), STATUS_OK);
    assert_int_equal(c.typical, LONG);
    free(rows);
}

/* n columns of ones, then a text and a label; the caller's to free. */
static char *make_wide_rows(int n)
{
    enum { ROWS = 60 };
    char *rows = malloc((ROWS + 4) * (2 * (size_t)n + 60));
    assert_non_null(rows);
    int used = 0;
    for (int i = 0; i < n; i++)
        used += sprintf(rows + used, "c%d,", i);
    used += sprintf(rows + used, "comment,topic\n");
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < n; i++)
            used += sprintf(rows + used, "1,");
        used += sprintf(rows + used, "a comment with number %d,%d\n", 1000 + row, row % 3);
    }
    return rows;
}

TEST(columns_far_to_the_right_are_found)
{
    struct look_columns c;
    struct message m = {{0}};
    char *rows = make_wide_rows(20);
    assert_int_equal(columns_of("a.csv", rows, NULL, NULL, &c, &m), STATUS_OK);
    assert_string_equal(c.text, "comment");
    assert_string_equal(c.label, "topic");
    free(rows);
    rows = make_wide_rows(300);
    assert_int_equal(columns_of("a.csv", rows, "comment", "topic", &c, &m), STATUS_OK);
    assert_string_equal(c.text, "comment");
    assert_string_equal(c.label, "topic");
    assert_int_equal(c.typical, strlen("a comment with number 1000"));
    assert_int_equal(columns_of("a.csv", rows, "comment", NULL, &c, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "its columns are c0, c1, "));
    assert_non_null(strstr(m.text, " more (only the first 256 were looked at). Name"));
    free(rows);
}
