/* The task over rows with labels of a user's own: how a file is surveyed, how its rows are divided,
 * what examples hold, and what is refused. */
#include "engine/base/sha256.h"
#include "tests/test.h"
#include "tests/unit/text_task_help.h"

enum { ROWS = 200, LABELS = 4 };
static const int label_rows[LABELS] = {3, 14, 83, 100};
static const int held_rows[LABELS] = {1, 1, 8, 10}; /* of each, to validate and to test on */

/* Row i has the text "i" and one of the labels 3, 2, 1, 0 in turn, until each has its number. */
static void write_rows(const char *name, bool csv)
{
    struct text_buffer b = {0};
    int left[LABELS];
    memcpy(left, label_rows, sizeof left);
    text_add(&b, csv ? "label,text\n" : "");
    for (int i = 0, label = 0; i < ROWS; i++) {
        do
            label = (label + LABELS - 1) % LABELS;
        while (left[label] == 0);
        left[label]--;
        text_add(&b, csv ? "%d,%d\n" : "{\"label\":%d,\"text\":\"%d\"}\n", label, i);
    }
    assert_false(b.out_of_memory);
    write_file(name, b.text, strlen(b.text));
    free(b.text);
}

/* The number that the example's text is. */
static int row_of(const struct opened *o)
{
    int row = 0;
    for (long t = 0; t < o->options.length; t++) {
        if (!o->padding[t])
            row = 10 * row + o->inputs[t] - '0';
        else
            assert_int_equal(o->inputs[t], 0);
        assert_true(o->padding[t] == (o->inputs[t] == 0));
    }
    return row;
}

/* part_of[row], filled from reading all parts; checks that each has its rows in order, with the
 * share of every label, and that no row is in two. */
static void read_split(struct opened *o, int part_of[ROWS])
{
    int seen = 0;
    for (int i = 0; i < ROWS; i++)
        part_of[i] = -1;
    for (int p = 0; p < TASK_PARTS; p++) {
        int count[LABELS] = {0}, last = -1;
        for (int64_t i = 0; i < o->shape.part[p]; i++) {
            read_one(o, (enum task_part)p, i, o->shape.part[p]);
            int row = row_of(o);
            assert_each(row > last, row < ROWS, part_of[row] < 0);
            part_of[row] = p;
            last = row;
            seen++;
            assert_in_range(o->targets[0], 0, LABELS - 1);
            count[o->targets[0]]++;
            assert_int_equal(o->targets[1], 0x11111111);
        }
        for (int k = 0; k < LABELS; k++)
            assert_int_equal(count[k],
                             p == TASK_TRAIN ? label_rows[k] - 2 * held_rows[k] : held_rows[k]);
    }
    assert_int_equal(seen, ROWS);
}

GROUP(set_up, tear_down)

FIXTURE(NULL, remove_file)

TEST(rows_are_divided_by_label)
{
    struct opened o;
    int first[ROWS], same[ROWS], other[ROWS];
    write_rows("rows.csv", true);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    read_split(&o, first);
    close_all(&o);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    read_split(&o, same);
    close_all(&o);
    survey_and_open(&o, TEXT_CLASSIFY, 5, UINT32_MAX);
    read_split(&o, other);
    close_all(&o);
    assert_memory_equal(first, same, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    remove(path);
    write_rows("rows.jsonl", false);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    read_split(&o, same);
    assert_memory_equal(first, same, sizeof first); /* whatever the form */
    for (uint32_t i = 0; i < 1000; i++) {
        draw_one(&o, 3, i);
        assert_int_equal(first[row_of(&o)], TASK_TRAIN);
    }
    assert_string_equal(task_text.file->label(o.source, 2), "2");
    close_all(&o);
}

/* Which rows are tested on is part of the meaning of every stored result. */
TEST(the_split_is_unchanged)
{
    struct opened o;
    int part_of[ROWS];
    char hash[65];
    write_rows("rows.csv", true);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 7);
    read_split(&o, part_of);
    close_all(&o);
    sha256_hex(part_of, sizeof part_of, hash);
    assert_string_equal(hash, "fdd705a3488ee28c4d4a238dc3492f405c5df73184cc89c4a34a89a1ab632c63");
}

/* Rows of a file with repeated texts: row i has text "i", or one of those that stand in two, three
 * and twenty rows, also with different labels. */
