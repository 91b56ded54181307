/* headcount ask: from a file, or a toy, to an answer: writes a sweep file and runs it. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "sweep/ask/answer.h"
#include "sweep/ask/decide.h"
#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "sweep/ask/words.h"
#include "sweep/cli/command.h"
#include "sweep/page/page.h"

enum { TASK_OPTIONS = 64 }; /* of any task */

struct ask_options {
    const char *db, *task, *mode, *text_column, *label_column, *model;
    struct command_texts set;          /* and then those that the other options come to */
    const char *of_task[TASK_OPTIONS]; /* in the task's order */
    double minutes;
    long workers;
    bool yes, write;
};

/* ---- options ---- */

static const struct command_option options[] = {
    {"task", 0, COMMAND_TEXT, offsetof(struct ask_options, task), "NAME",
     "ask about a toy in the place of a file; its options follow, as in --slots 3"},
    {"minutes", 0, COMMAND_REAL, offsetof(struct ask_options, minutes), "M",
     "how long it may take, about (10); with more, a better answer"},
    {"yes", 0, COMMAND_FLAG, offsetof(struct ask_options, yes), NULL, "begin without asking"},
    {"write", 0, COMMAND_FLAG, offsetof(struct ask_options, write), NULL,
     "only write the sweep file"},
    {"mode", 0, COMMAND_TEXT, offsetof(struct ask_options, mode), "lm|classify",
     "lm: predict each next byte of the file; classify: tell the labels of its rows (by its name)"},
    {"text-column", 0, COMMAND_TEXT, offsetof(struct ask_options, text_column), "NAME",
     "the column, or member, that is the text (the one with the longest values)"},
    {"label-column", 0, COMMAND_TEXT, offsetof(struct ask_options, label_column), "NAME",
     "the one that is the label (one called label, stars, ..., or with the fewest values)"},
    {"model", 0, COMMAND_TEXT, offsetof(struct ask_options, model), "FILE",
     "a YAML file whose sections model and train are taken as they are; only heads are asked"},
    {"set", 0, COMMAND_TEXTS, offsetof(struct ask_options, set), "KEY=VALUE",
     "a key of the sweep file as you want it, as in model.layers=2; null leaves it out"},
    {"workers", 'j', COMMAND_LONG, offsetof(struct ask_options, workers), "N",
     "trials at once (usable cores)"},
    COMMAND_DB_OPTION(struct ask_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};
enum { OWN_OPTIONS = sizeof options / sizeof *options };

static const struct command_syntax syntax = {
    .name = "ask",
    .details =
        "Looks at FILE: a text, to be predicted byte by byte, or rows with labels (CSV, TSV, JSON\n"
        "Lines). Measures this machine for a moment and writes FILE.headcount.yaml, with a reason\n"
        "for every value; with --task NAME.headcount.yaml in the working folder. Shows what it\n"
        "will do and how long that takes, asks, and does it, as `headcount run` of that file "
        "would.\n"
        "Ends with an answer, and everything as a page beside the file.\n"
        "\n"
        "The first Ctrl-C stops it, and the same command goes on. More minutes add seeds to the\n"
        "trials that there are, or begin another sweep with a larger net or longer training. A\n"
        "sweep file that you have changed is never written again: `headcount run` runs it.\n"
        "Without a terminal and without --yes it only writes.\n",
    .options = options,
    .others = "options of a task are those that headcount tasks NAME lists",
    .examples = "  headcount ask configs/README.md --write\n"
                "  headcount ask --task gather --slots 3 --write\n",
    .least = 0,
    .most = 1,
};

/* ---- options of the task ---- */

/* Ask's own options, and those of the task that they name, as in --slots; of a file they are those
 * of `text`. */
static const struct command_option *all_options(struct scope *x, const struct task *task)
{
    struct command_option *all = arena_alloc(&x->arena, OWN_OPTIONS + TASK_OPTIONS, sizeof *all);
    int n = OWN_OPTIONS - 1;
    memcpy(all, options, sizeof options);
    for (int i = 0; task && i < TASK_OPTIONS && task->options[i].name; i++) {
        char *name = arena_string(&x->arena, task->options[i].name);
        bool own = task->options[i].derived;
        for (char *c = name; *c; c++)
            *c = *c == '_' ? '-' : *c;
        for (int k = 0; k < OWN_OPTIONS - 1; k++)
            own = own || strcmp(options[k].name, name) == 0;
        if (!own)
            all[n++] = (struct command_option){
                name,
                0,
                COMMAND_TEXT,
                offsetof(struct ask_options, of_task) + (size_t)i * sizeof(const char *),
                "VALUE",
                task->options[i].help};
    }
    return all;
}

static void add_set(struct scope *x, struct command_texts *set, const char *name, const char *value,
                    bool quoted)
{
    struct text_buffer text = scope_text(x);
    if (!value)
        return;
    if (set->count == COMMAND_TEXTS_MAX)
        scope_fail(x, STATUS_BAD_INPUT, "more than %d keys are set", COMMAND_TEXTS_MAX);
    text_add(&text, "task.%s=", name);
    if (quoted)
        quote_add(&text, value);
    else
        text_add(&text, "%s", value);
    set->item[set->count++] = text.text;
}

/* Adds options of the task as sets; and before all others, which so count for more, what --model
 * names. */
static void add_sets(struct scope *x, struct ask_options *o, const struct task *task)
{
    struct command_texts *set = &o->set;
    for (int i = 0; task && i < TASK_OPTIONS && task->options[i].name; i++)
        add_set(x, set, task->options[i].name, o->of_task[i], false);
    add_set(x, set, "mode", o->mode, false);
    add_set(x, set, "text_column", o->text_column, true);
    add_set(x, set, "label_column", o->label_column, true);
    if (!o->model)
        return;
    const struct sets model = sets_of_model(x, o->model);
    if (model.count + set->count > COMMAND_TEXTS_MAX)
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: it and the command line set more than %d keys; set fewer", o->model,
                   COMMAND_TEXTS_MAX);
    memmove(set->item + model.count, set->item, (size_t)set->count * sizeof *set->item);
    for (int i = 0; i < model.count; i++)
        set->item[i] = model.item[i];
    set->count += model.count;
}

