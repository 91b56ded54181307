/* Whose the folder of a results file is: which are adopted, which are its own, which are refused.
 */
#include "tests/sweep/store_help.h"

#include <fcntl.h>
#include <sys/stat.h>

struct site { /* a results file and what belongs to it */
    char db[320], folder[330], owner[340], weights[350];
};

static struct site site_of(const struct fixture *x, const char *name)
{
    struct site p;
    snprintf(p.db, sizeof p.db, "%.200s/%.60s", x->folder, name);
    snprintf(p.folder, sizeof p.folder, "%.300s.d", p.db);
    snprintf(p.owner, sizeof p.owner, "%.320s/owner", p.folder);
    snprintf(p.weights, sizeof p.weights, "%.320s/t1-a1.result", p.folder);
    return p;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static const char *text_of(const char *path)
{
    static char text[2][200];
    static int next;
    char *t = text[next = !next];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(t, 1, sizeof text[0] - 1, f) : 0;
    if (f)
        fclose(f);
    t[n] = '\0';
    return t;
}

static enum status open_at(struct fixture *x, const struct site *p)
{
    struct store *s;
    enum status status = store_open(p->db, STORE_WRITE, &s, &x->m);
    if (status == STATUS_OK)
        close_store(x, s);
    return status;
}

static void shell(const struct fixture *x, const char *command)
{
    char line[700];
    snprintf(line, sizeof line, "cd '%s' && %s", x->folder, command);
    assert_int_equal(system(line), 0);
}

/* With a file in its folder. */
static struct site make(struct fixture *x, const char *name)
{
    struct site p = site_of(x, name);
    assert_ok(open_at(x, &p));
    put(p.weights, "weights");
    return p;
}

static void assert_refused(struct fixture *x, const struct site *p, const char *words)
{
    struct store *s;
    assert_status(STATUS_BAD_INPUT, open_at(x, p));
    if (!strstr(x->m.text, words) || !strstr(x->m.text, p->owner))
        fail_msg("%s: %s", words, x->m.text);
    if (access(p->db, F_OK) != 0)
        return;
    assert_ok(store_open(p->db, STORE_READ, &s, &x->m)); /* whoever only reads is let in */
    assert_status(STATUS_BAD_INPUT, store_check_folder(s, &x->m));
    close_store(x, s);
}

FIXTURE(set_up, tear_down)

TEST(a_new_folder_has_an_owner)
{
    struct site p = make(x, "a.db");
    struct store *s = open_store(x, STORE_WRITE);
    char line[200], id[40];
    close_store(x, s);
    snprintf(line, sizeof line, "%s", text_of(p.owner));
    assert_int_equal(sscanf(line, "headcount.owner.1 %39s %*x %*x", id), 1);
    assert_int_equal(strlen(id), 32);
    assert_ok(store_open(p.db, STORE_READ, &s, &x->m));
    assert_answer(store_db(s), "SELECT id FROM results_file", id);
    assert_ok(store_check_folder(s, &x->m));
    close_store(x, s);
    assert_ok(open_at(x, &p));
    assert_string_equal(text_of(p.owner), line);
    assert_int_equal(unlink(p.owner), 0);
    assert_ok(open_at(x, &p)); /* one without an owner is adopted */
    assert_string_equal(text_of(p.owner), line);
    struct site other = make(x, "b.db");
    assert_string_not_equal(text_of(other.owner), line);
}

TEST(copies_and_moves_are_adopted)
{
    struct site a = make(x, "a.db"), b = site_of(x, "b.db"), c = site_of(x, "c.db");
    shell(x, "cp -a a.db b.db && cp -a a.db.d b.db.d");
    assert_string_equal(text_of(b.owner), text_of(a.owner));
    assert_ok(open_at(x, &b));
    assert_string_not_equal(text_of(b.owner), text_of(a.owner));
    assert_ok(open_at(x, &a)); /* both go on */
    shell(x, "mv b.db c.db && mv b.db.d c.db.d");
    assert_ok(open_at(x, &c));
    shell(x, "cp a.db alone.db");
    struct site alone = site_of(x, "alone.db");
    assert_ok(open_at(x, &alone)); /* whose folder is new */
    assert_int_equal(access(a.weights, F_OK), 0);
    shell(x, "cp a.db backup && rm a.db && mv backup a.db"); /* restored */
    assert_ok(open_at(x, &a));
}

TEST(links)
{
    struct site a = make(x, "a.db"), copy = site_of(x, "copy.db"), new = site_of(x, "new.db");
    shell(x, "cp a.db copy.db && ln -s a.db.d copy.db.d");
    assert_refused(x, &copy, "another copy of this results file");
    shell(x, "ln -s a.db.d new.db.d");
    assert_refused(x, &new, "belongs to another results file");
    assert_int_equal(access(new.db, F_OK), -1);
    /* On purpose: of a folder that was moved, and of a new one. */
    shell(x, "mkdir disk && mv a.db.d disk/a && rm copy.db.d new.db.d && ln -s disk/a a.db.d");
    assert_ok(open_at(x, &a));
    shell(x, "ln -s a.db.d copy.db.d");
    assert_refused(x, &copy, "another copy of this results file");
    shell(x, "mkdir disk/new && ln -s disk/new new.db.d");
    assert_ok(open_at(x, &new));
    shell(x, "rm copy.db.d && ln -s disk/new copy.db.d"); /* empty, but somebody's */
    assert_refused(x, &copy, "belongs to another results file");
    shell(x, "rm new.db.d && cp -R disk/new new.db.d && rm disk/new/owner"); /* as the words say */
    assert_ok(open_at(x, &copy));
}

TEST(another_s_folder)
{
    struct site a = make(x, "a.db"), b = make(x, "b.db");
    shell(x, "rm -r a.db.d && cp -a b.db.d a.db.d");
    assert_refused(x, &a, "belongs to another results file");
    assert_int_equal(access(a.weights, F_OK), 0);
    assert_int_equal(unlink(a.db), 0);
    assert_refused(x, &a, "belongs to another results file"); /* nor of a file that is to be made */
    assert_int_equal(access(a.db, F_OK), -1);
    assert_int_equal(unlink(a.weights), 0); /* where there is nothing to lose */
    assert_ok(open_at(x, &a));
    put(a.weights, "weights");
    for (int i = 0; i < 3; i++) {
        static const char *const odd[] = {"", "headcount.owner.1 ", "headcount.owner.9 x 1 2\n"};
        put(a.owner, odd[i]);
        assert_refused(x, &a, "belongs to another results file");
    }
    assert_ok(open_at(x, &b));
}

TEST(an_id_that_is_none)
{
    struct store *s = open_store(x, STORE_WRITE);
    run_sql(store_db(s), "PRAGMA ignore_check_constraints = ON; UPDATE results_file SET id = ''");
    close_store(x, s);
    assert_status(STATUS_CORRUPT, store_open(x->db, STORE_WRITE, &s, &x->m));
    assert_non_null(strstr(x->m.text, "has lost its id"));
    assert_ok(store_open(x->db, STORE_READ, &s, &x->m));
    close_store(x, s);
}
