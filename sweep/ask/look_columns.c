/* Which column of a file of rows is the text, and which the label: what every column holds is
 * counted to the end of the file, whose rows may be sorted by their label. */
#include "sweep/ask/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/corpus.h"
#include "datasets/records.h"
#include "engine/base/rng.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"

enum {
    COLUMNS_MAX = 256,  /* that are looked at, besides those that are wanted */
    LABELS_MAX = 1024,  /* different ones; as many as datasets allow */
    SIZES_MAX = 4096,   /* texts whose sizes are kept, drawn from all */
    ROWS_PER_LABEL = 3, /* at least: one to train, validate and test on */
    GAPS = 10,          /* at most one row in so many is without a text, or a label */
    SEEN_SLOTS = 2 * LABELS_MAX
};

static const char as_text[] = "ask with --mode lm, which predicts the next byte of any file";

struct column {
    char name[LOOK_NAME_MAX + 1]; /* "": one that no option can hold */
    bool repeated;                /* another column has the same */
    int64_t place;                /* in the header, from 0 */
    int64_t texts, bytes;         /* values that may be a text; how long they are together */
    int64_t labels, kinds;        /* values that may be a label; different ones */
    uint64_t seen[SEEN_SLOTS];    /* their hashes, with linear probing; 0: free */
    int64_t size[SIZES_MAX];      /* of texts */
};

struct columns {
    const char *path;
    char separator;           /* as in struct look_columns */
    const char *text, *label; /* the names that are wanted */
    struct records_format format;
    struct records *reader; /* NULL: it has not begun */
    struct rng draws;
    int64_t rows, names; /* names: of all columns */
    int count;
    struct column *item[COLUMNS_MAX + 2];
    bool out_of_memory;
};

/* ---- counting ---- */

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

/* NULL: it is not looked at, as there are too many, or there is no memory. */
static struct column *add_column(struct columns *cs, const char *name)
{
    bool wanted = strcmp(name, cs->text) == 0 || strcmp(name, cs->label) == 0;
    int64_t place = cs->names++;
    if (cs->count >= (wanted ? COLUMNS_MAX + 2 : COLUMNS_MAX))
        return NULL;
    struct column *c = calloc(1, sizeof *c);
    cs->out_of_memory |= !c;
    if (!c)
        return NULL;
    c->place = place;
    if (can_be_given(name))
        snprintf(c->name, sizeof c->name, "%s", name);
    for (int i = 0; i < cs->count; i++)
        if (strcmp(cs->item[i]->name, c->name) == 0)
            cs->item[i]->repeated = c->repeated = true;
    cs->item[cs->count++] = c;
    return c;
}

/* Of the header. */
static void add_name(void *context, const char *name)
{
    add_column(context, name);
}

static bool is_of(const struct records_value *value, const struct column *c)
{
    return value->name ? strcmp(value->name, c->name) == 0 : value->place == c->place;
}

/* Columns stand in the order of the header; members mostly in that of the first object. */
static struct column *column_of(struct columns *cs, const struct records_value *value)
{
    if (value->place < cs->count && is_of(value, cs->item[value->place]))
        return cs->item[value->place];
    for (int i = value->name ? 0 : COLUMNS_MAX; i < cs->count; i++)
        if (is_of(value, cs->item[i]))
            return cs->item[i];
    return value->name && can_be_given(value->name) ? add_column(cs, value->name) : NULL;
}

static void count_kind(struct column *c, const char *label)
{
    uint64_t hash = rng_name(label);
    hash += !hash;
    size_t i = hash % SEEN_SLOTS;
    if (c->kinds > LABELS_MAX)
        return;
    while (c->seen[i] && c->seen[i] != hash)
        i = (i + 1) % SEEN_SLOTS;
    c->kinds += !c->seen[i];
    c->seen[i] = hash;
}

/* Keeps each size with the same chance (Knuth, TAOCP 3.4.2, algorithm R). */
static void keep_size(struct column *c, int64_t size, struct rng *draws)
{
    uint64_t i = (uint64_t)c->texts;
    if (i >= SIZES_MAX)
        i = rng_below_64(draws, i + 1);
    if (i < SIZES_MAX)
        c->size[i] = size;
}

static void count_value(void *context, const struct records_value *value)
{
    struct columns *cs = context;
    struct column *c = column_of(cs, value);
    if (!c || value->size == 0)
        return;
    if (value->text) {
        keep_size(c, value->size, &cs->draws);
        c->texts++;
        c->bytes += value->size;
    }
    if (value->size <= RECORDS_LABEL_MAX) {
        c->labels++;
        count_kind(c, value->bytes);
    }
}

