#include "sweep/ask/design.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "sweep/ask/quote.h"

/* ---- the tables ---- */

static const struct design_size text_sizes[] = {
    {"text-32x1", 32, 1, 64, 32, 16, "[1e-2, 3e-2, 9e-2]", 200, 1500},
    {"text-32x2", 32, 2, 128, 64, 16, "[1e-2, 3e-2, 9e-2]", 400, 2000},
    {"text-64x2", 64, 2, 256, 64, 32, "[5e-3, 15e-3, 45e-3]", 600, 4000},
    {"text-128x2", 128, 2, 512, 128, 32, "[2e-3, 6e-3, 18e-3]", 1600, 10000},
    {"text-128x4", 128, 4, 512, 256, 32, "[1e-3, 3e-3, 9e-3]", 4000, 40000},
};

static const struct design_size rows_sizes[] = {
    {"rows-32x1", 32, 1, 64, 0, 32, "[3e-3, 1e-2, 3e-2]", 200, 1000},
    {"rows-64x2", 64, 2, 128, 0, 32, "[2e-3, 6e-3, 18e-3]", 400, 3000},
    {"rows-128x2", 128, 2, 512, 0, 32, "[1e-3, 3e-3, 9e-3]", 1600, 10000},
};

/* One width only: how many heads a toy takes hangs on it more than on anything else. And few steps:
 * after 800 one head has .985 of gather with 3 slots, after 3000 it has all but all of it. */
static const struct design_size toy_sizes[] = {
    {"toy-32", 32, 1, 64, 0, 64, "[3e-3, 1e-2, 3e-2, 1e-1]", 200, 800},
};

static const struct {
    const struct design_size *size;
    int sizes;
    double equivalence;
    const char *equivalence_why;
    int epochs; /* how often a trial may see what it is trained on; 0: it is made anew each time */
} kinds[LOOK_KINDS] = {
    [LOOK_TEXT] = {text_sizes, sizeof text_sizes / sizeof *text_sizes, .02,
                   "nats, .03 bits per byte", 40},
    [LOOK_ROWS] = {rows_sizes, sizeof rows_sizes / sizeof *rows_sizes, .01, "one row in a hundred",
                   60},
    [LOOK_TOY] = {toy_sizes, sizeof toy_sizes / sizeof *toy_sizes, .01, "one answer in a hundred",
                  0},
};

/* Few seeds explore: they only have to find what is worth confirming. More go into fresh ones,
 * which decide, and into the choice of the learning rate. */
static const struct design_level levels[] = {{1, 5, 6},   {2, 5, 8},   {2, 6, 8},   {2, 8, 8},
                                             {3, 8, 10},  {3, 10, 12}, {3, 12, 16}, {3, 16, 20},
                                             {3, 20, 24}, {4, 24, 32}};
static const int FEW_SEEDS = 8;

enum { EVALUATIONS = 4, EXTEND = 3, VAL_EXAMPLES = 256, TEST_EXAMPLES = 1024, CAUSAL_LAYERS = 2 };

/* Lengths to which the texts of rows are cut. */
static const long row_lengths[] = {32, 64, 128, 256};

int design_sizes(enum look_kind kind)
{
    return kinds[kind].sizes;
}

const struct design_size *design_size(const struct design *d)
{
    return &kinds[d->kind].size[d->size];
}

const char *design_size_name(enum look_kind kind, int size)
{
    return kinds[kind].size[size].name;
}

int design_levels(void)
{
    return sizeof levels / sizeof *levels;
}

const struct design_level *design_level(const struct design *d)
{
    return &levels[d->level];
}

static long length_of_rows(const struct look *l)
{
    size_t last = sizeof row_lengths / sizeof *row_lengths - 1, i = 0;
    while (i < last && row_lengths[i] < l->typical)
        i++;
    return row_lengths[i];
}