/* ---- asking ---- */

struct asking {
    int argc;
    char **argv;
    int exit_status;
    struct ask_options o;
    const char *given; /* FILE; NULL for a toy */
    struct look look;
    char path[PATH_MAX], page[PATH_MAX];
    struct decision decision;
    struct plan *plan; /* of the sweep file as it was shown, which runs whatever becomes of it */
    bool done;         /* nothing of it is left to run */
};

/* That the sweep file and the page can be written. */
static void check_folder(struct scope *x, const struct asking *a)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(a->path, '/');
    if (slash) /* "/" stays */
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - a->path) + (slash == a->path),
                 a->path);
    if (access(folder, W_OK | X_OK) == 0 || errno == ENOENT || errno == ENOTDIR)
        return; /* where there is no folder, there is no file: which is said then */
    scope_fail(x, STATUS_BAD_INPUT, "%s: %s; the sweep file and the page are written there. %s",
               folder, strerror(errno),
               a->given ? "Copy the file into a folder of yours, and ask about the copy"
                        : "Ask from a folder of yours");
}

static void find_paths(struct scope *x, struct asking *a)
{
    const char *stem = a->given ? a->given : a->o.task;
    const char *here = stem[0] == '-' ? "./" : ""; /* no option where it is typed */
    int n = snprintf(a->path, sizeof a->path, "%s%s.headcount.yaml", here, stem);
    int k = snprintf(a->page, sizeof a->page, "%s%s.headcount.html", here, stem);
    if (n >= (int)sizeof a->path || k >= (int)sizeof a->page || !file_name_fits(a->path))
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: its name is too long: the sweep file and the page beside it have "
                   ".headcount.yaml and .headcount.html behind it. Give the file a shorter "
                   "name, or ask about a link of a shorter name (ln -s)",
                   stem);
}

