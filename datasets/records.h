/* Rows of text and label, found in a file that comes piece by piece and is never whole in memory.
 *
 * CSV as in RFC 4180: the first row names the columns, of which two are read, the text and the
 * label; fields may be quoted and then hold separators, line breaks and doubled quotes. Lines end
 * with LF or CRLF. Between tabs a quote that does not begin its field stands for itself; and so do
 * all quotes of a file whose fields cannot be read as quoted (records_look). A first line "sep=;",
 * as spreadsheets write it, names the separator.
 *
 * A quote that is not closed where it should be would take all rows up to the next quote for one
 * text, without a sign: a quoted field of ten lines or more of which nearly all would be rows is
 * refused.
 *
 * JSON Lines: each line is an object, of which two members are read: {"text": "...", "label": ...}.
 * A label may also be a number, true or false: its spelling is its name. Other members may be NaN,
 * too.
 *
 * In both, lines without anything on them and a byte order mark are passed over. A label is UTF-8
 * of 1 to RECORDS_LABEL_MAX bytes; a text has a byte or more, and no NUL. */
#ifndef DATASETS_RECORDS_H
#define DATASETS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

struct corpus;

enum { RECORDS_LABEL_MAX = 256, RECORDS_LINE_MAX = 1 << 24 /* bytes of a line of JSON */ };

enum records_form { RECORDS_CSV, RECORDS_JSONL };

struct records_format {
    enum records_form form;
    char separator; /* of the fields of CSV: a comma, a semicolon, a tab or | */
    bool plain;     /* quotes are ordinary characters */
    int skip;       /* bytes of a first line that names the separator, after a byte order mark */
    const char *text_name, *label_name; /* of the columns, or members; they differ */
};

/* Fills all but the names by the end of the path: .csv, .tsv; .jsonl, .ndjson or .json. A separator
 * that is not 0 is one of CSV, whatever the path's end. BAD_INPUT where it is none of them, or JSON
 * that is to have a separator. */
enum status records_format_of(const char *path, char separator, struct records_format *f,
                              struct message *m);

/* Then looks into the file: at its first line, whose separator counts unless one was given; where
 * that is a tab and `quotes`, whether fields are quoted, for which it reads all of it. IO,
 * NO_MEMORY, CORRUPT as corpus_scan; BAD_INPUT where the first line names another separator. */
enum status records_look(const struct corpus *c, bool given, bool quotes, struct records_format *f,
                         struct message *m);

/* "commas" */
const char *records_separator_name(char separator);

/* Where something stands in a file: both from 1, columns in characters. */
struct place {
    int64_t line, column;
};

struct record {
    int64_t text;          /* where its value begins, in bytes from the start of the file */
    int64_t text_size;     /* bytes of the text itself */
    uint64_t text_hash;    /* of these bytes, rng_name */
    const char *label;     /* the reader's, until the visit returns */
    struct place label_at; /* where the label's value begins */
};

/* Takes the next row. What it returns ends the reading unless it is OK. */
typedef enum status (*records_visit)(void *context, const struct record *row, struct message *m);

struct records;

/* A reader that stands before the file's first byte; format and path are kept, path for messages.
 * NULL where there is no memory. */
struct records *records_new(const struct records_format *format, const char *path,
                            records_visit visit, void *context);
void records_free(struct records *r); /* NULL allowed */

/* Calls on_name with the names of all columns of the header, or members of the first object that
 * lacks the text or the label, in their order, and the place of each. Before the first byte is fed.
 */
typedef void records_name(void *context, const char *name, struct place at);
void records_on_name(struct records *r, records_name *on_name, void *context);

/* A value of a row: a field, or what a member of an object has. */
struct records_value {
    int64_t place;     /* from 0, in its row or object */
    const char *name;  /* of the member; NULL: a field, whose name the header has at that place */
    const char *bytes; /* the first RECORDS_LABEL_MAX + 1 at least, terminated; the reader's */
    int64_t size;      /* in bytes; 0: there are none, or it is null, a list or an object */
    bool text;         /* it may be a text: a field, or a string */
    bool whole;        /* it is a list or an object, which may have parts */
};

/* Reads all columns in the place of the format's two, which need not be there: on_value is called
 * with each value of a row, then visit, with the same context and an empty record, when the row has
 * ended. Nothing is refused for being no text or no label. Before the first byte is fed. */
typedef void records_value_visit(void *context, const struct records_value *value);
void records_on_value(struct records *r, records_value_visit *on_value);

/* Takes the file's next bytes, any number of them: a corpus_visit, whose context is the struct
 * records. BAD_INPUT with line and column where they are not of the form; the reader then only
 * waits to be freed. */
enum status records_feed(void *r, const unsigned char *bytes, size_t n, struct message *m);

/* Says that there are no more. BAD_INPUT as above, for what has no end. */
enum status records_end(struct records *r, struct message *m);

/* BAD_INPUT "PATH, line 3, column 7: what". */
enum status records_refuse(const char *path, struct place at, struct message *m, const char *what,
                           ...) __attribute__((format(printf, 4, 5)));

/* Bytes of the file, from row.text on, that suffice for the first `limit` bytes of any text. */
#define RECORDS_RAW(limit) (6 * (size_t)(limit) + 16)

/* Reads the start of a text again: raw are RECORDS_RAW(limit) bytes of the file from row.text on,
 * or as many as the file has. text takes up to limit + 4 bytes, of which *size, at most limit,
 * count. CORRUPT where no text begins there: the file is not the one that was read. */
enum status records_text(const struct records_format *format, const char *path,
                         const unsigned char *raw, size_t n, size_t limit, unsigned char *text,
                         size_t *size, struct message *m);

#endif
