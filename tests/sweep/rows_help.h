/* What tests of files of rows share: such files, in a folder of this process's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[200], path[300];

/* Set-up and teardown of the group. */
static int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/headcount-rows-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* Makes the file at `path`, which is the caller's to unlink. */
static void write_file(const char *name, const void *bytes, size_t size)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* n rows of a header's columns, the caller's to free: @ stands for the number of the row, % for one
 * of three words, $ for one of two that are longer, ? for one of two others, but for nothing in the
 * tenth row, ~ for 1500 digits. */
static char *make_rows(const char *header, const char *row, int n)
{
    static const char *const three[] = {"red", "green", "blue"};
    static const char *const two[] = {"spam and eggs", "ham"};
    static const char *const others[] = {"some words", "none"};
    size_t each = 16 * strlen(row) + 1;
    for (const char *c = row; *c; c++)
        each += *c == '~' ? 1500 : 0;
    size_t size = strlen(header) + (size_t)n * each + 1;
    char *text = malloc(size);
    assert_non_null(text);
    int used = sprintf(text, "%s", header);
    for (int i = 0; i < n; i++)
        for (const char *c = row; *c; c++)
            used += *c == '@'   ? sprintf(text + used, "%d", 1000 + i)
                    : *c == '%' ? sprintf(text + used, "%s", three[i % 3])
                    : *c == '$' ? sprintf(text + used, "%s", two[i % 2])
                    : *c == '?' ? sprintf(text + used, "%s", i == 9 ? "" : others[i % 2])
                    : *c == '~' ? sprintf(text + used, "%01500d", i)
                                : sprintf(text + used, "%c", *c);
    return text;
}
