/* The readers of rows where all columns are read: the values that they tell, wherever the pieces of
 * a file end, and that they refuse the same as when two columns are read. */
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

/* "<name>" of each column of a header, "name place=bytes/size;" of each value, with a t where it
 * may be a text, "|" after each row. */
struct found {
    char text[FOUND];
    size_t used;
};

static void add_name(void *context, const char *name, struct place at)
{
    struct found *f = context;
    (void)at;
    f->used += (size_t)snprintf(f->text + f->used, FOUND - f->used, "<%s>", name);
}

static void add_value(void *context, const struct records_value *value)
{
    struct found *f = context;
    f->used += (size_t)snprintf(f->text + f->used, FOUND - f->used, "%s%s%d=%s/%d%s;",
                                value->name ? value->name : "", value->name ? " " : "",
                                (int)value->place, value->bytes, (int)value->size,
                                value->text    ? "t"
                                : value->whole ? "w"
                                               : "");
}

static enum status end_row(void *context, const struct record *row, struct message *m)
{
    struct found *f = context;
    (void)m;
    assert_true(!row->label && row->text_size == 0);
    f->used += (size_t)snprintf(f->text + f->used, FOUND - f->used, "|");
    return STATUS_OK;
}

static enum status read_pieces(const struct records_format *format, const char *file, size_t piece,
                               struct found *f, struct message *m)
{
    *f = (struct found){.text = ""};
    struct records *r = records_new(format, "f", end_row, f);
    assert_non_null(r);
    records_on_name(r, add_name, f);
    records_on_value(r, add_value);
    return read_all(r, file, strlen(file), piece, m);
}

static const struct {
    const struct records_format *format;
    const char *file, *expected; /* or the refusal */
} files[] = {
    {&csv, "id,body\n1,\n\"a \"\"b\"\"\",\xff\n",
     "<id><body>0=1/1t;1=/0t;|0=a \"b\"/5t;1=\xff/1t;|"},
    {&csv, "\xef\xbb\xbf\"x\"\r\n\r\n1\r\n2", "<x>0=1/1t;|0=2/1t;|"},
    {&csv, ",text,text\n1,,2\n", "<><text><text>0=1/1t;1=/0t;2=2/1t;|"},
    {&csv, "id,body\n", "<id><body>"},
    {&csv, "id,body\n1,2,3\n",
     "f, line 2, column 5: this is field 3, but line 1, the header, names only 2 columns; quote a "
     "text that has commas"},
    {&csv, "# by me\nid,body\n",
     "f, line 2, column 4: this is field 2, but line 1, the header, names only 1 column (# by me); "
     "the first line must name all columns, separated by commas"},
    {&csv, "id,body\n1,\"2\n",
     "f, line 2, column 3: the quote that begins here has no end; within "
     "quotes, a quote is written twice"},
    {&lines, "{\"a\":1,\"b\":\"x\\n\",\"c\":null,\"d\":[1,{\"e\":2}],\"f\":true,\"g\":\"\"}\n",
     "a 0=1/1;b 1=x\n/2t;c 2=/0;d 3=/0w;f 4=true/4;g 5=/0t;|"},
    {&lines, "{}\n\n{\"label\": -1.5, \"label\": {}}", "|label 0=-1.5/4;label 1=/0w;|"},
    {&lines, "[1]\n",
     "f, line 1, column 1: an array; write each of its objects on a line of its own "
     "(jq -c '.[]')"},
    {&lines, "{\"a\":NaN,\"b\":-Infinity,\"c\":-1}\n", "a 0=/0;b 1=/0;c 2=-1/2;|"},
    {&lines, "{\"a\":}", "f, line 1, column 6: expected a string, number, true, false or null"},
    {&lines, "{\"a\":\n",
     "f, line 1, column 6: the line ends within the object; write each object on one line (jq -c "
     ".)"},
};

TEST(all_values_are_told)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t piece = 1; piece <= strlen(files[i].file) + 1; piece++) {
            struct found f;
            struct message m = {{0}};
            enum status s = read_pieces(files[i].format, files[i].file, piece, &f, &m);
            const char *said = s == STATUS_OK ? f.text : m.text;
            if (strcmp(said, files[i].expected) != 0)
                fail_msg("%s\n in pieces of %zu: %s\n expected: %s", files[i].file, piece, said,
                         files[i].expected);
        }
}

/* As much of it as tells that it is too long for a label. */
TEST(the_beginning_of_a_long_value_is_told)
{
    char file[2 * RECORDS_LABEL_MAX + 8], size[16];
    struct found f;
    struct message m;
    memset(file, 'x', sizeof file);
    memcpy(file, "a\n", 2);
    file[sizeof file - 1] = '\0';
    assert_int_equal(read_pieces(&csv, file, 100, &f, &m), STATUS_OK);
    snprintf(size, sizeof size, "/%dt;|", (int)sizeof file - 3);
    assert_true(strspn(strchr(f.text, '=') + 1, "x") > RECORDS_LABEL_MAX);
    assert_string_equal(strchr(f.text, '/'), size);
}
