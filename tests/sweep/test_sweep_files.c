/* Sweep files and their plans, in cases: tests/sweep_files/NAME.case, each a test. A sweep file
 * stands above, what comes of it below, behind "=> ": the refusal, or what it means. BLESS=1 writes
 * what comes of them now. A line that begins with # is for the reader.
 *
 *     case WORDS        a new one. Its lines up to an empty one are a sweep file. Each that follows
 *                       is that one with some keys otherwise, or more of them, and ends where it
 *                       is told what comes of it or with an empty line
 *     --set KEY=VALUE   as on the command line
 *     read PATH         a sweep file that stands elsewhere
 *     bytes             from here on each line is a whole file, written as a string of C
 *     show KEY...       what is told of sweep files that are taken (`facts`, below); nothing: only
 *                       that it is taken
 *
 * Places are those in the sweep file, s.yaml in the working directory, which is told as ".". */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/plan/plan_parts.h"
#include "tests/sweep/case_help.h"

enum { WIDTH = 120, WORDS = 24, LISTED = 24 };

/* A case as far as it is read. */
static struct play {
    struct text_buffer base;          /* the sweep file that it began with */
    struct text_buffer change, lines; /* since something was told: keys, and all as it stands */
    char *set[WORDS], *shown[WORDS], *read;
    int sets;
    bool based, bytes, pending;
} play;

/* ---- what is told of a plan ---- */

/* A list in which equal neighbours stand once: "3 x20, 2". */
struct run {
    struct text_buffer *out;
    char value[PLAN_TEXT_MAX];
    long times;
};

static void run_end(struct run *r)
{
    text_add(r->out, "%s", *r->value ? r->value : "-");
    if (r->times > 1)
        text_add(r->out, " x%ld", r->times);
}

static void run_add(struct run *r, const char *format, ...)
{
    char value[PLAN_TEXT_MAX];
    va_list values;
    va_start(values, format);
    vsnprintf(value, sizeof value, format, values);
    va_end(values);
    if (r->times && strcmp(r->value, value) != 0) {
        run_end(r);
        text_add(r->out, ", ");
        r->times = 0;
    }
    memcpy(r->value, value, sizeof r->value);
    r->times++;
}

#define TELL(which)                                                                                \
    static void tell_##which(const struct plan *p TEST_UNUSED, const struct config *c TEST_UNUSED, \
                             struct text_buffer *out)
/* Of each point i what fills the run r. */
#define TELL_POINTS(which, ...)                                                                    \
    TELL(which)                                                                                    \
    {                                                                                              \
        struct run r = {.out = out};                                                               \
        for (long i = 0; i < plan_points(p); i++) {                                                \
            __VA_ARGS__                                                                            \
        }                                                                                          \
        run_end(&r);                                                                               \
    }

/* Texts of points, each once: "form=cut x4 | form=project". */
static void tell_texts(const struct plan *p, size_t member, struct text_buffer *out)
{
    long n = plan_points(p);
    struct plan_text *text = calloc((size_t)n, sizeof *text);
    assert_non_null(text);
    for (long i = 0; i < n; i++)
        plan_text(p, i, &text[i]);
    for (long i = 0, told = 0; i < n; i++) {
        const char *own = (const char *)&text[i] + member;
        long first = 0, times = 0;
        while (strcmp((const char *)&text[first] + member, own) != 0)
            first++;
        for (long k = i; k < n && first == i; k++)
            times += strcmp((const char *)&text[k] + member, own) == 0;
        if (times)
            text_add(out, "%s%s", told++ ? " | " : "", *own ? own : "-");
        if (times > 1)
            text_add(out, " x%ld", times);
    }
    free(text);
}

#define TELL_TEXT(which, member)                                                                   \
    TELL(which)                                                                                    \
    {                                                                                              \
        tell_texts(p, offsetof(struct plan_text, member), out);                                    \
    }

TELL_TEXT(settings, setting)
TELL_TEXT(labels, label)
TELL_TEXT(tuning, tuning)
TELL_TEXT(replicates, replicate)
TELL_POINTS(candidates, run_add(&r, "%ld", plan_candidates(p, i));)
TELL_POINTS(beyond, run_add(&r, "%ld", plan_beyond(p, i));)
TELL_POINTS(groups, run_add(&r, "%ld", p->group ? (long)p->group[i] : 0);)
TELL_POINTS(rungs, int64_t step[PLAN_RUNGS_MAX]; struct text_buffer steps = {0};
            for (int k = 0, n = plan_rungs(p, i, step); k < n; k++)
                text_add(&steps, k ? " %ld" : "%ld", (long)step[k]);
            run_add(&r, "%s", steps.used ? steps.text : ""); free(steps.text);)

