/* What a result (sweep/worker/result.h) becomes in the tables, and the same again, to see whether
 * the rows are still what it said. The lists of columns are the only place that says which value
 * goes where. */
#include <stdio.h>

#include "sweep/trials/store_check.h"
#include "sweep/trials/trials_internal.h"

#define VAL_LOSS                                                                                   \
    "(SELECT value ->> 'val_loss' FROM json_each(r, '$.curve')"                                    \
    "  WHERE value ->> 'step' = r ->> 'best_step')"

/* X(column of `trial`, its value, from the result r). */
#define OF_TRIAL(X)                                                                                \
    X("state", "r ->> 'state'")                                                                    \
    X("steps_done", "r ->> 'steps_done'")                                                          \
    X("best_step", "r ->> 'best_step'")                                                            \
    X("train_acc", "r ->> 'train_acc'")                                                            \
    X("val_acc", "r ->> 'val_acc'")                                                                \
    X("val_loss", VAL_LOSS)                                                                        \
    X("test_acc", "r ->> 'test_acc'")                                                              \
    X("test_acc_by_slot", "nullif(r -> 'test_acc_by_slot', 'null')")                               \
    X("test_exact", "r ->> 'test_exact'")                                                          \
    X("test_loss", "r ->> 'test_loss'")                                                            \
    X("chance", "coalesce(r ->> 'chance', chance)")                                                \
    X("train_s", "r ->> 'train_s'")                                                                \
    X("bad_step", "r ->> 'bad_step'")

/* X(column, its value, from one value of an array). */
#define OF_CURVE(X)                                                                                \
    X("step", "value ->> 'step'")                                                                  \
    X("train_loss", "value ->> 'train_loss'")                                                      \
    X("train_acc", "value ->> 'train_acc'")                                                        \
    X("val_loss", "value ->> 'val_loss'")                                                          \
    X("val_acc", "value ->> 'val_acc'")                                                            \
    X("grad_norm", "value ->> 'grad_norm'")                                                        \
    X("lr", "value ->> 'lr'")                                                                      \
    X("elapsed_s", "value ->> 'elapsed_s'")                                                        \
    X("cpu_s", "value ->> 'cpu_s'")
#define OF_BLOCKS(X) X("block", "key") X("loss", "value")
#define OF_LABELS(X)                                                                               \
    X("label", "value ->> 'label'") X("n", "value ->> 'n'") X("acc", "value ->> 'acc'")

#define ASSIGNED(column, value) ", " column " = " value
#define NAMED(column, value)    ", " column
#define GIVEN(column, value)    ", " value

/* Texts become numbers in another way in other versions of SQLite, which may differ in a last bit.
 */
#define IS_OTHER(column, value)                                                                    \
    column " IS NOT " value " AND coalesce(typeof(" column ") <> 'real' OR abs(" column            \
           " - " value ") > 1e-12 * abs(" value "), 1)"
#define DIFFERS(column, value)  " || iif(" IS_OTHER(column, value) ", ', " column "', '')"
#define OR_OTHER(column, value) " OR " IS_OTHER("c." column, value)

/* Whether a table has other rows than the array of its name: not as many, or one that differs from
 * its like. */
#define ROWS_DIFFER(table, columns, like)                                                          \
    " || iif((SELECT count(*) FROM " table " WHERE trial_id = ?1) <>"                              \
    "  (SELECT count(*) FROM json_each(r, '$." table "')) OR EXISTS"                               \
    " (SELECT 1 FROM json_each(r, '$." table "') LEFT JOIN " table " AS c ON c.trial_id = ?1"      \
    "   AND " like " WHERE c.trial_id IS NULL" columns(OR_OTHER) "), ', " table "', '')"
#define CURVE_DIFFERS        ROWS_DIFFER("curve", OF_CURVE, "c.step = value ->> 'step'")
#define BLOCKS_DIFFER        ROWS_DIFFER("block_loss", OF_BLOCKS, "c.block = key")
#define LABELS_DIFFER        ROWS_DIFFER("label_acc", OF_LABELS, "c.label = value ->> 'label'")
#define INTO(table, columns) " INTO " table " (trial_id" columns(NAMED) ") SELECT ?1" columns(GIVEN)
#define ROWS_OF(array)                                                                             \
    " FROM json_each(?2, '$." array "') WHERE json_type(?2, '$." array "') = 'array'"

static const char DOING[] = "recording a result";

void result_insert_curve(struct scope *x, int64_t trial_id, const char *json, const char *path)
{
    scope_run(x, "recording a curve",
              "INSERT OR REPLACE" INTO("curve", OF_CURVE) " FROM json_each(?2, ?3)",
              VALUES(INTEGER(trial_id), TEXT(json), TEXT(path)));
}

/* How the test of a trial over a text came out in its parts, in the place of whatever is there. */
static void replace_parts(struct scope *x, int64_t trial_id, const char *result)
{
    const struct value values[] = {INTEGER(trial_id), TEXT(result)};
    scope_run(x, DOING, "DELETE FROM block_loss WHERE trial_id = ?", values, 1);
    scope_run(x, DOING, "INSERT" INTO("block_loss", OF_BLOCKS) ROWS_OF("block_loss"), values, 2);
    scope_run(x, DOING, "DELETE FROM label_acc WHERE trial_id = ?", values, 1);
    scope_run(x, DOING, "INSERT" INTO("label_acc", OF_LABELS) ROWS_OF("label_acc"), values, 2);
}

