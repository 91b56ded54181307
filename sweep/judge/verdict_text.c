/* The verdict in words: what all sentences are made of. */
#include "sweep/judge/verdict_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

const char *verb(int64_t n)
{
    return n == 1 ? "is" : "are";
}

const char *separator(int i, int n)
{
    return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

void put_heads(const struct writer *w, int64_t heads)
{
    put(w, "%lld head%s", (long long)heads, plural(heads));
}

void put_p(const struct writer *w, double p)
{
    if (p < 1e-4)
        put(w, "p < 0.0001");
    else
        put(w, "p = %.3g", p);
}

void put_difference(const struct writer *w, double x)
{
    if (x == 0)
        put(w, "0");
    else
        put(w, fabs(x) < .0005 ? "%+.1g" : "%+.3f", x);
}

const char *test_metric(const struct writer *w)
{
    return w->in->loss ? "test loss" : "test accuracy";
}

void put_loss_bits(const struct writer *w, double loss)
{
    if (verdict_has_bits(w->in))
        put(w, ", %.3f bits per byte", loss / M_LN2);
}

void put_difference_bits(const struct writer *w, double loss)
{
    if (!verdict_has_bits(w->in))
        return;
    put(w, ", ");
    put_difference(w, loss / M_LN2);
    put(w, " bits per byte");
}

/* Whether all comparisons with rivals go over blocks too; fewest and most: the seeds of each. */
static bool over_blocks(const struct verdict *v, int *fewest, int *most)
{
    *fewest = *most = v->rivals ? v->rival[0].pair.n : 0;
    for (int i = 0; i < v->rivals; i++) {
        const struct verdict_rival *r = &v->rival[i];
        if (!crossed_testable(&r->crossed))
            return false;
        *fewest = r->pair.n < *fewest ? r->pair.n : *fewest;
        *most = r->pair.n > *most ? r->pair.n : *most;
    }
    return v->rivals > 0;
}

const char *paired_test(const struct writer *w)
{
    return w->v->blocks ? "two-way paired t test" : "paired t test";
}

const char *val_metric(const struct writer *w)
{
    return w->in->loss ? "validation loss" : "validation accuracy";
}

const struct verdict_row *row_of(const struct verdict *v, int64_t heads)
{
    int i = 0;
    while (i < v->rows - 1 && v->row[i].heads != heads)
        i++;
    return &v->row[i];
}

int put_list(const struct writer *w, bool (*chosen)(const struct verdict_row *), bool out)
{
    const struct verdict *v = w->v;
    int n = 0, seen = 0;
    for (int i = 0; i < v->rows; i++)
        n += chosen(&v->row[i]);
    for (int i = 0; i < v->rows && out; i++)
        if (chosen(&v->row[i]))
            put(w, "%s%lld", separator(seen++, n), (long long)v->row[i].heads);
    return n;
}

/* " at lr 0.003 for all"; "" where it is not known. */
static void put_rate(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    bool same = true;
    if (in->tuned_lr) {
        put(w, ", each head count at its own best of lr %s", in->tuned_lr);
        return;
    }
    for (int i = 0; i < in->count; i++) {
        if (!in->heads[i].lr)
            return;
        same = same && !strcmp(in->heads[i].lr, in->heads[0].lr);
    }
    if (same) {
        put(w, "%s at lr %s for all", in->steps > 0 ? "" : ",", in->heads[0].lr);
        return;
    }
    put(w, "%s at lr ", in->steps > 0 ? "" : ",");
    for (int i = 0; i < in->count; i++)
        put(w, "%s%s with %lld", separator(i, in->count), in->heads[i].lr,
            (long long)in->heads[i].heads);
}

/* What the finding was made on: ", on this task instance". */
static void put_sample(const struct writer *w)
{
    static const char *const one[] = {[VERDICT_TOY] = "task instance",
                                      [VERDICT_ROWS] = "split of the file",
                                      [VERDICT_TEXT] = "text"};
    int fewest, most;
    if (w->v->units > 0)
        put(w, ", over %d %s%s", w->v->units, w->v->unit, plural(w->v->units));
    else if (!over_blocks(w->v, &fewest, &most))
        put(w, ", on this %s", one[w->in->data]);
    else if (fewest == most)
        put(w, ", over %d seeds and %d blocks of the test text", most, w->in->blocks);
    else
        put(w, ", over %d to %d seeds and %d blocks of the test text", fewest, most, w->in->blocks);
}

void put_scope(const struct writer *w)
{
    if (w->in->steps > 0)
        put(w, ", within %lld step%s", (long long)w->in->steps, plural(w->in->steps));
    put_rate(w);
    put_sample(w);
    if (w->v->units > 0 && strcmp(w->in->replicated, "task.instance") != 0)
        put(w, " (%s)", w->in->replicated);
}

static int count_lines(const char *text)
{
    int n = 0;
    for (const char *c = text; c && *c; c++)
        n += *c == '\n';
    return n;
}

/* Makes v->sentence of lines; sentence[0] is the start of the one block that holds them. */
static enum status cut_lines(struct verdict *v, char *text)
{
    v->sentences = count_lines(text);
    v->sentence = calloc((size_t)v->sentences + 1, sizeof *v->sentence);
    if (!v->sentence) {
        v->sentences = 0;
        return STATUS_NO_MEMORY;
    }
    v->sentence[0] = text;
    for (int i = 0; i < v->sentences; i++)
        v->sentence[i] = strsep(&text, "\n");
    return STATUS_OK;
}

/* Recorded reports with these sentences: tests/data/report. */
enum status verdict_sentences(const struct verdict_input *in, struct verdict *v, struct message *m)
{
    struct text_buffer text = {0};
    struct writer w = {in, v, &text};
    say_lead(&w);
    v->lead = text.out_of_memory ? 0 : count_lines(text.text);
    if (v->kind != VERDICT_AT_CHANCE) /* then nothing else is worth reading */
        say_rest(&w);
    if (text.out_of_memory || cut_lines(v, text.text) != STATUS_OK) {
        free(text.text);
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the words of a verdict");
    }
    return STATUS_OK;
}
