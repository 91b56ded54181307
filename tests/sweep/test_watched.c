/* What the server remembers: states of files, and answers. */
#include "tests/sweep/watched_help.h"

#include <string.h>

/* ---- files ---- */

TEST(a_change_is_told_at_once_and_twice_more)
{
    struct watched w = {.name = "x.db"};
    see(&w, 100, 10);
    see(&w, 100, 20); /* has settled once */
    see(&w, 100, 20.1);
    int64_t version = w.news[WATCHED_VERSION], number = w.snapshot[WATCHED_VERSION].number;
    see(&w, 100, 30);
    assert_int_equal(w.news[WATCHED_VERSION], version);
    see(&w, 101, 30.25);
    assert_int_equal(w.news[WATCHED_VERSION], version + 1);
    see(&w, 101, 30.5);
    assert_int_equal(w.news[WATCHED_VERSION], version + 1);
    see(&w, 101, 30.75);
    assert_int_equal(w.news[WATCHED_VERSION], version + 2);
    see(&w, 101, 31);
    see(&w, 101, 35);
    assert_int_equal(w.news[WATCHED_VERSION], version + 2);
    see(&w, 101, 35.25);
    assert_int_equal(w.news[WATCHED_VERSION], version + 3);
    see(&w, 101, 1000);
    assert_int_equal(w.news[WATCHED_VERSION], version + 3);
    assert_int_equal(w.snapshot[WATCHED_VERSION].number, number + 3);
}

TEST(every_part_of_a_sign_counts)
{
    struct watched_sign sign = sign_of(100);
    struct watched w = {.name = "x.db"};
    int64_t *const times[] = {&sign.part[0].mtime_ns, &sign.part[1].mtime_ns};
    off_t *const sizes[] = {&sign.part[0].size, &sign.part[1].size};
    watched_saw(&w, &sign, 1);
    for (int i = 0; i < 2; i++) {
        int64_t before = w.news[WATCHED_VERSION];
        ++*times[i];
        watched_saw(&w, &sign, 1);
        ++*sizes[i];
        watched_saw(&w, &sign, 1);
        sign.part[i].inode++;
        watched_saw(&w, &sign, 1);
        sign.part[i].device++;
        watched_saw(&w, &sign, 1);
        assert_int_equal(w.news[WATCHED_VERSION], before + 4);
    }
}

TEST(what_is_not_there_has_an_error)
{
    struct watched w = {.name = "x.db"};
    see(&w, 100, 1);
    assert_string_equal(w.error, "");
    see(&w, 0, 2);
    assert_string_equal(w.error, "x.db is not there");
    see(&w, 100, 3);
    assert_string_equal(w.error, "");
    int64_t serial = w.serial;
    watched_read(&w, "broken");
    assert_int_equal(w.serial, serial + 1);
    watched_read(&w, "broken");
    assert_int_equal(w.serial, serial + 1);
}

TEST(a_snapshot_begins_when_it_is_due)
{
    struct watched w = {.name = "x.db", .snapshot = {[WATCHED_SUMMARY] = {.due_s = 50}}};
    const struct snapshot *summary = &w.snapshot[WATCHED_SUMMARY];
    see(&w, 100, 1);
    see(&w, 101, 2);
    assert_int_equal(w.news[WATCHED_SUMMARY], 0);
    see(&w, 101, 49);
    see(&w, 101, 49.5);
    assert_int_equal(summary->number, 0);
    w.snapshot[WATCHED_SUMMARY].computing = true; /* what comes of that would be old at once */
    see(&w, 101, 50);
    assert_int_equal(summary->number, 0);
    w.snapshot[WATCHED_SUMMARY].computing = false;
    int64_t version = w.news[WATCHED_VERSION], serial = w.serial;
    see(&w, 101, 50);
    assert_int_equal(summary->number, 1);
    assert_int_equal(w.news[WATCHED_SUMMARY], 1);
    assert_int_equal(w.news[WATCHED_VERSION], version);
    assert_int_equal(w.serial, serial + 1);
    see(&w, 101, 90); /* nothing is newer */
    assert_int_equal(summary->number, 1);
    assert_int_equal(w.serial, serial + 1);
}

TEST(what_failed_is_tried_again)
{
    struct snapshot n = {.due_s = 3};
    assert_false(snapshot_advance(&n, 10));
    snapshot_retry(&n, 10);
    assert_false(snapshot_advance(&n, 10.9));
    assert_true(snapshot_advance(&n, 11));
    assert_false(snapshot_advance(&n, 20));
    n.due_s = 30;
    snapshot_retry(&n, 20);
    assert_false(snapshot_advance(&n, 29));
    assert_true(snapshot_advance(&n, 30));
}

