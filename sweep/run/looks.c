#include "sweep/run/looks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sweep/db/rows.h"
#include "sweep/evidence/evidence.h"

static const char *decision(enum verdict_kind kind)
{
    switch (kind) {
    case VERDICT_CLAIM_CONFIRMED:
        return "the claim is confirmed";
    case VERDICT_CLAIM_CONTRADICTED:
        return "the claim is contradicted";
    case VERDICT_MIDDLE:
        return "a middle head count wins";
    case VERDICT_RIVAL_AT_EDGE:
        return "a choice is at the edge of its grid, which more seeds do not change";
    default:
        return "decided";
    }
}

void look_line(const struct look_outcome *o, char *text, size_t size)
{
    const char *s = text_plural(o->trials);
    int used = snprintf(text, size, "look %d of %d (%s)%s%s: ", o->look, o->looks,
                        text_counted(o->seeds, "seed").text, o->label[0] ? " of " : "", o->label);
    if (used < 0 || (size_t)used >= size)
        return;
    text += used;
    size -= (size_t)used;
    if (o->decided && o->more > 0)
        snprintf(text, size, "%s; %ld trial%s of later looks not needed", decision(o->kind),
                 o->trials, s);
    else if (o->decided)
        snprintf(text, size, "%s", decision(o->kind));
    else if (o->more > 0)
        snprintf(text, size,
                 "not decided; %" PRId64 " more seed%s for each head count, %ld trial%s", o->more,
                 text_plural(o->more), o->trials, s);
    else
        snprintf(text, size, "not decided, and it was the last");
}

enum status looks_read(struct store *s, int64_t sweep_id, struct looks_state *l, struct message *m)
{
    static const char sql[] =
        "WITH judged AS ("
        "  SELECT setting, json_array_length(looks) AS looks, coalesce(max(l.look), 0) AS look,"
        "         coalesce(max(l.decided), 0) AS decided"
        "    FROM (SELECT DISTINCT sweep_id, setting FROM trial"
        "           WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0)"
        "    JOIN sweep USING (sweep_id) LEFT JOIN look AS l USING (sweep_id, setting)"
        "   WHERE looks <> '[]' GROUP BY setting"
        "), summed AS ("
        "  SELECT count(*) AS settings, sum(decided) AS decided,"
        "         sum(NOT decided AND look >= looks) AS undecided,"
        "         min(iif(decided OR look >= looks, NULL, look + 1)) AS open FROM judged"
        ") SELECT json_array_length(looks), settings, decided, undecided, open,"
        "         looks ->> (open - 1), looks FROM sweep, summed WHERE sweep_id = ?1";
    *l = (struct looks_state){0};
    struct rows r = rows_open(s, m, sql, VALUES(INTEGER(sweep_id)));
    if (rows_next(&r)) {
        l->looks = (int)rows_integer(&r, 0);
        l->settings = (int)rows_integer(&r, 1);
        l->decided = (int)rows_integer(&r, 2);
        l->undecided = (int)rows_integer(&r, 3);
        l->open = (int)rows_integer(&r, 4);
        l->open_seeds = rows_integer(&r, 5);
        rows_copy(&r, 6, l->seeds, sizeof l->seeds);
    }
    return rows_close(&r);
}

void looks_words(const struct looks_state *l, char *text, size_t size)
{
    char open[96] = "";
    if (l->open > 0)
        snprintf(open, sizeof open, "; look %d of %d (%" PRId64 " seeds) is open", l->open,
                 l->looks, l->open_seeds);
    if (l->looks == 0)
        snprintf(text, size, "%s", "");
    else if (l->settings > 1)
        snprintf(text, size, "%d of %d settings decided, %d undecided after the last look%s",
                 l->decided, l->settings, l->undecided, open);
    else
        snprintf(text, size, "%s%s",
                 l->decided     ? "decided, no further look is needed"
                 : l->undecided ? "undecided after the last look"
                                : "not decided yet",
                 open);
}

