/* Configurations that compute the same and are told apart: by options that are spelled out, as
 * earlier versions did, or by two of which each means what the other does. */
#include <stdlib.h>

#include "engine/base/text.h"
#include "sweep/trials/trials_internal.h"

static const char DOING[] = "looking for configurations that mean the same";

/* ---- longer spellings of a plan's points ---- */

/* Points by the thousand: each adds its identity to a statement's value. */
enum { AT_ONCE = 10000 };

/* Of all rows that mean a point of ?1: first those that the sweep of the plan's name, ?2, has
 * trials of, then the point's own. */
static const char KNOWN[] =
    "WITH point AS MATERIALIZED (SELECT key AS place, value AS json FROM json_each(?1)),"
    " kind AS MATERIALIZED (SELECT DISTINCT json ->> '$.task.name', json ->> '$.model.heads',"
    "  json ->> '$.train.steps', json ->> '$.train.batch', json ->> '$.train.lr' FROM point),"
    " known AS MATERIALIZED (SELECT config_id, config_json,"
    "  " CONFIG_SHORT " AS short"
    "  FROM config WHERE (task, heads, steps, batch, lr) IN (SELECT * FROM kind)) "
    "SELECT place, config_json FROM point JOIN known ON short = json"
    " ORDER BY place, EXISTS (SELECT 1 FROM trial AS t WHERE t.config_id = known.config_id"
    "  AND sweep_id = (SELECT sweep_id FROM sweep WHERE name = ?2)) DESC,"
    " config_json = json DESC, config_id";

static enum status adopt_known(struct store *s, struct plan *p, const long *point,
                               const char *points, struct message *m)
{
    struct rows r =
        store_rows(s, DOING, KNOWN, VALUES(TEXT(points), TEXT(plan_config(p)->name)), m);
    enum status status = STATUS_OK;
    for (int64_t last = -1; status == STATUS_OK && rows_next(&r);) {
        int64_t place = rows_integer(&r, 0);
        if (place != last)
            status = plan_adopt(p, point[place], rows_given(&r, 1), m);
        last = place;
    }
    return rows_close_after(&r, status);
}

/* Some of the points from *next on of which the sweep has no trial under their own identity: their
 * numbers, and their identities as a list in JSON. Returns how many. */
static size_t list_points(const struct plan *p, struct rows *own, long *next, long *point,
                          struct text_buffer *points)
{
    char json[POINT_JSON_MAX], sha256[65];
    size_t n = 0;
    for (; *next < plan_points(p) && n < AT_ONCE && own->status == STATUS_OK; ++*next) {
        plan_identity(p, *next, json, sha256);
        rows_rebind(own, VALUES(TEXT(plan_config(p)->name), TEXT(sha256)));
        if (rows_next(own))
            continue;
        text_add(points, "%s%s", n ? "," : "[", json);
        point[n++] = *next;
    }
    text_add(points, "]");
    return n;
}

static enum status adopt(struct store *s, struct plan *p, long *point, struct message *m)
{
    struct rows own = store_rows(
        s, DOING,
        "SELECT 1 FROM trial WHERE sweep_id = (SELECT sweep_id FROM sweep WHERE name = ?1)"
        " AND config_id = (SELECT config_id FROM config WHERE config_sha256 = ?2) LIMIT 1",
        NO_VALUES, m);
    enum status status = STATUS_OK;
    for (long next = 0; status == STATUS_OK && next < plan_points(p);) {
        struct text_buffer points = {0};
        size_t n = list_points(p, &own, &next, point, &points);
        status = own.status             ? own.status
                 : points.out_of_memory ? status_no_memory(m, "the points of a plan")
                 : n                    ? adopt_known(s, p, point, points.text, m)
                                        : STATUS_OK;
        free(points.text);
    }
    return rows_close_after(&own, status);
}

enum status store_adopt(struct store *s, struct plan *p, struct message *m)
{
    int64_t any = 0;
    enum status status =
        store_integer(s, DOING, "SELECT EXISTS (SELECT 1 FROM config)", NO_VALUES, 0, &any, m);
    if (status != STATUS_OK || !any)
        return status;
    long *point = malloc(AT_ONCE * sizeof *point);
    status = point ? adopt(s, p, point, m) : status_no_memory(m, "the points of a plan");
    free(point);
    return status;
}

/* ---- configurations that compute the same ---- */

static const char TABLE[] =
    "CREATE TEMP TABLE IF NOT EXISTS alike (config_id INTEGER, other INTEGER,"
    " PRIMARY KEY (config_id, other)) WITHOUT ROWID; DELETE FROM alike";

/* What means the same has the same values in all of the columns here. */
static const char ALIKE[] =
    "INSERT INTO alike WITH kind AS (SELECT *, count(*) OVER (PARTITION BY task, heads, steps,"
    "  batch, lr, n_params) AS n FROM config),"
    " known AS MATERIALIZED (SELECT config_id, " CONFIG_MEANING
    " AS meaning FROM kind WHERE n > 1) "
    "SELECT a.config_id, b.config_id FROM known AS a JOIN known AS b USING (meaning)"
    " WHERE a.config_id <> b.config_id";

enum status store_note_alike(struct store *s, struct message *m)
{
    int64_t any = 0;
    enum status status = store_script(s, DOING, TABLE, m);
    if (status == STATUS_OK)
        status = store_integer(s, DOING,
                               "SELECT EXISTS (SELECT 1 FROM trial WHERE attempt > 0)"
                               " OR EXISTS (SELECT 1 FROM deleted)",
                               NO_VALUES, 0, &any, m);
    return status == STATUS_OK && any ? store_execute(s, DOING, ALIKE, NO_VALUES, NULL, m) : status;
}
