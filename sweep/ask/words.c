#include "sweep/ask/words.h"

#include <inttypes.h>
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
    const struct axis *axis = config_axis(c, path);
    return axis && axis->kind == AXIS_VALUES ? axis->value[0].scalar[0] : "?";
}

static void print_action(const struct decision *x, const char *path, double minutes)
{
    const char *begun = x->begun ? "which was begun before and goes on" : "under another name";
    struct text_buffer text = {0};
    switch (x->action) {
    case ASK_GO_ON:
        if (minutes > x->design.minutes)
            text_add(&text, "%g minutes allow no more than there is: it goes on as it is.",
                     minutes);
        break;
    case ASK_MORE_SEEDS:
        text_add(&text,
                 "%g minutes allow more seeds: they are added, and the results that there are "
                 "stay.",
                 minutes);
        break;
    case ASK_LARGER:
        text_add(
            &text,
            "%g minutes allow a larger net or longer training, about which the trials so far say "
            "nothing. So another sweep takes their place, %s, %s; the old results "
            "stay in the results file.",
            minutes, x->name, begun);
        break;
    case ASK_WRITE_AGAIN:
        text_add(&text,
                 "Something else is asked now than when %s was written, or the data have changed, "
                 "or headcount has. It is written again, for the sweep %s, %s.",
                 path, x->name, begun);
        break;
    case ASK_WRITE:
        if (x->begun)
            text_add(&text, "The results file has a sweep of these trials, %s: it goes on.",
                     x->name);
    }
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
    print_action(x, path, minutes);
}

/* ---- what will be done ---- */

static int rates_of(const struct config *c)
{
    const struct axis *axis = config_axis(c, "train.lr");
    return axis ? axis->values : 0;
}

/* Why it takes longer than so many minutes, where it does by a fifth or more. */
static void add_limit(const struct design *d, double seconds, double minutes,
                      struct text_buffer *text)
{
    if (seconds <= 72 * minutes)
        return;
    if (d->minutes > minutes)
        text_add(text,
                 " The sweep file was written for %g minutes; move it away to ask for %g minute%s.",
                 d->minutes, minutes, text_plural(minutes == 1 ? 1 : 2));
    else if (d->size == 0 && d->level == 0)
        text_add(text, " It is the smallest sweep that ask writes.");
}

static void add_time(const struct decision *x, const struct forecast *f, const struct config *c,
                     long workers, double minutes, struct text_buffer *text)
{
    struct cost_range left = estimate_left(f, c, workers);
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
    add_limit(&x->design, left.expected, minutes, text);
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
    text_add(&text, ".");
    look_add_cut(l, "see", strtol(value_of(c, "task.length"), NULL, 10), &text);
    text_add(&text, " ");
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