/* That what lies where the page is to be written is a page, or nothing. */
static enum status check_page(const char *path, struct message *m)
{
    char head[PAGE_HEAD + 1] = "";
    int fd;
    size_t size;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    enum status s = file_open(path, &fd, &size, m);
    if (s == STATUS_OK) {
        s = file_take(fd, path, head, size < PAGE_HEAD ? size : PAGE_HEAD, m);
        close(fd);
    }
    if (s != STATUS_OK && s != STATUS_BAD_INPUT) /* which is of a folder or a pipe */
        return s;
    return page_begins(head) ? STATUS_OK
                             : status_fail(m, STATUS_BAD_INPUT,
                                           "%s: was not written by headcount, and is left as it "
                                           "is; move it away, because the page with the answer "
                                           "goes there, and ask again",
                                           path);
}

/* That head counts are all that differs, but for what is tuned and what are samples: of other
 * settings the answer would say nothing. */
static void check_one_setting(struct scope *x, const struct config *c)
{
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        bool other = strcmp(axis->path, "model.heads") != 0 &&
                     (axis->kind != AXIS_VALUES || axis->values > 1) &&
                     !config_is_tuned(c, axis->path);
        for (int k = 0; k < c->replicate; k++)
            other = other && strcmp(axis->path, c->replicate_path[k]) != 0;
        if (other)
            scope_fail(x, STATUS_BAD_INPUT,
                       "%s has more than one value, but ask answers for one setting. Set "
                       "one value; or set one with --write, add the others to the sweep "
                       "file, and run it with headcount run",
                       axis->path);
    }
}

static void free_config(void *config)
{
    config_free(config);
}

/* That the sets are good is said of them, not of a line of a file that nobody has seen. */
static void check_sets(struct scope *x, const struct asking *a)
{
    const struct command_texts *set = &a->o.set;
    const long steps = sets_number(set->item, set->count, "train.steps");
    struct design d = {.kind = a->look.kind};
    struct config *c = NULL;
    design_set_level(&d, DESIGN_LEVEL);
    d.steps = steps ? steps : design_size(&d)->steps_min;
    scope_check(x, sheet_parse(&d, &a->look, a->path, set->item, set->count, &c, x->message));
    arena_on_free(&x->arena, free_config, c);
    check_one_setting(x, c);
}

static void look(struct scope *x, struct asking *a)
{
    const struct command_texts *set = &a->o.set;
    scope_check(x, sets_check(set->item, set->count, x->message));
    find_paths(x, a);
    check_folder(x, a);
    scope_check(x, a->given ? look_file(a->given, set->item, set->count, &a->look, x->message)
                            : look_toy(a->o.task, set->item, set->count, &a->look, x->message));
    if (!a->o.write)
        scope_check(x, check_page(a->page, x->message));
    check_sets(x, a);
}

/* Decides what is to be written, or stays; writes it, and says so. */
static void decide(struct scope *x, void *context)
{
    struct asking *a = context;
    const struct command_texts *set = &a->o.set;
    const struct question q = {.look = &a->look,
                               .path = a->path,
                               .sets = set->item,
                               .count = set->count,
                               .minutes = a->o.minutes,
                               .workers = a->o.workers,
                               .results = command_open_existing(x, a->o.db)};
    const struct decision *k = ask_decide(x, &q);
    ask_words_decision(k, a->path, a->o.minutes);
    if (k->action != ASK_GO_ON)
        scope_check(x, ask_file_write(a->path, &k->design, &a->look, k->name, set->item, set->count,
                                      x->message));
    text_print(stdout, "%s: %s\n", a->path,
               k->action != ASK_GO_ON ? "written, with a reason for each value"
                                      : "as it was written before, and stays so");
    a->decision = *k;
}

/* How long what is left of the sweep takes, if anything is. */
static void show_plan(struct scope *x, void *context)
{
    struct asking *a = context;
    const struct forecast *f = command_forecast(x, a->plan, a->o.db, false);
    a->done = forecast_is_done(f);
    ask_words_plan(&a->decision, &a->look, plan_config(a->plan), f, a->o.workers, a->o.minutes);
}