static void write_repeated(const char *name, bool csv)
{
    struct text_buffer b = {0};
    text_add(&b, csv ? "label,text\n" : "");
    for (int i = 0; i < ROWS; i++) {
        int text = i % 40 == 39 ? i % 80 / 40 : i % 10 == 3 ? 1000 : i == 12 || i == 77 ? 2000 : i;
        if (csv)
            text_add(&b, i % 3 ? "%d,%d\n" : "%d,\"%d\"\n", i % 2, text);
        else if (i == 77)
            text_add(&b, "{\"label\":1,\"text\":\"\\u0032000\"}\n");
        else
            text_add(&b, "{\"label\":%d,\"text\":\"%d\"}\n", i % 2, text);
    }
    assert_false(b.out_of_memory);
    write_file(name, b.text, strlen(b.text));
    free(b.text);
}

/* Counts the examples of each text in each part. */
static void count_texts(struct opened *o, int count[3000][TASK_PARTS])
{
    memset(count, 0, 3000 * sizeof *count);
    for (int p = 0; p < TASK_PARTS; p++)
        for (int64_t i = 0; i < o->shape.part[p]; i++) {
            read_one(o, (enum task_part)p, i, o->shape.part[p]);
            count[row_of(o)][p]++;
        }
}

/* No text is trained on and tested; all rows of one that is repeated are trained on. */
TEST(repeated_texts_are_only_trained_on)
{
    static int first[3000][TASK_PARTS], other[3000][TASK_PARTS];
    struct opened o;
    write_repeated("rows.csv", true);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    count_texts(&o, first);
    int repeated = 0, all = 0, single[2] = {0};
    for (int t = 0; t < 3000; t++) {
        const int *n = first[t];
        int rows = n[TASK_TRAIN] + n[TASK_VAL] + n[TASK_TEST];
        assert_true(rows <= 1 || n[TASK_TRAIN] == rows);
        repeated += rows > 1 ? rows : 0;
        single[t % 2] += rows == 1; /* row t, whose label is that */
        all += rows;
    }
    assert_int_equal(all, ROWS);
    assert_int_equal(first[1000][TASK_TRAIN], 20);
    assert_int_equal(o.shape.repeated, repeated);
    assert_int_equal(o.options.repeated, repeated);
    assert_int_equal(o.shape.part[TASK_TEST], (single[0] + 5) / 10 + (single[1] + 5) / 10);
    char fact[32];
    snprintf(fact, sizeof fact, ",\"repeated\":%d,", repeated);
    assert_non_null(strstr(o.facts.text, fact));
    close_all(&o);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 1);
    count_texts(&o, other);
    assert_memory_not_equal(first, other, sizeof first);
    assert_int_equal(o.options.repeated, repeated);
    o.options.repeated--; /* in a results file that somebody changed */
    struct task_source *s;
    assert_refuses(task_text.file->open(&o.arena, &o.options, NULL, false, &s, &m), STATUS_CORRUPT,
                   ": its rows are not those that were first read");
    close_all(&o);
    remove(path);
    write_repeated("rows.jsonl", false);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    count_texts(&o, other);
    assert_memory_equal(first, other,
                        sizeof first); /* by what a text says, however it is spelled */
    close_all(&o);
}

static const char golden[] = "text,label\n"
                             "\"ab\"\"c\nd\",yes\n"
                             "abcdefgh,\"no, \"\"n\"\"\"\n"
                             "\xc3\xa9,yes\n"
                             "x,yes\n"
                             "y,\"no, \"\"n\"\"\"\n"
                             "abcdef,\"no, \"\"n\"\"\"\n";

TEST(examples_are_the_bytes_of_a_row)
{
    static const struct {
        const char *text;
        int target;
    } list[] = {{"ab\"c\nd", 1}, {"abcdef", 0}, {"\xc3\xa9", 1}, {"x", 1}, {"y", 0}};
    struct opened o;
    int found = 0;
    write_file("rows.csv", golden, sizeof golden - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 6, 0);
    for (int p = 0; p < TASK_PARTS; p++)
        for (int64_t i = 0; i < o.shape.part[p]; i++) {
            char text[7] = "";
            read_one(&o, (enum task_part)p, i, o.shape.part[p]);
            for (int t = 0; t < 6; t++)
                text[t] = (char)o.inputs[t];
            for (size_t k = 0; k < sizeof list / sizeof *list; k++)
                found += strcmp(text, list[k].text) == 0 && o.targets[0] == list[k].target;
        }
    assert_int_equal(found, 6); /* two rows begin with abcdef */
    assert_each(o.shape.padded, o.shape.per_sequence, !o.shape.causal, !o.shape.bytes);
    assert_int_equal(o.shape.classes, 2);
    assert_string_equal(task_text.file->label(o.source, 0), "no, \"n\"");
    assert_string_equal(task_text.file->label(o.source, 1), "yes");
    close_all(&o);
}

