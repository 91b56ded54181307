/* Mode classify of the task `text`: which label a row has. What stays in memory of a row is where
 * its text stands, and its label: 8 bytes.
 *
 * A text may stand in several rows. All of these are in the training part, so that nothing is
 * tested on that was trained on; validation and test rows are drawn among the rows whose text
 * stands once. Texts are told apart by 54 bits of their hash: where two share them, by a chance of
 * one in 36,000 among a million texts, both are only trained on. */
#include "datasets/task_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/records.h"
#include "engine/base/arena.h"
#include "engine/base/array.h"
#include "engine/base/json_write.h"
#include "engine/base/number.h"
#include "engine/base/text.h"

enum {
    MAX_LABELS = 1024,
    SLOTS = 4 * MAX_LABELS,
    LABEL_BITS = 16,    /* of a row in the index; the others are its text's offset */
    REPEATED = 1 << 15, /* one of them: its text stands in another row too */
    KEY_BITS = 10,      /* the label, in a key; the others are its text's hash */
    LEAST_ROWS = 3,     /* of a label: one to train, validate and test on */
    LEAST_SINGLE = 2,   /* of them: texts that stand once */
    SMALL_ROWS = 512    /* of a file whose instances may draw the same split */
};

static const double SMALL_BITS = 40; /* of the number of its splits: beyond, none is met twice */
_Static_assert(MAX_LABELS <= 1 << KEY_BITS && MAX_LABELS <= REPEATED, "a label has its bits");

struct label {
    char name[RECORDS_LABEL_MAX + 1];
    int64_t rows, single; /* single: their text stands in no other row */
    struct place first;
};

/* The labels of a file in the order of their first rows. */
struct labels {
    int count;
    struct label item[MAX_LABELS];
    uint16_t slot[SLOTS]; /* index + 1 by hash of the name, with linear probing; 0: free */
};

struct text_rows {
    struct records_format format;
    struct labels labels;
    int32_t class_of[MAX_LABELS]; /* by index */
    const char *name[MAX_LABELS]; /* by class */
    int64_t count;                /* rows found so far */
    uint64_t *row;                /* (rows): training, validation, test part, each in the order
                                     of the file */
    uint64_t *aside;              /* (2 test_rows): for the split */
    uint64_t *key;       /* (2 rows) while it is opened, if texts are repeated; else NULL */
    unsigned char *text; /* (length + 4) */
};

/* The index of a name, or -1; *slot is where it stands or would stand. */
static int label_find(const struct labels *l, const char *name, size_t *slot)
{
    for (*slot = rng_name(name) % SLOTS; l->slot[*slot]; *slot = (*slot + 1) % SLOTS)
        if (strcmp(l->item[l->slot[*slot] - 1].name, name) == 0)
            return l->slot[*slot] - 1;
    return -1;
}

/* The index of the row's label, which is added if it is new; -1 where there are too many. */
static int label_count(struct labels *l, const struct record *row)
{
    size_t slot;
    int i = label_find(l, row->label, &slot);
    if (i < 0 && l->count < MAX_LABELS) {
        i = l->count++;
        l->slot[slot] = (uint16_t)(i + 1);
        memcpy(l->item[i].name, row->label, strlen(row->label) + 1);
        l->item[i].first = row->label_at;
    }
    if (i >= 0)
        l->item[i].rows++;
    return i;
}

static int by_name(const void *a, const void *b)
{
    const struct label *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Classes are the labels in the order of their bytes. */
static void labels_sort(const struct labels *l, const struct label *sorted[MAX_LABELS])
{
    for (int i = 0; i < l->count; i++)
        sorted[i] = &l->item[i];
    if (l->count > 0)
        qsort(sorted, (size_t)l->count, sizeof *sorted, by_name);
}

/* Of a label's rows whose text stands once: those of the test part, and as many of the validation
 * part. */
static int64_t test_rows_of(int64_t single)
{
    int64_t tenth = (single + 5) / 10;
    return tenth > 1 ? tenth : 1;
}

/* ---- texts that stand in several rows ---- */

static uint64_t key_of(const struct record *row, int label)
{
    return row->text_hash >> KEY_BITS << KEY_BITS | (uint64_t)label;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the keys of n rows, counts each label's texts that stand once, and leaves the hashes of the
 * others, in their order, one of each: *hashes of them. Returns how many rows they stand in. */
static int64_t find_repeated(struct labels *l, uint64_t *key, int64_t n, int64_t *hashes)
{
    int64_t repeated = 0;
    *hashes = 0;
    if (n > 0)
        qsort(key, (size_t)n, sizeof *key, by_number);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && key[end] >> KEY_BITS == key[i] >> KEY_BITS;)
            end++;
        if (end == i + 1) {
            l->item[key[i] & (MAX_LABELS - 1)].single++;
        } else {
            repeated += end - i;
            key[(*hashes)++] = key[i] >> KEY_BITS;
        }
    }
    return repeated;
}

