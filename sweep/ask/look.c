#include "sweep/ask/look.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "datasets/corpus.h"
#include "datasets/records.h"
#include "engine/base/scope.h"
#include "engine/base/text.h"
#include "sweep/ask/sets.h"
#include "sweep/plan/survey.h"

enum {
    WINDOWS_MIN = 32,   /* of the test part: its blocks, over which differences are tested */
    WINDOW_MIN = 32,    /* bytes */
    TEST_ROWS_MIN = 20, /* one more or less is 5 % of the accuracy */
    TENTHS = 10         /* parts of a file, of which one is tested on */
};
static const double RANDOM_BITS = 7.98; /* per byte, from which on a file is as good as random */

/* ---- options ---- */

static const void *member(const struct look *l, const char *option)
{
    return l->point.task_options + option_find(l->point.task->options, option)->offset;
}

int64_t look_integer(const struct look *l, const char *option)
{
    int64_t value;
    memcpy(&value, member(l, option), sizeof value);
    return value;
}

const char *look_string(const struct look *l, const char *option)
{
    return member(l, option);
}

const char *look_word(const struct look *l, const char *option)
{
    return option_find(l->point.task->options, option)->words[look_integer(l, option)];
}

static double look_real(const struct look *l, const char *option)
{
    double value;
    memcpy(&value, member(l, option), sizeof value);
    return value;
}

/* An option's value as it is, though it may look like another type's. */
static enum status set_option(struct point *p, const char *name, const char *value, bool quoted,
                              struct message *m)
{
    return option_parse(option_find(p->task->options, name), "task", value, quoted, p->task_options,
                        m);
}

static enum status apply_sets(struct point *p, const char *const *sets, int count,
                              struct message *m)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < count && s == STATUS_OK; i++)
        if (strncmp(sets[i], "task.", 5) == 0)
            s = point_give(p, sets[i], m);
    return s;
}

/* ---- a file ---- */

/* How a file is to be read where nobody says so: by its name. */
static bool is_rows(const char *path, const char *const *sets, int count)
{
    struct records_format f;
    const char *mode = sets_value(sets, count, "task.mode");
    if (mode)
        return strcmp(mode, "classify") == 0;
    return sets_value(sets, count, "task.text_column") ||
           sets_value(sets, count, "task.label_column") ||
           sets_value(sets, count, "task.separator") ||
           records_format_of(path, '\0', &f, NULL) == STATUS_OK;
}

struct line_count {
    int64_t lines;
    unsigned char last;
};

static enum status add_lines(void *context, const unsigned char *bytes, size_t n, struct message *m)
{
    struct line_count *c = context;
    (void)m;
    for (size_t i = 0; i < n; i++)
        c->lines += bytes[i] == '\n';
    c->last = n > 0 ? bytes[n - 1] : c->last;
    return STATUS_OK;
}

static enum status count_lines(const struct corpus *file, struct look *l, struct message *m)
{
    struct line_count c = {0};
    char sha256[65];
    enum status s = corpus_scan(file, add_lines, &c, sha256, m);
    l->lines = c.lines + (c.last != '\n'); /* the last one may have no end */
    return s;
}

static const struct {
    const char *word;
    char byte;
} separators[] = {{"auto", '\0'}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}};

static char separator_of(const char *word)
{
    size_t i = 0;
    while (strcmp(separators[i].word, word) != 0)
        i++;
    return separators[i].byte;
}

static const char *separator_word(char byte)
{
    size_t i = 0;
    while (separators[i].byte != byte)
        i++;
    return separators[i].word;
}

static enum status guess_columns(const struct corpus *file, const char *const *sets, int count,
                                 struct look *l, struct message *m)
{
    struct look_columns c;
    struct point *p = &l->point;
    const char *text = NULL, *label = NULL;
    if (sets_value(sets, count, "task.text_column"))
        text = look_string(l, "text_column");
    if (sets_value(sets, count, "task.label_column"))
        label = look_string(l, "label_column");
    if (text && label && strcmp(text, label) == 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--text-column and --label-column are the same; the label must be "
                           "another column than the text");
    enum status s = look_columns(file, separator_of(look_word(l, "separator")), text, label, &c, m);
    if (s != STATUS_OK)
        return s;
    l->typical = c.typical;
    l->form = c.form;
    snprintf(l->others, sizeof l->others, "%s", c.others);
    l->names_columns = strcmp(c.text, "text") != 0 || strcmp(c.label, "label") != 0;
    l->names_separator = c.separator != '\0';
    s = set_option(p, "text_column", c.text, true, m);
    if (s == STATUS_OK)
        s = set_option(p, "label_column", c.label, true, m);
    if (s == STATUS_OK)
        s = set_option(p, "separator", separator_word(c.separator), false, m);
    return s;
}

