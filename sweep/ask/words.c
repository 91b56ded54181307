#include "sweep/ask/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/ask/fit.h"

enum { PAGE_WIDTH = 96 };

static void print_paragraph(struct text_buffer *text)
{
    text_paragraph(stdout, text->text ? text->text : "", 0, 2, PAGE_WIDTH);
    free(text->text);
}

void ask_words_look(const struct look *l)
{
    struct text_buffer text = {0};
    char a[80], b[80], number[2][32];
    if (l->kind == LOOK_TOY) {
        text_add(&text, "%s: %s", l->point.task->name, l->point.task->summary);
    } else if (l->kind == LOOK_TEXT) {
        text_add(
            &text,
            "%s: %s bytes of text in %s line%s; each byte is to be predicted from those before "
            "it. (If it is rows with labels, give --mode classify.)",
            text_shown(design_subject(l), a, sizeof a),
            text_count(look_integer(l, "size"), number[0], sizeof number[0]),
            text_count(l->lines, number[1], sizeof number[1]), text_plural(l->lines));
    } else {
        text_add(&text, "%s: %s bytes of %s, ", text_shown(design_subject(l), a, sizeof a),
                 text_count(look_integer(l, "size"), number[0], sizeof number[0]), l->form);
        text_add(&text, "%s rows with %s labels; ",
                 text_count(look_integer(l, "rows"), number[0], sizeof number[0]),
                 text_count(look_integer(l, "classes"), number[1], sizeof number[1]));
        text_add(&text, "the label, column %s, is to be told from the text, column %s. (",
                 text_shown(look_string(l, "label_column"), b, sizeof b),
                 text_shown(look_string(l, "text_column"), a, sizeof a));
        if (*l->others)
            text_add(&text, "The label could also be: %s. ", l->others);
        text_add(&text, "Other columns: --label-column, --text-column. Predict bytes: --mode lm.)");
    }
    if (*l->warning)
        text_add(&text, " Note: %s.", l->warning);
    print_paragraph(&text);
}

/* "1, 2, 4 and 8" */
static void add_heads(const struct config *c, struct text_buffer *text)
{
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        if (strcmp(axis->path, "model.heads") != 0)
            continue;
        for (int k = 0; k < axis->values; k++)
            text_add(text, "%s%s",
                     k == 0                  ? ""
                     : k == axis->values - 1 ? " and "
                                             : ", ",
                     axis->value[k].scalar[0]);
    }
}

/* Of an option that has one value. */
static const char *value_of(const struct config *c, const char *path)
{
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, path) == 0 && c->axis[i].kind == AXIS_VALUES)
            return c->axis[i].value[0].scalar[0];
    return "?";
}

/* ---- more minutes ---- */

/* "24 seeds (before: 5)", where that differs. */
static void add_number(struct text_buffer *text, int64_t was, int64_t is, const char *what)
{
    if (is != was)
        text_add(text, "%s%" PRId64 " %s (before: %" PRId64 ")", text->used ? ", " : "", is, what,
                 was);
}

/* "d_model 64 (before: 32), steps 800 (before: 200)": what differs of the nets and their training.
 */
static void add_nets(struct text_buffer *text, const struct config *was, const struct config *is)
{
    static const char *const paths[] = {"model.d_model", "model.layers", "model.d_ff",
                                        "task.length",   "train.batch",  "train.steps"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *before = value_of(was, paths[i]), *now = value_of(is, paths[i]);
        if (strcmp(before, now) != 0)
            text_add(text, "%s%s %s (before: %s)", text->used ? ", " : "",
                     strchr(paths[i], '.') + 1, now, before);
    }
}

void ask_words_changes(bool anew, const struct config *was, const struct config *is,
                       struct text_buffer *text)
{
    if (anew) {
        add_nets(text, was, is);
        return;
    }
    add_number(text, was->seeds, is->seeds, "seeds");
    add_number(text, was->confirm, is->confirm, "fresh ones to confirm on");
    add_number(text, was->tune_seeds, is->tune_seeds, "to tune on");
}

/* More minutes, or other keys, for a file of the same trials. */
static void print_more(const struct decision *x, double minutes)
{
    const char *changes = x->changes.used > 0 ? x->changes.text : NULL;
    const bool keys = x->state == ASK_FILE_KEYS;
    struct text_buffer text = {0};
    char because[64] = "Other keys are set than before";
    if (!keys)
        snprintf(because, sizeof because, "%g minutes", minutes);
    if (!changes && !keys && x->ever)
        text_add(&text, "%s are not enough for more than there is: it goes on as it is.", because);
    else if (!changes && !keys)
        text_add(&text, "More time would hardly show more: it goes on as it is.");
    else if (changes && x->fit == FIT_ANEW)
        text_add(&text,
                 "%g minutes allow more: %s. That comes nearer to what there is to learn, but no "
                 "trial can stay: it %s, and the old results stay in the results file.",
                 minutes, changes,
                 x->begun.there ? "goes on with another sweep, which was begun before"
                                : "starts over under another name");
    else
        text_add(&text, "%s: the results that there are stay%s%s%s.", because,
                 changes ? ", and each head count gets " : "", changes ? changes : "",
                 x->begun.claimed ? "; the confirmation stays as it is" : "");
    print_paragraph(&text);
}

