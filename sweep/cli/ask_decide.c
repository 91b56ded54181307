#include "sweep/cli/ask_decide.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/ask/digits.h"
#include "sweep/ask/estimate.h"
#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "sweep/cli/ask_words.h"
#include "sweep/plan/plan.h"

static enum status find_begun(const struct question *q, const struct design *d, struct begun *b,
                              struct message *m)
{
    char digits[DIGITS_SIZE], name[DESIGN_NAME_SIZE];
    enum status s = digits_of(d, q->look, q->path, q->sets, q->count, digits, m);
    if (s != STATUS_OK)
        return s;
    design_name(q->look, digits, name);
    return begun_find(q->results, name, b, m);
}

static enum status measured(const struct fit *f, struct message *m)
{
    const struct estimate *e = f->context;
    return e->status == STATUS_OK ? e->status : status_fail(m, e->status, "%s", e->message.text);
}

/* Adds what the sweep file of `now` has otherwise than that of `was`; NULL: the one that is there.
 */
static enum status add_changes(const struct question *q, const struct design *was,
                               const struct design *now, bool anew, struct text_buffer *changes,
                               struct message *m)
{
    struct config *before = NULL, *after = NULL;
    enum status s = was ? sheet_parse(was, q->look, q->path, q->sets, q->count, &before, m)
                        : config_read(q->path, NULL, 0, &before, m);
    if (s == STATUS_OK)
        s = sheet_parse(now, q->look, q->path, q->sets, q->count, &after, m);
    if (s == STATUS_OK)
        ask_words_changes(anew, before, after, changes);
    config_free(before);
    config_free(after);
    return s;
}

/* The same where more time has made `now` of the design `kept`, of whose sweep b tells. Where all
 * that would be another net is set, there is time for seeds. */
static enum status add_gains(const struct question *q, const struct design *was,
                             const struct design *kept, const struct begun *b, enum fit_more *fit,
                             struct design *now, struct text_buffer *changes, struct message *m)
{
    enum status s = add_changes(q, was, now, *fit == FIT_ANEW, changes, m);
    if (s != STATUS_OK || *fit != FIT_ANEW || changes->used > 0)
        return s;
    *fit = FIT_SEEDS;
    now->size = kept->size;
    now->steps = kept->steps;
    now->steps_minutes = kept->steps_minutes;
    begun_keep(b, now);
    return add_changes(q, was, now, false, changes, m);
}

/* What the minutes and the keys make of the design of the file that is there. */
static enum status decide_more(const struct question *q, const struct fit *f, struct decision *x,
                               struct message *m)
{
    struct design kept = x->design, now;
    enum status s = find_begun(q, &kept, &x->begun, m);
    if (s != STATUS_OK)
        return s;
    begun_keep(&x->begun, &kept);
    now = kept;
    if (q->minutes > kept.minutes) {
        x->fit = fit_more(f, &kept, x->begun.claimed, q->minutes, &now);
        s = measured(f, m);
    }
    if (s == STATUS_OK)
        s = add_gains(q, NULL, &kept, &x->begun, &x->fit, &now, &x->changes, m);
    if (s == STATUS_OK && x->fit == FIT_ANEW) { /* which may have been begun before */
        s = find_begun(q, &now, &x->begun, m);
        begun_keep(&x->begun, &now);
    }
    x->write = x->state == ASK_FILE_KEYS || x->changes.used > 0;
    if (x->write)
        x->design = now;
    return s;
}

static enum status decide_anew(const struct question *q, const struct fit *f, struct decision *x,
                               struct message *m)
{
    x->write = true;
    x->design = fit_design(f, q->minutes);
    enum status s = measured(f, m);
    if (s == STATUS_OK)
        s = find_begun(q, &x->design, &x->begun, m);
    if (s == STATUS_OK)
        begun_keep(&x->begun, &x->design);
    return s;
}

/* What a sweep found is confirmed on as many fresh seeds as were written down with it: others would
 * be a second try. */
static enum status check_fresh(const struct question *q, const struct begun *b, struct message *m)
{
    const long fresh = sets_number(q->sets, q->count, "confirm");
    if (b->claimed == 0 || fresh == 0 || fresh == b->claimed)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
                       "--set confirm=%ld: the confirmation of sweep %s was fixed with %d fresh "
                       "seeds, which cannot change; set confirm=%d, or leave it out",
                       fresh, b->name, b->claimed, b->claimed);
}