static enum status count_row(void *context, const struct record *row, struct message *m)
{
    struct columns *cs = context;
    (void)row;
    cs->rows++;
    return cs->out_of_memory ? status_no_memory(m, "the columns of a file") : STATUS_OK;
}

static void free_columns(struct columns *cs)
{
    records_free(cs->reader);
    for (int i = 0; i < cs->count; i++)
        free(cs->item[i]);
}

/* ---- reading ---- */

static enum status begin_reading(struct columns *cs, struct message *m)
{
    cs->format = (struct records_format){.text_name = "", .label_name = ""};
    enum status s = records_format_of(cs->path, cs->separator, &cs->format, m);
    if (s != STATUS_OK)
        return s;
    cs->reader = records_new(&cs->format, cs->path, count_row, cs);
    if (!cs->reader)
        return status_no_memory(m, "the rows of a file");
    records_on_name(cs->reader, add_name, cs);
    records_on_value(cs->reader, count_value);
    return STATUS_OK;
}

/* That by which the first row has most names, two at least: else the one of the file's ending. */
static enum status find_separator(struct columns *cs, const unsigned char *bytes, size_t n,
                                  struct message *m)
{
    static const char tried[] = {'\0', ';', '\t', ','};
    int64_t most = 1;
    for (size_t i = 0; i < sizeof tried; i++) {
        struct message no;
        struct columns one = {
            .path = cs->path, .separator = tried[i], .text = cs->text, .label = cs->label};
        enum status s = begin_reading(&one, &no);
        if (s == STATUS_OK)
            s = records_feed(one.reader, bytes, n, &no);
        if (one.names > most) {
            most = one.names;
            cs->separator = tried[i];
        }
        free_columns(&one);
        if (s == STATUS_NO_MEMORY)
            return status_fail(m, s, "%s", no.text);
    }
    return STATUS_OK;
}

/* The first piece of the file tells the separator. */
static enum status take_piece(void *context, const unsigned char *bytes, size_t n,
                              struct message *m)
{
    struct columns *cs = context;
    enum status s = STATUS_OK;
    if (!cs->reader && !cs->separator)
        s = find_separator(cs, bytes, n, m);
    if (!cs->reader && s == STATUS_OK)
        s = begin_reading(cs, m);
    return s == STATUS_OK ? records_feed(cs->reader, bytes, n, m) : s;
}

/* A file in which not even the first row can be read may be none of rows. */
static enum status read_columns(const struct corpus *file, struct columns *cs, struct message *m)
{
    char sha256[65];
    enum status s = corpus_scan(file, take_piece, cs, sha256, m);
    if (s == STATUS_OK)
        s = records_end(cs->reader, m);
    if (s == STATUS_OK && cs->out_of_memory)
        s = status_no_memory(m, "the columns of a file");
    if (s != STATUS_BAD_INPUT || cs->rows > 0)
        return s;
    const struct message why = *m;
    return status_fail(m, s, "%s; or %s", why.text, as_text);
}

/* ---- choosing ---- */

static struct column *find_column(const struct columns *cs, const char *name)
{
    for (int i = 0; i < cs->count; i++)
        if (strcmp(cs->item[i]->name, name) == 0)
            return cs->item[i];
    return NULL;
}

static bool can_be_named(const struct column *c)
{
    return *c->name && !c->repeated;
}

/* All but a few: where those are, the reader of the rows says, which refuses them. */
static bool has_few_gaps(const struct columns *cs, int64_t values)
{
    return values > 0 && GAPS * (cs->rows - values) <= cs->rows;
}

/* A label comes back; what is as long as a text is none. */
static bool looks_like_label(const struct columns *cs, const struct column *c)
{
    return can_be_named(c) && has_few_gaps(cs, c->labels) && c->kinds >= 2 &&
           c->kinds <= LABELS_MAX && c->labels >= ROWS_PER_LABEL * c->kinds;
}

/* The one with the fewest different values, of those without gaps if there are any. text: the
 * column that it cannot be, or NULL. */
static const struct column *best_label(const struct columns *cs, const char *text)
{
    const struct column *best = NULL;
    for (int i = 0; i < cs->count; i++) {
        const struct column *c = cs->item[i];
        if (!looks_like_label(cs, c) || (text && strcmp(c->name, text) == 0))
            continue;
        bool whole = c->labels == cs->rows, other = best && best->labels == cs->rows;
        if (!best || (whole && !other) || (whole == other && c->kinds < best->kinds))
            best = c;
    }
    return best;
}

/* How much speaks for a column as the text. A row without a text is refused, so that of two which
 * are about as long the one without gaps is taken; but no number of the row for a text that one row
 * lacks. */
static int64_t text_weight(const struct columns *cs, const struct column *c)
{
    return c->texts == cs->rows ? 3 * c->bytes : 2 * c->bytes;
}