TEST(facts_hold_what_a_survey_found)
{
    struct opened o;
    write_file("rows.csv", golden, sizeof golden - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 6, 0);
    char hash[65], expected[512];
    sha256_hex(golden, sizeof golden - 1, hash);
    snprintf(expected, sizeof expected,
             "{\"sha256\":\"%s\",\"size\":%zu,\"classes\":2,\"rows\":6,\"test_rows\":2,"
             "\"repeated\":0,\"majority\":0.5,\"entropy\":0.6931,\"cut\":1,\"labels\":[\"no, "
             "\\\"n\\\"\",\"yes\"],"
             "\"label_rows\":[3,3],\"split_rows\":[1,0,1,1,0,0]}",
             hash, sizeof golden - 1);
    assert_string_equal(o.facts.text, expected);
    close_all(&o);
    write_file("rows.csv", "aababcaaaabbbbbbccab", 20);
    survey_and_open(&o, TEXT_LM, 1, 0);
    sha256_hex("aababcaaaabbbbbbccab", 20, hash);
    snprintf(expected, sizeof expected,
             "{\"sha256\":\"%s\",\"size\":20,\"classes\":256,\"rows\":0,\"test_rows\":0,"
             "\"repeated\":0,\"majority\":0.45,\"entropy\":1.0104}",
             hash);
    assert_string_equal(o.facts.text, expected);
    assert_each(o.shape.bytes, o.shape.causal, !o.shape.padded, !o.shape.per_sequence);
    assert_null(task_text.file->label(o.source, 97));
    close_all(&o);
}

static void assert_survey_refuses(const char *name, const char *file, const char *message)
{
    struct text_options o;
    struct text_buffer facts = {0};
    write_file(name, file, strlen(file));
    set_options(&o, TEXT_CLASSIFY, 8);
    assert_fails(task_text.file->survey(&o, &facts, &m), STATUS_BAD_INPUT, message);
    assert_null(facts.text);
    remove(path);
}

TEST(files_without_classes_are_refused)
{
    assert_survey_refuses("a.csv", "text,label\n", ": has no rows");
    assert_survey_refuses("a.csv", "\n\n", ": has no rows");
    assert_survey_refuses("a.csv", "text,label\na,x\nb,x\nc,x\n",
                          ": all rows have the label \"x\"; there is nothing to tell apart");
    assert_survey_refuses(
        "a.jsonl",
        "{\"text\":\"a\",\"label\":1}\n{\"text\":\"b\",\"label\":2}\n"
        "{\"text\":\"b\",\"label\":2}\n{\"text\":\"b\",\"label\":2}\n",
        ", line 1, column 21: only 1 row has the label \"1\"; it takes 3 or more, to "
        "train, validate and test on: add some, or leave the label out");
    assert_survey_refuses(
        "a.csv", "text,label\na,x\nb,x\nc,x\na,y\n\na,y\n",
        ", line 5, column 3: only 2 rows have the label \"y\"; it takes 3 or more, "
        "to train, validate and test on: add some, or leave the label out");
    assert_survey_refuses(
        "a.csv", "text,label\na,x\na,y\nb,x\nc,x\na,y\nd,y\n",
        ", line 3, column 3: of the 3 rows with the label \"y\", 1 has a text that "
        "no other row has; 2 or more are needed, to validate and test on: "
        "remove repeated rows from the file");
    assert_survey_refuses(
        "a.txt", "text,label\n",
        ": rows are read from CSV, TSV or JSON Lines; give a file whose name ends in "
        ".csv, .tsv, .jsonl, .ndjson or .json, or task.separator");
    struct text_buffer b = {0};
    text_add(&b, "text,label\n");
    for (int i = 0; i <= 1024; i++)
        text_add(&b, "x,label %d\n", i);
    assert_survey_refuses("a.csv", b.text,
                          ", line 1026, column 3: this is the 1025th different label, and at most "
                          "1024 are allowed; name the column of the labels with task.label_column");
    free(b.text);
}

