/* Any bytes, as a file of rows in FORM: found are the same rows, or the same fault, wherever the
 * pieces end in which it comes, and each text is read again from its offset alone. The first byte
 * says how large the pieces are. */
#include <stdlib.h>
#include <string.h>

#include "datasets/records.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void promise(int kept)
{
    if (!kept)
        abort();
}

enum { LIMIT = 24 };
static const struct records_format format = {FORM, false, 0, "text", "label"};

struct seen {
    const unsigned char *file;
    size_t size;
    int64_t rows, last;
    unsigned long long hash; /* of all that was seen */
};

static void mix(struct seen *s, unsigned long long x)
{
    s->hash = (s->hash ^ x) * 0x100000001b3u;
}

static enum status note(void *context, const struct record *row, struct message *m)
{
    struct seen *s = context;
    unsigned char text[LIMIT + 4];
    promise(row->text > s->last && (size_t)row->text < s->size && row->text_size > 0);
    promise(row->label_at.line > 0 && row->label_at.column > 0 && *row->label &&
            strlen(row->label) <= RECORDS_LABEL_MAX);
    size_t n = s->size - (size_t)row->text, taken;
    n = n < RECORDS_RAW(LIMIT) ? n : RECORDS_RAW(LIMIT);
    unsigned char *raw = malloc(n); /* alone, so that a step beyond it is seen */
    if (!raw)
        return STATUS_NO_MEMORY;
    memcpy(raw, s->file + row->text, n);
    promise(records_text(&format, "file", raw, n, LIMIT, text, &taken, m) == STATUS_OK);
    promise(taken == (row->text_size < LIMIT ? (size_t)row->text_size : LIMIT));
    free(raw);
    s->last = row->text;
    s->rows++;
    for (size_t i = 0; i < taken; i++)
        mix(s, text[i]);
    for (const char *c = row->label; *c; c++)
        mix(s, (unsigned char)*c);
    mix(s, (unsigned long long)row->label_at.line);
    mix(s, (unsigned long long)row->label_at.column);
    return STATUS_OK;
}

static enum status read_file(struct seen *s, size_t piece, struct message *m)
{
    struct records *r = records_new(&format, "file", note, s);
    if (!r)
        return STATUS_NO_MEMORY;
    enum status status = STATUS_OK;
    for (size_t at = 0; status == STATUS_OK && at < s->size; at += piece)
        status = records_feed(r, s->file + at, s->size - at < piece ? s->size - at : piece, m);
    if (status == STATUS_OK)
        status = records_end(r, m);
    records_free(r);
    return status;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct message m = {{0}}, again = {{0}};
    if (size < 2)
        return 0;
    struct seen whole = {.file = data + 1, .size = size - 1, .last = -1}, pieces = whole;
    enum status s = read_file(&whole, size, &m);
    promise(s == STATUS_OK || (s == STATUS_BAD_INPUT && strncmp(m.text, "file, line ", 11) == 0));
    promise(read_file(&pieces, data[0] ? data[0] : 1, &again) == s);
    promise(whole.rows == pieces.rows && whole.hash == pieces.hash &&
            strcmp(m.text, again.text) == 0);
    return 0;
}
