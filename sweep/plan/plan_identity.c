/* The identity of a trial's configuration: the canonical JSON that point.c writes, and its SHA-256.
 * With a seed it says which trial one is, whatever the sweep file looks like. */
#include "engine/base/sha256.h"
#include "sweep/plan/plan_parts.h"

void plan_identity(const struct plan *p, long i, char json[POINT_JSON_MAX], char sha256[65])
{
    struct point point;
    plan_decode(p, p->kept[i], &point);
    sha256_hex(json, (size_t)point_json(&point, json), sha256);
}
