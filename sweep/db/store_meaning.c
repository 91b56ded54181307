/* Configurations in SQL: what the options of one mean, and how short they could be written. Rows of
 * earlier versions may spell out what is left out today. */
#include "sweep/db/store_internal.h"
#include "sweep/plan/point.h"

enum { CONFIG_JSON, PATH, FACTS };

/* The point of a configuration, with the path of its file where that is known. One that this
 * program cannot read, as of another version of its task, means only itself. */
static bool read_point(sqlite3_context *c, sqlite3_value **values, struct point *p)
{
    const char *json = (const char *)sqlite3_value_text(values[CONFIG_JSON]);
    const char *path = (const char *)sqlite3_value_text(values[PATH]);
    if (!json || point_parse(json, p, NULL) != STATUS_OK) {
        sqlite3_result_value(c, values[CONFIG_JSON]);
        return false;
    }
    if (path)
        point_set_file(p, path);
    p->spelled_out = false;
    return true;
}

static void give(sqlite3_context *c, sqlite3_value **values,
                 int (*write)(const struct point *p, const char *facts, char text[POINT_JSON_MAX]))
{
    struct point p;
    char json[POINT_JSON_MAX];
    if (!read_point(c, values, &p))
        return;
    int n = write(&p, (const char *)sqlite3_value_text(values[FACTS]), json);
    sqlite3_result_text(c, json, n, SQLITE_TRANSIENT);
}

static int write_short(const struct point *p, const char *facts, char text[POINT_JSON_MAX])
{
    (void)facts;
    return point_json(p, text);
}

static void give_short(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    give(c, values, write_short);
}

static void give_meaning(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    give(c, values, point_meaning);
}

static void give_task(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    give(c, values, point_task_meaning);
}

int store_know_meanings(sqlite3 *db)
{
    static const struct {
        const char *name;
        void (*give)(sqlite3_context *c, int count, sqlite3_value **values);
    } functions[] = {
        {"config_short", give_short}, {"config_meaning", give_meaning}, {"config_task", give_task}};
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        code = sqlite3_create_function(db, functions[i].name, 3, flags, NULL, functions[i].give,
                                       NULL, NULL);
    return code;
}
