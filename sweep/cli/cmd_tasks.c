/* headcount tasks: what can be learned, every option with its default, and an example one can
 * read. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"
#include "engine/encoder_config.h"
#include "engine/train_config.h"
#include "sweep/cli/command.h"
#include "sweep/plan/point.h"
#include "sweep/plan/survey.h"
#include "sweep/report/table.h"
#include "sweep/worker/data.h"

/* ---- a file ---- */

enum { LINE_COLUMNS = 90, MOST_LABELS = 20, /* shown */ LABEL_COLUMNS = 40 };

static const char *const part_name[TASK_PARTS] = {"training", "validation", "test"};

static int64_t derived_of(const struct point *p, const char *name)
{
    int64_t value;
    memcpy(&value, p->task_options + option_find(p->task->options, name)->offset, sizeof value);
    return value;
}

/* An example's text for a person: its lines, broken where they are long; what cannot be shown as \x
 * and two digits. */
static void print_bytes(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *start = p;
    for (int column = LINE_COLUMNS; p < end;) {
        uint32_t code;
        int length = utf8_decode(p, end, &code);
        if (column >= LINE_COLUMNS) {
            printf("%s  | ", p > start ? "\n" : "");
            column = 0;
        }
        if (length == 0 || (utf8_is_control(code) && code != '\n')) {
            column += printf("\\x%02x", *p++);
            continue;
        }
        if (code == '\n')
            column = LINE_COLUMNS;
        else
            column += fwrite(p, 1, (size_t)length, stdout) > 0 ? utf8_columns(code) : 0;
        p += length;
    }
    putchar('\n');
}

static void print_target(const struct task_source *source, const struct point *p,
                         const struct task_shape *shape, const int32_t *targets, long used)
{
    if (shape->bytes) {
        int32_t last = targets[shape->length - 1];
        printf("The target of each byte is the one after it; of the last: ");
        printf(last > ' ' && last < 0x7f ? "%c\n\n" : "\\x%02x\n\n", (int)last);
        return;
    }
    char shown[LABEL_COLUMNS];
    text_shown(p->task->file->label(source, targets[0]), shown, sizeof shown);
    printf("  %-10s  \"%s\"\n", "target", shown);
    if (used < shape->length)
        printf("  %-10s  %s\n", "padding", text_counted(shape->length - used, "position").text);
}

static void print_file_example(struct scope *x, struct task_source *source, const struct point *p,
                               const struct task_shape *shape, long index)
{
    struct arena *a = &x->arena;
    int32_t *inputs = arena_alloc(a, (size_t)(shape->length * shape->fields), sizeof *inputs);
    int32_t *targets = arena_alloc(a, (size_t)(shape->length * shape->slots), sizeof *targets);
    uint8_t *padding = arena_alloc(a, (size_t)shape->length, sizeof *padding);
    unsigned char *text = arena_alloc(a, (size_t)shape->length, 1);
    scope_check(x, p->task->file->read(source, TASK_TEST, index - 1, shape->part[TASK_TEST], inputs,
                                       targets, padding, x->message));
    long used = 0;
    for (; used < shape->length && !padding[used]; used++)
        text[used] = (unsigned char)inputs[used];
    printf("\nTest example %ld:\n", index);
    print_bytes(text, text + used);
    print_target(source, p, shape, targets, used);
}

static void print_file(const struct point *p, const struct task_shape *shape)
{
    char count[32];
    const struct option_entry *sha256 = option_find(p->task->options, "sha256");
    text_print(stdout, "\nFile: %s\n", point_file(p));
    printf("  %-10s  %s\n", "bytes", text_count(derived_of(p, "size"), count, sizeof count));
    printf("  %-10s  %s\n", "SHA-256", (const char *)p->task_options + sha256->offset);
    for (int i = 0; i < TASK_PARTS; i++)
        printf("  %-10s  %s %s\n", part_name[i], text_count(shape->part[i], count, sizeof count),
               shape->bytes ? "windows" : "rows");
    if (shape->repeated)
        printf("  %-10s  %s rows share their text with another row: only trained on\n", "repeated",
               text_count(shape->repeated, count, sizeof count));
}