/* A sweep that goes on keeps a head count, with a value of what is tuned, at least. */
static enum status check_joined(const struct question *q, const struct decision *x,
                                struct message *m)
{
    struct config *c = NULL;
    struct plan *p = NULL;
    bool stranger = false;
    if (!x->begun.there)
        return STATUS_OK;
    enum status s = sheet_parse(&x->design, q->look, q->path, q->sets, q->count, &c, m);
    if (s == STATUS_OK) {
        c->name = x->begun.name;
        s = plan_new(c, NULL, 0, &p, m);
    }
    if (s == STATUS_OK)
        s = store_stranger(q->results, p, &stranger, m);
    if (s == STATUS_OK && stranger)
        s = status_fail(m, STATUS_BAD_INPUT,
                        "these settings continue sweep %s, but keep none of its head counts with "
                        "their tuned values; keep at least one, or give another results file with "
                        "--db",
                        x->begun.name);
    plan_free(p);
    config_free(c);
    return s;
}

/* What cannot be planned, or run, is refused before it takes the place of a file that can. */
static enum status check_written(const struct question *q, const struct fit *f, struct decision *x,
                                 struct message *m)
{
    enum status s = check_fresh(q, &x->begun, m);
    if (s != STATUS_OK)
        return s;
    f->seconds(f->context, &x->design);
    s = measured(f, m);
    return s == STATUS_OK ? check_joined(q, x, m) : s;
}

static enum status find_ever(const struct question *q, const struct fit *f, struct decision *x,
                             struct message *m)
{
    struct text_buffer changes = {0};
    struct design beyond;
    enum fit_more fit = fit_beyond(f, &x->design, x->begun.claimed, &beyond);
    enum status s = add_gains(q, &x->design, &x->design, &x->begun, &fit, &beyond, &changes, m);
    x->ever = changes.used > 0;
    free(changes.text);
    return s;
}

/* Whether it is the design that takes least time, and nothing is set that takes more. */
static bool is_cheapest(const struct question *q, const struct design *d)
{
    for (int i = 0; i < q->count; i++) {
        bool task = strncmp(q->sets[i], "task.", 5) == 0;
        if (!task || (d->kind != LOOK_TOY && strncmp(q->sets[i], "task.length=", 12) == 0))
            return false;
    }
    return d->size == 0 && d->level == 0 && d->seeds == design_level(d)->seeds &&
           d->steps <= design_steps_min(d, q->look);
}

static enum status decide(const struct question *q, const struct fit *f, struct decision *x,
                          struct message *m)
{
    const bool known = x->state == ASK_FILE_KEYS || x->state == ASK_FILE_SAME;
    x->more = known && (x->state == ASK_FILE_KEYS || q->minutes > x->design.minutes);
    enum status s = !known    ? decide_anew(q, f, x, m)
                    : x->more ? decide_more(q, f, x, m)
                              : find_begun(q, &x->design, &x->begun, m);
    if (s == STATUS_OK && x->write)
        s = check_written(q, f, x, m);
    if (s == STATUS_OK)
        s = find_ever(q, f, x, m);
    x->cheapest = is_cheapest(q, &x->design);
    return s;
}

enum status ask_decide(const struct question *q, struct decision *x, struct message *m)
{
    struct estimate e = {.look = q->look,
                         .path = q->path,
                         .sets = q->sets,
                         .count = q->count,
                         .workers = q->workers};
    const struct fit f = {.look = q->look,
                          .steps = sets_number(q->sets, q->count, "train.steps"),
                          .seconds = estimate_seconds,
                          .context = &e};
    *x = (struct decision){0};
    enum status s = ask_file_read(q->path, q->look, q->sets, q->count, &x->state, &x->design, m);
    if (s == STATUS_OK)
        s = x->state == ASK_FILE_CHANGED ? ask_file_refuse_changed(q->path, m)
                                         : decide(q, &f, x, m);
    if (e.refused_size > x->design.size)
        x->larger = e.refused;
    estimate_free(&e);
    return s;
}
