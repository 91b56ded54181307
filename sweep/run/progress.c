/* The live view: what is known about every slot, drawn as lines. */
#include "sweep/run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "sweep/run/frame.h"

enum { LABEL_SIZE = 160, BAR_WIDTH = 20, LABEL_MIN = 12, NARROW = 60 };
enum { TAIL_COLUMNS = 37, NARROW_TAIL_COLUMNS = 25 }; /* steps, loss, acc; without the loss */
static const double REDRAW_S = 0.2;

struct progress_line {
    bool busy, updated, whole;
    char label[LABEL_SIZE];
    int64_t step, steps;
    double loss, acc;
    double started_s;
};

struct progress_view {
    FILE *err;
    char sweep[LABEL_SIZE];
    bool quiet, live, unicode;
    struct counts counts;
    int slots;
    struct progress_line *slot;
    double drawn_s, end_s; /* end_s: when all is done, by clock_now_s; NaN: unknown */
    enum metric metric;
    char hosts[LINE_SIZE];
    struct frame frame;
};

static bool may_draw(struct progress_view *v)
{
    return v->live && frame_in_front(&v->frame);
}

struct progress_view *progress_new(FILE *err, bool quiet, const char *sweep, enum metric metric)
{
    struct progress_view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->err = err;
    text_shown(sweep, v->sweep, sizeof v->sweep);
    v->quiet = quiet;
    v->live = !quiet && frame_possible(err);
    frame_init(&v->frame, err);
    v->unicode = text_utf8();
    v->metric = metric;
    v->end_s = NAN;
    return v;
}

void progress_hosts(struct progress_view *v, const char *text)
{
    if (v)
        text_shown(text, v->hosts, sizeof v->hosts);
}

void progress_slots(struct progress_view *v, int workers)
{
    if (!v || workers <= v->slots)
        return;
    struct progress_line *more = realloc(v->slot, (size_t)workers * sizeof *more);
    if (!more)
        return;
    memset(more + v->slots, 0, (size_t)(workers - v->slots) * sizeof *more);
    v->slot = more;
    v->slots = workers;
}

static struct progress_line *line_at(struct progress_view *v, int slot)
{
    return v && slot >= 0 && slot < v->slots ? &v->slot[slot] : NULL;
}

/* Share of the trial that is behind it, 0..1. */
static double line_fraction(const struct progress_line *s)
{
    return s->steps > 0 ? (double)s->step / (double)s->steps : 0.0;
}

bool progress_live(const struct progress_view *v)
{
    return v && v->live;
}

void progress_time_left(struct progress_view *v, double seconds)
{
    if (v)
        v->end_s = clock_now_s() + seconds;
}

void progress_trial_started(struct progress_view *v, int slot, const struct progress_trial *t)
{
    struct progress_line *s = line_at(v, slot);
    if (!s)
        return;
    memset(s, 0, sizeof *s);
    s->busy = true;
    s->loss = s->acc = NAN;
    s->whole = t->whole;
    s->started_s = clock_now_s();
    char full[LABEL_SIZE];
    snprintf(full, sizeof full, "%s", t->label);
    if (!full[0])
        snprintf(full, sizeof full, "trial %lld", (long long)t->trial_id);
    text_shown(full, s->label, sizeof s->label);
}

void progress_update(struct progress_view *v, int slot, int64_t step, int64_t steps, double loss,
                     double acc)
{
    struct progress_line *s = line_at(v, slot);
    if (!s || !s->busy)
        return;
    s->updated = true;
    s->step = step;
    s->steps = steps;
    /* right after an evaluation there are no means yet: the ones before it stay on show */
    s->loss = isfinite(loss) ? loss : s->loss;
    s->acc = isfinite(acc) ? acc : s->acc;
}

void progress_counts(struct progress_view *v, const struct counts *c)
{
    if (v)
        v->counts = *c;
}

static void line_bar(struct line *l, const struct progress_view *v, double fraction, int width)
{
    int full = (int)(fraction * width + 0.5);
    for (int i = 0; i < width; i++)
        if (v->unicode)
            line_add(l, "%s", i < full ? "\u2501" : "\u2508");
        else
            line_add(l, "%s", i < full ? "#" : "-");
}

