/* Formats to come, and what a user has made in a file that is migrated to one. No format is left
 * behind yet, so the step is made up: it does what steps of earlier formats did. */
#include "store_files.h"

static const struct store_migration steps[] = {
    {STORE_VERSION, "-- adds view by_look\n"
                    "CREATE TABLE verdict (sweep_id INTEGER NOT NULL REFERENCES sweep,"
                    " kind TEXT NOT NULL) STRICT;"
                    "INSERT INTO verdict SELECT sweep_id, 'undecided' FROM sweep;"
                    "CREATE INDEX verdict_kind ON verdict (kind);"
                    "ALTER TABLE trial ADD COLUMN energy_j REAL;"
                    /* a column that is made anew from others */
                    "ALTER TABLE config DROP COLUMN d_v;"
                    "ALTER TABLE config ADD COLUMN d_v INTEGER AS (d_head) VIRTUAL;"
                    /* a table that is made anew */
                    "DROP TABLE head_slot; CREATE TABLE head_slot (trial_id INTEGER) STRICT"},
    {0, NULL}};
static const struct store_format later = {STORE_VERSION + 1, steps, false};

static struct store *open_later(struct fixture *x, enum store_mode mode)
{
    struct store *s = NULL;
    assert_ok(store_open_format(x->db, mode, &later, &s, &x->m));
    return s;
}

/* A file of today's format with a sweep; statements that a user gave it. */
static void make_file(struct fixture *x, const char *sql)
{
    remove(x->db);
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    run_sql(store_db(s), sql);
    close_store(x, s);
}

static void backup_of(const struct fixture *x, const char *suffix, char *path, size_t size)
{
    int n = snprintf(path, size, "%s.v%d.backup%s", x->db, STORE_VERSION, suffix);
    assert_in_range(n, 0, size - 1);
}

FIXTURE(set_up, tear_down)

TEST(an_older_file_is_read_and_migrated)
{
    char original[400], backup[400], words[1200];
    make_file(x, "");
    snprintf(original, sizeof original, "%s/original.db", x->folder);
    copy_file(x->db, original, 0);

    struct store *s = open_later(x, STORE_READ);
    assert_answer(store_db(s), "SELECT kind FROM verdict", "undecided");
    assert_answer(store_db(s), "SELECT count(d_v) FROM trials", "2");
    close_store(x, s);
    assert_same_bytes(x->db, original, 0);

    s = open_later(x, STORE_WRITE);
    assert_answer(store_db(s), "SELECT kind FROM verdict", "undecided");
    assert_non_null(strstr(store_migration_words(s, words, sizeof words), ".backup"));
    close_store(x, s);
    assert_version(x->db, STORE_VERSION + 1);
    backup_of(x, "", backup, sizeof backup);
    assert_same_bytes(backup, original, HEADER);

    s = open_later(x, STORE_WRITE); /* once */
    assert_string_equal(store_migration_words(s, words, sizeof words), "");
    close_store(x, s);
}

/* What stands in the way of a name that a newer format needs is named, with what to do; nothing was
 * touched. */
TEST(names_of_a_user)
{
    static const struct {
        const char *sql, *told, *remedy;
    } cases[] = {
        {"CREATE TABLE Verdict (x)", "holds a table \"verdict\" of yours",
         "ALTER TABLE verdict RENAME TO NEW_NAME"},
        {"CREATE VIEW By_Look AS SELECT 1", "holds a view \"by_look\" of yours",
         "DROP VIEW by_look"},
        {"CREATE INDEX verdict_kind ON trial (seed)", "holds an index \"verdict_kind\" of yours",
         "DROP INDEX verdict_kind"},
        {"ALTER TABLE trial ADD COLUMN energy_j TEXT",
         "table trial has a column \"energy_j\" of yours", "RENAME COLUMN energy_j TO NEW_NAME"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store *s;
        char backup[400];
        make_file(x, cases[i].sql);
        for (enum store_mode mode = STORE_READ; mode <= STORE_WRITE; mode++) {
            assert_status(STATUS_BAD_INPUT, store_open_format(x->db, mode, &later, &s, &x->m));
            if (!strstr(x->m.text, cases[i].told) || !strstr(x->m.text, cases[i].remedy))
                fail_msg("%s: %s", cases[i].sql, x->m.text);
        }
        assert_version(x->db, STORE_VERSION);
        backup_of(x, "", backup, sizeof backup);
        assert_int_not_equal(access(backup, F_OK), 0);
    }
}

/* A backup is for as many eyes as the file, and goes through no link that lies in its way. */
TEST(backups_are_made_anew)
{
    char unfinished[400], backup[400], victim[400];
    struct stat st;
    make_file(x, "");
    assert_int_equal(chmod(x->db, 0600), 0);
    backup_of(x, "", backup, sizeof backup);
    backup_of(x, ".new", unfinished, sizeof unfinished);
    snprintf(victim, sizeof victim, "%s/victim", x->folder);
    assert_int_equal(symlink(victim, unfinished), 0);
    close_store(x, open_later(x, STORE_WRITE));
    assert_int_not_equal(access(victim, F_OK), 0);
    assert_int_equal(lstat(backup, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* The program's views are made anew; what a user has made upon them and upon tables stays, also
 * where a column of it is one that goes and comes again. */
TEST(what_a_user_made_stays)
{
    make_file(x, "CREATE VIEW mine AS SELECT count(*) AS queued FROM trials WHERE sweep = 'plain'"
                 " AND state = 'queued' -- of mine\n;"
                 "CREATE VIEW \"my \"\"view\" AS SELECT queued, d_head FROM mine, config;"
                 "CREATE TABLE seen (queued);"
                 "CREATE TRIGGER look_in INSTEAD OF INSERT ON mine"
                 " BEGIN INSERT INTO seen SELECT queued FROM mine; END;"
                 "CREATE TRIGGER asked AFTER UPDATE OF remark ON sweep WHEN new.remark = 'now'"
                 " BEGIN INSERT INTO mine VALUES (0); END;"
                 "CREATE TRIGGER noted INSTEAD OF UPDATE OF remark ON trials"
                 " BEGIN UPDATE trial SET remark = new.remark WHERE trial_id = new.trial_id;"
                 " END;"
                 "ALTER TABLE config ADD COLUMN liked TEXT; UPDATE config SET liked = 'yes';"
                 "CREATE INDEX widths ON config (d_head, d_v)");
    struct store *s = open_later(x, STORE_WRITE);
    assert_answer(store_db(s), "SELECT queued FROM mine", "2");
    assert_answer(store_db(s), "SELECT max(queued) FROM \"my \"\"view\"", "2");
    assert_answer(store_db(s), "SELECT group_concat(DISTINCT liked) FROM config", "yes");
    assert_answer(store_db(s), "SELECT sql FROM sqlite_schema WHERE name = 'widths'",
                  "CREATE INDEX widths ON config (d_head, d_v)");
    close_store(x, s);
    sqlite3 *db; /* the user's own program */
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, "UPDATE sweep SET remark = 'now'");
    assert_answer(db, "SELECT group_concat(queued) FROM seen", "2");
    run_sql(db, "UPDATE trials SET remark = 'through a view' WHERE trial_id = 2");
    assert_answer(db, "SELECT remark FROM trial WHERE trial_id = 2", "through a view");
    assert_answer(db, "PRAGMA integrity_check", "ok");
    sqlite3_close(db);
}
