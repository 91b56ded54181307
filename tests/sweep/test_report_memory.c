/* Memory that runs out at an allocation while a report or a page is made: what is written then is
 * the whole, or NO_MEMORY says that it is not. SQLite has memory of its own here, as thousands of
 * its allocations would hide the others (tests/sweep/test_store_memory.c). */
#include "report_help.h"
#include "scope_help.h"

#include <malloc.h>

#include "sweep/page/page.h"
#include "sweep/report/report_data.h"
#include "tests/unit/faults.h"

/* Shifted test sets, labels, heads that were measured, pruned models. */
static void add_rest(struct fixture *f)
{
    sql(f, "UPDATE sweep SET eval = '{\"noisy\":{\"noise\":0.5}}', remark = 'a note',"
           " overrides = '[\"train.steps=1500\"]';"
           "INSERT INTO evaluation SELECT trial_id, 'noisy', '{\"noise\":0.5}', test_acc / 2, 0, 1"
           "  FROM trial;"
           "INSERT INTO label_acc SELECT trial_id, 'spam', 8, test_acc FROM trial;"
           "INSERT INTO pruning (trial_id, method, kept, test_acc) SELECT trial_id, 'none', heads,"
           "  test_acc FROM trial JOIN config USING (config_id)");
}

/* limit: bytes that the scope may take; 0: as many as there are. */
static enum status make(struct fixture *f, int kind, size_t limit, FILE *out)
{
    static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN, REPORT_CSV,
                                                 REPORT_JSON};
    return IN_SCOPE(x, f->store, &f->message, {
        x->arena.limit = limit;
        if (kind < 4)
            report_write_data(report_data_read(x, 1, kind > 1), formats[kind], true,
                              (struct text_page){0}, out);
        else if (kind == 4)
            page_summary(x, 1, out);
        else
            page_trials(x, 1, 0, 20, out);
        scope_check(x, text_check(out, &f->message));
    });
}

/* What is written, but for when; NULL where neither the nth allocation nor the limit was met. */
static char *written(struct fixture *f, int kind, int nth, size_t limit, enum status *status)
{
    static char text[1 << 18], buffer[1 << 18];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    setvbuf(out, buffer, _IOFBF, sizeof buffer);
    fault_arm(FAULT_MALLOC, nth, ENOMEM);
    *status = make(f, kind, limit, out);
    bool fired = fault_disarm();
    fclose(out);
    char *when = strstr(text, "\"written\"");
    if (when)
        *when = '\0';
    return fired || *status != STATUS_OK ? text : NULL;
}

static void assert_whole(struct fixture *f, const char *got, const char *whole, enum status status)
{
    if (status == STATUS_OK && strcmp(got, whole) != 0)
        fail_msg("OK, but not the whole:\n%s", got);
    if (status != STATUS_OK && status != STATUS_NO_MEMORY)
        fail_msg("status %d: %s", (int)status, f->message.text);
}

/* Of the C library, and within what the scope has taken from it. */
static void run_out_of_memory(struct fixture *f, int kind)
{
    enum { NEVER = 1 << 30, STEP = 640 };
    enum status status;
    const char *got;
    int errors = 0, limits = 1;
    assert_null(written(f, kind, NEVER, 0, &status));
    static char whole[1 << 18];
    FILE *out = fmemopen(whole, sizeof whole, "w");
    assert_int_equal(make(f, kind, 0, out), STATUS_OK);
    fclose(out);
    char *when = strstr(whole, "\"written\"");
    if (when)
        *when = '\0';
    for (int n = 1; (got = written(f, kind, n, 0, &status)); n++) {
        assert_whole(f, got, whole, status);
        errors += status != STATUS_OK;
    }
    for (size_t limit = 1; (got = written(f, kind, NEVER, limit, &status)); limit += STEP) {
        assert_whole(f, got, whole, status);
        limits++;
    }
    int least = kind < 5 ? 20 : 1; /* trials are written as they are read */
    assert_true(errors > 5 && limits > least);
}

FIXTURE(set_up, tear_down)

TEST(a_report_without_memory_is_whole_or_an_error)
{
    enum { KINDS = 6 };
    load(f, "gather");
    add_rest(f);
    for (int kind = 0; kind < KINDS && FAULTS_IN_MALLOC; kind++)
        run_out_of_memory(f, kind);
}

/* Settings against each other, and a claim of two of them. */
TEST(a_report_of_pairs_without_memory_is_whole_or_an_error)
{
    load(f, "gather kv kv-wrong");
    for (int kind = 0; kind < 4 && FAULTS_IN_MALLOC; kind += 3)
        run_out_of_memory(f, kind);
}

#if FAULTS_IN_MALLOC
static void *take(int size)
{
    return __libc_malloc((size_t)size);
}

static void *resize(void *old, int size)
{
    return __libc_realloc(old, (size_t)size);
}

static int size_of(void *memory)
{
    return (int)malloc_usable_size(memory);
}

static int round_up(int size)
{
    return (size + 7) & ~7;
}

static int begin(void *nothing)
{
    (void)nothing;
    return SQLITE_OK;
}

static void end(void *nothing)
{
    (void)nothing;
}

static void give_sqlite_its_own(void)
{
    static const sqlite3_mem_methods own = {take,     free,  resize, size_of,
                                            round_up, begin, end,    NULL};
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &own), SQLITE_OK);
}
#else
static void give_sqlite_its_own(void)
{
}
#endif

PREPARE
{
    give_sqlite_its_own();
}
