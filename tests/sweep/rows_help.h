/* What tests of files of rows share: the texts of such files. */
#ifndef TESTS_ROWS_HELP_H
#define TESTS_ROWS_HELP_H

#include "tests/own_folder.h"

/* n rows of a header's columns, the caller's to free: @ stands for the number of the row, % for one
 * of three words, $ for one of two that are longer, ? for one of two others, but for nothing in the
 * tenth row, ~ for 1500 digits. */
static inline char *make_rows(const char *header, const char *row, int n)
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

#endif
