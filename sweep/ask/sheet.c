#include "sweep/ask/sheet.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "sweep/ask/sets.h"
#include "sweep/plan/tree.h"

static const int FEW_SEEDS = 8;

/* Whether a curve still improves is judged by its last five evaluations: of so many, they are its
 * last part only. */
enum { EVALUATIONS = 10, EXTEND = 3, VAL_EXAMPLES = 256, TEST_EXAMPLES = 1024, CAUSAL_LAYERS = 2 };

enum { REASON_COLUMN = 44, KEYS_MAX = 16 };

/* A sweep file as it is written, line by line. */
struct sheet {
    struct text_buffer *out;
    const char *const *sets;
    int count;
    const char *section;       /* "task", "model", "train"; NULL: the top level */
    const char *key[KEYS_MAX]; /* (keys): those of the section that it has a value for */
    int keys;
    struct text_buffer value; /* of the line at hand */
};

/* "  steps: 400        # why" */
static void write_line(struct sheet *s, const char *key, const char *value, const char *why)
{
    size_t before = s->out->used;
    text_add(s->out, "%s%s: %s", s->section ? "  " : "", key, value);
    int used = s->out->text ? text_width(s->out->text + before) : 0;
    if (why)
        text_add(s->out, "%*s# %s", used + 1 < REASON_COLUMN ? REASON_COLUMN - used : 1, "", why);
    text_add(s->out, "\n");
}

static const char AS_ASKED[] = "as you said";

static void begin_section(struct sheet *s, const char *name)
{
    s->section = name;
    s->keys = 0;
    if (name)
        text_add(s->out, "%s:\n", name);
}

/* What is set in the section that ends, and has not been put into it. */
static void end_section(struct sheet *s)
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
        last = sets_value(s->sets, s->count, key);
        memmove(key, key + skip, strlen(key + skip) + 1);
        bool known = last != s->sets[i] + n + 1 || strcmp(last, "null") == 0;
        for (int k = 0; k < s->keys; k++)
            known = known || strcmp(s->key[k], key) == 0;
        if (!known)
            write_line(s, key, last, AS_ASKED);
    }
}