/* Stands at the first item of the list of that name, where it has any. */
static bool list_of(const struct json *facts, const char *name, struct json *list)
{
    return json_member(facts, name, list) && json_take(list, '[') && !json_take(list, ']');
}

/* The labels by class, each with its rows, and how many texts do not fit. */
static void print_labels(const struct json *facts, const struct task_shape *shape)
{
    struct json cut, label, rows;
    int64_t n;
    if (!list_of(facts, "labels", &label) || !list_of(facts, "label_rows", &rows))
        return;
    if (json_member(facts, "cut", &cut) && json_integer(&cut, &n) && n > 0)
        printf("  %-10s  %" PRId64 " of the texts, at %s\n", "cut", n,
               text_counted(shape->length, "byte").text);
    printf("\n%ld labels:\n", shape->classes);
    bool more = true;
    for (long k = 0; more && k < MOST_LABELS; k++) {
        const char *name;
        char shown[LABEL_COLUMNS],
            count[32]; /* in quotes: of white space at its ends nothing shows */
        label.text = facts->text;
        if (!json_string(&label, &name) || !json_integer(&rows, &n))
            return;
        printf("  %-10ld  %s row%s  \"%s\"\n", k, text_count(n, count, sizeof count),
               text_plural(n), text_shown(name, shown, sizeof shown));
        if (!json_more(&label, ']', &more) || !json_more(&rows, ']', &more))
            return;
    }
    if (shape->classes > MOST_LABELS)
        printf("  and %ld more\n", shape->classes - MOST_LABELS);
}

static void print_facts(struct scope *x, const char *text, const struct task_shape *shape)
{
    char warning[256];
    size_t size = strlen(text);
    struct json facts = {.start = (const unsigned char *)text,
                         .next = (const unsigned char *)text,
                         .end = (const unsigned char *)text + size,
                         .place = "what a file holds",
                         .text = arena_alloc(&x->arena, size + 1, 1),
                         .m = x->message};
    print_labels(&facts, shape);
    if (survey_warning(text, warning, sizeof warning))
        printf("\nNote: %s.\n", warning);
}

/* "the training part", "the last 4,194,304 bytes of the training part", or "the last 131,072 bytes
 * of the training part of each of 32 stretches". */
static void add_stretch(struct text_buffer *b, const char *which, int64_t bytes, int64_t all,
                        const char *part, int64_t stretches)
{
    char count[32];
    if (bytes < all)
        text_add(b, "the %s %s bytes of ", which,
                 text_count(bytes / stretches, count, sizeof count));
    text_add(b, "the %s part", part);
    if (bytes < all && stretches > 1)
        text_add(b, " of each of %" PRId64 " stretches", stretches);
}

static void print_anchors(struct scope *x, struct task_source *source, const struct point *p)
{
    struct task_anchors a;
    struct text_buffer b = scope_text(x);
    scope_check(x, p->task->file->anchors(source, &a, x->message));
    if (a.count == 0)
        return;
    text_add(&b, "To compare with: bits per byte of adaptive byte models, which know as many bytes "
                 "before as their order says, learned from ");
    add_stretch(&b, "last", a.learned, a.train, "training", a.stretches);
    text_add(&b, ", on ");
    add_stretch(&b, "first", a.tested, a.test, "test", a.stretches);
    text_paragraph(stdout, b.text, 0, 0, LINE_COLUMNS);
    for (int k = 0; k < a.count; k++)
        printf("  order %d     %.3f\n", k, a.bits_per_byte[k]);
}

