/* headcount ask: from a file, or a toy, to an answer: writes a sweep file and runs it. */
#include "sweep/ask/answer.h"
#include "sweep/ask/ask_file.h"
#include "sweep/ask/begun.h"
#include "sweep/ask/estimate.h"
#include "sweep/ask/fit.h"
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
    return store_close_after(s, status, m);
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
        *done = forecast_is_done(f);
        ask_words_plan(&a->design, c, f, a->o->workers, (double)a->o->minutes);
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

/* What is not told where it cannot be found out: the answer is worth having without. */
static struct answer_beside find_beside(const struct asking *a, double seeds)
{
    struct answer_beside b = {.order_bits = NAN, .minutes = NAN};
    struct estimate e = {.look = &a->look,
                         .path = a->path,
                         .sets = a->o->set.item,
                         .count = a->o->set.count,
                         .workers = a->o->workers};
    const struct fit f = {.look = &a->look, .seconds = estimate_seconds, .context = &e};
    struct message m;
    if (a->look.kind == LOOK_TEXT)
        look_order_bits(&a->look, ANSWER_ORDER, &b.order_bits, &m);
    if (seeds > 0 && !design_is_set(e.sets, e.count, "confirm"))
        b.minutes = fit_minutes(&f, &a->design, seeds, &b.fresh);
    estimate_free(&e);
    return b;
}

static void print_answer(struct scope *x, void *context)
{
    struct asking *a = context;
    int64_t sweep_id;
    struct text_buffer text = scope_text(x);
    scope_check(x, store_sweep(x->store, a->name, &sweep_id, x->message));
    const struct report_data *r = report_data_read(x, sweep_id, false);
    const struct answer_beside beside = find_beside(a, answer_seeds(r));
    answer_write(r, &a->look, &beside, &text);
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