/* Trials of looks from..to of a setting that are in this state; under `tune`, of chosen values: the
 * others were eliminated before any look. */
static enum status count_trials(struct store *s, int64_t sweep_id, const char *setting, int from,
                                int to, enum trial_state state, long *count, struct message *m)
{
    struct rows r = rows_open(s, m,
                              "SELECT count(*) FROM trial JOIN config USING (config_id)"
                              " WHERE sweep_id = ?1 AND setting = ?2"
                              " AND in_plan = 1 AND look BETWEEN ?3 AND ?4 AND state = ?5"
                              " AND (tuning = '{}' OR (heads, tuning) IN (SELECT heads, tuning"
                              "  FROM chosen WHERE sweep_id = ?1 AND setting = ?2))",
                              VALUES(INTEGER(sweep_id), TEXT(setting), INTEGER(from), INTEGER(to),
                                     TEXT(trial_state_name(state))));
    *count = rows_next(&r) ? (long)rows_integer(&r, 0) : 0;
    return rows_close(&r);
}

static enum status add_outcome(struct store *s, const struct config *c, int64_t sweep_id,
                               const struct look_due *due, struct look_outcome *o,
                               struct text_buffer *said, struct message *m)
{
    char line[1024];
    bool last = due->look >= c->looks;
    enum trial_state state = o->decided ? TRIAL_NOT_NEEDED : TRIAL_QUEUED;
    o->look = due->look;
    o->looks = c->looks;
    o->seeds = c->look[due->look - 1];
    o->more = last ? 0 : c->look[due->look] - o->seeds;
    enum status status = count_trials(s, sweep_id, due->setting, due->look + 1,
                                      o->decided ? c->looks : due->look + 1, state, &o->trials, m);
    if (status != STATUS_OK)
        return status;
    look_line(o, line, sizeof line);
    text_add(said, "%s\n", line);
    return said->out_of_memory ? status_no_memory(m, "a look") : STATUS_OK;
}

static const struct evidence_setting *find_setting(const struct evidence *e, const char *setting)
{
    for (int i = 0; i < e->settings; i++)
        if (strcmp(e->setting[i].setting, setting) == 0)
            return &e->setting[i];
    return NULL;
}

static enum status judge(struct store *s, const struct config *c, int64_t sweep_id,
                         const struct look_due *due, struct text_buffer *said, struct message *m)
{
    struct scope *x = scope_new(s, "the results of a sweep", m);
    if (scope_enter(x)) {
        const struct evidence *e = evidence_read(x, sweep_id);
        const struct evidence_setting *setting = find_setting(e, due->setting);
        if (!setting)
            scope_fail(x, STATUS_CORRUPT, "there is no evidence of the setting %s at look %d",
                       due->setting, due->look);
        const struct verdict *v = verdict_new(x, &setting->input);
        struct look_outcome o = {.label = setting->label, .kind = v->kind, .decided = v->decided};
        scope_check(x,
                    store_look_judged(s, sweep_id, due, verdict_kind_name(o.kind), o.decided, m));
        scope_check(x, add_outcome(s, c, sweep_id, due, &o, said, m));
    }
    return scope_end(x);
}

enum status looks_judge(struct store *s, const struct plan *p, int64_t sweep_id,
                        struct text_buffer *said, struct message *m)
{
    const struct config *c = plan_config(p);
    struct look_due due, before = {0};
    if (c->looks == 0)
        return STATUS_OK;
    for (;;) {
        enum status status = store_look_due(s, sweep_id, &due, m);
        if (status != STATUS_OK || due.look == 0)
            return status;
        if (due.look == before.look && strcmp(due.setting, before.setting) == 0)
            return status_fail(m, STATUS_INTERNAL, "look %d of the setting %s is due for ever",
                               due.look, due.setting);
        status = judge(s, c, sweep_id, &due, said, m);
        if (status != STATUS_OK)
            return status;
        before = due;
    }
}
