/* Which column of a file of rows is the text, and which the label: what every column holds is
 * counted to the end of the file, whose rows may be sorted by their label. */
#include "sweep/ask/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "datasets/corpus.h"
#include "datasets/records.h"
#include "engine/base/number.h"
#include "engine/base/rng.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"

/* What a column that is the label is often called. */
static const char *const usual_labels[] = {"label",     "target", "class",  "category",
                                           "sentiment", "stars",  "rating", NULL};

enum {
    NAME_LONG = 128,    /* bytes: what is longer is rather a text than a name */
    COLUMNS_MAX = 256,  /* that are looked at, besides those that are wanted */
    LABELS_MAX = 1024,  /* different ones; as many as datasets allow */
    SIZES_MAX = 4096,   /* texts whose sizes are kept, drawn from all */
    ROWS_PER_LABEL = 3, /* at least: one to train, validate and test on */
    GAPS = 10,          /* at most one row in so many is without a text, or a label */
    SEEN_SLOTS = 2 * LABELS_MAX
};

static const char EMPTY[] = "is empty";
static const char as_text[] = "ask with --mode lm, which predicts the next byte of any file";

struct column {
    char name[LOOK_NAME_MAX + 1]; /* "": one that no option can hold, */
    const char *fault;            /* ... which is why; else NULL */
    struct place at;              /* of the name */
    bool repeated;                /* another column has the same */
    bool is_value;                /* a row has the name as its value */
    bool whole;                   /* a row has a list or an object there */
    int64_t place;                /* in the header, from 0 */
    int64_t texts, bytes;         /* values that may be a text; how long they are together */
    int64_t labels, kinds;        /* values that may be a label; different ones */
    uint64_t seen[SEEN_SLOTS];    /* their hashes, with linear probing; 0: free */
    int64_t size[SIZES_MAX];      /* of texts */
};

struct columns {
    const struct corpus *file;
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

/* Why the options that name columns cannot hold the name; NULL: they can. */
static const char *name_fault(const char *name)
{
    const unsigned char *p = (const unsigned char *)name, *end = p + strlen(name);
    uint32_t code;
    if (p == end)
        return EMPTY;
    for (int n; p < end; p += n) {
        n = utf8_decode(p, end, &code);
        if (n == 0)
            return "is not UTF-8; save the file as UTF-8";
        if (utf8_is_control(code) || code == 0xfeff)
            return "has a control character; remove it";
    }
    return end - (const unsigned char *)name > LOOK_NAME_MAX
               ? "has more than 256 bytes, so the first row does not seem to name the columns; put "
                 "a row of names before it"
               : NULL;
}

/* NULL: it is not looked at, as there are too many, or there is no memory. */
static struct column *add_column(struct columns *cs, const char *name, struct place at)
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
    c->at = at;
    c->fault = name_fault(name);
    if (!c->fault)
        snprintf(c->name, sizeof c->name, "%s", name);
    for (int i = 0; i < cs->count; i++)
        if (strcmp(cs->item[i]->name, c->name) == 0)
            cs->item[i]->repeated = c->repeated = true;
    cs->item[cs->count++] = c;
    return c;
}

