/* headcount ask: from a file, or a toy, to an answer: writes a sweep file and runs it. */
#include "engine/base/file.h"
#include "sweep/ask/answer.h"
#include "sweep/ask/ask_file.h"
#include "sweep/ask/begun.h"
#include "sweep/ask/estimate.h"
#include "sweep/ask/fit.h"
#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
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
    struct asked asked;
    char name[DESIGN_NAME_SIZE]; /* of the sweep */
    char path[PATH_MAX], page[PATH_MAX];
    struct design design;
};

/* That the sweep file and the page can be written. */
static enum status check_folder(const struct asking *a, struct message *m)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(a->path, '/');
    if (slash) /* "/" stays */
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - a->path) + (slash == a->path),
                 a->path);
    if (access(folder, W_OK | X_OK) == 0)
        return STATUS_OK;
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
    return n < (int)sizeof a->path && k < (int)sizeof a->page
               ? STATUS_OK
               : status_fail(m, STATUS_BAD_INPUT, "the file's name is too long");
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
                                           "goes there",
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
        s = a->given ? look_file(a->given, set->item, set->count, &a->look, m)
                     : look_toy(a->o->task, set->item, set->count, &a->look, m);
    if (s == STATUS_OK)
        s = find_paths(a, m);
    if (s == STATUS_OK)
        s = check_folder(a, m);
    if (s == STATUS_OK && !a->o->write)
        s = check_page(a->page, m);
    if (s == STATUS_OK)
        s = check_sets(a, m);
    if (s == STATUS_OK)
        ask_file_asked(&a->look, set->item, set->count, &a->asked);
    return s;
}

/* What the results file has of the sweep of a->design. */
static enum status find_begun(const struct asking *a, struct begun *b, struct message *m)
{
    struct store *s = NULL;
    char name[DESIGN_NAME_SIZE];
    design_name(&a->design, &a->look, a->asked.trained, name);
    *b = (struct begun){0};
    snprintf(b->name, sizeof b->name, "%s", name);
    enum status status = command_open_existing(a->o->db, &s, m);
    if (status != STATUS_OK || !s)
        return status;
    status = begun_find(s, name, b, m);
    return store_close_after(s, status, m);
}

/* The sweep goes by the name that it has, and what it found is confirmed on as many fresh seeds as
 * were written down with it: others would be a second try. */
static enum status keep_begun(struct asking *a, struct message *m)
{
    const struct command_texts *set = &a->o->set;
    const long fresh = sets_number(set->item, set->count, "confirm");
    struct begun b;
    enum status s = find_begun(a, &b, m);
    if (s != STATUS_OK)
        return s;
    snprintf(a->name, sizeof a->name, "%s", b.name);
    if (b.confirm > 0 && fresh > 0 && fresh != b.confirm)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--set confirm=%ld: what sweep %s found was written down, to be "
                           "confirmed on %d fresh seeds, and another number would be a second try; "
                           "set confirm=%d, or leave it out",
                           fresh, b.name, b.confirm, b.confirm);
    if (b.confirm > 0)
        a->design.confirm = b.confirm;
    return STATUS_OK;
}

static enum status refuse_changed(const char *path, struct message *m)
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

/* Adds to changes what the sweep file of d has otherwise than the one that is there. */
static enum status compare(const struct asking *a, const struct design *d, bool anew,
                           struct text_buffer *changes, struct message *m)
{
    const struct command_texts *set = &a->o->set;
    struct config *was = NULL, *is = NULL;
    enum status s = config_read(a->path, NULL, 0, &was, m);
    if (s == STATUS_OK)
        s = sheet_parse(d, &a->look, a->path, set->item, set->count, &is, m);
    if (s == STATUS_OK)
        ask_words_changes(anew, was, is, changes);
    config_free(was);
    config_free(is);
    return s;
}

/* What so many minutes (more->minutes) make of the design that has been begun, and how its sweep
 * file then differs. */