long design_steps_max(const struct design *d, const struct look *l)
{
    const struct design_size *size = design_size(d);
    double seen = (double)size->batch;
    if (kinds[d->kind].epochs == 0)
        return size->steps_max;
    if (d->kind == LOOK_TEXT)
        seen *= (double)size->length;
    double all = d->kind == LOOK_TEXT
                     ? .8 * (double)look_integer(l, "size")
                     : (double)(look_integer(l, "rows") - 2 * look_integer(l, "test_rows"));
    double most = kinds[d->kind].epochs * all / seen;
    return most < (double)size->steps_max ? (long)most / DESIGN_STEPS * DESIGN_STEPS
                                          : size->steps_max;
}

/* ---- what is set ---- */

/* The value that is set for a path; NULL: none is. */
static const char *set_value(const char *const *sets, int count, const char *path)
{
    const char *found = NULL;
    for (int i = 0; i < count; i++) {
        size_t n = strlen(path);
        if (strncmp(sets[i], path, n) == 0 && sets[i][n] == '=')
            found = sets[i] + n + 1;
    }
    return found;
}

/* A number from 1 that is set for a path; 0: none is. */
static long set_number(const char *const *sets, int count, const char *path)
{
    const char *value = set_value(sets, count, path);
    char *end;
    long number = value ? strtol(value, &end, 10) : 0;
    return value && *value && !*end && number > 0 ? number : 0;
}

bool design_is_set(const char *const *sets, int count, const char *path)
{
    return set_value(sets, count, path) != NULL;
}

long design_steps_asked(const char *const *sets, int count)
{
    return set_number(sets, count, "train.steps");
}

static bool is_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            return true;
    return false;
}

enum status design_check_sets(const char *const *sets, int count, struct message *m)
{
    static const char *const sections[] = {"task.", "model.", "train."};
    static const char *const own[] = {"name", "task.name", "task.file"};
    char shown[80], path[80];
    for (int i = 0; i < count; i++) {
        size_t n = strcspn(sets[i], "=");
        snprintf(path, sizeof path, "%.*s", (int)n, sets[i]);
        const char *rest = path;
        for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
            if (strncmp(path, sections[k], strlen(sections[k])) == 0)
                rest = path + strlen(sections[k]);
        if (!sets[i][n] || n == 0 || is_control(sets[i]))
            return status_fail(m, STATUS_BAD_INPUT,
                               "--set %s: write path=value, as in train.steps=400",
                               text_shown(sets[i], shown, sizeof shown));
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (strcmp(path, own[k]) == 0)
                return status_fail(m, STATUS_BAD_INPUT,
                                   "--set %s: ask gives this itself, by what it is asked about",
                                   path);
        if (strchr(rest, '.'))
            return status_fail(m, STATUS_BAD_INPUT,
                               "--set %s: ask sets whole keys; give %.*s={...}, or change the "
                               "file that --write writes, and run it",
                               path, (int)strcspn(rest, ".") + (int)(rest - path), path);
    }
    return STATUS_OK;
}

/* ---- names ---- */

const char *design_subject(const struct look *l)
{
    return l->kind == LOOK_TOY ? l->point.task->name : file_last_name(look_string(l, "file"));
}

void design_name(const struct design *d, const struct look *l, const char *asked,
                 char name[DESIGN_NAME_SIZE])
{
    enum { STEM = 48 };
    const struct design_size *s = design_size(d);
    const char *subject = design_subject(l), *dot = strrchr(subject, '.');
    size_t n = dot && dot > subject ? (size_t)(dot - subject) : strlen(subject), used = 0;
    char all[256], sha256[65];
    int size = snprintf(all, sizeof all, "%s %ld %ld %ld %ld %ld %ld", asked, s->d_model, s->layers,
                        s->d_ff, s->length, s->batch, d->steps);
    sha256_hex(all, (size_t)size, sha256);
    for (size_t i = 0; i < n && used < STEM; i++) {
        char c[2] = {subject[i], '\0'};
        name[used++] = (c[0] >= '0' && c[0] <= '9') || (c[0] >= 'A' && c[0] <= 'Z') ||
                               (c[0] >= 'a' && c[0] <= 'z') || c[0] == '.' || c[0] == '_'
                           ? c[0]
                           : '-';
    }
    snprintf(name + used, DESIGN_NAME_SIZE - used, "-%.6s", sha256);
    if (name[0] == '-') /* which would be an option where it is typed */
        name[0] = '_';
}