static const char separators[] = {[TEXT_BY_NAME] = '\0',
                                  [TEXT_COMMA] = ',',
                                  [TEXT_SEMICOLON] = ';',
                                  [TEXT_TAB] = '\t',
                                  [TEXT_PIPE] = '|'};

static enum status format_of(const struct text_options *o, const struct corpus *c,
                             struct records_format *f, struct message *m)
{
    char shown[64];
    f->text_name = o->text_column;
    f->label_name = o->label_column;
    if (strcmp(f->text_name, f->label_name) == 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: task.text_column and task.label_column are both %s; the label must "
                           "be another column than the text",
                           c->path, text_shown(f->text_name, shown, sizeof shown));
    enum status s = records_format_of(o->file, separators[o->separator], f, m);
    return s == STATUS_OK ? records_look(c, o->separator != TEXT_BY_NAME, true, f, m) : s;
}

/* ---- the split ---- */

/* Of each label, draws which of the rows whose text stands once are for validation and which for
 * the test, one row after the other (Knuth, TAOCP 3.4.2, algorithm S): all choices are equally
 * likely, and the counts exact. */
struct split {
    int64_t left[MAX_LABELS], need[MAX_LABELS][TASK_PARTS];
    struct rng draws;
};

/* left has how many rows each of n labels has. */
static void split_begin(struct split *s, int n, int64_t instance)
{
    for (int i = 0; i < n; i++)
        s->need[i][TASK_VAL] = s->need[i][TASK_TEST] = test_rows_of(s->left[i]);
    s->draws = rng_at((uint32_t)instance, RNG_INSTANCE, 0, 0);
}

static enum task_part split_next(struct split *s, size_t label)
{
    int64_t x = (int64_t)rng_below(&s->draws, (uint32_t)s->left[label]--);
    int64_t *need = s->need[label];
    enum task_part part = x < need[TASK_TEST]                    ? TASK_TEST
                          : x < need[TASK_TEST] + need[TASK_VAL] ? TASK_VAL
                                                                 : TASK_TRAIN;
    if (part != TASK_TRAIN)
        need[part]--;
    return part;
}

/* How many splits there are, as a logarithm. */
static double split_bits(const struct labels *l)
{
    double bits = 0;
    for (int i = 0; i < l->count; i++) {
        double n = (double)l->item[i].single, held = (double)test_rows_of(l->item[i].single);
        bits += (lgamma(n + 1) - 2 * lgamma(held + 1) - lgamma(n - 2 * held + 1)) / log(2);
    }
    return bits;
}

/* What an instance draws has no name but a number that is as good as its own. */
static void resolve_instance(struct text_options *o, const char *rows)
{
    struct split s = {.left = {0}};
    const uint64_t prime = 0x100000001b3; /* as FNV-1a */
    uint64_t drawn = 0;
    char *end;
    for (const char *c = rows; *c >= '0' && *c <= '9'; c = end + (*end == ','))
        s.left[strtol(c, &end, 10) % MAX_LABELS]++;
    split_begin(&s, MAX_LABELS, o->instance);
    for (const char *c = rows; *c >= '0' && *c <= '9'; c = end + (*end == ','))
        drawn = (drawn ^ split_next(&s, (size_t)strtol(c, &end, 10) % MAX_LABELS)) * prime + 1;
    o->instance = (int64_t)(drawn >> 11);
}

