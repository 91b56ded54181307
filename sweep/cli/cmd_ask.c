/* headcount ask: from a file, or a toy, to an answer: writes a sweep file and runs it. */
#include "sweep/ask/answer.h"
#include "sweep/ask/ask_file.h"
#include "sweep/ask/begun.h"
#include "sweep/ask/estimate.h"
#include "sweep/ask/fit.h"
#include "sweep/ask/quote.h"
#include "sweep/cli/ask_words.h"
#include "sweep/cli/command_plan.h"
#include "sweep/cli/command_report.h"
#include "sweep/cli/command_run.h"
#include "sweep/page/page.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ask_options {
    const char *db, *task, *mode, *text_column, *label_column;
    struct command_texts set; /* in the order of the command line, options of the task too */
    long minutes, workers;
    bool yes, write;
};

static const struct command_option options[] = {
    {"task", 0, COMMAND_TEXT, offsetof(struct ask_options, task), "NAME",
     "ask about a toy in the place of a file; its options follow, as in --slots 3"},
    {"minutes", 0, COMMAND_LONG, offsetof(struct ask_options, minutes), "M",
     "how long it may take, about (10); with more, a better answer"},
    {"yes", 0, COMMAND_FLAG, offsetof(struct ask_options, yes), NULL, "begin without asking"},
    {"write", 0, COMMAND_FLAG, offsetof(struct ask_options, write), NULL,
     "only write the sweep file"},
    {"mode", 0, COMMAND_TEXT, offsetof(struct ask_options, mode), "lm|classify",
     "lm: predict each next byte of the file; classify: tell the labels of its rows (by its name)"},
    {"text-column", 0, COMMAND_TEXT, offsetof(struct ask_options, text_column), "NAME",
     "the column, or member, that is the text (the one with the longest values)"},
    {"label-column", 0, COMMAND_TEXT, offsetof(struct ask_options, label_column), "NAME",
     "the one that is the label (the one with the fewest different values)"},
    {"set", 0, COMMAND_TEXTS, offsetof(struct ask_options, set), "KEY=VALUE",
     "a key of the sweep file as you want it, as in model.layers=2; null leaves it out"},
    {"workers", 'j', COMMAND_LONG, offsetof(struct ask_options, workers), "N",
     "trials at once (usable cores)"},
    COMMAND_DB_OPTION(struct ask_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

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
        "The first Ctrl-C stops it, and the same command goes on. With more minutes it keeps the\n"
        "trials that there are, or says why it begins anew. A sweep file that you have changed is\n"
        "never written again: `headcount run` runs it. Without a terminal and without --yes it "
        "only\n"
        "writes.\n",
    .options = options,
    .others = "options of a task are those that headcount tasks NAME lists",
    .examples = "  headcount ask configs/README.md --write\n"
                "  headcount ask --task gather --slots 3 --write\n",
    .least = 0,
    .most = 1,
};

/* ---- options of the task ---- */

/* Words that are made: "task.slots=3". */
struct made {
    int count;
    char *item[COMMAND_TEXTS_MAX];
};

static bool is_own(const char *name, size_t n)
{
    for (const struct command_option *o = options; o->name; o++)
        if (strlen(o->name) == n && strncmp(o->name, name, n) == 0)
            return true;
    return n == 4 && strncmp(name, "help", n) == 0;
}

/* The task that the words name; that of files without. */
static const struct task *task_of(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--task") == 0 && i + 1 < argc)
            return task_find(argv[i + 1]);
        else if (strncmp(argv[i], "--task=", 7) == 0)
            return task_find(argv[i] + 7);
    return task_find("text");
}

/* "--slots", "3" or "--slots=3" as "--set=task.slots=3", where the task has that option. Returns
 * how many words were read: 0 where it is none. */
static int make_set(const struct task *task, char *const *word, int left, struct made *made)
{
    char name[64];
    size_t n = strcspn(word[0], "=");
    struct text_buffer text = {0};
    if (!task || strncmp(word[0], "--", 2) != 0 || n - 2 >= sizeof name ||
        is_own(word[0] + 2, n - 2))
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)n - 2, word[0] + 2);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const struct option_entry *o = option_find(task->options, name);
    bool apart = word[0][n] == '\0';
    if (!o || o->derived || (apart && left < 2) || made->count == COMMAND_TEXTS_MAX)
        return 0;
    text_add(&text, "--set=task.%s=%s", name, apart ? word[1] : word[0] + n + 1);
    if (text.out_of_memory)
        return 0;
    made->item[made->count++] = text.text;
    return apart ? 2 : 1;
}