/* What is chosen for a key, unless it is set. */
static void put(struct sheet *s, const char *key, const char *why, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put(struct sheet *s, const char *key, const char *why, const char *format, ...)
{
    char path[80], value[2 * OPTION_STRING_MAX + 8];
    snprintf(path, sizeof path, "%s%s%s", s->section ? s->section : "", s->section ? "." : "", key);
    const char *set = sets_value(s->sets, s->count, path);
    if (s->keys < KEYS_MAX)
        s->key[s->keys++] = key;
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
    const char *text = look_string(l, "text_column"), *label = look_string(l, "label_column");
    char why[96];
    long length = design_row_length(l);
    put(s, "mode", "tell the label of a row from its text", "classify");
    if (l->names_columns) {
        put(s, "text_column",
            strcmp(text, "text") == 0 ? "it is called so" : "the column with the longest values",
            "%s", quoted(s, text));
        put(s, "label_column",
            strcmp(label, "label") == 0 ? "it is called so" : "few values, which come back", "%s",
            quoted(s, label));
    }
    if (l->names_separator)
        put(s, "separator", "what stands between the columns", "%s", look_word(l, "separator"));
    if (l->typical <= length)
        snprintf(why, sizeof why, "bytes, to which texts are cut; nine in ten are no longer");
    else
        snprintf(why, sizeof why,
                 "bytes, to which texts are cut; one in ten has %" PRId64 " or more", l->typical);
    put(s, "length", why, "%ld", length);
}

static void write_task(struct sheet *s, const struct design *d, const struct look *l)
{
    begin_section(s, "task");
    write_line(s, "name", l->point.task->name,
               l->kind == LOOK_TOY ? AS_ASKED : "which learns from a file");
    if (l->kind != LOOK_TOY)
        write_line(s, "file", quoted(s, design_subject(l)), "beside this sweep file");
    if (l->kind == LOOK_ROWS)
        write_rows(s, l);
    if (l->kind == LOOK_TEXT) {
        put(s, "mode", "predict each next byte; the last tenth is the test", "lm");
        put(s, "length", "bytes that the model sees at once", "%ld", design_size(d)->length);
    }
    end_section(s);
}

/* Whether a net as it is set can have so many heads. */
static bool can_have(const struct sheet *s, long d_model, long heads)
{
    struct encoder_config c;
    struct encoder_shapes shapes;
    char path[80], value[80];
    bool is_quoted;
    option_defaults(encoder_options, &c);
    for (const struct option_entry *o = encoder_options; o->name; o++) {
        snprintf(path, sizeof path, "model.%s", o->name);
        const char *set = sets_value(s->sets, s->count, path);
        if (set && quote_read(set, value, sizeof value, &is_quoted))
            option_parse(o, "model", value, is_quoted, &c, NULL); /* what is wrong is told later */
    }
    c.d_model = d_model;
    c.heads = heads;
    return encoder_shapes(&c, &shapes, NULL) == STATUS_OK;
}

/* The next of the powers of two that divide d_model, and d_model; 0 behind that. */
static long next_heads(long d_model, long heads)
{
    if (heads == d_model)
        return 0;
    return d_model % (2 * heads) == 0 ? 2 * heads : d_model;
}

/* "[1, 2, 4, 8, 16, 48]", without those that the net cannot have: one head has no two pairs of keys
 * and values, and rotary positions turn no single number. Where it can have none of them, all are
 * kept: what is set is then refused. */
static void put_heads(struct sheet *s, long d_model)
{
    int all = 0, possible = 0;
    for (long h = 1; h; h = next_heads(d_model, h), all++)
        possible += can_have(s, d_model, h);
    s->value.used = 0;
    text_add(&s->value, "[");
    for (long h = 1; h; h = next_heads(d_model, h))
        if (possible == 0 || can_have(s, d_model, h))
            text_add(&s->value, "%s%ld", s->value.used > 1 ? ", " : "", h);
    text_add(&s->value, "]");
    put(s, "heads",
        possible > 0 && possible < all ? "from wide to narrow, but for those that the model refuses"
                                       : "from one wide head to heads of one number",
        "%s", s->value.text ? s->value.text : "");
}

static void write_model(struct sheet *s, const struct design *d, const struct look *l)
{
    const struct design_size *size = design_size(d);
    bool causal = l->shape.causal, two = causal && d->kind == LOOK_TOY;
    long d_model = sets_number(s->sets, s->count, "model.d_model");
    begin_section(s, "model");
    put(s, "d_model", "shared by the heads: all nets have as many parameters", "%ld",
        size->d_model);
    put_heads(s, d_model ? d_model : size->d_model);
    put(s, "layers",
        two                   ? "one to find a place, one to use it"
        : d->kind == LOOK_TOY ? "only one: more layers could do what heads do"
                              : "as large a net as the time and the data allow",
        "%ld", two ? (long)CAUSAL_LAYERS : size->layers);
    put(s, "d_ff", "the same for all, so that only heads differ", "%ld", size->d_ff);
    if (causal)
        put(s, "mask", "a position must not see what it is to predict", "causal");
    if (l->shape.per_sequence)
        put(s, "pool", "one answer for all positions", "mean");
    end_section(s);
}

/* Why so many steps, and no more. */
static const char *steps_why(const struct design *d, const struct look *l, char *why, size_t size)
{
    long most = design_steps_max(d, l);
    if (d->steps < most && d->size == 0 && d->steps <= design_steps_min(d, l))
        snprintf(why, size, "fewer show nothing");
    else if (d->steps < most)
        snprintf(why, size, "what %g minute%s allow%s", d->steps_minutes,
                 d->steps_minutes == 1 ? "" : "s", d->steps_minutes == 1 ? "s" : "");
    else if (most < design_size(d)->steps_max)
        snprintf(why, size, "%d passes over what it is trained on", design_kind(d->kind)->passes);
    else
        snprintf(why, size, "enough to compare nets of this size");
    return why;
}

/* Steps between evaluations, however many steps there are; 0: of what is set that is not known. */
static long eval_every(const struct sheet *s, const struct design *d)
{
    if (sets_value(s->sets, s->count, "train.eval_every"))
        return sets_number(s->sets, s->count, "train.eval_every");
    return (d->steps + EVALUATIONS - 1) / EVALUATIONS;
}

static void write_train(struct sheet *s, const struct design *d, const struct look *l)
{
    char why[80];
    begin_section(s, "train");
    put(s, "steps", steps_why(d, l, why, sizeof why), "%ld", d->steps);
    put(s, "batch", "a small one, so that there is time for many steps", "%ld",
        design_size(d)->batch);
    put(s, "lr", "each head count takes its own best", "%s", design_size(d)->rates);
    put(s, "schedule", "the rate rises for a twentieth of the steps, then falls to 0",
        "{name: cosine, warmup: %ld}", d->steps / 20);
    put(s, "eval_every", "the best evaluation counts", "%ld", eval_every(s, d));
    put(s, "val_examples", "enough to choose by", "%d", VAL_EXAMPLES);
    put(s, "test_examples", "by these head counts are compared, once", "%d", TEST_EXAMPLES);
    end_section(s);
}

/* A learning rate that is set, and no list of them: there is nothing to tune. */
static bool one_rate(const struct sheet *s)
{
    const char *rate = sets_value(s->sets, s->count, "train.lr");
    return rate && !strpbrk(rate, "[{") && !sets_value(s->sets, s->count, "tune");
}

/* The rung is late: as long as the learning rate is high, low ones look better than they are. */
static void write_tune(struct sheet *s, const struct design *d)
{
    char rungs[80] = "";
    long every = eval_every(s, d);
    if (one_rate(s))
        return;
    if (every > 0 && every < d->steps) /* an evaluation, at half or behind it, before the last */
        snprintf(rungs, sizeof rungs, " rungs: {eta: 3, min_steps: %ld},", d->steps / 2);
    if (!sets_value(s->sets, s->count, "tune") && *rungs)
        text_add(s->out, "# Rates that lose at half of the steps stop there: earlier, low ones "
                         "look better than they are.\n");
    if (!sets_value(s->sets, s->count, "tune"))
        text_add(s->out, "# A head count that takes the first or the last of the list tries values "
                         "beyond it.\n");
    put(s, "tune", NULL, "{axes: [train.lr], seeds: %d,%s extend: %d}", design_level(d)->tune_seeds,
        rungs, EXTEND);
}

static void write_trials(struct sheet *s, const struct design *d)
{
    const struct design_kind *kind = design_kind(d->kind);
    begin_section(s, NULL);
    if (d->kind == LOOK_TEXT)
        put(s, "metric", "most bytes are uncertain: how probable the right one was says more",
            "{name: val_loss}");
    write_tune(s, d);
    put(s, "seeds",
        d->seeds <= FEW_SEEDS ? "few: they only have to find what is then confirmed"
                              : "there is time for many",
        "%d", d->seeds);
    put(s, "confirm", "on so many fresh seeds, which alone decide about it", "%d", d->confirm);
    s->value.used = 0;
    text_add(&s->value, "a difference that does not matter: %s", kind->equivalence_why);
    put(s, "equivalence", s->value.text ? s->value.text : "", "%g", kind->equivalence);
    end_section(s);
}

void sheet_write(const struct design *d, const struct look *l, const char *name,
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
    write_line(&s, "name", name, "its last digits: what is trained, and how");
    write_task(&s, d, l);
    write_model(&s, d, l);
    write_train(&s, d, l);
    write_trials(&s, d);
    out->out_of_memory |= s.value.out_of_memory;
    free(s.value.text);
}

/* ---- read again ---- */

enum status sheet_refuse(const char *path, const char *const *sets, int count, enum status status,
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

enum status sheet_parse(const struct design *d, const struct look *l, const char *path,
                        const char *const *sets, int count, struct config **c, struct message *m)
{
    struct text_buffer text = {0};
    sheet_write(d, l, "ask", sets, count, &text);
    enum status s = text.out_of_memory
                        ? status_no_memory(m, "a sweep file")
                        : config_parse(path, text.text, text.used, sets, count, c, m);
    free(text.text);
    return sheet_refuse(path, sets, count, s, m);
}

/* ---- which sweeps share their trials ---- */

/* More than any net has: no other option of the model is made equal to it, or divided by it. */
enum { NO_HEADS = 1 << 20 };

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_update(hash, text, strlen(text) + 1);
}

/* The axis that comes after `before` by its path, NULL for the first; NULL: there is none. */
static const struct axis *next_axis(const struct config *c, const struct axis *before)
{
    const struct axis *found = NULL;
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        if ((!before || strcmp(axis->path, before->path) > 0) &&
            (!found || strcmp(axis->path, found->path) < 0))
            found = axis;
    }
    return found;
}

