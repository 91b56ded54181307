/* A prepared statement stepped row by row, with the store's errors as statuses: the one way that
 * results files are read, within the store too. */
#ifndef SWEEP_DB_ROWS_H
#define SWEEP_DB_ROWS_H

#include "sweep/db/state.h"
#include "sweep/db/store.h"

/* A value to bind: exactly what SQLite stores. */
struct value {
    enum { VALUE_INTEGER, VALUE_REAL, VALUE_TEXT } type;
    int64_t integer;
    double real;
    const char *text; /* NULL: SQL's NULL */
};
#define INTEGER(x) ((struct value){VALUE_INTEGER, (x), 0, NULL})
#define REAL(x)    ((struct value){VALUE_REAL, 0, (x), NULL})
#define TEXT(x)    ((struct value){VALUE_TEXT, 0, 0, (x)})
/* The values of a statement, and how many there are: one macro for two arguments. */
#define VALUES(...)                                                                                \
    (const struct value[]){__VA_ARGS__},                                                           \
        (int)(sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
#define NO_VALUES NULL, 0

struct sqlite3_stmt;

struct rows {
    struct store *store;
    struct sqlite3_stmt *statement;
    const char *doing;  /* for messages: what is being tried */
    enum status status; /* OK until something failed; then there are no more rows */
    struct message *message;
    struct rows *next; /* of a scope: closed too */
};

/* Prepares sql and binds the values to ?1, ?2, ...; their texts must live until rows_close or
 * rows_rebind. m is kept and gets the error, if any. */
struct rows rows_open(struct store *s, struct message *m, const char *sql,
                      const struct value *values, int count);

/* The first column of a query's first row; 0 where that is NULL, and without a row. Nothing is
 * kept; *answer is left alone on failure. */
enum status rows_ask(struct store *s, struct message *m, const char *sql,
                     const struct value *values, int count, int64_t *answer);

/* Advances to the next row; false at the end and on failure. */
bool rows_next(struct rows *r);

/* Starts again with other values. */
void rows_rebind(struct rows *r, const struct value *values, int count);

/* Column i of the current row: NaN, 0, NULL for SQL's NULL. Texts live until the next call of
 * rows_next, rows_rebind or rows_close. */
int64_t rows_integer(const struct rows *r, int i);
double rows_real(const struct rows *r, int i);
const char *rows_text(const struct rows *r, int i);
bool rows_null(const struct rows *r, int i);

/* The text of a column that is never NULL. Where a hand has made it so: "", and the rows fail,
 * CORRUPT. */
const char *rows_given(struct rows *r, int i);

/* Copies a text, cut where size does not suffice; "" for NULL. */
void rows_copy(const struct rows *r, int i, char *to, size_t size);

/* trial.state and trial.choice. Any other word, which the schema does not allow, fails the
 * rows: CORRUPT. */
enum trial_state rows_state(struct rows *r, int i);
enum trial_choice rows_choice(struct rows *r, int i);

/* How many columns a row has, and what column i is called. */
int rows_columns(const struct rows *r);
const char *rows_name(const struct rows *r, int i);

/* The type of column i in the current row. */
enum rows_kind { ROWS_NULL, ROWS_INTEGER, ROWS_REAL, ROWS_TEXT };
enum rows_kind rows_kind(const struct rows *r, int i);

/* Frees the statement; returns how it went. */
enum status rows_close(struct rows *r);

/* The same after work on the rows: `status`, which says how that went, unless it is OK. */
enum status rows_close_after(struct rows *r, enum status status);

/* Compares the labels of two settings of a sweep ("slots=4, lr=0.01") by the first value in which
 * they differ: numbers by size, all else by bytes. As COLLATE setting_values, the order in which a
 * drawn sweep (method: random) lists them. */
int setting_compare(const char *a, const char *b);

/* Parts of statements (parts.sql): CONFIG_SHORT, CONFIG_MEANING, CONFIG_TASK, CONFIG_PATH and
 * CONFIG_FACTS of a row of config; NOW. */
#include "db_parts.h"

/* Of a trial's column replicate, beside its row of config: equal where instances draw the same task
 * and the other replicated axes have the same values. */
#define REPLICATE_DRAWN(replicate)                                                                 \
    "iif(" replicate " -> '$.\"task.instance\"' IS NULL, " replicate ", json_remove(" replicate    \
    ", '$.\"task.instance\"') || " CONFIG_TASK ")"
#endif
