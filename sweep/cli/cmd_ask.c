/* headcount ask: from a file, or a toy, to an answer: writes a sweep file and runs it. */
#include "engine/base/file.h"
#include "sweep/ask/answer.h"
#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "sweep/cli/ask_decide.h"
#include "sweep/cli/ask_options.h"
#include "sweep/cli/ask_words.h"
#include "sweep/cli/command_plan.h"
#include "sweep/cli/command_report.h"
#include "sweep/cli/command_run.h"
#include "sweep/page/page.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- asking ---- */

struct asking {
    const struct ask_options *o;
    const char *given; /* FILE; NULL for a toy */
    struct look look;
    char name[DESIGN_NAME_SIZE]; /* of the sweep */
    char path[PATH_MAX], page[PATH_MAX];
    struct decision decision;
    struct config *config; /* the sweep file as it was shown, and its plan: what runs, whatever */
    struct plan *plan;     /* becomes of the file */
};

/* That the sweep file and the page can be written. */
static enum status check_folder(const struct asking *a, struct message *m)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(a->path, '/');
    if (slash) /* "/" stays */
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - a->path) + (slash == a->path),
                 a->path);
    if (access(folder, W_OK | X_OK) == 0 || errno == ENOENT || errno == ENOTDIR)
        return STATUS_OK; /* where there is no folder, there is no file: which is said then */
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s: %s; the sweep file and the page are written there. %s", folder,
                       strerror(errno),
                       a->given ? "Copy the file into a folder of yours, and ask about the copy"
                                : "Ask from a folder of yours");
}

static enum status find_paths(struct asking *a, struct message *m)
{
    const char *stem = a->given ? a->given : a->o->task;
    const char *here = stem[0] == '-' ? "./" : ""; /* no option where it is typed */
    int n = snprintf(a->path, sizeof a->path, "%s%s.headcount.yaml", here, stem);
    int k = snprintf(a->page, sizeof a->page, "%s%s.headcount.html", here, stem);
    if (n < (int)sizeof a->path && k < (int)sizeof a->page && file_name_fits(a->path))
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
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
static enum status check_one_setting(const struct config *c, struct message *m)
{
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        bool other = strcmp(axis->path, "model.heads") != 0 &&
                     (axis->kind != AXIS_VALUES || axis->values > 1) &&
                     !config_is_tuned(c, axis->path);
        for (int k = 0; k < c->replicate; k++)
            other = other && strcmp(axis->path, c->replicate_path[k]) != 0;
        if (other)
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s has more than one value, but ask answers for one setting. Set "
                               "one value; or set one with --write, add the others to the sweep "
                               "file, and run it with headcount run",
                               axis->path);
    }
    return STATUS_OK;
}

/* That the sets are good is said of them, not of a line of a file that nobody has seen. */
static enum status check_sets(const struct asking *a, struct message *m)
{
    const struct command_texts *set = &a->o->set;
    const long steps = sets_number(set->item, set->count, "train.steps");
    struct design d = {.kind = a->look.kind};
    struct config *c = NULL;
    design_set_level(&d, DESIGN_LEVEL);
    d.steps = steps ? steps : design_size(&d)->steps_min;
    enum status s = sheet_parse(&d, &a->look, a->path, set->item, set->count, &c, m);
    if (s == STATUS_OK)
        s = check_one_setting(c, m);
    config_free(c);
    return s;
}

static enum status look(struct asking *a, struct message *m)
{
    const struct command_texts *set = &a->o->set;
    enum status s = sets_check(set->item, set->count, m);
    if (s == STATUS_OK)
        s = find_paths(a, m);
    if (s == STATUS_OK)
        s = check_folder(a, m);
    if (s == STATUS_OK)
        s = a->given ? look_file(a->given, set->item, set->count, &a->look, m)
                     : look_toy(a->o->task, set->item, set->count, &a->look, m);
    if (s == STATUS_OK && !a->o->write)
        s = check_page(a->page, m);
    return s == STATUS_OK ? check_sets(a, m) : s;
}

/* Decides what is to be written, or stays. */
static enum status decide(struct asking *a, struct message *m)
{
    const struct command_texts *set = &a->o->set;
    struct question q = {.look = &a->look,
                         .path = a->path,
                         .sets = set->item,
                         .count = set->count,
                         .minutes = a->o->minutes,
                         .workers = a->o->workers};
    enum status s = command_open_existing(a->o->db, &q.results, m);
    if (s != STATUS_OK)
        return s;
    return store_close_after(q.results, ask_decide(&q, &a->decision, m), m);
}