static enum status set_value(struct point *p, const char *path, const struct config_value *v,
                             struct sha256 *several, struct message *m)
{
    struct point_section section;
    char json[OPTION_TEXT_MAX];
    const struct option_entry *o = point_option(p, path, &section);
    enum status s = STATUS_OK;
    if (!o || o->local) /* task.name, and where the file lies */
        return STATUS_OK;
    memset((char *)section.values + o->offset, 0, option_used(o, section.values));
    for (int i = 0; i < v->scalars && s == STATUS_OK; i++)
        s = option_parse(o, section.name, v->scalar[i], v->quoted[i], section.values, m);
    if (s == STATUS_OK && several && option_format(o, section.values, json, sizeof json) >= 0)
        add_text(several, json);
    return s;
}

/* Into the point; of an axis that has several values, which one point cannot hold, they are hashed.
 */
static enum status set_axis(struct point *p, const struct axis *axis, struct sha256 *hash,
                            struct message *m)
{
    struct sha256 *several = axis->values > 1 ? hash : NULL;
    enum status s = STATUS_OK;
    if (several)
        add_text(hash, axis->path);
    for (int i = 0; i < axis->values && s == STATUS_OK; i++)
        s = set_value(p, axis->path, &axis->value[i], several, m);
    return s;
}