/* ---- the sweep file ---- */

/* A sweep file as it is written, line by line. */
struct sheet {
    struct text_buffer *out;
    const char *const *sets;
    int count;
    const char *section;      /* "task", "model", "train"; NULL: the top level */
    struct text_buffer value; /* of the line at hand */
};

enum { REASON_COLUMN = 44 };

/* "  steps: 400        # why" */
static void write_line(struct sheet *s, const char *key, const char *value, const char *why)
{
    size_t before = s->out->used;
    text_add(s->out, "%s%s: %s", s->section ? "  " : "", key, value);
    int used = (int)(s->out->used - before);
    if (why)
        text_add(s->out, "%*s# %s", used + 1 < REASON_COLUMN ? REASON_COLUMN - used : 1, "", why);
    text_add(s->out, "\n");
}

static const char AS_ASKED[] = "as you said";

/* What is set in the section that ends, and was not chosen. */
static void end_section(struct sheet *s, const char *const *chosen)
{
    for (int i = 0; i < s->count; i++) {
        size_t skip = s->section ? strlen(s->section) + 1 : 0, n = strcspn(s->sets[i], "=");
        char key[80];
        bool here = s->section ? strncmp(s->sets[i], s->section, skip - 1) == 0 &&
                                     s->sets[i][skip - 1] == '.'
                               : memchr(s->sets[i], '.', n) == NULL;
        const char *last;
        if (!here || n <= skip || n - skip >= sizeof key)
            continue;
        snprintf(key, sizeof key, "%.*s", (int)n, s->sets[i]);
        last = set_value(s->sets, s->count, key);
        memmove(key, key + skip, strlen(key + skip) + 1);
        bool known = last != s->sets[i] + n + 1 || strcmp(last, "null") == 0;
        for (const char *const *c = chosen; *c; c++)
            known = known || strcmp(*c, key) == 0;
        if (!known)
            write_line(s, key, last, AS_ASKED);
    }
}

static void begin_section(struct sheet *s, const char *name)
{
    s->section = name;
    text_add(s->out, "%s:\n", name);
}

