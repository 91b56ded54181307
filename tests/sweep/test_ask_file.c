/* What the sweep file of `ask` knows of itself: for what it was written, and whether a person has
 * changed it since. */
#include <sys/stat.h>

#include "sweep/ask/sheet.h"
#include "tests/own_folder.h"
#include "tests/sweep/look_help.h"

static struct message m;

static void change(const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The first one of such a text. */
static void replace(const char *text, char with)
{
    char all[8192] = "";
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_true(fread(all, 1, sizeof all - 1, f) > 0);
    char *found = strstr(all, text);
    assert_non_null(found);
    fseek(f, found - all, SEEK_SET);
    fputc(with, f);
    fclose(f);
}

static enum ask_file_state state_of(const struct look *l, const char *const *sets, int count,
                                    struct design *d)
{
    enum ask_file_state state;
    if (ask_file_read(path, l, sets, count, &state, d, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return state;
}

static bool same_design(const struct design *a, const struct design *b)
{
    return a->kind == b->kind && a->size == b->size && a->level == b->level &&
           a->steps == b->steps && a->seeds == b->seeds && a->confirm == b->confirm &&
           a->minutes == b->minutes && a->steps_minutes == b->steps_minutes;
}

static int set_up(void **state)
{
    int failed = make_folder(state);
    name_file("b.txt.headcount.yaml");
    return failed;
}

static const char *const sets[] = {"model.layers=1", "train.clip=2", "seeds=9", "confirm=null"};
static const struct design written = {.kind = LOOK_TEXT,
                                      .size = 1,
                                      .level = 2,
                                      .steps = 400,
                                      .seeds = 7,
                                      .confirm = 8,
                                      .minutes = 60,
                                      .steps_minutes = 10};

/* Where nothing is that a person has changed. */
static void write_it(const struct look *l)
{
    if (ask_file_write(path, &written, l, "b-123456", sets, 4, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

GROUP(set_up, remove_folder)

TEST(a_file_knows_for_what_it_was_written)
{
    static const char *const others[] = {"model.layers=1", "train.clip=2", "seeds=9",
                                         "confirm=null", "task.length=32"};
    static const char *const named[] = {"confirm=null", "seeds=9", "train.clip=2", "model.layers=1",
                                        "task.length=64"};
    struct look *l = text_of(300000), *changed = text_of(300000);
    struct design read;
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_NONE);
    write_it(l);
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_SAME);
    assert_true(same_design(&read, &written));
    assert_int_equal(state_of(l, named, 5, &read), ASK_FILE_SAME);
    assert_int_equal(state_of(l, sets, 3, &read), ASK_FILE_OTHER);
    assert_int_equal(state_of(l, others, 5, &read), ASK_FILE_OTHER); /* the length is set */
    set_text(changed, "sha256", "0123");
    assert_int_equal(state_of(changed, sets, 4, &read), ASK_FILE_OTHER);
    unlink(path);
    free(l);
    free(changed);
}

/* Also one of as many bytes as a look supposes where none is set. */
TEST(a_length_that_is_set_is_kept)
{
    static const char *const length[] = {"task.length=32"};
    struct look *l = text_of(300000);
    struct design read;
    set_integer(l, "length", 32);
    assert_int_equal(ask_file_write(path, &written, l, "b-123456", length, 1, &m), STATUS_OK);
    assert_int_equal(state_of(l, length, 1, &read), ASK_FILE_SAME);
    assert_int_equal(state_of(l, NULL, 0, &read), ASK_FILE_OTHER);
    unlink(path);
    free(l);
}

TEST(a_file_knows_whether_it_was_changed)
{
    struct look *l = text_of(300000);
    struct design read;
    write_it(l);
    replace("ask 3:", 'A'); /* no line of ask's */
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    replace("Ask 3:", 'a');
    replace("3: 60 minutes", '2'); /* of another version, which may mean otherwise what it says */
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_OTHER);
    replace("2: 60 minutes", '3');
    replace("level 2", 'L');
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    unlink(path);
    write_it(l);
    change("a", " ");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    unlink(path);
    write_it(l);
    change("r+", "% ");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    change("w", "");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    change("w", "# headcount ask 1: ten minutes\n");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    unlink(path);
    mkdir(path, 0700);
    enum ask_file_state unused;
    assert_int_not_equal(ask_file_read(path, l, sets, 4, &unused, &read, &m), STATUS_OK);
    rmdir(path);
    free(l);
}

/* ... whenever that was: also since it was last looked at. */
TEST(what_a_person_has_changed_is_not_written)
{
    char mine[32] = "";
    struct look *l = text_of(300000);
    write_it(l);
    write_it(l); /* its own it does */
    change("w", "# mine\n");
    assert_int_equal(ask_file_write(path, &written, l, "b-123456", sets, 4, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "was changed since ask wrote it"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(mine, sizeof mine, f));
    fclose(f);
    assert_string_equal(mine, "# mine\n");
    unlink(path);
    free(l);
}
