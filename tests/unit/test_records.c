/* The readers of labelled rows: what they find, wherever the pieces of a file end, what they refuse
 * and where, and that a text is found again from its offset. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/records.h"
#include "tests/test.h"
#include "tests/unit/pieces_help.h"

enum { FOUND = 4096 };
static const struct records_format csv = {RECORDS_CSV, ',', false, 0, "text", "label"},
                                   lines = {RECORDS_JSONL, 0, false, 0, "text", "label"};

/* Rows as "label@line:column=text;" with texts read again by their offsets. */
struct found {
    const char *file;
    size_t size;
    const struct records_format *format;
    char text[FOUND];
};

static enum status note(void *context, const struct record *row, struct message *m)
{
    struct found *f = context;
    unsigned char text[FOUND + 4];
    size_t size, used = strlen(f->text);
    enum status s = records_text(f->format, "f", (const unsigned char *)f->file + row->text,
                                 f->size - (size_t)row->text, FOUND, text, &size, m);
    if (s != STATUS_OK)
        return s;
    assert_int_equal(size, row->text_size);
    snprintf(f->text + used, sizeof f->text - used, "%s@%d:%d=%.*s;", row->label,
             (int)row->label_at.line, (int)row->label_at.column, (int)size, (const char *)text);
    return STATUS_OK;
}

static enum status read_pieces(struct found *f, size_t piece, struct message *m)
{
    f->text[0] = m->text[0] = '\0';
    struct records *r = records_new(f->format, "f", note, f);
    assert_non_null(r);
    return read_all(r, f->file, f->size, piece, m);
}

/* All ways to cut the file into equal pieces say the same. */
static void check_file(const struct records_format *format, const char *file, size_t size,
                       const char *expected)
{
    for (size_t piece = 1; piece <= size + 1; piece++) {
        struct found f = {.file = file, .size = size, .format = format};
        struct message m;
        enum status s = read_pieces(&f, piece, &m);
        if (s != STATUS_OK && strcmp(m.text, expected) != 0)
            fail_msg("%s\n in pieces of %zu: %s\n expected: %s", file, piece, m.text, expected);
        if (s == STATUS_OK && strcmp(f.text, expected) != 0)
            fail_msg("%s\n in pieces of %zu: %s\n expected: %s", file, piece, f.text, expected);
        assert_int_equal(s, strncmp(expected, "f, ", 3) == 0 ? STATUS_BAD_INPUT : STATUS_OK);
    }
}