/* Identities, by their first digits: equal ones are told alike. */
TELL_POINTS(ids, char json[POINT_JSON_MAX]; char sha256[65]; plan_identity(p, i, json, sha256);
            run_add(&r, "%.8s", sha256);)

TELL(pairs)
{
    char sha256[65];
    assert_int_equal(plan_pairs_sha256(p, sha256, NULL), STATUS_OK);
    text_add(out, "%.8s", sha256);
}

static void add_point(const struct plan *p, long i, struct text_buffer *out)
{
    const struct config *c = plan_config(p);
    struct point point;
    plan_point(p, i, &point);
    for (const struct axis *a = c->axis; a < c->axis + c->axes; a++) {
        char value[OPTION_TEXT_MAX];
        struct point_section s;
        const struct option_entry *o = point_option(&point, a->path, &s);
        if (o)
            option_format(o, s.values, value, sizeof value);
        if (a->values > 1 || a->kind != AXIS_VALUES)
            text_add(out, " %s", o ? value : point.task->name);
    }
}

/* How many, and what they have on the axes that vary. */
TELL(points)
{
    long n = plan_points(p);
    text_add(out, "%ld:", n);
    for (long i = 0; i < n; i++) {
        bool skipped = n > LISTED && i == 3;
        i = skipped ? n - 1 : i;
        text_add(out, "%s%s", i ? "," : "", skipped ? " ...," : "");
        add_point(p, i, out);
    }
}

TELL(dropped)
{
    long constraint, exclude, twins, n = plan_dropped(p, &constraint, &exclude, &twins);
    assert_int_equal(n, constraint + exclude + twins);
    text_add(out, "%ld by constraints, %ld by exclude, %ld twins", constraint, exclude, twins);
}

TELL(notes)
{
    struct message m = {{0}};
    for (int i = 0, n = 0; plan_note(p, &i, &m); n++)
        text_add(out, n ? "; %s" : "%s", m.text);
}

/* Of one seed after the other: which points, in which order. */
TELL(trials)
{
    struct plan_trial was = {.point = -1}, t = was;
    for (long k = 0, n = plan_trials(p); k < n; k++, was = t) {
        t = plan_trial(p, k);
        bool goes_on = k && t.seed == was.seed && t.tuning == was.tuning && t.look == was.look;
        bool ends = k + 1 == n || plan_trial(p, k + 1).point != t.point + 1;
        if (!goes_on) {
            text_add(out, "%s%sseed %ld", k ? ", " : "", t.tuning ? "tuning " : "", (long)t.seed);
            text_add(out, t.look > 1 ? " at look %d" : "", t.look);
            text_add(out, " %ld", t.point);
        } else if (t.point != was.point + 1) {
            text_add(out, " %ld", t.point);
        } else if (ends) {
            text_add(out, "-%ld", t.point);
        }
    }
}

/* Into how many shards it can be cut, or why not. */
TELL(shards)
{
    struct plan *cut = (struct plan *)p;
    struct message m = {{0}};
    if (plan_set_shard(cut, (struct plan_shard){1, 2}, &m) == STATUS_OK)
        text_add(out, "%ld", plan_shards_most(p));
    else
        text_add(out, "%s", m.text);
    assert_int_equal(plan_set_shard(cut, (struct plan_shard){0, 0}, &m), STATUS_OK);
}

TELL(claim)
{
    text_add(out, "%s", plan_claim(p));
}

TELL(files)
{
    int n;
    const struct survey *s = plan_surveys(p, &n);
    text_add(out, "%d", n);
    for (int i = 0; i < n; i++)
        text_add(out, " %s of %ld bytes", s[i].path, (long)s[i].size);
}

/* ---- what is told of a sweep file ---- */

#define TELL_AS(which, ...)                                                                        \
    TELL(which)                                                                                    \
    {                                                                                              \
        text_add(out, __VA_ARGS__);                                                                \
    }