/* The words with options of the task as sets. words: (argc + 1). */
static int replace_words(int argc, char **argv, char **words, struct made *made)
{
    const struct task *task = task_of(argc, argv);
    int n = 0;
    for (int i = 0; i < argc;) {
        int taken = i > 0 ? make_set(task, argv + i, argc - i, made) : 0;
        words[n++] = taken ? made->item[made->count - 1] : argv[i];
        i += taken ? taken : 1;
    }
    words[n] = NULL;
    return n;
}

/* Options of their own that are options of the task too. */
static bool add_given(struct ask_options *o, struct made *made)
{
    const struct {
        const char *path, *value;
    } given[] = {
        {"mode", o->mode}, {"text_column", o->text_column}, {"label_column", o->label_column}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        struct text_buffer text = {0};
        if (!given[i].value)
            continue;
        if (o->set.count == COMMAND_TEXTS_MAX || made->count == COMMAND_TEXTS_MAX)
            return false;
        text_add(&text, "task.%s=", given[i].path);
        if (given[i].value == o->mode)
            text_add(&text, "%s", o->mode);
        else
            quote_add(&text, given[i].value);
        if (text.out_of_memory)
            return false;
        made->item[made->count++] = text.text;
        o->set.item[o->set.count++] = text.text;
    }
    return true;
}

/* ---- asking ---- */

struct asking {
    const struct ask_options *o;
    const char *given; /* FILE; NULL for a toy */
    struct look look;
    char asked[ASKED_SIZE], name[DESIGN_NAME_SIZE];
    char path[PATH_MAX], page[PATH_MAX];
    struct design design;
};

static enum status find_paths(struct asking *a, struct message *m)
{
    const char *stem = a->given ? a->given : a->o->task;
    const char *here = stem[0] == '-' ? "./" : ""; /* no option where it is typed */
    int n = snprintf(a->path, sizeof a->path, "%s%s.headcount.yaml", here, stem);
    int k = snprintf(a->page, sizeof a->page, "%s%s.headcount.html", here, stem);
    return n < (int)sizeof a->path && k < (int)sizeof a->page
               ? STATUS_OK
               : status_fail(m, STATUS_BAD_INPUT, "the file's name is too long");
}

/* That what lies where the page is to be written is a page, or nothing. */
static enum status check_page(const char *path, struct message *m)
{
    char head[PAGE_HEAD + 1] = "";
    FILE *f = fopen(path, "r");
    if (!f && errno == ENOENT)
        return STATUS_OK;
    if (!f)
        return status_fail(m, STATUS_IO, "%s: %s", path, strerror(errno));
    head[fread(head, 1, PAGE_HEAD, f)] = '\0';
    fclose(f);
    return page_begins(head) ? STATUS_OK
                             : status_fail(m, STATUS_BAD_INPUT,
                                           "%s: is no page of headcount's, and stays as it is. "
                                           "Move it away, to ask: the page of the answer is "
                                           "written there",
                                           path);
}

/* That head counts are all that differs, but for what is tuned and what are samples: of other
 * settings the answer would say nothing. */
static enum status check_one_setting(const struct config *c, struct message *m)
{
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        bool other = strcmp(axis->path, "model.heads") != 0 &&
                     (axis->kind != AXIS_VALUES || axis->values > 1);
        for (int k = 0; k < c->tune; k++)
            other = other && strcmp(axis->path, c->tune_path[k]) != 0;
        for (int k = 0; k < c->replicate; k++)
            other = other && strcmp(axis->path, c->replicate_path[k]) != 0;
        if (other)
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s has more than one value, which makes several settings, and ask "
                               "answers for one. Set one value; or ask with one and --write, put "
                               "the others into the sweep file, and run it with headcount run",
                               axis->path);
    }
    return STATUS_OK;
}

