/* The identity of a trial's configuration: the canonical JSON that point.c writes, and its SHA-256.
 * With a seed it says which trial one is, whatever the sweep file looks like; all of them together
 * say which plan. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "sweep/plan/plan_parts.h"

void plan_identity(const struct plan *p, long i, char json[POINT_JSON_MAX], char sha256[65])
{
    struct point point;
    if (p->adopted && p->adopted[i]) {
        snprintf(json, POINT_JSON_MAX, "%s", p->adopted[i]);
    } else {
        plan_decode(p, p->kept[i], &point);
        point_json(&point, json);
    }
    sha256_hex(json, strlen(json), sha256);
}

enum status plan_adopt(struct plan *p, long i, const char *json, struct message *m)
{
    if (!p->adopted)
        p->adopted = plan_arena_alloc(p->arena, (size_t)p->points, sizeof *p->adopted);
    const char *copy = plan_arena_text(p->arena, json, strlen(json));
    if (!p->adopted || !copy)
        return plan_no_memory(m);
    p->adopted[i] = copy;
    return STATUS_OK;
}

uint64_t plan_level_hash(const struct plan *p, long i)
{
    struct point point;
    char json[POINT_JSON_MAX], sha256[65];
    int task = plan_decode(p, p->kept[i], &point);
    for (int k = 0; k < p->tuned; k++) {
        const struct plan_axis *a = &p->axis[p->tuning[k]];
        if (!a->is_task && a->option[task]->type == OPTION_REAL)
            plan_copy_value(a, &a->value[0], task, &point);
    }
    sha256_hex(json, (size_t)point_json(&point, json), sha256);
    sha256[16] = '\0';
    return strtoull(sha256, NULL, 16);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 64);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void digest_number(struct sha256 *digest, int64_t number)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRId64 ",", number);
    sha256_update(digest, text, (size_t)n);
}

/* The identities, sorted; then the number of tuning seeds, which are the same everywhere, and the
 * seeds, sorted. */
enum status plan_pairs_sha256(const struct plan *p, char sha256[65], struct message *m)
{
    const struct config *c = p->config;
    size_t points = (size_t)p->points, seeds = (size_t)c->seeds;
    char json[POINT_JSON_MAX], one[65];
    char *configs = malloc(points * 64);
    int64_t *sorted = malloc(seeds * sizeof *sorted);
    struct sha256 digest;
    enum status s = STATUS_OK;
    if (!configs || !sorted) {
        s = plan_no_memory(m);
        goto cleanup;
    }
    for (size_t i = 0; i < points; i++) {
        plan_identity(p, (long)i, json, one);
        memcpy(configs + 64 * i, one, 64);
    }
    qsort(configs, points, 64, by_bytes);
    memcpy(sorted, c->seed, seeds * sizeof *sorted);
    qsort(sorted, seeds, sizeof *sorted, by_number);
    sha256_init(&digest);
    sha256_update(&digest, configs, 64 * points);
    digest_number(&digest, c->tune ? c->tune_seeds : 0);
    for (size_t i = 0; i < seeds; i++)
        digest_number(&digest, sorted[i]);
    sha256_final(&digest, sha256);
cleanup:
    free(configs);
    free(sorted);
    return s;
}
