/* Every statement of sweep/trials/trials.sql and sweep/merge/merge.sql can be prepared against the
 * schema. */
#include "tests/sweep/store_help.h"

#include "sweep/merge/merge_parts.h"

/* Temporary tables first: statements before them in the file use them too. Several may be one
 * text. */
static bool makes_tables(const char *sql)
{
    return strncmp(sql, "CREATE", strlen("CREATE")) == 0;
}

/* With a query in the place of its %s, where it has one. */
static void assert_prepared(struct store *s, const char *sql)
{
    char whole[8192];
    sqlite3_stmt *prepared;
    const char *at = strstr(sql, "%s"), *rest = at ? at + strlen("%s") : "";
    if (!at || strstr(sql, "printf("))
        at = sql + strlen(sql), rest = "";
    int n = snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at - sql), sql,
                     *rest ? "SELECT 1 AS config_id, 1 AS seed, 1 AS sweep_id" : "", rest);
    assert_in_range(n, 1, sizeof whole - 1);
    for (rest = whole; *rest; sqlite3_finalize(prepared))
        if (sqlite3_prepare_v2(store_db(s), rest, -1, &prepared, &rest) != SQLITE_OK)
            fail_msg("%s\n%s", sqlite3_errmsg(store_db(s)), whole);
}

/* Of one list, those that make tables, or the others. */
static void assert_list(struct fixture *x, struct store *s, const char *const *sql, bool tables)
{
    for (; *sql; sql++)
        if (!makes_tables(*sql) && !tables)
            assert_prepared(s, *sql);
        else if (makes_tables(*sql) && tables)
            assert_ok(store_script(s, "testing", *sql, &x->m));
}

FIXTURE(set_up, tear_down)

TEST(test_statements)
{
    struct store *s = open_store(x, STORE_WRITE);
    const char *const *const lists[] = {trials_statements, merge_statements};
    for (int i = 0; i < 4; i++)
        assert_list(x, s, lists[i % 2], i < 2);
}
