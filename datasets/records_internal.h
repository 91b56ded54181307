/* What the readers of rows share. */
#ifndef DATASETS_RECORDS_INTERNAL_H
#define DATASETS_RECORDS_INTERNAL_H

#include <stdbool.h>

#include "datasets/records.h"

struct records_reader {
    size_t size; /* of its struct, which begins with a struct records */
    enum status (*feed)(struct records *r, const unsigned char *bytes, size_t n, struct message *m);
    enum status (*end)(struct records *r, struct message *m);
    void (*free)(struct records *r);
    enum status (*text)(const struct records_format *f, const char *path, const unsigned char *raw,
                        size_t n, size_t limit, unsigned char *text, size_t *size,
                        struct message *m);
};
extern const struct records_reader records_csv, records_jsonl;

struct records {
    const struct records_reader *reader;
    const struct records_format *format;
    const char *path;
    records_visit visit;
    void *context;
    records_name *on_name; /* NULL: nobody asks */
    void *name_context;
    records_value_visit *on_value; /* NULL: text and label are wanted */
    struct place at;               /* of the next byte */
    int64_t offset;
    int mark;    /* bytes of a byte order mark seen, -1 where none can come */
    int skipped; /* bytes of the line that names the separator */
    bool quoted; /* the row at hand has a field in quotes */
};

/* Hands a row on whose text and label are checked here, for what both forms demand of them; where
 * all columns are read, that it has ended. */
enum status records_found(struct records *r, const struct record *row, struct place text_at,
                          struct message *m);

/* Whether all of a text is UTF-8. */
bool records_utf8(const char *text);

/* The names that a file has, for the message that one is missing. */
struct names {
    int64_t count;
    char shown[256];
    char near_text[RECORDS_LABEL_MAX + 1], near_label[RECORDS_LABEL_MAX + 1]; /* "": none is */
    char has_text[64], has_label[64]; /* a member whose value, an object, has it; "": none has */
};
void names_add(struct names *n, const struct records *r, const char *name, struct place at);

/* " no body, but: id, boddy; did you mean task.text_column: boddy?", after what has none. `text`:
 * it is the text's name that is missing, else the label's. */
void names_describe(const struct names *n, const struct records_format *f, bool text,
                    struct message *m);

/* CORRUPT: the file changed under the reader. */
enum status records_moved(const char *path, struct message *m);

#endif