/* Of a measurement each value is a label of its own. */
TEST(numbers_are_no_labels)
{
    static const int counts[] = {21, 1025};
    for (size_t k = 0; k < 2; k++) {
        struct text_buffer b = {0};
        char expected[256];
        text_add(&b, "text,label\n");
        for (int i = 0; i < counts[k]; i++)
            text_add(&b, "x,%g\n", i / 100.);
        snprintf(expected, sizeof expected,
                 ", line 2, column 3: the labels are numbers, at least %d different ones, but a "
                 "label is one of a few classes: put the numbers into classes (low, high), or name "
                 "another column with task.label_column",
                 counts[k] < 1024 ? counts[k] : 1024);
        assert_survey_refuses("a.csv", b.text, expected);
        free(b.text);
    }
}

/* So many lines after a text that begins with a quote, up to one that ends with one; @ stands for
 * the number of a line, | for the separator. */
static void write_open_quote(char separator, int lines, const char *line)
{
    struct text_buffer b = {0};
    text_add(&b, "text%clabel\nearlier%cno\n\"Really he asked%cyes\n", separator, separator,
             separator);
    for (int i = 0; i < lines; i++)
        for (const char *p = line; *p; p++)
            if (*p == '@')
                text_add(&b, "%d", i);
            else
                text_add(&b, "%c", *p == '|' ? separator : *p);
    text_add(&b, "so he said\"%cno\n", separator);
    for (int i = 0; i < 6; i++)
        text_add(&b, "later %d%c%s\n", i, separator, i % 2 ? "yes" : "no");
    write_file(separator == '\t' ? "a.tsv" : "a.csv", b.text, b.used);
    free(b.text);
}

/* It would be one text of all rows up to the next quote. */
TEST(a_quote_that_is_missing_is_noticed)
{
    static const struct {
        const char *line;
        int lines;
        bool rows; /* that the lines look like */
    } list[] = {{"row @|yes\n", 8, true},        {"row @|yes\n", 7, false},
                {"row @|yes\r\n", 300, true},    {"a line, @| of, more\n", 300, false},
                {"@: only a line\n", 40, false}, {"value @|\n", 40, false}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct text_options o;
        struct text_buffer facts = {0};
        char expected[256];
        write_open_quote(',', list[i].lines, list[i].line);
        set_options(&o, TEXT_CLASSIFY, 8);
        enum status s = task_text.file->survey(&o, &facts, &m);
        snprintf(expected, sizeof expected,
                 ", line 3, column 1: the field in quotes that begins here goes on for %d lines, "
                 "which look like rows: is a quote missing? Within quotes, write a quote twice; if "
                 "the text is right, give the rows as JSON Lines",
                 list[i].lines + 2);
        if (list[i].rows)
            assert_fails(s, STATUS_BAD_INPUT, expected);
        else if (s != STATUS_OK || o.rows != 8)
            fail_msg("%zu: %d rows (%s)", i, (int)o.rows, m.text);
        free(facts.text);
        remove(path);
    }
}

/* Where fields cannot be in quotes, quotes are characters, in all of the file. */
TEST(quotes_between_tabs_are_read_either_way)
{
    static const struct {
        const char *file;
        int rows;
        const char *text; /* of a row that is only trained on, as others have it too */
    } list[] = {
        {"text\tlabel\n\"a b\"\tx\n\"a b\"\tx\n1\tx\n2\tx\n3\ty\n4\ty\n5\ty\n", 7, "a b"},
        {"text\tlabel\n\"a b\"\tx\n\"a b\"\tx\n1\tx\n2\tx\n3\ty\n4\ty\n\"5\ty\n", 7, "\"a b\""},
        {"text\tlabel\n\"a b\"\tx\n\"a b\"\tx\n1\tx\n2\tx\n3\ty\n\"4\" 5\ty\n5\ty\n", 7, "\"a b\""},
        {"text\tlabel\n\"a\tb\"\tx\n\"a\tb\"\tx\n1\tx\n2\tx\n3\ty\n4\ty\n5\ty\n", 7, "a\tb"},
    };
    struct opened o;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int found = 0;
        write_file("a.tsv", list[i].file, strlen(list[i].file));
        survey_and_open(&o, TEXT_CLASSIFY, 8, 0);
        assert_int_equal(o.options.rows, list[i].rows);
        for (int64_t k = 0; k < o.shape.part[TASK_TRAIN]; k++) {
            char text[9] = "";
            read_one(&o, TASK_TRAIN, k, o.shape.part[TASK_TRAIN]);
            for (int t = 0; t < 8; t++)
                text[t] = (char)o.inputs[t];
            found += strcmp(text, list[i].text) == 0;
        }
        assert_int_equal(found, 2);
        close_all(&o);
        remove(path);
    }
    struct text_options options;
    struct text_buffer facts = {0};
    write_open_quote('\t', 300, "row @|yes\n"); /* which all are rows then */
    set_options(&options, TEXT_CLASSIFY, 8);
    assert_int_equal(task_text.file->survey(&options, &facts, &m), STATUS_OK);
    assert_int_equal(options.rows, 309);
    free(facts.text);
    remove(path);
}

