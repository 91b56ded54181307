/* What `ask` finds in a results file of the sweep that it is about to go on with. */
#include "tests/sweep/store_help.h"

#include <sqlite3.h>

#include "engine/base/sha256.h"
#include "sweep/ask/decide.h"

/* Gives the sweep of that name a file's text; as `ask` writes it: with the SHA-256 of what stands
 * above its last line. */
static void set_yaml(sqlite3 *db, const char *name, const char *above, const char *summed)
{
    char sha256[65];
    sha256_hex(summed, strlen(summed), sha256);
    char *sql = sqlite3_mprintf(
        "UPDATE sweep SET yaml = %Q || '# headcount ask 3: so, sha256 %s\n' WHERE name = %Q", above,
        sha256, name);
    assert_non_null(sql);
    run_sql(db, sql);
    sqlite3_free(sql);
}

FIXTURE(set_up, tear_down)

TEST(a_sweep_is_known_by_its_digits)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\nconfirm: 7\n");
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'book-1a2b3c'");
    set_yaml(r.db, "book-1a2b3c", yaml, yaml);
    assert_ok(begun_find(r.s, "tom-1a2b3c", &b, &x->m)); /* a copy of the file */
    assert_true(b.there);
    assert_string_equal(b.name, "book-1a2b3c");
    assert_ok(begun_find(r.s, "book-1a2b3d", &b, &x->m));
    assert_string_equal(b.name, "book-1a2b3d");
    assert_true(!b.there && b.claimed == 0 && b.seeds == 0);
    assert_ok(begun_find(NULL, "book-1a2b3c", &b, &x->m)); /* no results file */
    assert_true(!b.there);
    assert_string_equal(b.name, "book-1a2b3c");
    plan_into(x, r.s, yaml);
    run_sql(r.db, "UPDATE sweep SET name = 'tom-1a2b3c' WHERE name = 'plain'");
    assert_ok(begun_find(r.s, "tom-1a2b3c", &b, &x->m)); /* of two its own */
    assert_string_equal(b.name, "tom-1a2b3c");
}

/* ... who has put another name before the digits, and may have changed anything. */
TEST(a_sweep_of_a_persons_file_is_none_of_asks)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\nconfirm: 7\n");
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'mine-1a2b3c'");
    assert_ok(begun_find(r.s, "book-1a2b3c", &b, &x->m));
    assert_false(b.there);
    set_yaml(r.db, "mine-1a2b3c", yaml, "otherwise\n");
    assert_ok(begun_find(r.s, "book-1a2b3c", &b, &x->m));
    assert_false(b.there);
    assert_string_equal(b.name, "book-1a2b3c");
    set_yaml(r.db, "mine-1a2b3c", yaml, yaml);
    assert_ok(begun_find(r.s, "book-1a2b3c", &b, &x->m));
    assert_true(b.there);
    run_sql(r.db, "UPDATE sweep SET overrides = '[\"train.lr=1\"]'"); /* by --set of run */
    assert_ok(begun_find(r.s, "book-1a2b3c", &b, &x->m));
    assert_false(b.there);
}

TEST(seeds_count_that_every_head_count_has_ended)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\n");
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'plain-1a2b3c'");
    for (int ended = 0; ended < 6; ended++) {
        assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
        assert_int_equal(b.seeds, ended / 2); /* seed by seed both */
        assert_int_equal(b.tune_seeds, 0);
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_true(finish(x, r.s, &c, result_of(.5)));
    }
    run_sql(r.db, "UPDATE trial SET is_tuning = 1 WHERE seed < 2");
    assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
    assert_int_equal(b.seeds, 1);
    assert_int_equal(b.tune_seeds, 2);
}

FIXTURE(NULL, NULL)

TEST(what_has_run_stays_in_the_plan)
{
    static const struct {
        int seeds, tune_seeds, claimed;
        int level, seeds_then, confirm;
    } cases[] = {
        {0, 0, 0, 1, 5, 8},   {3, 2, 0, 1, 5, 8},     {7, 2, 0, 2, 7, 8}, {24, 2, 0, 3, 24, 8},
        {24, 4, 0, 9, 24, 8}, {24, 4, 32, 9, 24, 32}, {9, 0, 6, 4, 9, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct design d = {.kind = LOOK_TOY};
        const struct begun b = {.seeds = cases[i].seeds,
                                .tune_seeds = cases[i].tune_seeds,
                                .claimed = cases[i].claimed};
        design_set_level(&d, DESIGN_LEVEL);
        begun_keep(&b, &d);
        assert_int_equal(d.level, cases[i].level);
        assert_int_equal(d.seeds, cases[i].seeds_then);
        assert_int_equal(d.confirm, cases[i].confirm);
    }
}

FIXTURE(set_up, tear_down)

TEST(fresh_seeds_are_those_that_were_written_down)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\nconfirm: 7\n");
    const struct confirm_claim claim = {.best = 2, .over_count = 1, .over = {1}};
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'plain-1a2b3c'");
    assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
    assert_int_equal(b.claimed, 0);
    assert_ok(store_confirm(r.s, r.sweep, "{}", "middle", &claim, &x->m));
    assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
    assert_int_equal(b.claimed, 7);
}

TEST(nothing_to_confirm_leaves_the_seeds_free)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\nconfirm: 7\n");
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'plain-1a2b3c'");
    assert_ok(store_confirm(r.s, r.sweep, "{}", "at_chance", NULL, &x->m));
    assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
    assert_int_equal(b.claimed, 0);
}
