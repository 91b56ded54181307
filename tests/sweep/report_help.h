/* Reports on the results files of the contract that are made by hand. */
#ifndef TESTS_SWEEP_REPORT_HELP_H
#define TESTS_SWEEP_REPORT_HELP_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/report/report.h"
#include "sweep/trials/trials_internal.h"

#include "tests/folder.h"
#include "tests/sweep/golden_help.h"
#include "tests/test.h"

struct fixture {
    char folder[128], path[160];
    struct store *store;
    struct message message;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *f

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    setenv("LC_ALL", "C.UTF-8", 1); /* plots are of UTF-8 there */
    if (folder_make(f->folder, sizeof f->folder, "headcount-report") != 0)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/r.db", f->folder);
    *state = f;
    if (store_open(f->path, STORE_WRITE, &f->store, &f->message) == STATUS_OK)
        return 0;
    print_error("%s\n", f->message.text);
    return -1;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    store_close(f->store, NULL);
    int left = folder_remove(f->folder);
    free(f);
    return left;
}

__attribute__((format(printf, 2, 3))) static inline void sql(struct fixture *f, const char *format,
                                                             ...)
{
    char *text, *error = NULL;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&text, format, arguments) >= 0);
    va_end(arguments);
    if (sqlite3_exec(store_db(f->store), text, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s in: %s", error, text);
    free(text);
}

/* Adds what files of the contract add that are made by hand, by their names, each after that which
 * it changes. */
static inline void load(struct fixture *f, const char *names)
{
    char list[128], *rest = list;
    snprintf(list, sizeof list, "%s", names);
    for (char *name; (name = strsep(&rest, " "));) {
        char path[200];
        void *text;
        size_t size;
        snprintf(path, sizeof path, "tests/data/contract/made/%s.sql", name);
        assert_int_equal(file_read(path, 1 << 16, &text, &size, NULL), STATUS_OK);
        sql(f, "%s", (const char *)text);
        free(text);
    }
}

/* The report as text; to be freed. */
__attribute__((noinline)) static char *report_on(struct fixture *f, enum report_format format,
                                                 struct text_page page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum status s = report_write(f->store, 1, format, false, page, out, &f->message);
    if (s != STATUS_OK)
        fail_msg("%s", f->message.text);
    fclose(out);
    return text;
}

static inline char *report(struct fixture *f, enum report_format format, bool color)
{
    return report_on(f, format, (struct text_page){.color = color});
}

/* No line of the text is wider than the page; frees it. */
static inline void assert_fits(char *text, int columns)
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (text_width(line) > columns)
            fail_msg("wider than %d columns: %s", columns, line);
    free(text);
}

/* A value inside a JSON text, by SQLite's own reader; versions of SQLite add up and print fractions
 * differently in their last digits. */
static inline void assert_json(struct fixture *f, const char *json, const char *path,
                               const char *expected)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(store_db(f->store), "SELECT json_valid(?1), ?1 ->> ?2", -1,
                                        &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(statement, 0), 1);
    bool fraction = sqlite3_column_type(statement, 1) == SQLITE_FLOAT;
    double difference = sqlite3_column_double(statement, 1) - strtod(expected, NULL);
    const char *actual = (const char *)sqlite3_column_text(statement, 1);
    if (fraction ? fabs(difference) > 1e-12 : !actual || strcmp(actual, expected))
        fail_msg("%s is %s, expected %s", path, actual ? actual : "NULL", expected);
    sqlite3_finalize(statement);
}

#endif