/* The one with the longest values (text_weight); of two that are as long, the one that leaves the
 * better label. label: the column that it cannot be; NULL: it leaves one. */
static const struct column *best_text(const struct columns *cs, const char *label)
{
    const struct column *best = NULL;
    int64_t kinds = 0;
    for (int i = 0; i < cs->count; i++) {
        const struct column *c = cs->item[i], *left = label ? NULL : best_label(cs, c->name);
        bool taken = label ? strcmp(c->name, label) == 0 : !left;
        if (taken || !can_be_named(c) || !has_few_gaps(cs, c->texts))
            continue;
        int64_t weight = text_weight(cs, c), other = best ? text_weight(cs, best) : -1;
        if (weight < other || (weight == other && (!left || left->kinds >= kinds)))
            continue;
        best = c;
        kinds = left ? left->kinds : 0;
    }
    return best;
}

/* "id, text, label and 2 more"; returns how many have a name. */
static int list_names(const struct columns *cs, char *list, size_t size)
{
    int all = 0, listed = 0;
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < cs->count; i++) {
        char shown[40];
        all += *cs->item[i]->name != '\0';
        if (all == listed || used + 128 > size)
            continue;
        used += (size_t)snprintf(list + used, size - used, "%s%s", listed++ ? ", " : "",
                                 text_shown(cs->item[i]->name, shown, sizeof shown));
    }
    if (all > listed)
        used += (size_t)snprintf(list + used, size - used, " and %d more", all - listed);
    if (cs->names > cs->count)
        snprintf(list + used, size - used, " (only the first %d were looked at)", COLUMNS_MAX);
    return all;
}

/* label: none looks like one; else none like a text. named: the other one was named. */
static enum status refuse(const struct columns *cs, bool label, bool named, struct message *m)
{
    char list[512];
    const char *what = label ? "label" : "text";
    if (cs->rows == 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: has no rows with a text and a label; add some, or %s", cs->path,
                           as_text);
    if (list_names(cs, list, sizeof list) < 2)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: does not name its columns, one for the text and one for the label; "
                           "name them in the first row, or %s",
                           cs->path, as_text);
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s: no column%s looks like a %s, %s; its columns are %s. Name the %s's "
                       "with --%s-column, or %s",
                       cs->path, named ? " other than the one that you named" : "", what,
                       label ? "with two or more different values that repeat"
                             : "which nearly every row must have",
                       list, what, what, as_text);
}

/* A column of that name, if there is one, unless it is the other of the two. */
static const char *usual_name(const struct columns *cs, const char *name, const char *other)
{
    return find_column(cs, name) && !(other && strcmp(name, other) == 0) ? name : NULL;
}

/* text and label are given, or NULL. */
static enum status choose(const struct columns *cs, const char *text, const char *label,
                          struct look_columns *found, struct message *m)
{
    const bool named = text || label;
    const struct column *best;
    text = text ? text : usual_name(cs, "text", label);
    label = label ? label : usual_name(cs, "label", text);
    if (!text) {
        best = best_text(cs, label);
        if (!best)
            return refuse(cs, !label && !best_label(cs, NULL), named, m);
        text = best->name;
    }
    if (!label) {
        best = best_label(cs, text);
        if (!best)
            return refuse(cs, true, named, m);
        label = best->name;
    }
    snprintf(found->text, sizeof found->text, "%s", text);
    snprintf(found->label, sizeof found->label, "%s", label);
    return STATUS_OK;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t typical_size(struct column *c)
{
    int64_t n = c->texts < SIZES_MAX ? c->texts : SIZES_MAX;
    if (n == 0)
        return 0;
    qsort(c->size, (size_t)n, sizeof *c->size, by_size);
    return c->size[(n * 9 - 1) / 10];
}

static const char *form_name(const struct records_format *f)
{
    if (f->form == RECORDS_JSONL)
        return "JSON Lines";
    return f->separator == '\t' ? "TSV" : f->separator == ';' ? "CSV with semicolons" : "CSV";
}

enum status look_columns(const struct corpus *file, char separator, const char *text,
                         const char *label, struct look_columns *found, struct message *m)
{
    struct columns cs = {.path = file->path,
                         .separator = separator,
                         .text = text ? text : "text",
                         .label = label ? label : "label",
                         .draws = rng_at(0, RNG_SAMPLER, 0, 0)};
    *found = (struct look_columns){0};
    enum status s = read_columns(file, &cs, m);
    if (s == STATUS_OK)
        s = choose(&cs, text, label, found, m);
    if (s == STATUS_OK) {
        struct column *c = find_column(&cs, found->text);
        found->typical = c ? typical_size(c) : 0;
        found->separator = cs.separator;
        found->form = form_name(&cs.format);
    }
    free_columns(&cs);
    return s;
}
