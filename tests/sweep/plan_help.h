/* What the tests of plans share. */
#ifndef TESTS_SWEEP_PLAN_HELP_H
#define TESTS_SWEEP_PLAN_HELP_H

#include "tests/sweep/config_help.h"

#define GATHER "task: {name: gather, slots: 2}\n"

/* The plan of a sweep file of this text, which must be good; with its config it is freed by
 * free_all. */
static inline struct plan *plan_of(const char *text)
{
    struct config *c = config_of(text);
    struct plan *p;
    struct message m;
    if (plan_new(c, NULL, 0, &p, &m) != STATUS_OK)
        fail_msg("refused:\n%s\n%s", text, m.text);
    assert_ptr_equal(plan_config(p), c);
    return p;
}

static inline void free_all(struct plan *p)
{
    struct config *c = (struct config *)plan_config(p);
    plan_free(p);
    config_free(c);
}

#endif