static int bar_columns(int width)
{
    return width >= 76 ? BAR_WIDTH : width >= NARROW ? BAR_WIDTH / 2 : 0;
}

/* What labels of the first `shown` trials that run get: as many columns as the longest takes, or as
 * the terminal leaves. */
static int label_columns(const struct progress_view *v, int shown, int width)
{
    int longest = LABEL_MIN;
    int tail = width >= NARROW ? TAIL_COLUMNS : NARROW_TAIL_COLUMNS;
    int left = width - bar_columns(width) - tail - 2;
    for (int i = 0; i < v->slots && shown > 0; i++) {
        if (!v->slot[i].busy)
            continue;
        int columns = text_width(v->slot[i].label);
        longest = columns > longest ? columns : longest;
        shown--;
    }
    return longest < left ? longest : left > LABEL_MIN ? left : LABEL_MIN;
}

/* label: the columns that labels get. */
static void line_draw(const struct progress_view *v, const struct progress_line *s, int label,
                      int width, struct line *l)
{
    char acc[16];
    line_clear(l);
    line_add(l, " ");
    line_shorten(l, s->label, label);
    line_pad(l, label + 2);
    if (s->whole) {
        char took[32];
        line_add(l, " %s", text_duration(clock_now_s() - s->started_s, took, sizeof took));
        line_cut(l, width);
        return;
    }
    line_bar(l, v, line_fraction(s), bar_columns(width));
    if (s->updated)
        line_add(l, " %6lld/%-6lld", (long long)s->step, (long long)s->steps);
    else
        line_add(l, "  starting");
    if (s->updated && isfinite(s->loss) && width >= NARROW)
        line_add(l, " loss %-6.4g", s->loss);
    if (s->updated && isfinite(s->acc))
        line_add(l, " acc %s", line_accuracy(s->acc, acc));
    line_cut(l, width);
}

static int slots_busy(const struct progress_view *v)
{
    int n = 0;
    for (int i = 0; i < v->slots; i++)
        n += v->slot[i].busy;
    return n;
}

/* The row of the sweep, as `status` has it: trials that run are those of the slots. */
static void counts_lines(const struct progress_view *v, int width, struct line *titles,
                         struct line *row)
{
    enum { CELL = 32 };
    const struct counts *c = &v->counts;
    const long running = slots_busy(v), left = c->planned - c->ended - running;
    const double seconds = v->end_s - clock_now_s();
    char done[CELL], time_left[CELL] = "unknown";
    snprintf(done, sizeof done, "%ld/%ld", c->trials[TRIAL_COMPLETED], c->planned);
    if (isfinite(seconds))
        text_duration(fmax(seconds, 0), time_left, sizeof time_left);
    const struct {
        const char *title, *text;
        long number;
        int least; /* columns of a terminal that shows it */
    } cells[] = {{"sweep", v->sweep, 0, 0},
                 {"done", done, 0, 0},
                 {"running", NULL, running, 0},
                 {"left", NULL, left > 0 ? left : 0, 0},
                 {"failed", NULL, c->trials[TRIAL_FAILED], 0},
                 {"diverged", NULL, c->trials[TRIAL_DIVERGED], NARROW + BAR_WIDTH},
                 {"not needed", NULL, c->trials[TRIAL_NOT_NEEDED], NARROW + BAR_WIDTH},
                 {"time left", time_left, 0, 0}};
    line_clear(titles);
    line_clear(row);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char number[CELL];
        snprintf(number, sizeof number, "%ld", cells[i].number);
        if (width < cells[i].least)
            continue;
        const char *text = cells[i].text ? cells[i].text : number, *gap = i ? "  " : " ";
        int wider = text_width(cells[i].title) - text_width(text); /* the title, by so many */
        int before = cells[i].text ? 0 : wider;                    /* numbers stand at the right */
        line_add(titles, "%s%*s%s", gap, before < 0 ? -before : 0, "", cells[i].title);
        line_add(row, "%s%*s%s", gap, before > 0 ? before : 0, "", text);
        line_pad(titles, row->columns);
        line_pad(row, titles->columns);
    }
    line_cut(titles, width);
    line_cut(row, width);
}