TELL_AS(name, "%s", c->name)
TELL_AS(question, "%s", c->question)
TELL_AS(text, "%.8s of %ld bytes", c->sha256, (long)c->size)
TELL_AS(method, c->method == METHOD_GRID ? "grid" : "random, %ld samples, sampler seed %ld",
        (long)c->samples, (long)c->sampler_seed)
TELL_AS(metric, "%s, %s", metric_name(c->metric), metric_goal(c->metric))
TELL_AS(equivalence, "%g", c->equivalence)
TELL_AS(halving, "by %ld from %ld steps", (long)c->rung_eta, (long)c->rung_min_steps)
TELL_AS(extend, "%ld", (long)c->extend)
TELL_AS(eval, "%s", c->eval_json)
TELL_AS(limits, "%.9g s, %.15g bytes", c->limit_time_s, (double)c->limit_memory)
TELL_AS(runs, "%ld retries, %ld workers, %ld threads, cap %ld", (long)c->retries, (long)c->workers,
        (long)c->threads, (long)c->run_cap)
TELL_AS(measure, "%s", c->measure ? "evals" : "")
TELL_AS(sets, "%d", c->sets)
TELL_AS(constraints, "%d", c->constraints)

static void add_value(const struct config_value *v, struct text_buffer *out)
{
    text_add(out, v->scalars == 1 ? "" : "[");
    for (int i = 0; i < v->scalars; i++)
        text_add(out, i ? ", %s" : "%s", v->scalar[i]);
    text_add(out, v->scalars == 1 ? "" : "]");
}

/* As written, in the order of the file: a path, its place, and a list of values or one. */
TELL(axes)
{
    static const char *const kinds[] = {"", "uniform", "log_uniform", "int_uniform"};
    for (const struct axis *a = c->axis; a < c->axis + c->axes; a++) {
        text_add(out, "%s%s %d:%d ", a == c->axis ? "" : "; ", a->path, a->place.line,
                 a->place.column);
        if (a->kind != AXIS_VALUES)
            text_add(out, "%s %g to %g", kinds[a->kind], a->min, a->max);
        text_add(out, a->listed && a->values ? "[" : "");
        for (int i = 0; i < a->values; i++) {
            text_add(out, i ? ", " : "");
            add_value(&a->value[i], out);
        }
        text_add(out, a->listed && a->values ? "]" : "");
    }
}

TELL(seeds)
{
    text_add(out, "%d:", c->seeds);
    for (int i = 0; i < c->seeds; i++) {
        bool skipped = c->seeds > LISTED && i == 3;
        i = skipped ? c->seeds - 1 : i;
        text_add(out, "%s %ld", skipped ? " ..." : "", (long)c->seed[i]);
    }
}

TELL(looks)
{
    for (int i = 0; i < c->looks; i++)
        text_add(out, i ? " %ld" : "%ld", (long)c->look[i]);
}

TELL(excluded)
{
    for (const struct config_excluded *e = c->exclude; e < c->exclude + c->excluded; e++)
        for (int i = 0; i < e->pairs; i++) {
            text_add(out, i ? ", %s " : e == c->exclude ? "%s " : "; %s ", e->path[i]);
            add_value(&e->value[i], out);
        }
}

TELL(tune)
{
    for (int i = 0; i < c->tune; i++)
        text_add(out, "%s, ", c->tune_path[i]);
    text_add(out, "%ld seeds", (long)c->tune_seeds);
}

TELL(replicate)
{
    for (int i = 0; i < c->replicate; i++)
        text_add(out, i ? ", %s" : "%s", c->replicate_path[i]);
}

TELL(confirm)
{
    text_add(out, "%ld", (long)c->confirm);
    for (int i = 0; c->confirm_instance && i < c->confirm; i++)
        text_add(out, " %ld", (long)c->confirm_instance[i]);
    text_add(out, ", fresh seeds %ld", (long)config_fresh_seeds(c));
}

static const struct {
    const char *key;
    void (*tell)(const struct plan *p, const struct config *c, struct text_buffer *out);
} facts[] = {
#define FACT(which)                                                                                \
    {                                                                                              \
#which, tell_##which                                                                       \
    }
    FACT(name),     FACT(question), FACT(text),    FACT(axes),        FACT(method),
    FACT(seeds),    FACT(metric),   FACT(looks),   FACT(equivalence), FACT(constraints),
    FACT(excluded), FACT(tune),     FACT(halving), FACT(extend),      FACT(replicate),
    FACT(confirm),  FACT(eval),     FACT(claim),   FACT(limits),      FACT(runs),
    FACT(sets),     FACT(measure),  FACT(points),  FACT(dropped),     FACT(notes),
    FACT(settings), FACT(labels),   FACT(tuning),  FACT(replicates),  FACT(candidates),
    FACT(beyond),   FACT(groups),   FACT(rungs),   FACT(trials),      FACT(pairs),
    FACT(shards),   FACT(ids),      FACT(files)};
