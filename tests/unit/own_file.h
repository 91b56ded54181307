/* A file in a folder of this process's own, for tests of what reads a user's file. */
#ifndef TESTS_UNIT_OWN_FILE_H
#define TESTS_UNIT_OWN_FILE_H

#include <errno.h>

#include "engine/base/status.h"
#include "tests/own_folder.h"

static struct message m;

/* Set-up and teardown of the group, and the teardown of a test that makes a file. */
static int set_up(void **state)
{
    return make_folder(state);
}

static int remove_file(void **state)
{
    (void)state;
    return *path && remove(path) && errno != ENOENT;
}

static int tear_down(void **state)
{
    return remove_folder(state);
}

/* The message begins with the file's path. */
static inline void assert_fails(enum status got, enum status expected, const char *message)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", path, message);
    assert_string_equal(m.text, whole);
    assert_int_equal(got, expected);
}

/* The same, of which part of the message is given. */
static inline void assert_refuses(enum status got, enum status expected, const char *part)
{
    if (strncmp(m.text, path, strlen(path)) != 0 || !strstr(m.text, part))
        fail_msg("'%s' does not say '%s' of %s", m.text, part, path);
    assert_int_equal(got, expected);
}

#endif
