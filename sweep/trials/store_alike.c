/* Configurations that compute the same and are told apart: by options that are spelled out, as
 * earlier versions did, or by two of which each means what the other does. And trials like those
 * that a claim is about, but of another configuration: what came of them may have been seen, and
 * says much of what is claimed. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/trials/trials_internal.h"

static const char DOING[] = "looking for configurations that mean the same";

/* ---- longer spellings of a plan's points ---- */

/* Points by the thousand: each adds its identity to a statement's value. */
enum { AT_ONCE = 10000 };

static void adopt_known(struct scope *x, struct plan *p, const long *point, const char *points)
{
    struct rows *r = scope_query(x, DOING, sql_known_spellings,
                                 VALUES(TEXT(points), TEXT(plan_config(p)->name)));
    for (int64_t last = -1; scope_next(x, r);) {
        int64_t place = rows_integer(r, 0);
        if (place != last)
            scope_check(x, plan_adopt(p, point[place], rows_given(r, 1), x->message));
        last = place;
    }
}

/* Some of the points from *next on of which the sweep has no trial under their own identity: their
 * numbers, and their identities as a list in JSON. Returns how many. */
static size_t list_points(struct scope *x, const struct plan *p, struct rows *own, long *next,
                          long *point, struct text_buffer *points)
{
    char json[POINT_JSON_MAX], sha256[65];
    size_t n = 0;
    points->used = 0;
    for (; *next < plan_points(p) && n < AT_ONCE; ++*next) {
        plan_identity(p, *next, json, sha256);
        if (scope_find(x, own, VALUES(TEXT(plan_config(p)->name), TEXT(sha256))))
            continue;
        text_add(points, "%s%s", n ? "," : "[", json);
        point[n++] = *next;
    }
    text_add(points, "]");
    return n;
}

static void adopt(struct scope *x, struct plan *p)
{
    if (!scope_number(x, DOING, "SELECT EXISTS (SELECT 1 FROM config)", NO_VALUES))
        return;
    long *point = arena_alloc(&x->arena, AT_ONCE, sizeof *point);
    struct text_buffer points = scope_text(x);
    struct rows *own = scope_query(x, DOING, sql_own_spelling, NO_VALUES);
    for (long next = 0; next < plan_points(p);)
        if (list_points(x, p, own, &next, point, &points) > 0)
            adopt_known(x, p, point, points.text);
    scope_close(x, own);
}

enum status store_adopt(struct store *s, struct plan *p, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        adopt(x, p);
    return scope_end(x);
}

/* ---- configurations that compute the same ---- */

void store_note_alike(struct scope *x)
{
    scope_script(x, DOING, sql_alike_table);
    if (scope_number(x, DOING,
                     "SELECT EXISTS (SELECT 1 FROM trial WHERE attempt > 0)"
                     " OR EXISTS (SELECT 1 FROM deleted)",
                     NO_VALUES))
        scope_run(x, DOING, sql_note_alike, NO_VALUES);
}

/* ---- similar trials ---- */

const char *store_with_results(struct scope *x, const char *sql, const char *results)
{
    struct text_buffer text = scope_text(x);
    const char *at = strstr(sql, "%s");
    text_add_bytes(&text, sql, (size_t)(at - sql));
    text_add(&text, "%s%s", results, at + 2);
    return text.text;
}

/* The tables stay: none can be dropped while rows are read, as those of a merge are. */
void store_note_similar(struct scope *x, int64_t sweep_id, int64_t plan_change_id,
                        const char *results)
{
    static const char doing[] = "looking for similar trials";
    const struct value row[] = {INTEGER(plan_change_id)};
    if (!scope_number(x, doing,
                      "SELECT claim IS NOT NULL FROM plan_change WHERE plan_change_id = ?", row, 1))
        return;
    const char *const statements[] = {store_with_results(x, sql_similar_seen, results),
                                      sql_similar_points, sql_similar_wanted, sql_similar_others,
                                      sql_similar_note};
    scope_script(x, doing, sql_similar_tables);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        scope_run(x, doing, statements[i], VALUES(INTEGER(sweep_id), INTEGER(plan_change_id)));
    scope_script(x, doing,
                 "DELETE FROM similar_seen; DELETE FROM similar_point; DELETE FROM similar_wanted");
}
