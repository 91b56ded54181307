/* A file in a folder of this process's own, for tests of what reads a user's file. */
#ifndef TESTS_UNIT_OWN_FILE_H
#define TESTS_UNIT_OWN_FILE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/status.h"

#include <cmocka.h>

static char folder[256], path[300];
static struct message m;

/* Set-up and teardown of the group, and the teardown of a test that makes a file. */
static int set_up(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/headcount-text-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return *path && remove(path) && errno != ENOENT;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder); /* fails where anything is left */
}

static void name_file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    name_file(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
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