static void put(struct sheet *s, const char *key, const char *why, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put(struct sheet *s, const char *key, const char *why, const char *format, ...)
{
    char path[80], value[2 * OPTION_STRING_MAX + 8];
    snprintf(path, sizeof path, "%s%s%s", s->section ? s->section : "", s->section ? "." : "", key);
    const char *set = set_value(s->sets, s->count, path);
    if (set) {
        if (strcmp(set, "null") != 0)
            write_line(s, key, set, AS_ASKED);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    write_line(s, key, value, why);
}

/* In quotes; until the next call. */
static const char *quoted(struct sheet *s, const char *text)
{
    s->value.used = 0;
    quote_add(&s->value, text);
    return s->value.text ? s->value.text : "";
}

static void write_rows(struct sheet *s, const struct look *l)
{
    put(s, "mode", "tell the label of a row from its text", "classify");
    if (l->names_columns) {
        put(s, "text_column", "the column with the longest values, or as you said", "%s",
            quoted(s, look_string(l, "text_column")));
        put(s, "label_column", "its values come back, or as you said", "%s",
            quoted(s, look_string(l, "label_column")));
    }
    if (l->names_separator)
        put(s, "separator", "of the columns", "%s", look_word(l, "separator"));
    put(s, "length", "bytes, to which texts are cut; nine in ten are no longer", "%ld",
        length_of_rows(l));
}

static void write_task(struct sheet *s, const struct design *d, const struct look *l)
{
    static const char *const chosen[] = {"name",         "file",      "mode",   "text_column",
                                         "label_column", "separator", "length", NULL};
    static const char *const none[] = {NULL};
    begin_section(s, "task");
    write_line(s, "name", l->point.task->name, NULL);
    if (l->kind != LOOK_TOY)
        write_line(s, "file", quoted(s, design_subject(l)), "beside this sweep file");
    if (l->kind == LOOK_ROWS)
        write_rows(s, l);
    if (l->kind == LOOK_TEXT) {
        put(s, "mode", "predict each next byte; the last tenth is the test", "lm");
        put(s, "length", "bytes that the model sees at once", "%ld", design_size(d)->length);
    }
    end_section(s, l->kind == LOOK_TOY ? none : chosen);
}

/* Powers of two that divide d_model, and d_model: "[1, 2, 4, 8, 16, 48]"; until the next call. */
static const char *all_heads(struct sheet *s, long d_model)
{
    s->value.used = 0;
    text_add(&s->value, "[");
    for (long h = 1; h < d_model && d_model % h == 0; h *= 2)
        text_add(&s->value, "%ld, ", h);
    text_add(&s->value, "%ld]", d_model);
    return s->value.text ? s->value.text : "";
}

static void write_model(struct sheet *s, const struct design *d, const struct look *l)
{
    static const char *const chosen[] = {"d_model",   "heads", "layers", "d_ff",
                                         "positions", "mask",  "pool",   NULL};
    const struct design_size *size = design_size(d);
    bool causal = l->shape.causal;
    long d_model = set_number(s->sets, s->count, "model.d_model");
    begin_section(s, "model");
    put(s, "d_model", "shared by the heads: all nets have as many parameters", "%ld",
        size->d_model);
    put(s, "heads", "from one wide head to heads of one number", "%s",
        all_heads(s, d_model ? d_model : size->d_model));
    put(s, "layers", causal && d->kind == LOOK_TOY ? "one to find a place, one to use it" : NULL,
        "%ld", causal && d->kind == LOOK_TOY ? (long)CAUSAL_LAYERS : size->layers);
    put(s, "d_ff", NULL, "%ld", size->d_ff);
    if (causal)
        put(s, "mask", "a position must not see what it is to predict", "causal");
    if (l->shape.per_sequence)
        put(s, "pool", "one answer for all positions", "mean");
    end_section(s, chosen);
}

static void write_train(struct sheet *s, const struct design *d)
{
    static const char *const chosen[] = {
        "steps", "batch", "lr", "schedule", "eval_every", "val_examples", "test_examples", NULL};
    char why[80];
    snprintf(why, sizeof why, "what %g minute%s allow%s", d->minutes, d->minutes == 1 ? "" : "s",
             d->minutes == 1 ? "s" : "");
    begin_section(s, "train");
    put(s, "steps", d->steps < design_size(d)->steps_max ? why : "more hardly change anything",
        "%ld", d->steps);
    put(s, "batch", NULL, "%ld", design_size(d)->batch);
    put(s, "lr", "each head count takes its own best", "%s", design_size(d)->rates);
    put(s, "schedule", NULL, "{name: cosine, warmup: %ld}", d->steps / 20);
    put(s, "eval_every", "the best evaluation counts", "%ld",
        d->steps >= EVALUATIONS ? d->steps / EVALUATIONS : 1);
    put(s, "val_examples", NULL, "%d", VAL_EXAMPLES);
    put(s, "test_examples", NULL, "%d", TEST_EXAMPLES);
    end_section(s, chosen);
}

/* A learning rate that is set, and no list of them: there is nothing to tune. */
static bool one_rate(const struct sheet *s)
{
    const char *rate = set_value(s->sets, s->count, "train.lr");
    return rate && !strpbrk(rate, "[{") && !set_value(s->sets, s->count, "tune");
}

static void write_tune(struct sheet *s, const struct design *d)
{
    if (one_rate(s))
        return;
    if (!set_value(s->sets, s->count, "tune"))
        text_add(s->out,
                 "# Rates that lose at a quarter of the steps stop there; who takes the first "
                 "or the last of the list tries values beyond.\n");
    put(s, "tune", NULL,
        "{axes: [train.lr], seeds: %d, rungs: {eta: 3, min_steps: %ld}, extend: %d}",
        design_level(d)->tune_seeds, d->steps >= EVALUATIONS ? d->steps / EVALUATIONS : 1, EXTEND);
}

static void write_trials(struct sheet *s, const struct design *d)
{
    static const char *const chosen[] = {"metric", "tune", "seeds", "confirm", "equivalence", NULL};
    const struct design_level *level = design_level(d);
    s->section = NULL;
    if (d->kind == LOOK_TEXT)
        put(s, "metric", "most bytes are uncertain: how probable the right one was says more",
            "{name: val_loss}");
    write_tune(s, d);
    put(s, "seeds",
        level->seeds <= FEW_SEEDS ? "few: they only have to find what is then confirmed"
                                  : "there is time for many",
        "%d", level->seeds);
    put(s, "confirm", "on so many fresh seeds, which alone decide about it", "%d", d->confirm);
    s->value.used = 0;
    text_add(&s->value, "a difference that does not matter: %s", kinds[d->kind].equivalence_why);
    put(s, "equivalence", s->value.text ? s->value.text : "", "%g", kinds[d->kind].equivalence);
    end_section(s, chosen);
}

void design_write(const struct design *d, const struct look *l, const char *name,
                  const char *const *sets, int count, struct text_buffer *out)
{
    static const char *const questions[LOOK_KINDS] = {[LOOK_TEXT] = "to predict the next byte of",
                                                      [LOOK_ROWS] = "to tell the labels of",
                                                      [LOOK_TOY] = "to learn the task"};
    struct sheet s = {.out = out, .sets = sets, .count = count};
    char shown[128];
    text_add(out, "# How many heads does it take %s %s?\n", questions[l->kind],
             text_shown(design_subject(l), shown, sizeof shown));
    text_add(out, "# Written by headcount ask, which goes on with it; once you change it, run it "
                  "with headcount run.\n");
    write_line(&s, "name", name, "its last digits: what was asked, and the training");
    write_task(&s, d, l);
    write_model(&s, d, l);
    write_train(&s, d);
    write_trials(&s, d);
    out->out_of_memory |= s.value.out_of_memory;
    free(s.value.text);
}

/* ---- read again ---- */

enum status design_refuse(const char *path, const char *const *sets, int count, enum status status,
                          struct message *m)
{
    const size_t n = strlen(path);
    struct text_buffer given = {0};
    const char *rest = m->text + n;
    if (status != STATUS_BAD_INPUT || count == 0 || strncmp(m->text, path, n) != 0 || *rest != ':')
        return status;
    rest += strspn(rest, ":0123456789 ");
    for (int i = 0; i < count; i++) {
        text_add(&given, "%s--set ", i ? " " : "");
        text_add_shell(&given, sets[i]);
    }
    const struct message said = *m;
    status_fail(m, status, "with %s: %s", given.text ? given.text : "what is set",
                said.text + (rest - m->text));
    free(given.text);
    return status;
}

enum status design_parse(const struct design *d, const struct look *l, const char *path,
                         const char *const *sets, int count, struct config **c, struct message *m)
{
    struct text_buffer text = {0};
    design_write(d, l, "ask", sets, count, &text);
    enum status s = text.out_of_memory
                        ? status_no_memory(m, "a sweep file")
                        : config_parse(path, text.text, text.used, sets, count, c, m);
    free(text.text);
    return design_refuse(path, sets, count, s, m);
}