enum { FACTS = sizeof facts / sizeof *facts };

static void tell_shown(const struct plan *p, struct text_buffer *out)
{
    for (char **key = play.shown; *key; key++) {
        struct text_buffer text = {0};
        int i = 0;
        while (i < FACTS && strcmp(facts[i].key, *key) != 0)
            i++;
        if (i == FACTS)
            fail_msg("no such fact: %s", *key);
        facts[i].tell(p, plan_config(p), &text);
        text_add(out, "%s%s %s", key == play.shown ? "" : "; ", *key, text.used ? text.text : "-");
        free(text.text);
    }
    if (!out->used)
        text_add(out, "taken");
}

/* ---- the sweep file of a case ---- */

/* Where the top-level key that begins here ends, with all that belongs to it. */
static const char *part_end(const char *text)
{
    do {
        text += strcspn(text, "\n");
        text += *text == '\n';
    } while (*text && strchr(" -?", *text));
    return text;
}

/* The part of text with the key that `part` begins with; NULL: it has none. */
static const char *part_of(const char *text, const char *part)
{
    size_t key = strcspn(part, ":\n");
    while (*text && (strcspn(text, ":\n") != key || memcmp(text, part, key) != 0))
        text = part_end(text);
    return *text ? text : NULL;
}

/* The text that the case began with, its keys replaced by those of the change. */
static void add_merged(struct text_buffer *out, const char *base, const char *change)
{
    for (const char *part = base; *part; part = part_end(part)) {
        const char *instead = part_of(change, part);
        const char *from = instead ? instead : part;
        text_add_bytes(out, from, (size_t)(part_end(from) - from));
    }
    for (const char *part = change; *part; part = part_end(part))
        if (!part_of(base, part))
            text_add_bytes(out, part, (size_t)(part_end(part) - part));
}

/* \n, \t, \r, \0, \\ and \xff. */
static void add_unescaped(struct text_buffer *out, const char *text)
{
    static const char names[] = "ntr0\\", bytes[] = "\n\t\r\0\\";
    while (*text) {
        char byte = *text++, digits[3] = {0};
        if (byte == '\\' && *text == 'x') {
            memcpy(digits, text + 1, 2);
            byte = (char)strtol(digits, NULL, 16);
            text += 3;
        } else if (byte == '\\') {
            const char *name = strchr(names, *text++);
            assert_non_null(name);
            byte = bytes[name - names];
        }
        text_add_bytes(out, &byte, 1);
    }
}

/* What comes of a sweep file: a refusal, without the file's name, or what is shown. */
static void add_outcome(struct text_buffer *out, const struct text_buffer *text)
{
    struct config *c;
    struct plan *p = NULL;
    struct message m = {{0}};
    const char *const *sets = (const char *const *)play.set;
    enum status s = play.read ? config_read(play.read, sets, play.sets, &c, &m)
                              : config_parse("s.yaml", text->text ? text->text : "", text->used,
                                             sets, play.sets, &c, &m);
    if (s)
        assert_null(c);
    else
        s = plan_new(c, NULL, 0, &p, &m);
    if (s) {
        assert_int_equal(s, STATUS_BAD_INPUT);
        assert_null(p);
        bool placed = strncmp(m.text, "s.yaml:", 7) == 0 && m.text[7] != ' ';
        text_add(out, "%s", m.text + 7 * placed);
    } else {
        tell_shown(p, out);
    }
    plan_free(p);
    config_free(c);
}

/* The same wherever the tree stands. */
static void hide_folder(struct text_buffer *out)
{
    char here[512];
    assert_non_null(getcwd(here, sizeof here));
    for (char *at; (at = strstr(out->text, here));) {
        *at = '.';
        memmove(at + 1, at + strlen(here), strlen(at + strlen(here)) + 1);
    }
}