/* No answer is computed again sooner, and all of a snapshot take no more than its share. */
TEST(the_share_is_kept_however_costly_answers_are)
{
    static const double cost_s[] = {.001, .1, .56, 5};
    for (size_t i = 0; i < sizeof cost_s / sizeof cost_s[0]; i++) {
        struct snapshot n = {0};
        double now_s = 1000, spent_s = 0, until_s = now_s + 10000 * SNAPSHOT_COOLDOWN * cost_s[i];
        while (now_s < until_s) {
            double began_s = now_s;
            for (int k = 0; k < 1 + (int)i; k++) {
                now_s += cost_s[i];
                spent_s += cost_s[i];
                snapshot_spend(&n, cost_s[i], true, now_s);
            }
            n.stale = true;
            assert_false(snapshot_advance(&n, began_s + SNAPSHOT_COOLDOWN * cost_s[i]));
            now_s = n.due_s > now_s ? n.due_s : now_s;
            assert_true(snapshot_advance(&n, now_s));
        }
        double share = spent_s / (now_s - 1000), most = 1.05 / (SNAPSHOT_COOLDOWN + 1);
        if (!(share < most))
            fail_msg("answers of %g s take %g of a core; allowed: %g", cost_s[i], share, most);
    }
}

/* Many pages that are opened at once leave others waiting no longer than for one of them. */
TEST(first_answers_are_forgiven)
{
    struct snapshot n = {0};
    for (int i = 0; i < 1000; i++)
        snapshot_spend(&n, .01, false, 1000);
    assert_true(n.due_s == 1000 + SNAPSHOT_COOLDOWN * SNAPSHOT_AHEAD_S);
    snapshot_spend(&n, 1, false, 1000);
    assert_true(n.due_s == 1000 + SNAPSHOT_COOLDOWN);
    snapshot_spend(&n, 1, true, 1000); /* that is made up for, too */
    assert_true(n.due_s > 1000 + SNAPSHOT_COOLDOWN * 1.24);
}

/* Small ones need not wait for one another. */
TEST(after_a_rest_some_is_had_at_once)
{
    struct snapshot n = {0};
    for (int i = 0; i < 10; i++)
        snapshot_spend(&n, .01, true, 1000);
    assert_true(n.due_s == 1000 + SNAPSHOT_COOLDOWN * .01);
    for (int i = 0; i < 40; i++)
        snapshot_spend(&n, .01, true, 1000);
    assert_true(n.due_s > 1000 + SNAPSHOT_COOLDOWN * .2);
}

/* ---- answers ---- */

TEST(what_was_not_asked_for_leaves_first)
{
    static char text[10000];
    struct answers list = {.room = 25000};
    memset(text, 'x', sizeof text - 1);
    keep(&list, "a", text);
    keep(&list, "b", text);
    assert_non_null(answers_find(&list, "a"));
    struct answer *c = keep(&list, "c", text);
    assert_null(answers_find(&list, "b"));
    assert_non_null(answers_find(&list, "a"));
    assert_ptr_equal(answers_find(&list, "c"), c);
    assert_true(list.kept <= list.room);
    assert_int_equal(list.kept, list.living);
    /* The same key: one of them. One larger than all the room is kept until the next comes. */
    size_t kept = list.kept;
    keep(&list, "c", "new");
    assert_true(list.kept < kept);
    assert_string_equal(answers_find(&list, "c")->body, "new");
    list.room = 1;
    keep(&list, "d", text);
    assert_null(answers_find(&list, "c"));
    assert_non_null(answers_find(&list, "d"));
    answers_free(&list);
    assert_int_equal(list.living, 0);
}

/* Many small ones take room for more than their bytes: all are looked through for each request. */
TEST(small_answers_are_few)
{
    struct answers list = {.room = 10 * 4096};
    char key[8];
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "%d", i);
        keep(&list, key, "{}");
    }
    assert_null(answers_find(&list, "9"));
    assert_non_null(answers_find(&list, "10"));
    answers_free(&list);
}

TEST(who_holds_an_answer_has_it)
{
    struct answers list = {.room = 1};
    struct answer *a = answer_hold(keep(&list, "a", "1"));
    keep(&list, "b", "2");
    assert_null(answers_find(&list, "a"));
    assert_string_equal(a->body, "1");
    assert_true(list.living > list.kept);
    answer_drop(&list, a);
    assert_int_equal(list.living, list.kept);
    answers_free(&list);
}

TEST(equal_bodies_have_equal_tags)
{
    struct answers list = {.room = 20000};
    struct answer *a = keep(&list, "a", "1"), *b = keep(&list, "b", "1"),
                  *c = keep(&list, "c", "2");
    assert_string_equal(a->tag, b->tag);
    assert_string_not_equal(a->tag, c->tag);
    assert_int_equal(a->tag[0], '"');
    answers_free(&list);
}