TEST(the_first_line_may_name_the_separator)
{
#define ROWS_OF(s) "text" s "label\na" s "x\nb" s "x\nc" s "x\nd" s "y\ne" s "y\nf" s "y\n"
    struct opened o;
    write_file("a.csv", "sep=;\r\n" ROWS_OF(";"), strlen("sep=;\r\n" ROWS_OF(";")));
    survey_and_open(&o, TEXT_CLASSIFY, 8, 0);
    assert_int_equal(o.options.rows, 6);
    read_one(&o, TASK_TEST, 0, o.shape.part[TASK_TEST]);
    assert_true(o.inputs[0] >= 'a' && o.inputs[0] <= 'f' && o.inputs[1] == 0);
    close_all(&o);
    remove(path);
    write_file("a.csv", "sep=;\n" ROWS_OF("|"), strlen("sep=;\n" ROWS_OF("|")));
    memset(&o, 0, sizeof o);
    set_options(&o.options, TEXT_CLASSIFY, 8);
    o.options.separator = TEXT_PIPE; /* which counts for more */
    assert_int_equal(task_text.file->survey(&o.options, &o.facts, &m), STATUS_OK);
    assert_int_equal(o.options.rows, 6);
    free(o.facts.text);
    remove(path);
    assert_survey_refuses("a.csv", "sep=:\ntext:label\n",
                          ", line 1: : is not a separator that is read; use a comma, a semicolon, "
                          "a tab or |");
#undef ROWS_OF
}

/* What looks alike on a screen is told. */
TEST(labels_that_look_alike_are_told)
{
    static const char *const list[][3] = {
        {"pos", "pos ", "\\\"pos\\\" and \\\"pos \\\" differ only in white space or in capitals"},
        {"Pos", "pos", "\\\"Pos\\\" and \\\"pos\\\""},
        {"a b",
         "a\xc2\xa0"
         "b",
         "\\\"a b\\\" and \\\"a\\\\u00a0b\\\""},
        {"pos", "post", NULL},
        {"1", "1.0", NULL},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct text_buffer b = {0}, facts = {0};
        struct text_options o;
        text_add(&b, "text,label\n");
        for (int k = 0; k < 9; k++)
            text_add(&b, "%d,%s\n", k, k % 3 < 2 ? list[i][k % 3] : "other");
        write_file("a.csv", b.text, b.used);
        set_options(&o, TEXT_CLASSIFY, 8);
        assert_int_equal(task_text.file->survey(&o, &facts, &m), STATUS_OK);
        bool told = strstr(facts.text, "\"warning\":") != NULL;
        if (told != (list[i][2] != NULL) || (told && !strstr(facts.text, list[i][2])))
            fail_msg("%zu: %s", i, facts.text);
        free(b.text);
        free(facts.text);
        remove(path);
    }
}

FIXTURE(NULL, NULL)

TEST(rows_that_cannot_be_are_refused)
{
    static const int64_t list[][3] = {/* rows, test_rows, classes; of 3 rows the text is repeated */
                                      {100, 49, 2}, {100, 50, 2}, {100, 49, 3},
                                      {100, 2, 3},  {100, 10, 1}, {100000, 10000, 1025}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct text_options o;
        struct task_shape s;
        char expected[128];
        set_options(&o, TEXT_CLASSIFY, 8);
        o.size = 1000;
        o.rows = list[i][0], o.test_rows = list[i][1], o.classes = list[i][2];
        o.repeated = 3;
        snprintf(expected, sizeof expected,
                 "no file has task.rows %d, task.test_rows %d and task.classes %d", (int)o.rows,
                 (int)o.test_rows, (int)o.classes);
        assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
        assert_string_equal(m.text, expected);
    }
}