/* That the sets are good is said of them, not of a line of a file that nobody has seen. */
static enum status check_sets(const struct asking *a, struct message *m)
{
    const struct command_texts *set = &a->o->set;
    const long steps = design_steps_asked(set->item, set->count);
    struct design d = {.kind = a->look.kind, .level = DESIGN_LEVEL};
    const struct design_level *level = design_level(&d);
    struct config *c = NULL;
    d.steps = steps ? steps : design_size(&d)->steps_min;
    d.confirm = level->confirm;
    enum status s = design_parse(&d, &a->look, a->path, set->item, set->count, &c, m);
    if (s == STATUS_OK)
        s = check_one_setting(c, m);
    config_free(c);
    return s;
}

static enum status look(struct asking *a, struct message *m)
{
    const struct command_texts *set = &a->o->set;
    enum status s = design_check_sets(set->item, set->count, m);
    if (s == STATUS_OK)
        s = a->given ? look_file(a->given, set->item, set->count, &a->look, m)
                     : look_toy(a->o->task, set->item, set->count, &a->look, m);
    if (s == STATUS_OK)
        s = find_paths(a, m);
    if (s == STATUS_OK && !a->o->write)
        s = check_page(a->page, m);
    if (s == STATUS_OK)
        s = check_sets(a, m);
    if (s == STATUS_OK)
        ask_file_asked(&a->look, set->item, set->count, a->asked);
    return s;
}

/* Whether a finding of the sweep has been written down, to be confirmed. */
static enum status is_confirmed(struct asking *a, bool *confirmed, struct message *m)
{
    struct store *s = NULL;
    *confirmed = false;
    enum status status = command_open_existing(a->o->db, &s, m);
    if (status != STATUS_OK || !s)
        return status;
    design_name(&a->design, &a->look, a->asked, a->name);
    status = begun_confirmation(s, a->name, confirmed, m);
    enum status closed = store_close(s, status == STATUS_OK ? m : NULL);
    return status == STATUS_OK ? closed : status;
}

static enum status refuse_changed(const char *path, struct message *m)
{
    struct text_buffer word = {0};
    text_add_shell(&word, path);
    enum status s = status_fail(m, STATUS_BAD_INPUT,
                                "%s: was changed since ask wrote it, or is not ask's, and stays as "
                                "it is. Run it: headcount run %s; or move it away, to ask anew",
                                path, word.text ? word.text : path);
    free(word.text);
    return s;
}

/* What more minutes do for a design that has been begun; *write: whether anything. */
static enum status decide_more(struct asking *a, const struct fit *f, bool *write,
                               struct message *m)
{
    const struct command_texts *set = &a->o->set;
    const struct estimate *e = f->context;
    const double minutes = (double)a->o->minutes;
    struct config *was = NULL, *is = NULL;
    struct design d;
    bool confirmed = false;
    enum status s = is_confirmed(a, &confirmed, m);
    if (s != STATUS_OK)
        return s;
    enum fit_more more = fit_more(f, &a->design, confirmed, minutes, &d);
    s = e->status == STATUS_OK ? config_read(a->path, NULL, 0, &was, m)
                               : status_fail(m, e->status, "%s", e->message.text);
    if (s == STATUS_OK)
        s = design_parse(&d, &a->look, a->path, set->item, set->count, &is, m);
    if (s == STATUS_OK)
        *write = ask_words_more(more, confirmed, was, is, minutes);
    if (s == STATUS_OK && *write)
        a->design = d;
    config_free(was);
    config_free(is);
    return s;
}

/* Decides what is to be written; *write: whether anything is. */
static enum status decide(struct asking *a, bool *write, struct message *m)
{
    const struct ask_options *o = a->o;
    struct estimate e = {.look = &a->look,
                         .path = a->path,
                         .sets = o->set.item,
                         .count = o->set.count,
                         .workers = o->workers};
    struct fit f = {.look = &a->look,
                    .steps = design_steps_asked(o->set.item, o->set.count),
                    .seconds = estimate_seconds,
                    .context = &e};
    enum ask_file_state state;
    *write = true;
    enum status s = ask_file_read(a->path, &a->look, a->asked, &state, &a->design, m);
    if (s != STATUS_OK)
        return s;
    if (state == ASK_FILE_CHANGED)
        return refuse_changed(a->path, m);
    if (state == ASK_FILE_SAME)
        *write = (double)o->minutes > a->design.minutes;
    if (state == ASK_FILE_SAME && *write) {
        s = decide_more(a, &f, write, m);
    } else if (*write) {
        ask_words_other(state, a->path);
        a->design = fit_design(&f, (double)o->minutes);
    }
    estimate_free(&e);
    return s != STATUS_OK || e.status == STATUS_OK ? s
                                                   : status_fail(m, e.status, "%s", e.message.text);
}