/* A separator is known where the file is. */
static void resolve(struct text_options *o, const char *facts)
{
    static const char split_rows[] =
        "\"split_rows\":["; /* within a string its quotes are escaped */
    struct records_format f;
    const char *rows = facts ? strstr(facts, split_rows) : NULL;
    if (o->file[0] && records_format_of(o->file, separators[o->separator], &f, NULL) == STATUS_OK) {
        o->separator = TEXT_BY_NAME;
        for (int i = TEXT_COMMA; i <= TEXT_PIPE && f.form == RECORDS_CSV; i++)
            if (f.separator == separators[i])
                o->separator = i;
    }
    if (rows)
        resolve_instance(o, rows + strlen(split_rows));
}

/* Shows every row of the file to visit. */
static enum status scan(const struct corpus *c, const struct records_format *format,
                        records_visit visit, void *context, char sha256[65], struct message *m)
{
    struct records *rows = records_new(format, c->path, visit, context);
    if (!rows)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory to read it", c->path);
    enum status s = corpus_scan(c, records_feed, rows, sha256, m);
    if (s == STATUS_OK)
        s = records_end(rows, m);
    records_free(rows);
    return s;
}

/* ---- survey ---- */

struct counting {
    const char *path;
    int64_t length, rows, cut, repeated;
    uint64_t *key;              /* (rows), array_grow's */
    uint64_t first[SMALL_ROWS]; /* of the keys, which stay in the order of the file */
    struct labels labels;
};

/* So many different numbers are no names of classes. */
static bool labels_are_numbers(const struct labels *l)
{
    enum { CLASSES = 20 };
    double number;
    bool integral, all = l->count > CLASSES;
    for (int i = 0; all && i < l->count; i++)
        all = number_parse(l->item[i].name, &number, &integral);
    return all;
}

static enum status refuse_numbers(const struct counting *c, struct message *m)
{
    return records_refuse(c->path, c->labels.item[0].first, m,
                          "the labels are numbers, at least %d different ones, but a label is one "
                          "of a few classes: put the numbers into classes (low, high), or name "
                          "another column with task.label_column",
                          c->labels.count);
}

static enum status count_row(void *context, const struct record *row, struct message *m)
{
    struct counting *c = context;
    int label = label_count(&c->labels, row);
    uint64_t *key = array_grow(c->key, (size_t)c->rows, sizeof *key);
    if (!key)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for its rows", c->path);
    c->key = key;
    if (label < 0 && labels_are_numbers(&c->labels))
        return refuse_numbers(c, m);
    if (label < 0)
        return records_refuse(c->path, row->label_at, m,
                              "this is the %dth different label, and at most %d are allowed; name "
                              "the column of the labels with task.label_column",
                              MAX_LABELS + 1, MAX_LABELS);
    key[c->rows] = key_of(row, label);
    if (c->rows < SMALL_ROWS)
        c->first[c->rows] = key[c->rows];
    if (++c->rows > UINT32_MAX)
        return records_refuse(c->path, row->label_at, m, "a file may have up to %" PRIu32 " rows",
                              UINT32_MAX);
    c->cut += row->text_size > c->length;
    return STATUS_OK;
}

static enum status check_labels(const struct counting *c, struct message *m)
{
    char shown[64];
    const struct label *first = c->labels.item;
    if (c->labels.count == 0)
        return status_fail(m, STATUS_BAD_INPUT, "%s: has no rows", c->path);
    if (c->labels.count == 1)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: all rows have the label \"%s\"; there is nothing to tell apart",
                           c->path, text_shown(first->name, shown, sizeof shown));
    for (const struct label *l = first; l < first + c->labels.count; l++)
        if (l->rows < LEAST_ROWS && labels_are_numbers(&c->labels))
            return refuse_numbers(c, m);
        else if (l->rows < LEAST_ROWS)
            return records_refuse(c->path, l->first, m,
                                  "only %" PRId64
                                  " row%s the label \"%s\"; it takes %d or more, to "
                                  "train, validate and test on: add some, or leave the label out",
                                  l->rows, l->rows == 1 ? " has" : "s have",
                                  text_shown(l->name, shown, sizeof shown), LEAST_ROWS);
    for (const struct label *l = first; l < first + c->labels.count; l++)
        if (l->single < LEAST_SINGLE)
            return records_refuse(c->path, l->first, m,
                                  "of the %" PRId64 " rows with the label \"%s\", %" PRId64
                                  " %s a text that no other row has; %d or more are needed, to "
                                  "validate and test on: remove repeated rows from the file",
                                  l->rows, text_shown(l->name, shown, sizeof shown), l->single,
                                  l->single == 1 ? "has" : "have", LEAST_SINGLE);
    return STATUS_OK;
}

