/* headcount tasks: what can be learned, every option with its default, and an example one can
 * read. */
#include "sweep/cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "engine/encoder_config.h"
#include "engine/train_config.h"
#include "sweep/cli/tasks_file.h"
#include "sweep/plan/point.h"
#include "sweep/report/table.h"
#include "sweep/worker/data.h"

enum { PAGE_WIDTH = 96, ROW_NAME_WIDTH = 10, EXAMPLE_MAX = 1024, ALLOWED_SIZE = 512 };

struct tasks_options {
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

/* Example `index` of the test set, from 1. */
static enum status print_example(struct arena *a, const struct point *p, const struct task_shape *s,
                                 long index, struct message *m)
{
    struct example_source source;
    enum status status = example_source_open(a, p, s, NULL, &source, m);
    if (status != STATUS_OK)
        return status;
    struct examples x = examples_new(a, &source, 1);
    status = example_draw(&source, data_eval_seed(p), RNG_TEST, 0, index - 1,
                          example_source_count(&source, TASK_TEST, p->train.test_examples), &x, m);
    example_source_close(&source);
    if (status != STATUS_OK)
        return status;
    print_grid(s, x.tokens, x.targets);
    if (has_masked(x.targets, source.targets_each))
        printf("  A dot is a position without a target.\n");
    return STATUS_OK;
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

static enum status describe_file(struct point *p, long example, struct message *m)
{
    struct text_buffer facts = {0};
    struct task_shape shape;
    enum status s = p->task->file->survey(p->task_options, &facts, m);
    if (s == STATUS_OK)
        s = p->task->shape(p->task_options, &shape, m);
    if (s == STATUS_OK) {
        print_shape(&shape);
        s = tasks_file_print(p, &shape, facts.text, example, m);
    }
    free(facts.text);
    return s;
}

static enum status describe_task(struct scope *x, const struct task *task,
                                 const struct tasks_options *o, struct message *m)
{
    struct point p;
    struct task_shape shape;
    point_init(&p, task);
    enum status s = STATUS_OK;
    for (int i = 0; i < o->set.count && s == STATUS_OK; i++)
        s = point_give(&p, o->set.item[i], m);
    if (s != STATUS_OK)
        return s;
    if (tasks_file_given(&p))
        return describe_file(&p, o->example, m);
    if (task->file) {
        print_task(task);
        printf("\nWhat a file holds, how it is divided, and an example:\n"
               "  headcount tasks %s --set file=PATH\n",
               task->name);
        return STATUS_OK;
    }
    s = task->shape(p.task_options, &shape, m);
    if (s != STATUS_OK)
        return s;
    print_task(task);
    print_shape(&shape);
    printf("Chance accuracy: %.4g\n\nTest example %ld:\n", shape.chance, o->example);
    return print_example(&x->arena, &p, &shape, o->example, m);
}

static enum status describe(struct scope *x, const char *name, const struct tasks_options *o,
                            struct message *m)
{
    const char *names[128];
    int n = 0;
    for (; n < 120 && task_table[n]; n++)
        names[n] = task_table[n]->name;
    names[n++] = "model";
    names[n++] = "train";
    names[n] = NULL;
    const struct task *task = task_find(name);
    const struct option_entry *list = task                         ? task->options
                                      : strcmp(name, "model") == 0 ? encoder_options
                                      : strcmp(name, "train") == 0 ? train_options
                                                                   : NULL;
    if (!list) {
        const char *near = nearest_name(name, names);
        return near ? status_fail(m, STATUS_BAD_INPUT, "there is no task '%s'; did you mean '%s'?",
                                  name, near)
                    : status_fail(m, STATUS_BAD_INPUT, "there is no task '%s'; see headcount tasks",
                                  name);
    }
    if (task && !o->json)
        return describe_task(x, task, o, m);
    if (o->json) {
        option_rows(x, task ? "task" : name, list);
        return STATUS_OK;
    }
    printf("Options of %s:\n", strcmp(name, "model") == 0 ? "the model" : "training");
    print_options(name, list);
    return STATUS_OK;
}

int command_tasks(int argc, char **argv)
{
    struct tasks_options o = {.example = 1};
    struct message m = {{0}};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    struct scope *x = scope_new(NULL, "a description", &m);
    if (scope_enter(x)) {
        if (arguments)
            scope_check(x, describe(x, argv[optind], &o, &m));
        else
            list_tasks(x, o.json);
    }
    enum status s = scope_end(x);
    return s == STATUS_OK ? EXIT_DONE : command_fail("tasks", s, &m);
}