/* What the file itself tells is in the look's point, and what was guessed. */
static enum status hash_trials(const struct config *c, const struct look *l, struct sha256 *hash,
                               struct message *m)
{
    struct point p = l->point;
    char json[POINT_JSON_MAX];
    enum status s = STATUS_OK;
    const struct axis *axis = NULL;
    while (s == STATUS_OK && (axis = next_axis(c, axis)) != NULL)
        if (strcmp(axis->path, "model.heads") != 0 && !config_is_tuned(c, axis->path))
            s = set_axis(&p, axis, hash, m);
    p.model.heads = NO_HEADS;
    point_json(&p, json);
    add_text(hash, json);
    add_text(hash, metric_name(c->metric));
    return s;
}

enum status digits_of(const struct design *d, const struct look *l, const char *path,
                      const char *const *sets, int count, char digits[DIGITS_SIZE],
                      struct message *m)
{
    struct config *c = NULL;
    struct sha256 hash;
    char hex[65];
    sha256_init(&hash);
    enum status s = sheet_parse(d, l, path, sets, count, &c, m);
    if (s == STATUS_OK)
        s = hash_trials(c, l, &hash, m);
    sha256_final(&hash, hex);
    snprintf(digits, DIGITS_SIZE, "%.12s", hex);
    config_free(c);
    return s;
}

/* ---- the file ---- */

static const char MARK[] = "# headcount ask ", BEFORE_HASH[] = ", sha256 ";
enum { VERSION = 3, HASH = 64 };