/* Of the header. */
static void add_name(void *context, const char *name, struct place at)
{
    add_column(context, name, at);
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
    return value->name && !name_fault(value->name) ? add_column(cs, value->name, (struct place){0})
                                                   : NULL;
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
    if (!c)
        return;
    c->whole |= value->whole;
    if (value->size == 0)
        return;
    if (value->text) {
        keep_size(c, value->size, &cs->draws);
        c->texts++;
        c->bytes += value->size;
    }
    if (value->size <= RECORDS_LABEL_MAX) {
        c->labels++;
        count_kind(c, value->bytes);
        c->is_value |= strcmp(value->bytes, c->name) == 0;
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

/* quotes: as in records_look. */
static enum status begin_reading(struct columns *cs, bool quotes, struct message *m)
{
    cs->format = (struct records_format){.text_name = "", .label_name = ""};
    enum status s = records_format_of(cs->file->path, cs->separator, &cs->format, m);
    if (s == STATUS_OK)
        s = records_look(cs->file, cs->separator != '\0', quotes, &cs->format, m);
    if (s != STATUS_OK)
        return s;
    cs->reader = records_new(&cs->format, cs->file->path, count_row, cs);
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
    static const char tried[] = {'\0', ';', '\t', ',', '|'};
    int64_t most = 1;
    for (size_t i = 0; i < sizeof tried; i++) {
        struct message no;
        struct columns one = {
            .file = cs->file, .separator = tried[i], .text = cs->text, .label = cs->label};
        enum status s = begin_reading(&one, false, &no);
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
        s = begin_reading(cs, true, m);
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

/* "id, text, label and 2 more" */
static void list_names(const struct columns *cs, char *list, size_t size)
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
}

/* Why the name seems to belong to a row, of a file without a header; NULL: it does not. Names of
 * members are names. */
static const char *unlikely_name(const struct columns *cs, const struct column *c)
{
    double number;
    bool integral;
    if (cs->format.form == RECORDS_JSONL)
        return NULL;
    return c->is_value                                 ? "is a value of its column too"
           : number_parse(c->name, &number, &integral) ? "is a number"
           : strlen(c->name) > NAME_LONG               ? "is as long as a text"
                                                       : NULL;
}

static enum status refuse_name(const struct columns *cs, const struct column *c, const char *why,
                               struct message *m)
{
    char shown[64];
    return records_refuse(cs->file->path, c->at, m,
                          "\"%s\" %s, so the first row does not seem to name the columns. Put a "
                          "row of names before it, as in text%clabel; or if these are the names, "
                          "give them with --text-column and --label-column",
                          text_shown(c->name, shown, sizeof shown), why, cs->format.separator);
}

/* Of names that are missing, or are none. */
static enum status refuse_header(const struct columns *cs, struct message *m)
{
    int named = 0;
    char shown[64];
    const char *why;
    for (int i = 0; i < cs->count; i++) {
        const struct column *c = cs->item[i];
        if (!c->fault && (why = unlikely_name(cs, c)) != NULL)
            return refuse_name(cs, c, why, m);
        if (c->fault && c->at.line && strcmp(c->fault, EMPTY) != 0)
            return records_refuse(cs->file->path, c->at, m, "the name of this column %s; or %s",
                                  c->fault, as_text);
        named += !c->fault;
    }
    if (cs->format.form == RECORDS_JSONL || named > 1)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s: its first row names only one column%s%s, but a text and a label are "
                       "needed; name the columns there, separated by commas, semicolons, tabs or "
                       "|, or %s",
                       cs->file->path, named ? ", " : "",
                       named ? text_shown(cs->item[0]->name, shown, sizeof shown) : "", as_text);
}

/* A member that is an object, as whose members the text and the label may be hidden. */
static const struct column *whole_column(const struct columns *cs)
{
    for (int i = 0; i < cs->count; i++)
        if (cs->item[i]->whole && *cs->item[i]->name)
            return cs->item[i];
    return NULL;
}

/* label: none looks like one; else none like a text. named: the other one was named. */
static enum status refuse(const struct columns *cs, bool label, bool named, struct message *m)
{
    char list[512], shown[64];
    const char *what = label ? "label" : "text";
    const struct column *whole = whole_column(cs);
    if (cs->rows == 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: has no rows with a text and a label; add some, or %s",
                           cs->file->path, as_text);
    enum status s = refuse_header(cs, m);
    if (s != STATUS_OK)
        return s;
    list_names(cs, list, sizeof list);
    if (whole) {
        text_shown(whole->name, shown, sizeof shown);
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: no member looks like a %s; its members are %s. Members of %s, "
                           "which is an object or a list, are not read: move them out (jq -c '. + "
                           ".%s'), or %s",
                           cs->file->path, what, list, shown, shown, as_text);
    }
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s: no column%s looks like a %s, %s; its columns are %s. Name the %s's "
                       "with --%s-column, or %s",
                       cs->file->path, named ? " other than the one that you named" : "", what,
                       label ? "with two or more different values that repeat"
                             : "which nearly every row must have",
                       list, what, what, as_text);
}

/* A column of that name, if there is one, unless it is the other of the two. */
static const char *usual_name(const struct columns *cs, const char *name, const char *other)
{
    return find_column(cs, name) && !(other && strcmp(name, other) == 0) ? name : NULL;
}

/* A column that is called as labels often are, and looks like one. text: as in best_label. */
static const struct column *usual_label(const struct columns *cs, const char *text)
{
    for (const char *const *usual = usual_labels; *usual; usual++)
        for (int i = 0; i < cs->count; i++) {
            const struct column *c = cs->item[i];
            if (strcasecmp(c->name, *usual) == 0 && looks_like_label(cs, c) &&
                !(text && strcmp(c->name, text) == 0))
                return c;
        }
    return NULL;
}

/* The columns that the label could be as well. */
static void list_others(const struct columns *cs, struct look_columns *found)
{
    size_t used = 0, size = sizeof found->others;
    for (int i = 0; i < cs->count; i++) {
        const struct column *c = cs->item[i];
        char shown[40];
        if (looks_like_label(cs, c) && strcmp(c->name, found->text) != 0 &&
            strcmp(c->name, found->label) != 0 && used + sizeof shown + 2 < size)
            used += (size_t)snprintf(found->others + used, size - used, "%s%s", used ? ", " : "",
                                     text_shown(c->name, shown, sizeof shown));
    }
}

/* text and label are given, or NULL. */
static enum status choose(const struct columns *cs, const char *text, const char *label,
                          struct look_columns *found, struct message *m)
{
    const bool named = text || label;
    const struct column *guessed[2] = {NULL, NULL}; /* the text, the label */
    const char *why;
    text = text ? text : usual_name(cs, "text", label);
    label = label ? label : usual_name(cs, "label", text);
    if (!label && (guessed[1] = usual_label(cs, text)) != NULL)
        label = guessed[1]->name;
    if (!text) {
        guessed[0] = best_text(cs, label);
        if (!guessed[0])
            return refuse(cs, !label && !best_label(cs, NULL), named, m);
        text = guessed[0]->name;
    }
    if (!label) {
        guessed[1] = best_label(cs, text);
        if (!guessed[1])
            return refuse(cs, true, named, m);
        label = guessed[1]->name;
    }
    for (int i = 0; i < 2; i++)
        if (guessed[i] && (why = unlikely_name(cs, guessed[i])) != NULL)
            return refuse_name(cs, guessed[i], why, m);
    snprintf(found->text, sizeof found->text, "%s", text);
    snprintf(found->label, sizeof found->label, "%s", label);
    if (guessed[1])
        list_others(cs, found);
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
    return f->separator == '\t'  ? "TSV"
           : f->separator == ';' ? "CSV with semicolons"
           : f->separator == '|' ? "CSV with pipes"
                                 : "CSV";
}

enum status look_columns(const struct corpus *file, char separator, const char *text,
                         const char *label, struct look_columns *found, struct message *m)
{
    struct columns cs = {.file = file,
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
