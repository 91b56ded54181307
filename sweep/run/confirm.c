#include "sweep/run/confirm.h"

#include <inttypes.h>
#include <string.h>

#include "sweep/evidence/evidence.h"

/* "slots=4: 4 heads are tested against 1 and 32, on 8 fresh seeds (24 trials)"
 */
static void say(const struct evidence_setting *set, const struct verdict_pick *pick,
                const struct config *c, struct text_buffer *said)
{
    const int64_t each = c->confirm * (c->replicate ? c->seeds : 1);
    text_add(said, "%s%s", set->label, set->label[0] ? ": " : "");
    if (pick->over_count == 0) {
        text_add(said, "nothing is to be confirmed (%s)\n", verdict_kind_name(pick->kind));
        return;
    }
    text_add(said, "%" PRId64 " head%s %s tested against ", pick->best, text_plural(pick->best),
             pick->best == 1 ? "is" : "are");
    for (int i = 0; i < pick->over_count; i++)
        text_add(said, "%s%" PRId64, i ? " and " : "", pick->over[i]);
    text_add(said, ", on %" PRId64 " fresh %s (%" PRId64 " trials)\n", c->confirm,
             c->replicate ? "instances" : "seeds", each * (1 + pick->over_count));
}

static enum status write_down(struct store *s, const struct config *c, int64_t sweep_id,
                              const struct evidence_setting *set, const struct verdict_pick *pick,
                              struct text_buffer *said, struct message *m)
{
    struct confirm_claim claim = {.best = pick->best, .over_count = pick->over_count};
    memcpy(claim.over, pick->over, sizeof claim.over);
    enum status status = store_confirm(s, sweep_id, set->setting, verdict_kind_name(pick->kind),
                                       pick->over_count > 0 ? &claim : NULL, m);
    if (status != STATUS_OK)
        return status;
    say(set, pick, c, said);
    return said->out_of_memory ? status_no_memory(m, "what is to be confirmed") : STATUS_OK;
}

static enum status judge(struct store *s, const struct config *c, int64_t sweep_id,
                         const char *setting, struct text_buffer *said, struct message *m)
{
    struct scope *x = scope_new(s, "the results of a sweep", m);
    if (scope_enter(x)) {
        const struct evidence *e = evidence_read(x, sweep_id);
        int i = 0;
        while (i < e->settings && strcmp(e->setting[i].setting, setting) != 0)
            i++;
        if (i == e->settings)
            scope_fail(x, STATUS_CORRUPT, "there is no evidence of the setting %s", setting);
        const struct evidence_setting *set = &e->setting[i];
        const struct verdict_pick pick = verdict_pick(&set->input, verdict_new(x, &set->input));
        scope_check(x, write_down(s, c, sweep_id, set, &pick, said, m));
    }
    return scope_end(x);
}

enum status confirm_judge(struct store *s, const struct plan *p, int64_t sweep_id,
                          struct text_buffer *said, struct message *m)
{
    const struct config *c = plan_config(p);
    char setting[PLAN_TEXT_MAX], before[PLAN_TEXT_MAX] = "";
    bool due = c->confirm > 0;
    enum status status = STATUS_OK;
    while (due && status == STATUS_OK) {
        status = store_confirm_due(s, sweep_id, setting, &due, m);
        if (due && status == STATUS_OK && strcmp(setting, before) == 0)
            return status_fail(m, STATUS_INTERNAL, "confirming the setting %s is due for ever",
                               setting);
        if (due && status == STATUS_OK)
            status = judge(s, c, sweep_id, setting, said, m);
        memcpy(before, setting, due ? sizeof before : 0);
    }
    return status;
}
