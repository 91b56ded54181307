/* What comes out, held against a file of tests/data/report. BLESS=1 writes it there instead, to be
 * read as a diff. */
#ifndef TESTS_SWEEP_GOLDEN_HELP_H
#define TESTS_SWEEP_GOLDEN_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"

/* Frees actual. */
static inline void assert_file(const char *name, char *actual)
{
    char path[200], *expected = NULL;
    size_t size = 0;
    bool bless = getenv("BLESS") != NULL;
    snprintf(path, sizeof path, "tests/data/report/%s", name);
    FILE *f = fopen(path, bless ? "w" : "r");
    if (f && bless)
        assert_true(fputs(actual, f) >= 0);
    else if (f)
        assert_true(getdelim(&expected, &size, '\0', f) > 0);
    if (f)
        assert_int_equal(fclose(f), 0);
    if (!bless && (!expected || strcmp(expected, actual) != 0)) {
        fprintf(stderr, "--- %s, as it came out:\n%s---\n", path, actual);
        fail_msg("%s differs, or is missing", path);
    }
    free(expected);
    free(actual);
}

/* The same of JSON, a member or an item of a list a line. */
static inline void assert_json_file(const char *name, char *actual)
{
    char *spread = malloc(2 * strlen(actual) + 1), *to = spread;
    for (const char *from = actual; *from; from++) {
        *to++ = *from;
        if (*from == ',' && from[1] && strchr("\"[{", from[1]))
            *to++ = '\n';
    }
    *to = '\0';
    free(actual);
    assert_file(name, spread);
}

#endif