/* Behind the last line where there is room, else in lines of its own. */
static void tell(FILE *out, const char *text)
{
    const char *lines = play.lines.text ? play.lines.text : "", *last = strrchr(lines, '\n');
    struct text_buffer told = {0};
    char *rest = NULL;
    fputs(lines, out);
    if (*lines && text_width(last ? last + 1 : lines) + 4 + text_width(text) <= WIDTH) {
        fprintf(out, " => %s\n", text);
        return;
    }
    FILE *paragraph = text_stream(&told);
    assert_non_null(paragraph);
    text_paragraph(paragraph, text, 0, 0, WIDTH - 3);
    fclose(paragraph);
    fputs(*lines ? "\n" : "", out);
    for (char *line = strtok_r(told.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        fprintf(out, "=> %s\n", line);
    free(told.text);
}

static void change_free(void)
{
    free(play.change.text);
    free(play.lines.text);
    play.change = play.lines = (struct text_buffer){0};
    play.sets = 0;
    play.read = NULL;
    play.pending = false;
}

static void judge(FILE *out)
{
    struct text_buffer text = {0}, told = {0};
    const char *change = play.change.text ? play.change.text : "";
    if (play.bytes)
        add_unescaped(&text, play.lines.text);
    else
        add_merged(&text, play.base.text ? play.base.text : "", change);
    add_outcome(&told, &text);
    hide_folder(&told);
    tell(out, told.text);
    if (!play.based)
        text_add(&play.base, "%s", change);
    play.based = true;
    free(told.text);
    free(text.text);
    change_free();
}

/* ---- the lines of a file ---- */

static void case_begin(void)
{
    free(play.base.text);
    change_free();
    memset(&play, 0, sizeof play);
}

static void read_words(char **word, char *line)
{
    char *rest = NULL;
    for (int i = 0; (word[i] = strtok_r(i ? NULL : line, " ", &rest)); i++)
        assert_in_range(i, 0, WORDS - 2);
}

/* --set A --set B */
static void read_sets(char *line)
{
    for (char *next; line; line = next) {
        next = strstr(line + 1, " --set ");
        if (next)
            *next++ = '\0';
        assert_in_range(play.sets, 0, WORDS - 1);
        play.set[play.sets++] = line + strlen("--set ");
    }
}

/* The line of a sweep file, or of how it is read. `copy` lives as long as the file's lines. */
static void read_line(const char *line, char *copy)
{
    text_add(&play.lines, play.pending ? "\n%s" : "%s", line);
    play.pending = true;
    if (strncmp(line, "--set ", 6) == 0)
        read_sets(copy);
    else if (strncmp(line, "read ", 5) == 0)
        play.read = copy + 5;
    else if (!play.bytes)
        text_add(&play.change, "%s\n", line);
}

/* What the case is, not what a sweep file says; false: it is none of these. */
static bool read_directive(char *line)
{
    if (strncmp(line, "case ", 5) == 0) {
        case_begin();
    } else if (strcmp(line, "bytes") == 0) {
        play.bytes = true;
    } else if (strncmp(line, "show", 4) == 0) {
        read_words(play.shown, line + 4);
    } else {
        return *line == '#';
    }
    return true;
}

/* An empty line: the end of what the case begins with, or of a change that nothing is told of. */
static void end_paragraph(FILE *out)
{
    if (play.pending && play.based) {
        judge(out);
    } else if (play.pending) {
        text_add(&play.base, "%s", play.change.text ? play.change.text : "");
        fprintf(out, "%s\n", play.lines.text);
        change_free();
    }
    play.based = true;
    fputc('\n', out);
}

static void play_lines(const char *path TEST_UNUSED, char *lines, FILE *out)
{
    case_begin();
    for (char *line = lines, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        char *told =
            strncmp(line, "=> ", 3) == 0 || strcmp(line, "=>") == 0 ? line : strstr(line, " => ");
        if (told)
            *told = '\0';
        struct text_buffer whole = {0};
        text_add(&whole, "%s", line);
        if (*line && !play.pending && read_directive(line))
            fprintf(out, "%s\n", whole.text);
        else if (*line)
            read_line(whole.text, line);
        else if (!told)
            end_paragraph(out);
        if (play.pending && (told || play.bytes))
            judge(out);
        free(whole.text);
    }
    if (play.pending)
        judge(out);
    case_begin();
}

CASES("tests/sweep_files", play_lines)