static enum status see_more(const struct asking *a, const struct fit *f, struct ask_more *more,
                            struct design *d, struct message *m)
{
    const struct estimate *e = f->context;
    *d = a->design;
    if (more->minutes > d->minutes)
        more->fit = fit_more(f, &a->design, more->confirmed, more->minutes, d);
    if (e->status != STATUS_OK)
        return status_fail(m, e->status, "%s", e->message.text);
    enum status s = compare(a, d, more->fit == FIT_ANEW, &more->changes, m);
    if (s == STATUS_OK && more->fit == FIT_ANEW && more->changes.used == 0) {
        /* All that would be another net is set: there is time for seeds. */
        more->fit = FIT_SEEDS;
        d->size = a->design.size;
        d->steps = a->design.steps;
        d->confirm = more->confirmed ? more->confirmed : d->confirm;
        s = compare(a, d, false, &more->changes, m);
    }
    return s;
}

/* What becomes of a design that has been begun, for which other keys may be set. */
static enum status decide_more(struct asking *a, const struct fit *f, struct ask_more *more,
                               struct message *m)
{
    struct begun b;
    struct design d, beyond;
    enum status s = find_begun(a, &b, m);
    if (s != STATUS_OK)
        return s;
    more->confirmed = b.confirm;
    s = see_more(a, f, more, &d, m);
    if (s == STATUS_OK && (more->keys || more->changes.used > 0)) {
        a->design = d;
    } else if (s == STATUS_OK) {
        struct ask_more most = {.confirmed = b.confirm, .minutes = INFINITY};
        s = see_more(a, f, &most, &beyond, m);
        more->ever = most.changes.used > 0;
        free(most.changes.text);
    }
    return s;
}

/* By the sweep file that is there, or is not; *write: whether another one is to be written. */
static enum status decide_by(struct asking *a, const struct fit *f, enum ask_file_state state,
                             bool *write, struct message *m)
{
    struct ask_more more = {.keys = state == ASK_FILE_KEYS, .minutes = (double)a->o->minutes};
    const struct estimate *e = f->context;
    bool known = more.keys || state == ASK_FILE_SAME;
    bool asks_more = known && (more.keys || more.minutes > a->design.minutes);
    if (!known)
        a->design = fit_design(f, more.minutes);
    enum status s = asks_more                ? decide_more(a, f, &more, m)
                    : e->status != STATUS_OK ? status_fail(m, e->status, "%s", e->message.text)
                                             : STATUS_OK;
    *write = state != ASK_FILE_SAME || more.changes.used > 0;
    if (s == STATUS_OK && *write)
        s = keep_begun(a, m);
    if (s == STATUS_OK && asks_more)
        ask_words_more(&more);
    if (s == STATUS_OK && !known)
        ask_words_other(state, a->path);
    free(more.changes.text);
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
    const struct fit f = {.look = &a->look,
                          .steps = sets_number(o->set.item, o->set.count, "train.steps"),
                          .seconds = estimate_seconds,
                          .context = &e};
    enum ask_file_state state;
    enum status s = ask_file_read(a->path, &a->look, &a->asked, &state, &a->design, m);
    if (s == STATUS_OK)
        s = state == ASK_FILE_CHANGED ? refuse_changed(a->path, m)
                                      : decide_by(a, &f, state, write, m);
    estimate_free(&e);
    return s;
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
        *done = forecast_is_done(f);
        snprintf(a->name, sizeof a->name, "%s", c->name);
        ask_words_plan(&a->design, &a->look, c, f, a->o->workers, (double)a->o->minutes);
    }
    forecast_free(f);
    status = store_close_after(s, status, m);
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
    double order_bits = NAN; /* stays that where it cannot be found out */
    struct message m;
    struct text_buffer text = scope_text(x);
    scope_check(x, store_sweep(x->store, a->name, &sweep_id, x->message));
    const struct report_data *r = report_data_read(x, sweep_id, false);
    if (a->look.kind == LOOK_TEXT)
        look_order_bits(&a->look, ANSWER_ORDER, &order_bits, &m);
    answer_write(r, &a->look, &a->design, order_bits, &text);
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
        s = ask_file_write(a->path, &a->design, &a->look, a->name, &a->asked, set->item, set->count,
                           &m);
    if (s == STATUS_OK) {
        text_print(stdout, "%s: %s\n", a->path,
                   write ? "written, with a reason for each value"
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
    free(a);
    return exit_status;
}