/* What the last line tells beside the design. */
struct written {
    char trains[DIGITS_SIZE], asked[DIGITS_SIZE];
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Of what is set, in an order of its own; but for the task, all of which the digits of the trials
 * tell of. */
static void digest(const char *const *sets, int count, char digits[DIGITS_SIZE])
{
    struct sha256 hash;
    char hex[65];
    sha256_init(&hash);
    for (const char *set = NULL; (set = sets_next(sets, count, set)) != NULL;)
        if (!begins(set, "task."))
            sha256_update(&hash, set, strlen(set) + 1);
    sha256_final(&hash, hex);
    snprintf(digits, DIGITS_SIZE, "%.12s", hex);
}

/* ---- the last line ---- */

/* The beginning of the last line of a text whose other lines are as they were written; else NULL.
 */
static const char *own_line(const char *text, size_t size)
{
    char sha256[HASH + 1], end[sizeof BEFORE_HASH + HASH + 1];
    const char *line = NULL;
    for (const char *at = strstr(text, MARK); at; at = strstr(at + 1, MARK))
        line = at == text || at[-1] == '\n' ? at : line;
    if (!line || strlen(text) != size)
        return NULL;
    sha256_hex(text, (size_t)(line - text), sha256);
    snprintf(end, sizeof end, "%s%s\n", BEFORE_HASH, sha256);
    const char *hash = strstr(line, BEFORE_HASH);
    return hash && strcmp(hash, end) == 0 ? line : NULL;
}

/* False where it is not as this version writes it. A size that the kind does not have is -1. */
static bool read_design(const char *line, enum look_kind kind, struct design *d,
                        struct written *was)
{
    char size[32];
    int end = 0;
    const struct design_kind *k = design_kind(kind);
    *d = (struct design){.kind = kind, .size = -1};
    if (sscanf(line + strlen(MARK),
               "%*d: %lf minutes, %31[a-z0-9-], %ld steps for %lf minutes, level %d, seeds %d, "
               "confirm %d, trains %12[0-9a-f], asked %12[0-9a-f]%n",
               &d->minutes, size, &d->steps, &d->steps_minutes, &d->level, &d->seeds, &d->confirm,
               was->trains, was->asked, &end) != 9 ||
        !begins(line + strlen(MARK) + end, BEFORE_HASH))
        return false;
    for (int i = 0; i < k->sizes; i++)
        if (strcmp(k->size[i].name, size) == 0)
            d->size = i;
    return d->steps > 0 && d->level >= 0 && d->level < design_levels() && d->seeds > 0 &&
           isfinite(d->minutes) && isfinite(d->steps_minutes);
}

/* By the last line of a file whose other lines no person has changed. */
static enum status state_of(const char *line, const char *path, const struct look *l,
                            const char *const *sets, int count, enum ask_file_state *state,
                            struct design *d, struct message *m)
{
    struct written was;
    char trains[DIGITS_SIZE], asked[DIGITS_SIZE];
    int version;
    *state = ASK_FILE_OTHER;
    if (sscanf(line + strlen(MARK), "%d:", &version) == 1 && version != VERSION)
        return STATUS_OK;
    if (!read_design(line, l->kind, d, &was)) {
        *state = ASK_FILE_CHANGED;
        return STATUS_OK;
    }
    digest(sets, count, asked);
    if (d->size < 0 || strcmp(asked, was.asked) != 0)
        return STATUS_OK;
    enum status s = digits_of(d, l, path, sets, count, trains, m);
    if (s == STATUS_OK && strcmp(trains, was.trains) == 0)
        *state = ASK_FILE_SAME;
    return s == STATUS_BAD_INPUT ? STATUS_OK : s; /* of what is set now that design may not be */
}

enum status ask_file_read(const char *path, const struct look *l, const char *const *sets,
                          int count, enum ask_file_state *state, struct design *d,
                          struct message *m)
{
    void *text;
    size_t size;
    *state = ASK_FILE_NONE;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    enum status s = file_read(path, TREE_BYTES, &text, &size, m);
    if (s != STATUS_OK)
        return s;
    const char *line = own_line(text, size);
    *state = ASK_FILE_CHANGED;
    if (line)
        s = state_of(line, path, l, sets, count, state, d, m);
    free(text);
    return s;
}

enum status ask_file_refuse_changed(const char *path, struct message *m)
{
    struct text_buffer word = {0};
    text_add_shell(&word, path);
    enum status s = status_fail(m, STATUS_BAD_INPUT,
                                "%s: was changed since ask wrote it, or was not written by ask, "
                                "and is left as it is. Run it (headcount run %s), or move it away "
                                "and ask again",
                                path, word.text ? word.text : path);
    free(word.text);
    return s;
}

/* Measuring takes a while, in which a person may have changed it. */
static enum status check_unchanged(const char *path, const struct look *l, struct message *m)
{
    enum ask_file_state state;
    struct design unused;
    enum status s = ask_file_read(path, l, NULL, 0, &state, &unused, m);
    return s == STATUS_OK && state == ASK_FILE_CHANGED ? ask_file_refuse_changed(path, m) : s;
}

enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *name, const char *const *sets, int count, struct message *m)
{
    char sha256[65], trains[DIGITS_SIZE], asked[DIGITS_SIZE];
    struct text_buffer text = {0};
    enum status s = digits_of(d, l, path, sets, count, trains, m);
    if (s != STATUS_OK)
        return s;
    digest(sets, count, asked);
    sheet_write(d, l, name, sets, count, &text);
    sha256_hex(text.text ? text.text : "", text.used, sha256);
    text_add(
        &text,
        "%s%d: %.15g minutes, %s, %ld steps for %.15g minutes, level %d, seeds %d, confirm %d, "
        "trains %s, asked %s%s%s\n",
        MARK, VERSION, d->minutes, design_size(d)->name, d->steps, d->steps_minutes, d->level,
        d->seeds, d->confirm, trains, asked, BEFORE_HASH, sha256);
    struct iovec part = {.iov_base = text.text, .iov_len = text.used};
    s = text.out_of_memory ? status_no_memory(m, "a sweep file") : check_unchanged(path, l, m);
    if (s == STATUS_OK) {
        file_remove_unfinished(path);
        s = file_write(path, &part, 1, m);
    }
    free(text.text);
    return s;
}
