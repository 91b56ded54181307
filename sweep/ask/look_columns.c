/* Which column of a file of rows is the text, and which the label: every pair of them is tried with
 * the reader of rows, which says what each would be. */
#include "sweep/ask/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/records.h"
#include "engine/base/rng.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"

enum {
    COLUMNS_MAX = 16,  /* that are looked at */
    LABELS_MAX = 1024, /* different ones; as many as datasets allow */
    SIZES_MAX = 4096,  /* rows whose texts are measured */
    ROWS_PER_LABEL = 3 /* at least: one to train, validate and test on */
};

/* No column is called that: a reader that is asked for it tells all names. */
static const char NOBODY[] = "\001", NOTHING[] = "\002";

struct names {
    int count;
    char item[COLUMNS_MAX][LOOK_NAME_MAX + 1];
};

/* Whether the options that name columns can hold the name. */
static bool can_be_given(const char *name)
{
    const unsigned char *p = (const unsigned char *)name, *end = p + strlen(name);
    uint32_t code;
    if (p == end || end - p > LOOK_NAME_MAX)
        return false;
    for (int n; p < end; p += n) {
        n = utf8_decode(p, end, &code);
        if (n == 0 || utf8_is_control(code))
            return false;
    }
    return true;
}

static void add_name(void *context, const char *name)
{
    struct names *n = context;
    if (n->count < COLUMNS_MAX && can_be_given(name))
        snprintf(n->item[n->count++], sizeof n->item[0], "%s", name);
}

/* What a pair of columns comes to. */
struct tried {
    int64_t rows, bytes, labels, sizes;
    uint64_t label[LABELS_MAX];
    int64_t size[SIZES_MAX];
};

static enum status count_row(void *context, const struct record *row, struct message *m)
{
    struct tried *t = context;
    uint64_t hash = rng_name(row->label);
    int64_t i = 0;
    (void)m;
    t->rows++;
    t->bytes += row->text_size;
    if (t->sizes < SIZES_MAX)
        t->size[t->sizes++] = row->text_size;
    while (i < t->labels && t->label[i] != hash)
        i++;
    if (i == t->labels && i < LABELS_MAX)
        t->label[t->labels++] = hash;
    return STATUS_OK;
}

/* Reads as many rows as there are in the head; the last one may be cut off. names: of the columns;
 * NULL: they are known. */
static enum status try_pair(const struct records_format *f, const char *path, const void *head,
                            size_t n, struct names *names, struct tried *t, struct message *m)
{
    struct message bad;
    struct records *r = records_new(f, path, count_row, t);
    if (!r)
        return status_no_memory(m, "the rows of a file");
    if (names)
        records_on_name(r, add_name, names);
    t->rows = t->bytes = t->labels = t->sizes = 0;
    enum status s = records_feed(r, head, n, &bad);
    if (s == STATUS_OK && t->rows == 0) /* all of it is one row, without an end */
        s = records_end(r, &bad);
    records_free(r);
    return s == STATUS_NO_MEMORY ? status_fail(m, s, "%s", bad.text) : STATUS_OK;
}

