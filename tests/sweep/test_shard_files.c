/* The results files of shards that lie beside a results file. */
#include <stddef.h>
#include <stdint.h>

#include "sweep/db/shard_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/unit/file_folder.h"

static void make(const char *name)
{
    char at[400];
    snprintf(at, sizeof at, "%s/%s", folder, name);
    FILE *f = fopen(at, "w");
    assert_non_null(f);
    fclose(f);
}

static void assert_shard(const struct shard_file *shard, const char *name, long number, long of)
{
    char at[400];
    snprintf(at, sizeof at, "%s/%s", folder, name);
    assert_string_equal(shard->path, at);
    assert_int_equal(shard->number, number);
    assert_int_equal(shard->of, of);
}

static struct arena arena;

static int free_names(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

GROUP(set_up, free_names)

TEST(names_have_the_number_before_the_ending)
{
    const char *const names[][2] = {{"results/x.db", "results/x-2-of-8.db"},
                                    {"x", "x-2-of-8"},
                                    {"a.db/x", "a.db/x-2-of-8"},
                                    {".db", ".db-2-of-8"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = shard_file_name(&arena, names[i][0], 2, 8);
        assert_string_equal(name, names[i][1]);
    }
}

/* By the number of shards, then by their own, not as names are sorted. */
TEST(shards_of_any_number_are_found)
{
    const char *const others[] = {
        "x.db",         "x-1-of-2.db.lock", "x-1-of-2.db-wal",   "x-0-of-2.db",
        "x-3-of-2.db",  "x-01-of-2.db",     "x-1-of-02.db",      "x-1-of-2",
        "y-1-of-2.db",  "x-1-of-.db",       "x--1-of-2.db",      "xy-1-of-2.db",
        "x-+1-of-2.db", "x1-of-2.db",       "x-1-of-1000001.db", "x-1-of-2.db.d",
        "x-1-of-2.dbb", "x-a-of-2.db",      "x-1-or-2.db",       "x-1-of-2-3-of-4.db"};
    struct shard_files files;
    char folder_like[400], gone[400], db[400];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        make(others[i]);
    snprintf(folder_like, sizeof folder_like, "%s/x-1-of-5.db", folder);
    assert_int_equal(mkdir(folder_like, 0700), 0);
    snprintf(gone, sizeof gone, "%s/x-2-of-5.db", folder);
    assert_int_equal(symlink("nothing", gone), 0);
    make("x-10-of-12.db");
    make("x-9-of-12.db");
    make("x-2-of-3.db");
    make("x-1-of-1000000.db");
    snprintf(db, sizeof db, "%s/x.db", folder);
    assert_int_equal(shard_files_find(&arena, db, &files, NULL), STATUS_OK);
    assert_int_equal(files.count, 4);
    assert_shard(&files.item[0], "x-2-of-3.db", 2, 3);
    assert_shard(&files.item[1], "x-9-of-12.db", 9, 12);
    assert_shard(&files.item[2], "x-10-of-12.db", 10, 12);
    assert_shard(&files.item[3], "x-1-of-1000000.db", 1, 1000000);
}

TEST(a_file_without_an_ending_has_shards_without)
{
    struct shard_files files;
    char db[400];
    make("z-1-of-2");
    make("z-2-of-2.db");
    snprintf(db, sizeof db, "%s/z", folder);
    assert_int_equal(shard_files_find(&arena, db, &files, NULL), STATUS_OK);
    assert_int_equal(files.count, 1);
    assert_shard(&files.item[0], "z-1-of-2", 1, 2);
}

/* A name without a folder is one of the working directory. */
TEST(names_stay_as_they_were_given)
{
    struct shard_files files;
    char before[400];
    make("w-1-of-1.db");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(shard_files_find(&arena, "w.db", &files, NULL), STATUS_OK);
    assert_int_equal(files.count, 1);
    assert_string_equal(files.item[0].path, "w-1-of-1.db");
    assert_int_equal(chdir(before), 0);
}

TEST(a_folder_that_cannot_be_read_is_named)
{
    struct shard_files files;
    struct message m;
    char db[400], locked[300];
    snprintf(db, sizeof db, "%s/nowhere/x.db", folder);
    assert_int_equal(shard_files_find(&arena, db, &files, &m), STATUS_OK);
    assert_int_equal(files.count, 0);
    snprintf(locked, sizeof locked, "%s/loop", folder);
    assert_int_equal(symlink("loop", locked), 0);
    snprintf(db, sizeof db, "%s/x.db", locked);
    assert_int_equal(shard_files_find(&arena, db, &files, &m), STATUS_IO);
    assert_non_null(strstr(m.text, locked));
    assert_int_equal(files.count, 0);
}