static void draw(struct progress_view *v)
{
    struct line l, row;
    if (!frame_begin(&v->frame))
        return;
    int width = v->frame.columns - 1;
    int busy = slots_busy(v);
    int rows = v->frame.rows - 3; /* for the sweep, and the cursor below */
    rows -= v->hosts[0] != '\0';
    counts_lines(v, width, &l, &row);
    frame_line(&v->frame, &l, "\033[1m");
    frame_line(&v->frame, &row, v->counts.trials[TRIAL_FAILED] > 0 ? "\033[1;31m" : "");
    int shown = busy <= rows ? busy : rows > 1 ? rows - 1 : 0;
    int label = label_columns(v, shown, width);
    for (int i = 0, left = shown; i < v->slots && left > 0; i++) {
        if (!v->slot[i].busy)
            continue;
        line_draw(v, &v->slot[i], label, width, &l);
        frame_line(&v->frame, &l, "");
        left--;
    }
    if (shown < busy && rows > 0) {
        line_clear(&l);
        line_add(&l, " and %d more", busy - shown);
        line_cut(&l, width);
        frame_line(&v->frame, &l, "\033[2m");
    }
    if (v->hosts[0]) {
        line_clear(&l);
        line_add(&l, " %s", v->hosts);
        line_cut(&l, width);
        frame_line(&v->frame, &l, "\033[2m");
    }
    frame_end(&v->frame);
}

void progress_note(struct progress_view *v, const char *text)
{
    if (!v)
        return;
    if (!may_draw(v)) {
        text_print(v->err, "%s\n", text);
        fflush(v->err);
        return;
    }
    char line[LINE_SIZE * 2];
    snprintf(line, sizeof line, "%.*s\n", LINE_SIZE * 2 - 2, text);
    frame_replace(&v->frame, line);
    v->drawn_s = 0.0;
}

/* The one line that a trial leaves where there is no terminal; outcome: "" where it is done. */
static void plain_line(struct progress_view *v, const struct progress_line *s, const char *outcome,
                       double value)
{
    char text[16];
    char took[32];
    text_duration(clock_now_s() - s->started_s, took, sizeof took);
    text_print(v->err, "%ld/%ld  %s %s", v->counts.ended, v->counts.planned, v->sweep, s->label);
    if (outcome[0])
        fprintf(v->err, "  %s", outcome);
    if (isfinite(value))
        fprintf(v->err, "  val %s", line_value(v->metric, value, text));
    fprintf(v->err, "  %s\n", took);
    fflush(v->err);
}

/* It goes on later. */
static void put_back(struct progress_view *v, struct progress_line *s, const char *outcome,
                     double value)
{
    if (!v->quiet && !may_draw(v))
        plain_line(v, s, outcome, value);
    s->busy = false;
}

void progress_trial_paused(struct progress_view *v, int slot, int64_t step, double value)
{
    char outcome[64];
    struct progress_line *s = line_at(v, slot);
    snprintf(outcome, sizeof outcome, "paused at step %lld", (long long)step);
    if (s && s->busy)
        put_back(v, s, outcome, value);
}

void progress_trial_ended(struct progress_view *v, int slot, enum trial_state state, double value)
{
    struct progress_line *s = line_at(v, slot);
    if (!s || !s->busy)
        return;
    if (state == TRIAL_QUEUED) {
        put_back(v, s, "queued again", value);
        return;
    }
    v->counts.trials[state]++;
    v->counts.ended++;
    if (!v->quiet && !may_draw(v))
        plain_line(v, s, state == TRIAL_COMPLETED ? "" : trial_state_name(state), value);
    s->busy = false;
}

void progress_draw(struct progress_view *v, double now_s)
{
    if (!v || !v->live || (v->drawn_s > 0.0 && now_s - v->drawn_s < REDRAW_S) || !may_draw(v))
        return;
    v->drawn_s = now_s;
    draw(v);
}

void progress_finish(struct progress_view *v)
{
    if (!v)
        return;
    if (may_draw(v) && v->frame.lines > 0)
        frame_replace(&v->frame, "");
    free(v->slot);
    frame_free(&v->frame);
    free(v);
}
