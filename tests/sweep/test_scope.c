/* Scopes: what is left when one ends, however that is. */
#include "scope_help.h"
#include "store_help.h"

static char order[16];

static void note(void *letter)
{
    strcat(order, letter);
}

FIXTURE(set_up, tear_down)

TEST(work_frees_what_it_took_in_reverse_order)
{
    struct store *s = open_store(x, STORE_WRITE);
    int rows = 0;
    order[0] = '\0';
    assert_ok(IN_SCOPE(in, s, &x->m, {
        arena_on_free(&in->arena, note, "a");
        arena_on_free(&in->arena, note, "b");
        scope_read_begin(in);
        struct rows *r = scope_rows(in, "SELECT 'x' UNION ALL SELECT NULL", NO_VALUES);
        for (; scope_next(in, r); rows++)
            assert_string_equal(scope_column(in, r, 0), rows ? "" : "x");
        scope_read_end(in);
        assert_int_equal(scope_ask(in, "SELECT 7", NO_VALUES), 7);
        assert_string_equal(order, "");
    }));
    assert_int_equal(rows, 2);
    assert_string_equal(order, "ba");
}

/* Rows that were open are closed and the snapshot is over: the store can be written to and closed.
 */
static void assert_clean(struct fixture *x, struct store *s)
{
    assert_int_equal(sqlite3_get_autocommit(store_db(s)), 1);
    run_sql(store_db(s), "BEGIN IMMEDIATE; ROLLBACK");
    close_store(x, s);
}

TEST(failed_work_frees_all_and_leaves_no_transaction)
{
    struct store *s = open_store(x, STORE_WRITE);
    order[0] = '\0';
    assert_status(STATUS_BUSY, IN_SCOPE(in, s, &x->m, {
                      scope_read_begin(in);
                      arena_on_free(&in->arena, note, "a");
                      assert_true(scope_next(in, scope_rows(in, "SELECT 1", NO_VALUES)));
                      scope_fail(in, STATUS_BUSY, "it is %s", "so");
                  }));
    assert_string_equal(x->m.text, "it is so");
    assert_string_equal(order, "a");
    assert_clean(x, s);
}

TEST(a_failing_query_ends_the_work)
{
    struct store *s = open_store(x, STORE_WRITE);
    assert_int_not_equal(IN_SCOPE(in, s, &x->m,
                                  {
                                      struct rows *r =
                                          scope_rows(in, "SELECT nothing FROM nowhere", NO_VALUES);
                                      assert_false(scope_next(in, r));
                                      fail_msg("it was not left");
                                  }),
                         STATUS_OK);
    assert_status(STATUS_CORRUPT, IN_SCOPE(in, s, &x->m, {
                      struct rows *r = scope_rows(in, "SELECT NULL AS name", NO_VALUES);
                      while (scope_next(in, r))
                          assert_string_equal(scope_given(in, r, 0), "");
                      fail_msg("it was not left");
                  }));
    assert_clean(x, s);
}

TEST(running_out_of_memory_ends_the_work)
{
    struct store *s = open_store(x, STORE_WRITE);
    assert_status(STATUS_NO_MEMORY, IN_SCOPE(in, s, &x->m, {
                      in->arena.limit = 1 << 14;
                      scope_read_begin(in);
                      struct text_buffer text = scope_text(in), *other;
                      fputs("in a stream", scope_text_stream(in, &other));
                      struct rows *r = scope_rows(in, "SELECT 'x'", NO_VALUES);
                      while (rows_next(r))
                          for (;;)
                              text_add(&text, "%s", rows_text(r, 0));
                  }));
    assert_string_equal(x->m.text, "no memory for a test");
    assert_int_equal(scope_end(NULL), STATUS_NO_MEMORY);
    assert_clean(x, s);
}