TEST(csv_is_read)
{
    static const char *const list[][2] = {
        {"text,label\nhello,a\nworld,b\n", "a@2:7=hello;b@3:7=world;"},
        {"text,label\r\nhello,a\r\nworld,b", "a@2:7=hello;b@3:7=world;"},
        {"\xef\xbb\xbf\"label\",\"text\"\n1,x\n", "1@2:1=x;"},
        {"\n\nid,label,more,text\n\n7,a b,,\"x, \"\"y\"\"\n\nz\"\r\n\r\n8,c,\"\",\xff\n",
         "a b@5:3=x, \"y\"\n\nz;c@9:3=\xff;"},
        {"text,label\n\"\xc3\xa9\",\xc3\xa9\n", "\xc3\xa9@2:5=\xc3\xa9;"},
        {"text,label\nx,\"a\r\nb\"\ny,c", "a\r\nb@2:3=x;c@4:3=y;"},
        {"text,label\nx,\"a\"\"\"\n", "a\"@2:3=x;"},
        {"text,label\nx,a\r", "a@2:3=x;"},
        {"text,label\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        check_file(&csv, list[i][0], strlen(list[i][0]), list[i][1]);
}

TEST(csv_is_refused)
{
    static const char *const list[][2] = {
        {"Text,label\nx,a\n",
         "f, line 1, column 1: the first row must name the columns, separated by commas; it has no "
         "column \"text\" (only Text, label); did you mean task.text_column: Text?"},
        {"\ntext;label\nx;a\n",
         "f, line 2, column 1: the first row must name the columns, separated by commas, but has "
         "only one name, text;label; give task.separator: semicolon"},
        {"text|label\nx|a\n",
         "f, line 1, column 1: the first row must name the columns, separated by commas, but has "
         "only one name, text|label; give task.separator: pipe"},
        {"# made by me\ntext,label\n",
         "f, line 1, column 1: the first row must name the columns, separated by commas, but has "
         "only one name, # made by me; remove the comment"},
        {"body\nx\n",
         "f, line 1, column 1: the first row must name the columns, separated by commas, but has "
         "only one name, body; give task.separator if it is another one"},
        {"text,\xe9tiquette\nx,a\n",
         "f, line 1, column 6: the name of this column is not UTF-8; save the file as UTF-8"},
        {"id, text,label\n",
         "f, line 1, column 1: the first row must name the columns, separated by commas; it has no "
         "column \"text\" (only id,  text, label); the name \" text\" has spaces or invisible "
         "characters: remove them"},
        {"texts,text\xe2\x80\x8b,label\n",
         "f, line 1, column 1: the first row must name the columns, separated by commas; it has no "
         "column \"text\" (only texts, text\\u200b, label); the name \"text\\u200b\" has "
         "spaces or invisible characters: remove them"},
        {"text,label,text\n", "f, line 1, column 12: a second column is named text"},
        {"text,label\nx,a,b\n", "f, line 2, column 5: this is field 3, but line 1, the header, "
                                "names only 2 columns; quote a text that has commas"},
        {"text,label,id\nx,a\n",
         "f, line 2, column 1: this row has 2 fields, but line 1, the header, names 3 columns"},
        {"text,label\nx",
         "f, line 2, column 1: this row has 1 field, but line 1, the header, names 2 columns"},
        {"text,label\n\"\"\n",
         "f, line 2, column 1: this row has 1 field, but line 1, the header, names 2 columns"},
        {"text,label\n\xc3\xa9 \"x\",a\n",
         "f, line 2, column 3: a quote within a field that does not begin with one; put the field "
         "in quotes, and write a quote within it twice"},
        {"text,label\n\"x\ny\" ,a\n",
         "f, line 3, column 3: something follows the quote that ends a field, which begins with a "
         "quote in line 2: is one missing there? Within quotes, a quote is written twice"},
        {"text,label\n\"x\" y,a\n",
         "f, line 2, column 4: something follows the quote that ends a field; a quote within a "
         "field is written twice"},
        {"text,label\nx,\"a\nb,c\n", "f, line 2, column 3: the quote that begins here has no end; "
                                     "within quotes, a quote is written twice"},
        {"text,label\nx,a\ry,b\n",
         "f, line 2, column 5: a carriage return without a line feed after it"},
        {"text,label\n,a\n",
         "f, line 2, column 1: the text is empty; give it one, or remove the row"},
        {"text,label\n\"\",a\n",
         "f, line 2, column 1: the text is empty; give it one, or remove the row"},
        {"text,label\nx,\n",
         "f, line 2, column 3: the label is empty; give it one, or remove the row"},
        {"text,label\nx,",
         "f, line 2, column 3: the label is empty; give it one, or remove the row"},
        {"text,label\nx,\xff\n", "f, line 2, column 3: the label is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        check_file(&csv, list[i][0], strlen(list[i][0]), list[i][1]);
    check_file(&csv, "\xff\xfet\0e\0", 6,
               "f, line 1, column 4: a NUL byte; if the file is UTF-16, save it as UTF-8");
}

/* Between tabs and semicolons, and under other names. */
TEST(other_columns_are_read)
{
    static const struct records_format tabs = {RECORDS_CSV, '\t', false, 0, "text", "label"},
                                       plain = {RECORDS_CSV, '\t', true, 0, "text", "label"},
                                       pipes = {RECORDS_CSV, '|', false, 6, "text", "label"},
                                       semicolons = {RECORDS_CSV, ';',          false,
                                                     0,           "Sentence 1", "text"},
                                       members = {RECORDS_JSONL, 0, false, 0, "body", "text"};
    static const struct {
        const struct records_format *format;
        const char *file, *expected;
    } list[] = {
        {&tabs, "label\ttext\n1\ta, b; c\n2\tsay \"x\" \"\r\n3\t\"d\t\"\"e\"\"\"\n",
         "1@2:1=a, b; c;2@3:1=say \"x\" \";3@4:1=d\t\"e\";"},
        {&tabs, "label,text\n1,a\n",
         "f, line 1, column 1: the first row must name the columns, separated by tabs, but has "
         "only one name, label,text; give task.separator: comma"},
        {&plain, "label\ttext\n\"a\tsay \"x\"\n2\t\"d\t",
         "f, line 3, column 6: this is field 3, but line 1, the header, names only 2 columns; "
         "quote a text that has tabs"},
        {&plain, "label\ttext\n\"a\tsay \"x\"\n\"\"\t\"d\n", "\"a@2:1=say \"x\";\"\"@3:1=\"d;"},
        {&pipes, "sep=|\nlabel|text\n1|\"a|b\"\n", "1@3:1=a|b;"},
        {&pipes, "\xef\xbb\xbfsep=|\nlabel|text\n1|a,b\n", "1@3:1=a,b;"},
        {&tabs, "text\tlabel\na\tb\tc\n",
         "f, line 2, column 5: this is field 3, but line 1, the header, names only 2 columns; "
         "quote a text that has tabs"},
        {&semicolons, "id;text;Sentence 1\n7;a;b,c\n8;d;\"e;f\"\n", "a@2:3=b,c;d@3:3=e;f;"},
        {&semicolons, "id;text;sentence1\n",
         "f, line 1, column 1: the first row must name the columns, separated by semicolons; it "
         "has no column \"Sentence 1\" (only id, text, sentence1); did you mean task.text_column: "
         "sentence1?"},
        {&semicolons, "id;label;Sentence 1\n",
         "f, line 1, column 1: the first row must name the columns, separated by semicolons; it "
         "has no column \"text\" (only id, label, Sentence 1); name the column of the label with "
         "task.label_column"},
        {&semicolons, "text;text;Sentence 1\n",
         "f, line 1, column 6: a second column is named text"},
        {&members, "{\"label\":{},\"body\":\"a\",\"text\":1}\n", "1@1:31=a;"},
        {&members, "{\"id\":[1,{}],\"bodi\":\"a\",\"text\":1}\n",
         "f, line 1, column 1: the object has no member \"body\" (only id, bodi, text); did you "
         "mean task.text_column: bodi?"},
        {&members, "{\"id\":1,\"data\":{\"body\":\"a\"},\"text\":1}\n",
         "f, line 1, column 1: the object has no member \"body\" (only id, data, text); its member "
         "data has one, but members of a member are not read: move them out (jq -c '. + .data')"},
        {&members, "\n{}\n",
         "f, line 2, column 1: the object has no member \"body\"; name the member of the text with "
         "task.text_column"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        check_file(list[i].format, list[i].file, strlen(list[i].file), list[i].expected);
}

TEST(json_lines_are_read)
{
    static const char *const list[][2] = {
        {"{\"text\":\"hello\",\"label\":\"a\"}\n{\"label\":\"b\",\"text\":\"world\"}\n",
         "a@1:25=hello;b@2:10=world;"},
        {"\xef\xbb\xbf { \"id\" : [1, {}], \"label\" : true , \"text\" : \"\\u00e9\\n\\\"\" } \r\n"
         " \t\r\n\n{\"text\":\"x\",\"label\":-1.50}",
         "true@1:30=\xc3\xa9\n\";-1.50@4:21=x;"},
        {"{\"text\":\"\\ud83d\\ude00\xe2\x82\xac\",\"label\":\"l\\u0041\"}",
         "lA@1:33=\xf0\x9f\x98\x80\xe2\x82\xac;"},
        {"{\"a\":NaN,\"text\":\"x\",\"b\":[-Infinity,{\"c\":Infinity}],\"label\":1}", "1@1:60=x;"},
        {"", ""},
        {"\n\n", ""},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        check_file(&lines, list[i][0], strlen(list[i][0]), list[i][1]);
}

TEST(json_lines_are_refused)
{
    static const char *const list[][2] = {
        {"[{\"text\":\"x\",\"label\":1}]",
         "f, line 1, column 1: an array; write each of its objects on a line of its own (jq -c "
         "'.[]')"},
        {"7", "f, line 1, column 1: expected an object, {\"text\": \"...\", \"label\": \"...\"}"},
        {"{\n\"text\":\"x\",\"label\":1}\n", "f, line 1, column 2: the line ends within the "
                                             "object; write each object on one line (jq -c .)"},
        {"\n{\"text\":\"x\xc3\xa9\xc3\xa9\",\"label\":}\n",
         "f, line 2, column 23: expected a string, number, true, false or null"},
        {"{\"text\":\"x\"}", "f, line 1, column 1: the object has no member \"label\" (only text); "
                             "name the member of the label with task.label_column"},
        {"{}\n", "f, line 1, column 1: the object has no member \"text\"; name the member of the "
                 "text with task.text_column"},
        {"{\"text\":\"x\",\"label\":null}",
         "f, line 1, column 21: expected the label: a string, a number, true or false"},
        {"{\"text\":\"x\",\"label\":[1]}",
         "f, line 1, column 21: expected the label: a string, a number, true or false"},
        {"{\"text\":\"x\",\"label\":NaN}",
         "f, line 1, column 21: expected the label: a string, a number, true or false"},
        {"{\"text\":\"x\",\"label\":-Infinity}",
         "f, line 1, column 21: expected the label: a string, a number, true or false"},
        {"{\"text\":7,\"label\":1}", "f, line 1, column 9: expected the text, a string"},
        {"{\"text\":\"x\",\"text\":\"y\",\"label\":1}", "f, line 1, column 20: a second text"},
        {"{\"text\":\"x\",\"label\":2,\"label\":1}", "f, line 1, column 31: a second label"},
        {"{\"text\":\"\",\"label\":1}",
         "f, line 1, column 9: the text is empty; give it one, or remove the row"},
        {"{\"text\":\"x\",\"label\":\"\"}",
         "f, line 1, column 21: the label is empty; give it one, or remove the row"},
        {"{\"text\":\"x\\q\",\"label\":1}", "f, line 1, column 12: unknown escape"},
        {"{\"text\":\"\xff\",\"label\":1}", "f, line 1, column 10: not UTF-8"},
        {"{\"text\":\"x\",\"label\":1} 5", "f, line 1, column 24: something follows the end"},
        {"{\"text\":\"x\",\"label\":1}\n{\"text",
         "f, line 2, column 7: the line ends within the object; write each object on one line (jq "
         "-c .)"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        check_file(&lines, list[i][0], strlen(list[i][0]), list[i][1]);
}

TEST(long_labels_and_lines_are_refused)
{
    char file[2 * RECORDS_LABEL_MAX], expected[2 * RECORDS_LABEL_MAX];
    for (int over = 0; over < 2; over++) {
        int n = RECORDS_LABEL_MAX + over;
        snprintf(file, sizeof file, "label,text\n%0*d,x\n", n, 7);
        snprintf(expected, sizeof expected,
                 over ? "f, line 2, column 1: the label has more than 256 bytes" : "%0*d@2:1=x;", n,
                 7);
        check_file(&csv, file, strlen(file), expected);
        snprintf(file, sizeof file, "{\"label\":\"%0*d\",\"text\":\"x\"}\n", n, 7);
        snprintf(expected, sizeof expected,
                 over ? "f, line 1, column 10: the label has more than 256 bytes" : "%0*d@1:10=x;",
                 n, 7);
        check_file(&lines, file, strlen(file), expected);
    }
    struct message m;
    struct found f = {.format = &lines, .size = (size_t)RECORDS_LINE_MAX + 2};
    char *line = malloc(f.size);
    assert_non_null(line);
    memset(line, ' ', f.size);
    line[0] = '\n';
    f.file = line;
    assert_int_equal(read_pieces(&f, 1 << 16, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "f, line 2, column 1: the line has more than 16777216 bytes; write "
                                "each object on one line");
    free(line);
}

/* The start of a text is the same bytes whatever the limit, also within a character. */
TEST(a_text_is_cut_anywhere)
{
    static const struct {
        const struct records_format *format;
        const char *raw, *text;
    } list[] = {
        {&csv, "a,b", "a"},
        {&csv, "abc\r\nd", "abc"},
        {&csv, "\"a\"\"b,\n\"\"\",c", "a\"b,\n\""},
        {&csv, "\"a\"", "a"},
        {&lines, "\"a\\n\\u00e9\\ud83d\\ude00\xe2\x82\xac\", \"b\"",
         "a\n\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac"},
        {&lines, "\"\\u0041\\u0041\\u0041\"", "AAA"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t limit = 1; limit <= strlen(list[i].text) + 2; limit++) {
            size_t n = strlen(list[i].raw), size, whole = strlen(list[i].text);
            n = n < RECORDS_RAW(limit) ? n : RECORDS_RAW(limit);
            unsigned char *raw = malloc(n), *text = malloc(limit + 4);
            struct message m;
            assert_each(raw, text);
            memcpy(raw, list[i].raw, n);
            assert_int_equal(records_text(list[i].format, "f", raw, n, limit, text, &size, &m), 0);
            assert_int_equal(size, whole < limit ? whole : limit);
            assert_memory_equal(text, list[i].text, size);
            free(raw), free(text);
        }
}

TEST(a_text_that_is_gone_is_noticed)
{
    static const struct {
        const struct records_format *format;
        const char *raw;
    } list[] = {{&csv, ",a"},        {&csv, "\"\",a"}, {&csv, ""},
                {&lines, " \"a\""},  {&lines, "a\""},  {&lines, "\"\""},
                {&lines, "\"\\q\""}, {&lines, "\"ab"}, {&lines, ""}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        unsigned char text[16];
        size_t size;
        struct message m;
        assert_int_equal(records_text(list[i].format, "f", (const unsigned char *)list[i].raw,
                                      strlen(list[i].raw), 8, text, &size, &m),
                         STATUS_CORRUPT);
        assert_string_equal(m.text, "f: was changed while it was read");
    }
}

TEST(the_name_says_the_form)
{
    static const struct {
        const char *path;
        char given;
        int form;
        char separator;
    } list[] = {{"a.csv", 0, RECORDS_CSV, ','},
                {"b/a.CSV", 0, RECORDS_CSV, ','},
                {"a.tsv", 0, RECORDS_CSV, '\t'},
                {"x.csv.jsonl", 0, RECORDS_JSONL, 0},
                {"a.ndjson", 0, RECORDS_JSONL, 0},
                {"a.json", 0, RECORDS_JSONL, 0},
                {"a.txt", 0, -1, 0},
                {"csv", 0, -1, 0},
                {"a.csv", ';', RECORDS_CSV, ';'},
                {"a.tsv", ',', RECORDS_CSV, ','},
                {"a.txt", '\t', RECORDS_CSV, '\t'},
                {"a.json", ',', -1, 0}};
    struct records_format f = {0};
    struct message m;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        enum status s = records_format_of(list[i].path, list[i].given, &f, &m);
        assert_int_equal(s, list[i].form < 0 ? STATUS_BAD_INPUT : STATUS_OK);
        if (list[i].form >= 0)
            assert_each((int)f.form == list[i].form, f.separator == list[i].separator);
    }
    assert_string_equal(m.text, "a.json: JSON Lines have no separator; leave task.separator out");
    records_format_of("a.txt", 0, &f, &m);
    assert_string_equal(m.text,
                        "a.txt: rows are read from CSV, TSV or JSON Lines; give a file whose name "
                        "ends in .csv, .tsv, .jsonl, .ndjson or .json, or task.separator");
}

/* The names of all columns are heard, whether or not two of them are those that are wanted. */
static void add_heard(void *context, const char *name, struct place at)
{
    assert_true(at.line == 1 && at.column > 0);
    strcat(strcat(context, name), ";");
}

TEST(names_are_heard)
{
    static const struct {
        const struct records_format *format;
        const char *file, *names;
        enum status s;
    } cases[] = {
        {&csv, "id,text,\"a \"\"label\"\"\"\n1,b,c\n", "id;text;a \"label\";", STATUS_BAD_INPUT},
        {&csv, "text,label,id\na,b,c\n", "text;label;id;", STATUS_OK},
        {&lines, "{\"id\": 1, \"body\": {\"text\": 2}}\n", "id;body;", STATUS_BAD_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct found f = {cases[i].file, strlen(cases[i].file), cases[i].format, ""};
        char heard[256] = "";
        struct message m;
        struct records *r = records_new(f.format, "f", note, &f);
        assert_non_null(r);
        records_on_name(r, add_heard, heard);
        assert_int_equal(records_feed(r, (const unsigned char *)f.file, f.size, &m), cases[i].s);
        assert_string_equal(heard, cases[i].names);
        records_free(r);
    }
}