/* Whether to begin. */
static bool agreed(const struct asking *a)
{
    char answer[16];
    bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    fflush(stdout);
    if (a->o.yes)
        return true;
    if (terminal) {
        fprintf(stderr, "Begin? [y/N] ");
        if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
            return true;
    }
    struct text_buffer word = {0};
    text_add_shell(&word, a->path);
    text_print(stdout, "%s; the same command with --yes begins, and so does headcount run %s\n",
               terminal ? "Nothing was begun" : "There is no terminal to ask on",
               word.text ? word.text : a->path);
    free(word.text);
    return false;
}

static void print_answer(struct scope *x, void *context)
{
    struct asking *a = context;
    int64_t sweep_id;
    double order_bits = NAN; /* stays that where it cannot be found out */
    struct message m;
    struct text_buffer text = scope_text(x);
    scope_check(x, store_sweep(x->store, a->decision.name, &sweep_id, x->message));
    const struct report_data *r = report_data_read(x, sweep_id, false);
    if (a->look.kind == LOOK_TEXT)
        look_order_bits(&a->look, ANSWER_ORDER, &order_bits, &m);
    answer_write(r, &a->look, &a->decision.design, order_bits, &text);
    ask_words_answer(text.text ? text.text : "");
}

/* Something may have been put there while the sweep ran. */
static int write_page(struct asking *a)
{
    struct message m;
    enum status s = check_page(a->page, &m);
    return s == STATUS_OK ? command_report_page("ask", a->o.db, a->decision.name, a->page)
                          : command_fail("ask", s, &m);
}

static int run_it(struct asking *a)
{
    const struct run_options run = {
        .name = "ask", .db = a->o.db, .workers = a->o.workers, .no_report = true, .plan = a->plan};
    int exit_status = command_run_sweep(a->path, &run);
    if (exit_status != EXIT_DONE && exit_status != EXIT_SOME_FAILED)
        return exit_status;
    int page = write_page(a);
    int answer = command_act_on("ask", COMMAND_READ, a->o.db, print_answer, a);
    if (page == EXIT_DONE && answer == EXIT_DONE)
        text_print(stdout, "\nEverything, as a page for a browser: %s\n", a->page);
    return answer != EXIT_DONE ? answer : page != EXIT_DONE ? page : exit_status;
}

static int refuse(const struct ask_options *o, int arguments, const char *file)
{
    if (o->task && arguments)
        return command_usage("ask", "--task %s and %s: ask about one of them", o->task, file);
    if (!o->task && !arguments)
        return command_usage("ask", "nothing to ask about: give a file, or --task NAME");
    if (o->task && (o->mode || o->text_column || o->label_column))
        return command_usage("ask", "--mode, --text-column and --label-column are for files");
    if (o->write && o->yes)
        return command_usage("ask", "--write only writes, and --yes begins: give one of them");
    return EXIT_DONE;
}

static void ask(struct scope *x, void *context)
{
    struct asking *a = context;
    struct command_syntax full = syntax;
    const char *name = command_peek(&syntax, a->argc, a->argv, "task");
    const struct task *task = a->argc > 2 ? task_find(name ? name : "text") : NULL;
    int arguments;
    full.options = all_options(x, task);
    if (!command_parse(&full, a->argc, a->argv, &a->o, &arguments, &a->exit_status))
        return;
    a->exit_status = refuse(&a->o, arguments, a->argv[optind]);
    if (a->exit_status != EXIT_DONE)
        return;
    a->given = arguments ? a->argv[optind] : NULL;
    add_sets(x, &a->o, task);
    look(x, a);
    ask_words_look(&a->look);
    command_act_within(x, decide, a);
    const struct config *config =
        command_read_sweep(x, a->path, NULL, &(const struct command_texts){.count = 0});
    a->plan = command_plan_new(x, "ask", config, a->o.db);
    command_act_within(x, show_plan, a);
    if (!a->o.write && (a->done || agreed(a)))
        a->exit_status = run_it(a);
}

int command_ask(int argc, char **argv)
{
    static struct asking a;
    a = (struct asking){.argc = argc, .argv = argv, .o = {.db = COMMAND_DB, .minutes = 10}};
    int exit_status = command_act_on("ask", COMMAND_NO_STORE, NULL, ask, &a);
    return exit_status == EXIT_DONE ? a.exit_status : exit_status;
}