/* What the sweep file says, and how long what is left of it takes. */
static enum status show_plan(struct asking *a, bool *done, struct message *m)
{
    struct store *s = NULL;
    struct forecast *f = NULL;
    const struct command_texts none = {0};
    enum status status = command_read_sweep(a->path, NULL, &none, &a->config, m);
    if (status == STATUS_OK)
        status = command_plan_new("ask", a->config, a->o->db, &a->plan, m);
    if (status == STATUS_OK)
        status = command_open_existing(a->o->db, &s, m);
    if (status == STATUS_OK)
        status = forecast_new(a->plan, s, false, calibrate, &f, m);
    if (status == STATUS_OK) {
        *done = forecast_is_done(f);
        snprintf(a->name, sizeof a->name, "%s", a->config->name);
        ask_words_plan(&a->decision, &a->look, a->config, f, a->o->workers, a->o->minutes);
    }
    forecast_free(f);
    return store_close_after(s, status, m);
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
    double order_bits = NAN; /* stays that where it cannot be found out */
    struct message m;
    struct text_buffer text = scope_text(x);
    scope_check(x, store_sweep(x->store, a->name, &sweep_id, x->message));
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
    return s == STATUS_OK ? command_report_page("ask", a->o->db, a->name, a->page)
                          : command_fail("ask", s, &m);
}

static int run_it(struct asking *a)
{
    const struct run_options run = {.name = "ask",
                                    .db = a->o->db,
                                    .workers = a->o->workers,
                                    .no_report = true,
                                    .plan = a->plan};
    int exit_status = command_run_sweep(a->path, &run);
    if (exit_status != EXIT_DONE && exit_status != EXIT_SOME_FAILED)
        return exit_status;
    int page = write_page(a);
    int answer = command_read_store("ask", a->o->db, print_answer, a);
    if (page == EXIT_DONE && answer == EXIT_DONE)
        text_print(stdout, "\nEverything, as a page for a browser: %s\n", a->page);
    return answer != EXIT_DONE ? answer : page != EXIT_DONE ? page : exit_status;
}

static int ask(struct asking *a)
{
    struct message m = {{0}};
    const struct command_texts *set = &a->o->set;
    const struct decision *x = &a->decision;
    bool done = false;
    enum status s = look(a, &m);
    if (s == STATUS_OK) {
        ask_words_look(&a->look);
        s = decide(a, &m);
    }
    if (s == STATUS_OK)
        ask_words_decision(x, a->path, a->o->minutes);
    if (s == STATUS_OK && x->write)
        s = ask_file_write(a->path, &x->design, &a->look, x->begun.name, set->item, set->count, &m);
    if (s == STATUS_OK) {
        text_print(stdout, "%s: %s\n", a->path,
                   x->write ? "written, with a reason for each value"
                            : "as it was written before, and stays so");
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

static int ask_with_model(struct asking *a, struct ask_options *o, struct ask_made *made)
{
    struct message m;
    enum status s = ask_add_model(o, made, &m);
    return s == STATUS_OK ? ask(a) : command_fail("ask", s, &m);
}

int command_ask(int argc, char **argv)
{
    struct ask_options o = {.db = COMMAND_DB, .minutes = 10};
    struct ask_made made = {0};
    char **words = calloc((size_t)argc + 1, sizeof *words);
    struct asking *a = calloc(1, sizeof *a);
    int arguments, exit_status = EXIT_SYSTEM;
    if (!words || !a) {
        fprintf(stderr, "headcount ask: no memory for it\n");
    } else if (command_parse(&ask_syntax, ask_replace_words(argc, argv, words, &made), words, &o,
                             &arguments, &exit_status)) {
        exit_status = refuse(&o, arguments, words[optind]);
        a->o = &o;
        a->given = arguments ? words[optind] : NULL;
        if (exit_status == EXIT_DONE && !ask_add_given(&o, &made))
            exit_status = command_usage("ask", "more than %d keys are set", COMMAND_TEXTS_MAX);
        if (exit_status == EXIT_DONE)
            exit_status = ask_with_model(a, &o, &made);
    }
    for (int i = 0; i < made.count; i++)
        free(made.item[i]);
    free(words);
    if (a) {
        free(a->decision.changes.text);
        plan_free(a->plan);
        config_free(a->config);
    }
    free(a);
    return exit_status;
}
