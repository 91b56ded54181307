#include "sweep/trials/data_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/trials/trials_internal.h"

static const char DOING[] = "looking for files that trials learn from";

/* ---- what is known ---- */

void store_surveys_free(struct survey *list, int count)
{
    for (int i = 0; i < count; i++) {
        free(list[i].path);
        free(list[i].options);
        free(list[i].facts);
    }
    free(list);
}

/* The current row, as the list's next item. */
static void add_survey(struct scope *x, struct rows *r, struct survey **list, int *count)
{
    enum { PATH, OPTIONS, FACTS, SHA256, SIZE, MTIME_NS, READ_NS };
    struct survey *longer = array_grow(*list, (size_t)*count, sizeof *longer);
    if (longer) {
        struct survey *known = &longer[*count];
        *list = longer;
        *known = (struct survey){.path = text_copy(rows_given(r, PATH)),
                                 .options = text_copy(rows_given(r, OPTIONS)),
                                 .facts = text_copy(rows_given(r, FACTS)),
                                 .size = rows_integer(r, SIZE),
                                 .mtime_ns = rows_integer(r, MTIME_NS),
                                 .read_ns = rows_integer(r, READ_NS)};
        rows_copy(r, SHA256, known->sha256, sizeof known->sha256);
        ++*count;
        if (known->path && known->options && known->facts)
            return;
    }
    scope_leave(x, status_no_memory(x->message, "what is known of files"));
}

enum status store_surveys(struct store *s, struct survey **list, int *count, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *list = NULL;
    *count = 0;
    if (scope_enter(x)) {
        struct rows *r = scope_query(x, DOING, sql_surveys, NO_VALUES);
        while (scope_next(x, r))
            add_survey(x, r, list, count);
    }
    enum status status = scope_end(x);
    if (status != STATUS_OK) {
        store_surveys_free(*list, *count);
        *list = NULL;
        *count = 0;
    }
    return status;
}

void store_write_data(struct scope *x, const struct plan *p)
{
    int count;
    const struct survey *v = plan_surveys(p, &count);
    for (int i = 0; i < count; i++)
        scope_run(x, "recording the files that trials learn from", sql_write_survey,
                  VALUES(TEXT(v[i].path), TEXT(v[i].options), TEXT(v[i].facts), TEXT(v[i].sha256),
                         INTEGER(v[i].size), INTEGER(v[i].mtime_ns), INTEGER(v[i].read_ns)));
}

/* ---- what has changed ---- */

/* ["...","..."] */
static const char *list_contents(struct scope *x, const struct survey *v, int count)
{
    struct text_buffer b = scope_text(x);
    for (int i = 0; i < count; i++)
        text_add(&b, "%s\"%s\"", i ? "," : "[", v[i].sha256);
    text_add(&b, "]");
    return b.text;
}

static void refuse_changed(struct scope *x, const struct plan *p)
{
    const struct config *c = plan_config(p);
    int count;
    const struct survey *v = plan_surveys(p, &count);
    const char *now = list_contents(x, v, count);
    for (int i = 0; i < count; i++) {
        char shown[256];
        int64_t trials = scope_number(x, DOING, sql_data_changed,
                                      VALUES(TEXT(c->name), TEXT(v[i].path), TEXT(now)));
        if (trials > 0)
            scope_fail(
                x, STATUS_BAD_INPUT,
                "%s: %s changed since sweep \"%s\" was planned (%lld of its trials learnt from the "
                "old one): put the old one back, give the sweep another `name`, or use --replace "
                "to take the old trials out of the plan (their results stay)",
                c->path, text_shown(v[i].path, shown, sizeof shown), c->name, (long long)trials);
    }
}

enum status store_data_changed(struct store *s, const struct plan *p, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        refuse_changed(x, p);
    return scope_end(x);
}

/* ---- where a file lies ---- */

enum likeness { NOT_THERE, SAME_SIZE, AS_IT_WAS };

/* Columns of the query below. */
enum { PATH, SIZE, MTIME_NS, READ_NS };

static enum likeness look_at(struct rows *r)
{
    struct stat st;
    if (stat(rows_given(r, PATH), &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size != rows_integer(r, SIZE))
        return NOT_THERE;
    int64_t mtime_ns = file_mtime_ns(&st);
    bool same =
        mtime_ns == rows_integer(r, MTIME_NS) && file_ctime_ns(&st) < rows_integer(r, READ_NS);
    return same ? AS_IT_WAS : SAME_SIZE;
}

static _Noreturn void refuse_place(struct scope *x, const char *last, const char *sha256)
{
    char shown[256];
    if (!*last)
        scope_fail(x, STATUS_BAD_INPUT,
                   "trials learnt from the file with SHA-256 %.64s, but the results file "
                   "does not say where it is; run the sweep again, which records it",
                   sha256);
    bool there = access(last, F_OK) == 0;
    scope_fail(x, STATUS_BAD_INPUT,
               "%s %s: put the old file back, or run the sweep again with its new path "
               "(--set task.file=PATH)",
               text_shown(last, shown, sizeof shown),
               there ? "changed since trials learnt from it"
                     : "is missing, but trials learnt from it");
}

static void find_place(struct scope *x, const char *sha256, struct data_place *place)
{
    char last[sizeof place->path] = "";
    enum likeness best = NOT_THERE;
    if (!*sha256)
        return;
    struct rows *r = scope_query(x, DOING,
                                 "SELECT path, size, mtime_ns, read_ns FROM data_file"
                                 " WHERE sha256 = ? ORDER BY read_ns DESC, path",
                                 VALUES(TEXT(sha256)));
    while (best < AS_IT_WAS && scope_next(x, r)) {
        enum likeness like = look_at(r);
        if (!*last)
            rows_copy(r, PATH, last, sizeof last);
        if (like > best) {
            best = like;
            rows_copy(r, PATH, place->path, sizeof place->path);
        }
    }
    scope_close(x, r);
    if (best == NOT_THERE)
        refuse_place(x, last, sha256);
}

enum status store_data_place(struct store *s, const char *sha256, struct data_place *place,
                             struct message *m)
{
    struct scope *x = scope_of(s, m);
    *place = (struct data_place){{0}};
    if (scope_enter(x))
        find_place(x, sha256, place);
    return scope_end(x);
}

enum status store_config_data(struct store *s, const char *config_sha256, struct data_place *place,
                              struct message *m)
{
    struct scope *x = scope_of(s, m);
    *place = (struct data_place){{0}};
    if (scope_enter(x)) {
        const char *sha256 =
            scope_string(x, DOING, "SELECT data_sha256 FROM config WHERE config_sha256 = ?",
                         VALUES(TEXT(config_sha256)));
        find_place(x, sha256 ? sha256 : "", place);
    }
    return scope_end(x);
}