/* What a person takes two labels for: without white space, in small letters. */
static void label_seen(const char *name, char seen[RECORDS_LABEL_MAX + 1])
{
    size_t used = 0;
    char visible[RECORDS_LABEL_MAX + 8];
    for (const char *p = text_visible(name, visible, sizeof visible); *p; p++)
        if (*p != ' ')
            seen[used++] = (char)tolower((unsigned char)*p);
    seen[used] = '\0';
}

static int compare_seen(const struct label *a, const struct label *b)
{
    char seen[2][RECORDS_LABEL_MAX + 1];
    label_seen(a->name, seen[0]);
    label_seen(b->name, seen[1]);
    return strcmp(seen[0], seen[1]);
}

static int by_seen(const void *a, const void *b)
{
    const struct label *const *x = a, *const *y = b;
    int order = compare_seen(*x, *y);
    return order ? order : by_name(a, b);
}

/* Two labels that may be meant as one. */
static void add_warning(const struct labels *l, struct json_writer *w)
{
    const struct label *sorted[MAX_LABELS];
    char shown[2][64], warning[512];
    labels_sort(l, sorted);
    qsort(sorted, (size_t)l->count, sizeof *sorted, by_seen);
    for (int i = 1; i < l->count; i++) {
        if (compare_seen(sorted[i - 1], sorted[i]) != 0)
            continue;
        snprintf(warning, sizeof warning,
                 "the labels \"%s\" and \"%s\" differ only in white space or in capitals, but "
                 "count as two",
                 text_shown(sorted[i - 1]->name, shown[0], sizeof shown[0]),
                 text_shown(sorted[i]->name, shown[1], sizeof shown[1]));
        json_add_text(w, "warning", warning);
        return;
    }
}

/* The classes of the rows whose text stands once. hashes: of the repeated texts, at the start of
 * c->key. */
static void add_split_rows(const struct counting *c, const struct label *const *sorted,
                           int64_t hashes, struct json_writer *w)
{
    int class_of[MAX_LABELS];
    if (c->rows > SMALL_ROWS || split_bits(&c->labels) > SMALL_BITS)
        return;
    for (int k = 0; k < c->labels.count; k++)
        class_of[sorted[k] - c->labels.item] = k;
    json_begin_list(w, "split_rows");
    for (int64_t i = 0; i < c->rows; i++) {
        uint64_t hash = c->first[i] >> KEY_BITS;
        if (!bsearch(&hash, c->key, (size_t)hashes, sizeof hash, by_number))
            json_add_integer(w, NULL, class_of[c->first[i] & (MAX_LABELS - 1)]);
    }
    json_end_list(w);
}

static void add_facts(const struct counting *c, int64_t hashes, struct text_buffer *facts)
{
    const struct label *sorted[MAX_LABELS];
    labels_sort(&c->labels, sorted);
    struct json_writer w = {.text = facts, .further = true};
    json_add_integer(&w, "cut", c->cut);
    json_begin_list(&w, "labels");
    for (int k = 0; k < c->labels.count; k++)
        json_add_text(&w, NULL, sorted[k]->name);
    json_end_list(&w);
    json_begin_list(&w, "label_rows");
    for (int k = 0; k < c->labels.count; k++)
        json_add_integer(&w, NULL, sorted[k]->rows);
    json_end_list(&w);
    add_warning(&c->labels, &w);
    add_split_rows(c, sorted, hashes, &w);
}

static void fill_derived(const struct counting *c, struct text_options *o)
{
    int64_t most = 0;
    double entropy = 0;
    o->classes = c->labels.count;
    int64_t single = c->rows - c->repeated;
    o->rows = c->rows;
    o->repeated = c->repeated;
    o->test_rows = 0;
    for (int i = 0; i < c->labels.count; i++) {
        const struct label *l = &c->labels.item[i];
        o->test_rows += test_rows_of(l->single);
        most = l->single > most ? l->single : most;
        entropy += text_entropy_of(l->single, single);
    }
    o->majority = (double)most / (double)single;
    o->entropy = text_entropy(entropy);
}