/* facts are the survey's, which filled p's derived options; index is the test example's, from 1. */
static void describe_content(struct scope *x, const struct point *p, const struct task_shape *shape,
                             const char *facts, long index)
{
    struct task_source *source;
    if (index > shape->part[TASK_TEST])
        scope_fail(x, STATUS_BAD_INPUT, "--example is %ld, but the test part has %s", index,
                   text_counted(shape->part[TASK_TEST], "example").text);
    print_file(p, shape);
    print_facts(x, facts, shape);
    printf("\nChance accuracy: %.4g\n", shape->chance);
    scope_check(x,
                p->task->file->open(&x->arena, p->task_options, NULL, false, &source, x->message));
    print_file_example(x, source, p, shape, index);
    print_anchors(x, source, p);
    p->task->file->close(source);
}

/* ---- tasks and options ---- */

enum { PAGE_WIDTH = 96, ROW_NAME_WIDTH = 10, ALLOWED_SIZE = 512 };

struct tasks_options {
    const char *name; /* a task, "model" or "train"; NULL: all tasks are listed */
    struct command_texts set;
    long example;
    bool json;
};

static const struct command_option options[] = {
    {"set", 0, COMMAND_TEXTS, offsetof(struct tasks_options, set), "KEY=VALUE",
     "set an option for the printed example, as in length=8"},
    {"example", 0, COMMAND_LONG, offsetof(struct tasks_options, example), "N",
     "print the N-th test example (1)"},
    {"json", 0, COMMAND_FLAG, offsetof(struct tasks_options, json), NULL,
     "the list, or the options of NAME, as JSON"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "tasks",
    .details = "NAME is a task, or `model` or `train` for the options that all sweeps share.\n",
    .options = options,
    .examples = "  headcount tasks\n"
                "  headcount tasks gather --set length=8 --set slots=2\n"
                "  headcount tasks train\n",
    .least = 0,
    .most = 1,
};

static void list_tasks(struct scope *x, bool json)
{
    static const struct table_column columns[] = {{.name = "name", .title = "task"},
                                                  {.name = "version"},
                                                  {.name = "summary", .title = "learns to"},
                                                  {0}};
    struct table *t = table_new(x, columns);
    for (int i = 0; task_table[i]; i++) {
        table_text(t, task_table[i]->name);
        table_integer(t, task_table[i]->version);
        table_text(t, task_table[i]->summary);
    }
    table_write(t, json ? TABLE_JSON : TABLE_TEXT, text_color(stdout), stdout);
    if (json) {
        putchar('\n');
    } else {
        printf("\nheadcount tasks NAME    its options with their defaults, and an example\n"
               "headcount tasks model   the options of the model\n"
               "headcount tasks train   the options of training\n");
    }
}

/* What the option takes, in the words of its refusals. */
static const char *allowed_text(const struct option_entry *o, char text[ALLOWED_SIZE])
{
    char values[ALLOWED_SIZE - sizeof "a list of "];
    if (o->derived)
        return "read from the file";
    snprintf(text, ALLOWED_SIZE, "%s%s", o->type == OPTION_INT_LIST ? "a list of " : "",
             option_allowed(o, values, sizeof values));
    return text;
}

static const char *type_name(const struct option_entry *o)
{
    switch (o->type) {
    case OPTION_INT:
        return "int";
    case OPTION_REAL:
        return "real";
    case OPTION_BOOL:
        return "bool";
    case OPTION_CHOICE:
        return "choice";
    case OPTION_INT_LIST:
        return "int list";
    case OPTION_STRING:
        return "text";
    }
    return "";
}

static void option_rows(struct scope *x, const char *section, const struct option_entry *list)
{
    static const struct table_column columns[] = {{.name = "option"},  {.name = "type"},
                                                  {.name = "allowed"}, {.name = "default"},
                                                  {.name = "help"},    {0}};
    struct table *t = table_new(x, columns);
    for (const struct option_entry *o = list; o->name; o++) {
        char allowed[ALLOWED_SIZE];
        table_printf(t, "%s.%s", section, o->name);
        table_text(t, type_name(o));
        table_text(t, allowed_text(o, allowed));
        table_text(t, o->default_value);
        table_text(t, o->help);
    }
    table_write(t, TABLE_JSON, false, stdout);
    putchar('\n');
}

static void print_options(const char *section, const struct option_entry *list)
{
    for (const struct option_entry *o = list; o->name; o++) {
        char name[64], allowed[ALLOWED_SIZE];
        snprintf(name, sizeof name, "%s.%s", section, o->name);
        printf("  %-24s %s", name, allowed_text(o, allowed));
        if (o->derived)
            putchar('\n');
        else if (!o->default_value)
            printf(" (must be given)\n");
        else if (o->default_value[0])
            printf(" (default %s)\n", o->default_value);
        else
            printf(" (default: chosen by the task)\n");
        text_paragraph(stdout, o->help, 6, 6, PAGE_WIDTH);
    }
}

static int digits_of(long n)
{
    int digits = 1;
    for (; n >= 10; n /= 10)
        digits++;
    return digits;
}

/* One row of the grid for positions first..last-1; numbers are `stride` apart. */
static void print_row(const char *name, const int32_t *number, int stride, long first, long last,
                      int cell)
{
    printf("  %-*s", ROW_NAME_WIDTH, name);
    for (long i = first; i < last; i++) {
        int32_t x = number[i * stride];
        if (x == TASK_MASKED)
            printf("%*s", cell, ".");
        else
            printf("%*d", cell, (int)x);
    }
    putchar('\n');
}

static void target_name(char *name, size_t size, const struct task_shape *s, int slot)
{
    if (s->slots > 1)
        snprintf(name, size, "target %d", slot);
    else
        snprintf(name, size, "target");
}

static void print_grid(const struct task_shape *s, const int32_t *inputs, const int32_t *targets)
{
    long largest = s->length > s->classes ? s->length : s->classes;
    for (int f = 0; f < s->fields; f++)
        largest = s->vocab[f] > largest ? s->vocab[f] : largest;
    int cell = digits_of(largest - 1) + 1;
    long per_line = (PAGE_WIDTH - 2 - ROW_NAME_WIDTH) / cell;
    char name[32];
    for (long first = 0; first < s->length; first += per_line) {
        long last = first + per_line < s->length ? first + per_line : s->length;
        printf("%s  %-*s", first ? "\n" : "", ROW_NAME_WIDTH, "position");
        for (long i = first; i < last; i++)
            printf("%*ld", cell, i);
        putchar('\n');
        for (int f = 0; f < s->fields; f++)
            print_row(s->field[f], inputs + f, s->fields, first, last, cell);
        for (int k = 0; k < s->slots && !s->per_sequence; k++) {
            target_name(name, sizeof name, s, k);
            print_row(name, targets + k, (int)s->slots, first, last, cell);
        }
    }
    if (s->per_sequence) {
        for (int k = 0; k < s->slots; k++) {
            target_name(name, sizeof name, s, k);
            print_row(name, targets, 1, k, k + 1, cell);
        }
    }
}

static bool has_masked(const int32_t *target, long n)
{
    for (long i = 0; i < n; i++)
        if (target[i] == TASK_MASKED)
            return true;
    return false;
}

/* The task with what is set of it. */
static void set_point(struct scope *x, const struct task *task, const struct command_texts *set,
                      struct point *p)
{
    point_init(p, task);
    for (int i = 0; i < set->count; i++) {
        const char *given = set->item[i];
        if (strncmp(given, "model.", 6) == 0 || strncmp(given, "train.", 6) == 0)
            scope_fail(x, STATUS_BAD_INPUT,
                       "--set %s is no option of the task; `headcount tasks %s` lists those", given,
                       task->name);
        scope_check(x, point_give(p, given, x->message));
    }
}

/* Example `index` of the test set, from 1. */
static void print_example(struct scope *x, const struct point *p, const struct task_shape *s,
                          long index)
{
    struct example_source source;
    scope_check(x, example_source_open(&x->arena, p, s, NULL, &source, x->message));
    struct examples e = examples_new(&x->arena, &source, 1);
    enum status status = example_draw(
        &source, data_eval_seed(p), RNG_TEST, 0, index - 1,
        example_source_count(&source, TASK_TEST, p->train.test_examples), &e, x->message);
    example_source_close(&source);
    scope_check(x, status);
    print_grid(s, e.tokens, e.targets);
    if (has_masked(e.targets, source.targets_each))
        printf("  A dot is a position without a target.\n");
}

static void print_task(const struct task *task)
{
    printf("%s: ", task->name);
    text_paragraph(stdout, task->summary, 0, 2, PAGE_WIDTH - 10);
    putchar('\n');
    text_paragraph(stdout, task->details, 0, 0, PAGE_WIDTH);
    printf("\nOptions:\n");
    print_options("task", task->options);
}

static void print_shape(const struct task_shape *shape)
{
    printf("\nShape: %s", text_counted(shape->length, "position").text);
    for (int f = 0; f < shape->fields; f++)
        printf(", %s 0..%ld", shape->field[f], shape->vocab[f] - 1);
    printf("; %ld target%s per %s%s, classes 0..%ld\n", shape->slots, text_plural(shape->slots),
           shape->per_sequence ? "sequence (model.pool: mean or first)" : "position",
           shape->causal ? " (model.mask: causal)" : "", shape->classes - 1);
}

static void describe_file(struct scope *x, struct point *p, long example)
{
    struct text_buffer facts = scope_text(x);
    struct task_shape shape;
    scope_check(x, p->task->file->survey(p->task_options, &facts, x->message));
    scope_check(x, p->task->shape(p->task_options, &shape, x->message));
    print_shape(&shape);
    describe_content(x, p, &shape, facts.text, example);
}

static void describe_task(struct scope *x, const struct task *task, const struct tasks_options *o)
{
    struct point p;
    struct task_shape shape;
    set_point(x, task, &o->set, &p);
    if (task->file && *point_file(&p)) {
        describe_file(x, &p, o->example);
        return;
    }
    if (task->file) {
        print_task(task);
        printf("\nWhat a file holds, how it is divided, and an example:\n"
               "  headcount tasks %s --set file=PATH\n",
               task->name);
        return;
    }
    scope_check(x, task->shape(p.task_options, &shape, x->message));
    print_task(task);
    print_shape(&shape);
    printf("Chance accuracy: %.4g\n\nTest example %ld:\n", shape.chance, o->example);
    print_example(x, &p, &shape, o->example);
}

static _Noreturn void refuse_name(struct scope *x, const char *name)
{
    const char *names[128];
    int n = 0;
    for (; n < 120 && task_table[n]; n++)
        names[n] = task_table[n]->name;
    names[n++] = "model";
    names[n++] = "train";
    names[n] = NULL;
    const char *near = nearest_name(name, names);
    scope_fail(x, STATUS_BAD_INPUT, "there is no task '%s'; %s%s%s", name,
               near ? "did you mean '" : "see headcount tasks", near ? near : "", near ? "'?" : "");
}

static void describe(struct scope *x, void *context)
{
    const struct tasks_options *o = context;
    const struct task *task = o->name ? task_find(o->name) : NULL;
    if (!o->name) {
        list_tasks(x, o->json);
        return;
    }
    if (task && !o->json) {
        describe_task(x, task, o);
        return;
    }
    bool model = strcmp(o->name, "model") == 0;
    if (!task && !model && strcmp(o->name, "train") != 0)
        refuse_name(x, o->name);
    const struct option_entry *list = task    ? task->options
                                      : model ? encoder_options
                                              : train_options;
    if (o->json) {
        option_rows(x, task ? "task" : o->name, list);
        return;
    }
    printf("Options of %s:\n", model ? "the model" : "training");
    print_options(o->name, list);
}

int command_tasks(int argc, char **argv)
{
    struct tasks_options o = {.example = 1};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    o.name = argv[optind];
    return command_act_on("tasks", COMMAND_NO_STORE, NULL, describe, &o);
}
