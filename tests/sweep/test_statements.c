/* Every statement of sweep/trials/trials.sql can be prepared against the schema. */
#include "tests/sweep/store_help.h"

/* Temporary tables first: statements before them in the file use them too. */
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
    if (sqlite3_prepare_v2(store_db(s), whole, -1, &prepared, &rest) != SQLITE_OK)
        fail_msg("%s\n%s", sqlite3_errmsg(store_db(s)), whole);
    sqlite3_finalize(prepared);
    assert_string_equal(rest, ""); /* it is one */
}

FIXTURE(set_up, tear_down)

TEST(test_statements)
{
    struct store *s = open_store(x, STORE_WRITE);
    for (const char *const *sql = trials_statements; *sql; sql++)
        if (makes_tables(*sql))
            assert_ok(store_script(s, "testing", *sql, &x->m));
    for (const char *const *sql = trials_statements; *sql; sql++)
        if (!makes_tables(*sql))
            assert_prepared(s, *sql);
}