static enum status survey(const struct corpus *c, struct text_options *o, struct text_buffer *facts,
                          struct message *m)
{
    struct records_format format;
    enum status s = format_of(o, c, &format, m);
    if (s != STATUS_OK)
        return s;
    struct counting *counting = calloc(1, sizeof *counting);
    if (!counting)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory to read it", c->path);
    counting->path = c->path;
    counting->length = o->length;
    s = scan(c, &format, count_row, counting, o->sha256, m);
    int64_t hashes = 0;
    if (s == STATUS_OK)
        counting->repeated =
            find_repeated(&counting->labels, counting->key, counting->rows, &hashes);
    if (s == STATUS_OK)
        s = check_labels(counting, m);
    if (s == STATUS_OK) {
        fill_derived(counting, o);
        add_facts(counting, hashes, facts);
    }
    free(counting->key);
    free(counting);
    return s;
}

static int64_t examples(const struct text_options *o, enum task_part part)
{
    return part == TASK_TRAIN ? o->rows - 2 * o->test_rows : o->test_rows;
}

static enum status shape(const struct text_options *o, struct task_shape *s, struct message *m)
{
    if (o->classes < 2 || o->classes > MAX_LABELS || o->test_rows < o->classes ||
        o->rows - 2 * o->test_rows < o->classes || o->rows - 2 * o->test_rows < o->repeated)
        return status_fail(m, STATUS_BAD_INPUT,
                           "no file has task.rows %" PRId64 ", task.test_rows %" PRId64
                           " and task.classes %" PRId64,
                           o->rows, o->test_rows, o->classes);
    s->per_sequence = true;
    s->padded = true;
    s->repeated = o->repeated;
    s->memory = (double)(o->rows + 2 * o->test_rows) * sizeof(uint64_t) + sizeof(struct text_rows);
    if (o->repeated)
        s->memory += 2 * (double)o->rows * sizeof(uint64_t);
    return STATUS_OK;
}

/* ---- open ---- */

static void reserve(struct arena *a, struct task_source *s)
{
    size_t length = (size_t)s->options->length;
    s->piece = arena_alloc(a, RECORDS_RAW(length), 1);
    s->rows = arena_alloc(a, 1, sizeof *s->rows);
    s->rows->text = arena_alloc(a, length + 4, 1);
    s->rows->row = arena_alloc(a, (size_t)s->options->rows, sizeof *s->rows->row);
    s->rows->aside = arena_alloc(a, (size_t)(2 * s->options->test_rows), sizeof *s->rows->aside);
}

static enum status refuse_other(const struct task_source *s, struct message *m)
{
    return status_fail(m, STATUS_CORRUPT, "%s: its rows are not those that were first read",
                       s->corpus.path);
}

static enum status index_row(void *context, const struct record *row, struct message *m)
{
    struct task_source *s = context;
    struct text_rows *r = s->rows;
    int label = label_count(&r->labels, row);
    if (label < 0 || r->count == s->options->rows)
        return refuse_other(s, m);
    if (r->key)
        r->key[r->count] = key_of(row, label);
    r->row[r->count++] = (uint64_t)row->text << LABEL_BITS | (uint64_t)label;
    return STATUS_OK;
}

/* Marks the rows whose text stands in another one too, and returns how many they are. Files without
 * any were read before such were marked, and need no keys. */
static int64_t mark_repeated(struct text_rows *r)
{
    int64_t hashes = 0;
    for (int i = 0; !r->key && i < r->labels.count; i++)
        r->labels.item[i].single = r->labels.item[i].rows;
    if (!r->key)
        return 0;
    uint64_t *sorted = r->key + r->count;
    memcpy(sorted, r->key, (size_t)r->count * sizeof *sorted);
    int64_t repeated = find_repeated(&r->labels, sorted, r->count, &hashes);
    for (int64_t i = 0; i < r->count; i++) {
        uint64_t hash = r->key[i] >> KEY_BITS;
        if (bsearch(&hash, sorted, (size_t)hashes, sizeof *sorted, by_number))
            r->row[i] |= REPEATED;
    }
    return repeated;
}