/* Where no file is there for these trials. */
static void print_anew(const struct decision *x, const char *path)
{
    struct text_buffer text = {0};
    if (x->state == ASK_FILE_OTHER)
        text_add(&text,
                 "Something else is asked now than when %s was written, or the data have changed, "
                 "or headcount has: it is written again%s",
                 path, x->begun.there ? ". " : ", and its trials begin under another name.");
    if (x->begun.there)
        text_add(&text,
                 "The results file has a sweep of these trials, %s: it goes on, and keeps "
                 "its seeds.",
                 x->begun.name);
    if (text.used > 0)
        print_paragraph(&text);
}

void ask_words_decision(const struct decision *x, const char *path, double minutes)
{
    struct text_buffer text = {0};
    if (*x->larger.text) {
        text_add(&text, "Larger nets are left out: %s.", x->larger.text);
        print_paragraph(&text);
    }
    if (x->more)
        print_more(x, minutes);
    else if (x->write)
        print_anew(x, path);
}

/* ---- what will be done ---- */

static int rates_of(const struct config *c)
{
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, "train.lr") == 0)
            return c->axis[i].values;
    return 0;
}

/* Why it takes longer than so many minutes, where it does by a fifth or more; or why no longer. */
static void add_limit(const struct decision *x, double seconds, double minutes,
                      struct text_buffer *text)
{
    const double made_for = x->design.minutes;
    bool longer = seconds > 72 * minutes;
    if (longer && made_for > minutes)
        text_add(text,
                 " The sweep file was written for %g minutes; move it away to ask for %g minute%s.",
                 made_for, minutes, minutes == 1 ? "" : "s");
    else if (longer && x->cheapest)
        text_add(text, " In less time nothing would show.");
    else if (!longer && !x->ever && made_for >= minutes) /* else print_more has said it */
        text_add(text, " More time would hardly show more.");
}

static void add_time(const struct decision *x, const struct forecast *f, const struct config *c,
                     long workers, double minutes, struct text_buffer *text)
{
    struct forecast_range left = estimate_left(f, c, workers);
    char time[3][32];
    if (forecast_is_done(f)) {
        text_add(text, "All of it has run.");
        return;
    }
    text_add(text, "That takes about %s on this machine, if nothing else is at work",
             text_duration(left.expected, time[0], sizeof time[0]));
    if (left.most > left.least)
        text_add(text, " (%s if there is nothing to confirm; at most %s)",
                 text_duration(left.least, time[1], sizeof time[1]),
                 text_duration(left.most, time[2], sizeof time[2]));
    text_add(text, ".");
    add_limit(x, left.expected, minutes, text);
}

/* Of rows: how much of their texts is not seen. */
static void add_cut(const struct look *l, const struct config *c, struct text_buffer *text)
{
    long length = strtol(value_of(c, "task.length"), NULL, 10);
    if (l->kind == LOOK_ROWS && length > 0 && l->typical > length)
        text_add(text,
                 "Of each text the nets see the first %ld bytes, and one in ten has %" PRId64
                 " or more. ",
                 length, l->typical);
}

void ask_words_plan(const struct decision *x, const struct look *l, const struct config *c,
                    const struct forecast *f, long workers, double minutes)
{
    struct text_buffer text = {0};
    text_add(&text, "It trains nets of d_model %s with ", value_of(c, "model.d_model"));
    add_heads(c, &text);
    text_add(&text, " heads for %s steps", value_of(c, "train.steps"));
    if (c->tune)
        text_add(&text, ": each head count tries %s or more%s",
                 text_counted(rates_of(c), "learning rate").text,
                 c->rung_eta ? ", of which the worse ones stop early" : "");
    text_add(&text, "%s %d seed%s", c->tune ? ", and the best one gets" : ", each on", c->seeds,
             text_plural(c->seeds));
    if (c->confirm)
        text_add(&text, ". What these find is then tested on %" PRId64 " fresh ones", c->confirm);
    text_add(&text, ". ");
    add_cut(l, c, &text);
    add_time(x, f, c, workers, minutes, &text);
    print_paragraph(&text);
}

void ask_words_answer(const char *lines)
{
    putchar('\n');
    while (*lines) {
        size_t n = strcspn(lines, "\n");
        struct text_buffer line = {0};
        text_add_bytes(&line, lines, n);
        print_paragraph(&line);
        lines += n + (lines[n] == '\n');
    }
}