void result_take(struct scope *x, int64_t trial_id, int64_t attempt, const char *result,
                 const char *checkpoint, const char *sha256, bool *accepted)
{
    static const char update[] = "UPDATE trial SET checkpoint = ?, checkpoint_sha256 = ?" OF_TRIAL(
        ASSIGNED) " FROM (SELECT ? AS r)" STORE_FENCE;
    *accepted = scope_run(x, DOING, update,
                          VALUES(TEXT(checkpoint), TEXT(sha256), TEXT(result), INTEGER(trial_id),
                                 INTEGER(attempt))) == 1;
    if (!*accepted)
        return;
    store_forget_answers(x, trial_id, NULL);
    scope_run(x, "replacing a curve", "DELETE FROM curve WHERE trial_id = ?",
              VALUES(INTEGER(trial_id)));
    result_insert_curve(x, trial_id, result, "$.curve");
    replace_parts(x, trial_id, result);
    store_keep_measures(x, trial_id, result);
    scope_run(x, DOING, /* what only the worker knows of its attempt */
              "UPDATE attempt SET error = r ->> 'error', resumed_from_step ="
              " coalesce(r ->> 'resumed_from_step', resumed_from_step)"
              " FROM (SELECT ? AS r) WHERE trial_id = ? AND attempt = ?",
              VALUES(TEXT(result), INTEGER(trial_id), INTEGER(attempt)));
}

enum status store_compare_result(struct store *s, int64_t trial_id, const char *result,
                                 char *differ, size_t size, struct message *m)
{
    static const char sql[] =
        "SELECT substr(''" OF_TRIAL(DIFFERS) CURVE_DIFFERS BLOCKS_DIFFER LABELS_DIFFER
        ", 3)"
        " FROM trial, (SELECT ?2 AS r) WHERE trial_id = ?1";
    struct rows r =
        store_rows(s, "comparing a result", sql, VALUES(INTEGER(trial_id), TEXT(result)), m);
    snprintf(differ, size, "%s", rows_next(&r) ? rows_given(&r, 0) : "");
    return rows_close(&r);
}

/* ---- what the weights say ---- */

/* X(column of `trial`, its value, of how many cases it is a mean): what can be tested again. */
#define RETESTED(X)                                                                                \
    X("val_acc", "r ->> 'val_acc'", "?2 ->> '$.cases.val_acc'")                                    \
    X("val_loss", VAL_LOSS, "NULL")                                                                \
    X("test_acc", "r ->> 'test_acc'", "?2 ->> '$.cases.test_acc'")                                 \
    X("test_exact", "r ->> 'test_exact'", "?2 ->> '$.cases.test_exact'")                           \
    X("test_loss", "r ->> 'test_loss'", "NULL")
#define BY_RESULT(name, value, n)                                                                  \
    " UNION ALL SELECT who, '" name "', '', " value ", " n " FROM said"
#define BY_ROW(name, value, n)                                                                     \
    " UNION ALL SELECT 'row', '" name "', '', " name ", NULL FROM trial WHERE trial_id = ?1"

#define IS_OFF(of)                                                                                 \
    "coalesce(abs(" of " - again) >"                                                               \
    " iif(n IS NULL, 1e-6 + 1e-4 * abs(again), 2.000001 / max(n, 1)), 1)"

enum status store_compare_retest(struct store *s, int64_t trial_id, const char *answer,
                                 store_retest *tell, void *context, struct message *m)
{
    static const char sql[] =
        "WITH said (who, r) AS (VALUES ('result', ?2 -> 'result'), ('again', ?2 -> 'again')),"
        " value (who, name, part, x, n) AS (SELECT who, 'test_acc_by_slot', key, value,"
        "   ?2 ->> ('$.cases.test_acc_by_slot[' || key || ']')"
        "  FROM said, json_each(r, '$.test_acc_by_slot')"
        " UNION ALL SELECT 'row', 'test_acc_by_slot', key, value, NULL"
        "  FROM trial, json_each(test_acc_by_slot) WHERE trial_id = ?1"
        " UNION ALL SELECT who, 'block_loss', key, value, NULL FROM said,"
        "  json_each(r, '$.block_loss')"
        " UNION ALL SELECT 'row', 'block_loss', block, loss, NULL FROM block_loss"
        "  WHERE trial_id = ?1"
        " UNION ALL SELECT who, 'label_acc', value ->> 'label', value ->> 'acc', value ->> 'n'"
        "  FROM said, json_each(r, '$.label_acc')"
        " UNION ALL SELECT 'row', 'label_acc', label, acc, n FROM label_acc WHERE trial_id = "
        "?1" RETESTED(BY_RESULT) RETESTED(
            BY_ROW) "),"
                    " held AS (SELECT name, part, max(x) FILTER (WHERE who = 'row') AS in_row,"
                    "   max(x) FILTER (WHERE who = 'result') AS in_result,"
                    "   max(x) FILTER (WHERE who = 'again') AS again, max(n) AS n FROM value"
                    "  GROUP BY name, part),"
                    " judged AS (SELECT trim(name || ' ' || part) AS name, in_row, in_result, "
                    "again, " IS_OFF("in_row") " AS row_off, " IS_OFF(
                        "in_result") " AS result_off, part FROM held) "
                                     "SELECT name, in_row, in_result, again, row_off, result_off "
                                     "FROM judged"
                                     " WHERE row_off OR result_off ORDER BY part <> '', name";
    enum { NAME, ROW, RESULT, AGAIN, ROW_OFF, RESULT_OFF };
    struct rows r =
        store_rows(s, "comparing a test", sql, VALUES(INTEGER(trial_id), TEXT(answer)), m);
    while (rows_next(&r)) {
        const struct store_retested v = {
            rows_given(&r, NAME),           rows_real(&r, ROW),
            rows_real(&r, RESULT),          rows_real(&r, AGAIN),
            rows_integer(&r, ROW_OFF) != 0, rows_integer(&r, RESULT_OFF) != 0};
        tell(context, &v);
    }
    return rows_close(&r);
}
