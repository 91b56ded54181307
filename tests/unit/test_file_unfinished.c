/* Temporary files that a killed writer left go with the next one; nothing else does. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"

#include <stddef.h>
#include <stdint.h>

#include "tests/test.h"
#include "tests/unit/file_folder.h"

static int tear_down_empty(void **state)
{
    (void)state;
    return rmdir(folder); /* fails where anything is left */
}

static void make(const char *name)
{
    int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* By a writer of this very file, in the middle of writing. */
static void be_killed(void)
{
    struct file_draft d;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (file_draft_new(path, &d, NULL) == STATUS_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended));
}

FIXTURE(set_up, tear_down_empty)

TEST(what_the_dead_left)
{
    be_killed();
    be_killed();
    assert_int_equal(names_in_folder(), 2);
    file_remove_unfinished(path);
    assert_int_equal(names_in_folder(), 0);
    assert_int_equal(chdir(folder), 0); /* by its name alone */
    be_killed();
    file_remove_unfinished("file");
    assert_int_equal(names_in_folder(), 0);
    file_remove_unfinished("no-such-folder/file");
}

TEST(a_living_writer)
{
    struct file_draft d;
    struct message m;
    assert_int_equal(file_draft_new(path, &d, &m), STATUS_OK);
    assert_true(file_is_unfinished(d.temporary));
    file_remove_unfinished(path);
    assert_int_equal(names_in_folder(), 1);
    assert_int_equal(file_draft_keep(&d, &m), STATUS_OK);
    assert_int_equal(unlink(path), 0);
}

TEST(what_is_not_ours)
{
    static const char *const end[] = {".20240131.tmp",
                                      ".headcount-0badcaf.tmp",
                                      ".headcount-0badcafe.tmp2",
                                      ".headcount-0BADCAFE.tmp",
                                      "2",
                                      "2.headcount-0badcafe.tmp"};
    enum { ENDS = sizeof end / sizeof *end };
    char name[300];
    for (int i = 0; i < ENDS; i++) {
        snprintf(name, sizeof name, "%s%s", path, end[i]);
        make(name);
        assert_int_equal(file_is_unfinished(name), i == ENDS - 1);
    }
    file_remove_unfinished(path);
    assert_int_equal(names_in_folder(), ENDS);
    for (int i = 0; i < ENDS; i++) {
        snprintf(name, sizeof name, "%s%s", path, end[i]);
        assert_int_equal(unlink(name), 0);
    }
    snprintf(name, sizeof name, "%s.headcount-0badcafe.tmp", path);
    assert_int_equal(mkdir(name, 0700), 0);
    file_remove_unfinished(path);
    assert_int_equal(rmdir(name), 0);
    make(path);
    assert_int_equal(symlink(path, name), 0);
    file_remove_unfinished(path);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(unlink(path), 0);
    assert_false(file_is_unfinished(".headcount-0badcafe.tmp"));
    assert_false(file_is_unfinished("x"));
}