/* Too little or too simple to tell anything by. */
static enum status refuse_file(const char *path, const struct look *l, struct message *m)
{
    int64_t bytes = look_integer(l, "size"), rows = look_integer(l, "rows");
    int64_t needed = (int64_t)TENTHS * (WINDOWS_MIN * WINDOW_MIN + 1);
    double bits = look_real(l, "entropy") / M_LN2;
    if (l->kind == LOOK_ROWS)
        return look_integer(l, "test_rows") >= TEST_ROWS_MIN
                   ? STATUS_OK
                   : status_fail(m, STATUS_BAD_INPUT,
                                 "%s: has %s, of which only %" PRId64
                                 " can be tested on, too few to tell head counts apart. Give a "
                                 "file of about %d rows or more, with texts that differ",
                                 path, text_counted(rows, "row").text, look_integer(l, "test_rows"),
                                 TENTHS * TEST_ROWS_MIN);
    if (bytes < needed)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: too short, with %" PRId64 " byte%s: a tenth of it, to test on, is "
                           "too little to tell head counts apart. Give a file of %" PRId64
                           " bytes or more",
                           path, bytes, text_plural(bytes), needed);
    if (bits < .01)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: nearly all of its bytes are the same, so there is nothing to "
                           "predict; give another file",
                           path);
    if (bits > RANDOM_BITS)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: its bytes look random (%.2f bits each), like those of a compressed "
                           "or encrypted file, so there is nothing to learn; unpack it first",
                           path, bits);
    return STATUS_OK;
}

static enum status survey(const char *path, struct look *l, struct message *m)
{
    struct text_buffer facts = {0};
    enum status s = l->point.task->file->survey(l->point.task_options, &facts, m);
    if (s == STATUS_OK && !survey_warning(facts.text, l->warning, sizeof l->warning))
        l->warning[0] = '\0';
    free(facts.text);
    if (s == STATUS_OK)
        s = refuse_file(path, l, m);
    return s == STATUS_OK ? l->point.task->shape(l->point.task_options, &l->shape, m) : s;
}

static enum status refuse_folder(const char *path, struct message *m)
{
    struct stat about;
    if (stat(path, &about) || !S_ISDIR(about.st_mode))
        return STATUS_OK; /* or what opening it says */
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s: is a folder; ask about one of its files (several texts can first be "
                       "joined with cat)",
                       path);
}

enum status look_file(const char *path, const char *const *sets, int count, struct look *l,
                      struct message *m)
{
    struct corpus file;
    char window[16];
    *l = (struct look){0};
    enum status s = refuse_folder(path, m);
    if (s == STATUS_OK)
        s = corpus_open(path, &file, m);
    if (s != STATUS_OK)
        return s;
    point_init(&l->point, task_find("text"));
    l->kind = is_rows(path, sets, count) ? LOOK_ROWS : LOOK_TEXT;
    l->length = sets_number(sets, count, "task.length");
    l->batch = sets_number(sets, count, "train.batch");
    /* A window that any file holds which is not refused; what is asked may be another one. */
    snprintf(window, sizeof window, "%d", WINDOW_MIN);
    s = corpus_is_text(&file, m);
    if (s == STATUS_OK)
        s = set_option(&l->point, "length", window, false, m);
    if (s == STATUS_OK)
        s = apply_sets(&l->point, sets, count, m);
    if (s == STATUS_OK)
        s = set_option(&l->point, "file", path, true, m);
    if (s == STATUS_OK)
        s = set_option(&l->point, "mode", l->kind == LOOK_ROWS ? "classify" : "lm", false, m);
    if (s == STATUS_OK)
        s = l->kind == LOOK_ROWS ? guess_columns(&file, sets, count, l, m)
                                 : count_lines(&file, l, m);
    corpus_close(&file);
    return s == STATUS_OK ? survey(path, l, m) : s;
}

/* *opened is the caller's to close, whatever happens. */
static enum status read_order(struct arena *a, const struct look *l, int order,
                              struct task_source *volatile *opened, double *bits, struct message *m)
{
    const struct task_file *file = l->point.task->file;
    struct task_source *source;
    struct task_anchors anchors;
    enum status s = file->open(a, l->point.task_options, NULL, false, &source, m);
    *opened = source;
    if (s == STATUS_OK)
        s = file->anchors(source, &anchors, m);
    *bits = s == STATUS_OK ? anchors.bits_per_byte[order] : NAN;
    return s;
}

enum status look_order_bits(const struct look *l, int order, double *bits, struct message *m)
{
    struct scope *x = scope_new(NULL, "the file", m);
    struct task_source *volatile opened = NULL;
    if (scope_enter(x))
        scope_check(x, read_order(&x->arena, l, order, &opened, bits, m));
    l->point.task->file->close(opened);
    return scope_end(x);
}

enum status look_toy(const char *task, const char *const *sets, int count, struct look *l,
                     struct message *m)
{
    const char *names[128];
    char shown[64];
    int n = 0;
    const struct task *found = task_find(task);
    *l = (struct look){.kind = LOOK_TOY};
    for (; n < 127 && task_table[n]; n++)
        names[n] = task_table[n]->name;
    names[n] = NULL;
    if (!found) {
        const char *near = nearest_name(task, names);
        return status_fail(m, STATUS_BAD_INPUT, "there is no task '%s'%s%s%s",
                           text_shown(task, shown, sizeof shown),
                           near ? "; did you mean '" : "; see headcount tasks", near ? near : "",
                           near ? "'?" : "");
    }
    if (found->file)
        return status_fail(m, STATUS_BAD_INPUT,
                           "task %s learns from a file: headcount ask FILE asks about one",
                           found->name);
    point_init(&l->point, found);
    enum status s = apply_sets(&l->point, sets, count, m);
    return s == STATUS_OK ? found->shape(l->point.task_options, &l->shape, m) : s;
}

void look_add_cut(const struct look *l, const char *see, long length, struct text_buffer *text)
{
    if (l->kind == LOOK_ROWS && length > 0 && l->typical > length)
        text_add(text,
                 " Of each text the nets %s the first %ld bytes, and one in ten has %" PRId64
                 " or more.",
                 see, length, l->typical);
}
