/* Any bytes are either refused with a message, or a sweep whose points are all different, can be
 * trained, and read back from their identities. */
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/plan.h"

/* In the place of the library's: each piece of memory a block of its own for the sanitizer. */
#define ARENA_CHUNK_MOST 1
#include "engine/base/arena.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(int kept)
{
    if (!kept)
        abort();
}

static void check_point(const struct plan *p, long i, char sha256[65])
{
    char json[POINT_JSON_MAX], again[POINT_JSON_MAX];
    struct plan_text name;
    struct point point, back;
    struct encoder_io io;
    struct task_shape shape;
    plan_identity(p, i, json, sha256);
    plan_point(p, i, &point);
    promise(point_json(&point, again) == (int)strlen(json) && strcmp(again, json) == 0);
    promise(point_parse(json, &back, NULL) == STATUS_OK);
    promise(point_check(&back, &io, &shape, NULL, NULL) == STATUS_OK);
    plan_text(p, i, &name);
    promise(name.setting[strlen(name.setting) - 1] == '}' &&
            name.tuning[strlen(name.tuning) - 1] == '}' &&
            name.replicate[strlen(name.replicate) - 1] == '}');
}

static void check_rungs(const struct plan *p, long i)
{
    int64_t steps[PLAN_RUNGS_MAX];
    struct point point;
    plan_point(p, i, &point);
    int n = plan_rungs(p, i, steps);
    promise((n > 0) == (plan_config(p)->rung_eta > 0));
    for (int k = 0; k < n; k++)
        promise(steps[k] < point.train.steps && steps[k] % point.train.eval_every == 0 &&
                steps[k] > (k ? steps[k - 1] : 0));
    promise(plan_candidates(p, i) >= 1 && plan_candidates(p, i) <= plan_points(p));
}

static void check_plan(const struct plan *p)
{
    enum { LOOKED_AT = 16 };
    static char sha256[LOOKED_AT][65];
    long n = plan_points(p) < LOOKED_AT ? plan_points(p) : LOOKED_AT;
    promise(n > 0 && plan_trials(p) >= plan_points(p));
    const struct config *c = plan_config(p);
    struct plan_trial last = plan_trial(p, plan_trials(p) - 1);
    promise(last.point == plan_points(p) - 1);
    promise(last.look == (c->looks ? c->looks : 1));
    promise(plan_pairs_sha256(p, sha256[0], NULL) == STATUS_OK);
    for (long i = 0; i < n; i++) {
        check_point(p, i, sha256[i]);
        check_rungs(p, i);
        for (long k = 0; k < i; k++)
            promise(strcmp(sha256[k], sha256[i]) != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const small[] = {"run_cap=200"}; /* a slow plan teaches nothing */
    struct message m = {{0}};
    struct config *c;
    struct plan *p = NULL;
    enum status s = config_parse("fuzz.yaml", (const char *)data, size, small, 1, &c, &m);
    if (!s)
        s = plan_new(c, NULL, 0, &p, &m);
    promise(s == STATUS_OK || (s == STATUS_BAD_INPUT && *m.text));
    if (p)
        check_plan(p);
    plan_free(p);
    config_free(c);
    return 0;
}