static enum status read_names(const char *path, const void *head, size_t n, char separator,
                              struct names *names, struct message *m)
{
    struct records_format f = {.text_name = NOBODY, .label_name = NOTHING};
    struct tried *unused = malloc(sizeof *unused);
    names->count = 0;
    if (!unused)
        return status_no_memory(m, "the columns of a file");
    enum status s = records_format_of(path, separator, &f, m);
    if (s == STATUS_OK)
        s = try_pair(&f, path, head, n, names, unused, m);
    free(unused);
    return s;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t typical_size(struct tried *t)
{
    if (t->sizes == 0)
        return 0;
    qsort(t->size, (size_t)t->sizes, sizeof *t->size, by_size);
    return t->size[(t->sizes * 9 - 1) / 10];
}

/* A label comes back; what is as long as a text is none. */
static bool looks_like_label(const struct tried *t)
{
    return t->labels >= 2 && t->labels < LABELS_MAX && t->rows >= ROWS_PER_LABEL * t->labels;
}

static bool is_called(const char *name, const char *given, const char *usual)
{
    return given ? strcmp(name, given) == 0 : strcmp(name, usual) == 0;
}

struct choosing {
    const struct names *names;
    const char *text, *label; /* given; or NULL */
    int best_text, best_label;
    double best_length;
    int64_t best_labels, typical;
    bool usual; /* the best are called `text` and `label`, or as it was given */
};

static void weigh(struct choosing *c, int text, int label, struct tried *t)
{
    bool usual = is_called(c->names->item[text], c->text, "text") &&
                 is_called(c->names->item[label], c->label, "label");
    double length = t->rows ? (double)t->bytes / (double)t->rows : 0;
    bool longer = length > c->best_length;
    bool fewer = length == c->best_length && t->labels < c->best_labels;
    if (c->usual || (!usual && (!looks_like_label(t) || (!longer && !fewer))))
        return;
    c->best_text = text;
    c->best_label = label;
    c->best_length = length;
    c->best_labels = t->labels;
    c->typical = typical_size(t);
    c->usual = usual;
}

static bool may_be(const char *name, const char *given)
{
    return !given || strcmp(name, given) == 0;
}

static enum status choose(const char *path, const void *head, size_t n, char separator,
                          struct choosing *c, struct message *m)
{
    struct tried *t = malloc(sizeof *t);
    enum status s = STATUS_OK;
    if (!t)
        return status_no_memory(m, "the rows of a file");
    for (int i = 0; i < c->names->count && s == STATUS_OK; i++)
        for (int k = 0; k < c->names->count && s == STATUS_OK; k++) {
            struct records_format f = {.text_name = c->names->item[i],
                                       .label_name = c->names->item[k]};
            if (i == k || strcmp(f.text_name, f.label_name) == 0 || !may_be(f.text_name, c->text) ||
                !may_be(f.label_name, c->label))
                continue;
            s = records_format_of(path, separator, &f, m);
            if (s == STATUS_OK)
                s = try_pair(&f, path, head, n, NULL, t, m);
            if (s == STATUS_OK)
                weigh(c, i, k, t);
        }
    free(t);
    return s;
}

/* "id, text, label" */
static const char *list_names(const struct names *names, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < names->count && used + 48 < size; i++) {
        char shown[40];
        used += (size_t)snprintf(list + used, size - used, "%s%s", i ? ", " : "",
                                 text_shown(names->item[i], shown, sizeof shown));
    }
    return list;
}

static enum status refuse(const char *path, const struct names *names, const char *text,
                          const char *label, struct message *m)
{
    char list[512];
    bool one = text || label;
    if (names->count < 2)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: has no row of names, with one for the text and one for the label; "
                           "add it, or ask with --mode lm, which predicts the next byte of any "
                           "file",
                           path);
    return status_fail(
        m, STATUS_BAD_INPUT,
        "%s: no column%s looks like a label, with two different values or more that come back; its "
        "columns are %s. Name %s, or ask with --mode lm, which predicts the next byte of any file",
        path, one ? " beside the one that you named" : "", list_names(names, list, sizeof list),
        one ? "both, with --text-column and --label-column"
            : "the label's with --label-column, and the text's with --text-column");
}

/* The separator by which the first line has most names; '\0' is that of the file's ending. */
static enum status find_separator(const char *path, const void *head, size_t n, char *separator,
                                  struct names *names, struct message *m)
{
    static const char tried[] = {'\0', ';', '\t', ','};
    struct names *other = malloc(sizeof *other);
    char given = *separator;
    enum status s = STATUS_OK;
    names->count = 0;
    if (!other)
        return status_no_memory(m, "the columns of a file");
    for (size_t i = 0; i < sizeof tried && s == STATUS_OK; i++) {
        struct message no;
        if (given && tried[i] != given)
            continue;
        s = read_names(path, head, n, tried[i], other, &no);
        if (s == STATUS_OK && other->count > names->count) {
            *names = *other;
            *separator = tried[i];
        }
        if (s == STATUS_BAD_INPUT)
            s = STATUS_OK; /* JSON has no separator; a text's ending says none */
        if (s != STATUS_OK)
            status_fail(m, s, "%s", no.text);
    }
    free(other);
    return s;
}

enum status look_columns(const char *path, const void *head, size_t n, char separator,
                         const char *text, const char *label, struct look_columns *c,
                         struct message *m)
{
    struct names *names = malloc(sizeof *names);
    struct choosing choice = {.names = names, .text = text, .label = label, .best_text = -1};
    *c = (struct look_columns){.separator = separator};
    if (!names)
        return status_no_memory(m, "the columns of a file");
    enum status s = find_separator(path, head, n, &c->separator, names, m);
    if (s == STATUS_OK)
        s = choose(path, head, n, c->separator, &choice, m);
    if (s == STATUS_OK && choice.best_text < 0)
        s = refuse(path, names, text, label, m);
    if (s == STATUS_OK) {
        snprintf(c->text, sizeof c->text, "%s", names->item[choice.best_text]);
        snprintf(c->label, sizeof c->label, "%s", names->item[choice.best_label]);
        c->typical = choice.typical;
    }
    free(names);
    return s;
}