/* Puts the rows in the order of their parts. */
static void split(struct task_source *s)
{
    struct text_rows *r = s->rows;
    int64_t held = s->options->test_rows, used[TASK_PARTS] = {0};
    struct split split;
    for (int i = 0; i < r->labels.count; i++)
        split.left[i] = r->labels.item[i].single;
    split_begin(&split, r->labels.count, s->options->instance);
    for (int64_t i = 0; i < r->count; i++) {
        size_t label = r->row[i] & (REPEATED - 1);
        uint64_t row = r->row[i] >> LABEL_BITS << LABEL_BITS | (uint64_t)r->class_of[label];
        enum task_part part = r->row[i] & REPEATED ? TASK_TRAIN : split_next(&split, label);
        if (part == TASK_TRAIN)
            r->row[used[part]++] = row;
        else
            r->aside[(part == TASK_TEST ? held : 0) + used[part]++] = row;
    }
    memcpy(r->row + used[TASK_TRAIN], r->aside, (size_t)(2 * held) * sizeof *r->aside);
}

/* Gives the labels their classes. False where the rows are not those that were surveyed. */
static bool classify(struct task_source *s)
{
    struct text_rows *r = s->rows;
    const struct label *sorted[MAX_LABELS];
    int64_t test_rows = 0, repeated = mark_repeated(r);
    bool enough = true;
    labels_sort(&r->labels, sorted);
    for (int k = 0; k < r->labels.count; k++) {
        enough &= sorted[k]->rows >= LEAST_ROWS && sorted[k]->single >= LEAST_SINGLE;
        r->name[k] = sorted[k]->name;
        r->class_of[sorted[k] - r->labels.item] = k;
        test_rows += test_rows_of(sorted[k]->single);
    }
    return enough && r->count == s->options->rows && r->labels.count == s->options->classes &&
           test_rows == s->options->test_rows && repeated == s->options->repeated;
}

static enum status open_rows(struct task_source *s, struct message *m)
{
    char sha256[65];
    struct text_rows *r = s->rows;
    enum status status = format_of(s->options, &s->corpus, &r->format, m);
    if (status == STATUS_OK && s->options->repeated) {
        uint64_t *key = malloc(2 * (size_t)s->options->rows * sizeof *key);
        if (!key)
            return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for its rows", s->corpus.path);
        r->key = key;
    }
    if (status == STATUS_OK)
        status = scan(&s->corpus, &r->format, index_row, s, sha256, m);
    if (status == STATUS_OK && !classify(s))
        status = refuse_other(s, m);
    if (status == STATUS_OK)
        split(s);
    free(r->key);
    r->key = NULL;
    return status;
}

/* ---- examples ---- */

static enum status row_example(struct task_source *s, uint64_t row, int32_t *inputs,
                               int32_t *targets, uint8_t *padding, struct message *m)
{
    size_t T = (size_t)s->options->length, size;
    int64_t offset = (int64_t)(row >> LABEL_BITS), left = s->corpus.size - offset;
    size_t raw = left < (int64_t)RECORDS_RAW(T) ? (size_t)left : RECORDS_RAW(T);
    enum status status = corpus_read(&s->corpus, offset, s->piece, raw, m);
    if (status == STATUS_OK)
        status = records_text(&s->rows->format, s->corpus.path, s->piece, raw, T, s->rows->text,
                              &size, m);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < T; i++) {
        inputs[i] = i < size ? s->rows->text[i] : 0;
        padding[i] = i >= size;
    }
    targets[0] = (int32_t)(row & ((1 << LABEL_BITS) - 1));
    return STATUS_OK;
}

static enum status draw(struct task_source *s, struct rng *r, int32_t *inputs, int32_t *targets,
                        uint8_t *padding, struct message *m)
{
    uint64_t rows = (uint64_t)examples(s->options, TASK_TRAIN);
    return row_example(s, s->rows->row[rng_below_64(r, rows)], inputs, targets, padding, m);
}

static enum status read(struct task_source *s, enum task_part part, int64_t index, int32_t *inputs,
                        int32_t *targets, uint8_t *padding, struct message *m)
{
    for (int p = 0; p < (int)part; p++)
        index += examples(s->options, (enum task_part)p);
    return row_example(s, s->rows->row[index], inputs, targets, padding, m);
}

static const char *label(const struct task_source *s, long k)
{
    return s->rows->name[k];
}

const struct text_mode text_classify = {
    .survey = survey,
    .shape = shape,
    .resolve = resolve,
    .examples = examples,
    .reserve = reserve,
    .open = open_rows,
    .draw = draw,
    .read = read,
    .label = label,
};