/* What the sweep file says, and how long what is left of it takes. */
static enum status show_plan(struct asking *a, bool *done, struct message *m)
{
    struct config *c = NULL;
    struct plan *p = NULL;
    struct store *s = NULL;
    struct forecast *f = NULL;
    const struct command_texts none = {0};
    enum status status = command_read_sweep(a->path, NULL, &none, &c, m);
    if (status == STATUS_OK)
        status = command_plan_new("ask", c, a->o->db, &p, m);
    if (status == STATUS_OK)
        status = command_open_existing(a->o->db, &s, m);
    if (status == STATUS_OK)
        status = forecast_new(p, s, false, calibrate, &f, m);
    if (status == STATUS_OK) {
        *done = f->to_run + f->may_add + f->may_confirm == 0;
        ask_words_plan(&a->design, c, f, a->o->workers, (double)a->o->minutes);
    }
    forecast_free(f);
    if (s) {
        enum status closed = store_close(s, status == STATUS_OK ? m : NULL);
        status = status == STATUS_OK ? closed : status;
    }
    plan_free(p);
    config_free(c);
    return status;
}

/* Whether to begin. */
static bool agreed(const struct asking *a)
{
    char answer[16];
    bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    fflush(stdout);
    if (a->o->yes)
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
    struct text_buffer text = scope_text(x);
    scope_check(x, store_sweep(x->store, a->name, &sweep_id, x->message));
    answer_write(report_data_read(x, sweep_id, false), &a->look, &text);
    ask_words_answer(text.text ? text.text : "");
}

static int run_it(struct asking *a)
{
    const struct run_options run = {
        .name = "ask", .db = a->o->db, .workers = a->o->workers, .no_report = true};
    int exit_status = command_run_sweep(a->path, &run);
    if (exit_status != EXIT_DONE && exit_status != EXIT_SOME_FAILED)
        return exit_status;
    int page = command_report_page("ask", a->o->db, a->name, a->page);
    int answer = command_read_store("ask", a->o->db, print_answer, a);
    if (page == EXIT_DONE && answer == EXIT_DONE)
        text_print(stdout, "\nEverything, as a page for a browser: %s\n", a->page);
    return answer != EXIT_DONE ? answer : page != EXIT_DONE ? page : exit_status;
}

static int ask(struct asking *a)
{
    struct message m = {{0}};
    const struct command_texts *set = &a->o->set;
    bool write = true, done = false;
    enum status s = look(a, &m);
    if (s == STATUS_OK) {
        ask_words_look(&a->look);
        s = decide(a, &write, &m);
    }
    if (s == STATUS_OK && write)
        s = ask_file_write(a->path, &a->design, &a->look, a->asked, set->item, set->count, &m);
    if (s == STATUS_OK) {
        text_print(stdout, "%s: %s\n", a->path,
                   write ? "written, with a reason for each value"
                         : "as it was written before, and stays so");
        design_name(&a->design, &a->look, a->asked, a->name);
        s = show_plan(a, &done, &m);
    }
    if (s != STATUS_OK)
        return command_fail("ask", s, &m);
    if (a->o->write || (!done && !agreed(a)))
        return EXIT_DONE;
    return run_it(a);
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

int command_ask(int argc, char **argv)
{
    struct ask_options o = {.db = COMMAND_DB, .minutes = 10};
    struct made made = {0};
    char **words = calloc((size_t)argc + 1, sizeof *words);
    struct asking *a = calloc(1, sizeof *a);
    int arguments, exit_status = EXIT_SYSTEM;
    if (!words || !a) {
        fprintf(stderr, "headcount ask: no memory for it\n");
    } else if (command_parse(&syntax, replace_words(argc, argv, words, &made), words, &o,
                             &arguments, &exit_status)) {
        exit_status = refuse(&o, arguments, words[optind]);
        a->o = &o;
        a->given = arguments ? words[optind] : NULL;
        if (exit_status == EXIT_DONE)
            exit_status = add_given(&o, &made) ? ask(a)
                                               : command_usage("ask", "more than %d keys are set",
                                                               COMMAND_TEXTS_MAX);
    }
    for (int i = 0; i < made.count; i++)
        free(made.item[i]);
    free(words);
    free(a);
    return exit_status;
}
