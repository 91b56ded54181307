/* What people change in a results file, beside running sweeps: names, remarks, what is deleted. */
#include "sweep/trials/trials_internal.h"

#include <string.h>

#include "engine/base/utf8.h"

enum { REMARK_BYTES = 4000 };

static void rename_sweep(struct scope *x, int64_t sweep_id, const char *name)
{
    if (!config_good_name(name))
        scope_fail(x, STATUS_BAD_INPUT,
                   "'%s' cannot be the name of a sweep; allowed: 1 to %d letters, digits, "
                   "'.', '_', '-'",
                   name, CONFIG_NAME_BYTES);
    const char *mistaken = config_mistaken_name(name);
    if (mistaken)
        scope_fail(x, STATUS_BAD_INPUT, "'%s' cannot be the name of a sweep: it %s", name,
                   mistaken);
    if (scope_number(x, "looking for a sweep",
                     "SELECT sweep_id FROM sweep WHERE name = ? AND sweep_id <> ?",
                     VALUES(TEXT(name), INTEGER(sweep_id))))
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s already holds a sweep \"%s\"; choose another name, or rename or "
                   "delete that one first",
                   x->store->path, name);
    scope_change(x);
    scope_run(x, "renaming a sweep", "UPDATE sweep SET name = ? WHERE sweep_id = ?",
              VALUES(TEXT(name), INTEGER(sweep_id)));
}

enum status store_rename(struct store *s, int64_t sweep_id, const char *name, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        rename_sweep(x, sweep_id, name);
    return scope_commit(x);
}

/* ---- remarks ---- */

static enum status check_remark(const char *text, struct message *m)
{
    const unsigned char *start = (const unsigned char *)text, *end = start + strlen(text);
    if (end - start > REMARK_BYTES)
        return status_fail(m, STATUS_BAD_INPUT, "the note has %zu bytes; allowed: %d",
                           (size_t)(end - start), REMARK_BYTES);
    for (const unsigned char *p = start; p < end;) {
        uint32_t code = 0;
        int bytes = utf8_decode(p, end, &code);
        if (bytes == 0 || utf8_is_control(code))
            return status_fail(m, STATUS_BAD_INPUT,
                               "byte %zu of the note is %s; a note is one line of UTF-8 text",
                               (size_t)(p - start) + 1,
                               bytes ? "a line break or another control character" : "no UTF-8");
        p += bytes;
    }
    return STATUS_OK;
}

static enum status remark(struct store *s, const char *sql, int64_t id, const char *text,
                          struct message *m)
{
    enum status status = check_remark(text, m);
    if (status == STATUS_OK)
        status = store_change(s, "noting", sql, VALUES(TEXT(text), INTEGER(id)), m);
    return status;
}

enum status store_set_sweep_note(struct store *s, int64_t sweep_id, const char *text,
                                 struct message *m)
{
    return remark(s, "UPDATE sweep SET remark = nullif(?, '') WHERE sweep_id = ?", sweep_id, text,
                  m);
}

enum status store_set_trial_note(struct store *s, int64_t trial_id, const char *text,
                                 struct message *m)
{
    return remark(s, "UPDATE trial SET remark = nullif(?, '') WHERE trial_id = ?", trial_id, text,
                  m);
}

/* ---- deleting ---- */

/* What may belong to nobody once a sweep is gone: what its trials shared with others, and files
 * that they learnt from, which a computed column of `config` refers to and no foreign key can; a
 * configuration that only `deleted` still knows needs none.
 * SQLite looks for trials of each configuration that goes: without the index, in all of them. */
static void delete_orphans(struct scope *x, const char *doing)
{
    scope_script(x, doing, "CREATE INDEX headcount_deleting ON trial (config_id)");
    struct rows *r = tables_shared(x);
    while (scope_next(x, r))
        scope_run(x, doing, rows_given(r, 1), NO_VALUES);
    scope_run(x, doing, sql_delete_unlearnt, NO_VALUES);
    scope_script(x, doing, "DROP INDEX headcount_deleting");
}

enum status store_delete(struct store *s, int64_t sweep_id, struct message *m)
{
    static const char doing[] = "deleting a sweep";
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_change(x);
        scope_run(x, doing, sql_remember_deleted, VALUES(INTEGER(sweep_id)));
        /* and all that belongs to it (tables_of) */
        scope_run(x, doing, "DELETE FROM sweep WHERE sweep_id = ?", VALUES(INTEGER(sweep_id)));
        delete_orphans(x, doing);
    }
    return scope_commit(x);
}
