#include "sweep/trials/data_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/trials/store_plan.h"

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
static enum status add_survey(struct rows *r, struct survey **list, int *count)
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
            return r->status;
    }
    return status_fail(r->message, STATUS_NO_MEMORY, "no memory for what is known of %d files",
                       *count + 1);
}

enum status store_surveys(struct store *s, struct survey **list, int *count, struct message *m)
{
    *list = NULL;
    *count = 0;
    struct rows r = store_rows(s, DOING,
                               "SELECT path, options, facts, sha256, size, mtime_ns, read_ns"
                               " FROM data_file AS d WHERE read_ns - mtime_ns >= 2000000000"
                               " AND read_ns = (SELECT max(read_ns) FROM data_file AS n"
                               "  WHERE n.path = d.path AND n.options = d.options)",
                               NO_VALUES, m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = add_survey(&r, list, count);
    status = rows_close_after(&r, status);
    if (status != STATUS_OK) {
        store_surveys_free(*list, *count);
        *list = NULL;
        *count = 0;
    }
    return status;
}

enum status plan_write_data(struct planning *g)
{
    int count;
    const struct survey *v = plan_surveys(g->p, &count);
    struct rows write = store_rows(
        g->s, "recording the files that trials learn from",
        "INSERT INTO data_file (path, options, facts, sha256, size, mtime_ns, read_ns)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET facts = excluded.facts,"
        " size = excluded.size, mtime_ns = excluded.mtime_ns, read_ns = excluded.read_ns",
        NO_VALUES, g->m);
    for (int i = 0; write.status == STATUS_OK && i < count; i++)
        store_repeat(&write, VALUES(TEXT(v[i].path), TEXT(v[i].options), TEXT(v[i].facts),
                                    TEXT(v[i].sha256), INTEGER(v[i].size), INTEGER(v[i].mtime_ns),
                                    INTEGER(v[i].read_ns)));
    return rows_close(&write);
}

/* ---- what has changed ---- */

/* ?1 sweep, ?2 path, ?3 what the plan learns from now: trials that learnt from what lay there. */
static const char CHANGED[] =
    "SELECT count(*) FROM sweep JOIN trial USING (sweep_id) JOIN config USING (config_id)"
    " WHERE name = ?1 AND in_plan = 1 AND attempt > 0"
    " AND data_sha256 IN (SELECT sha256 FROM data_file WHERE path = ?2)"
    " AND data_sha256 NOT IN (SELECT value FROM json_each(?3))";

/* ["...","..."] */
static enum status list_contents(const struct survey *v, int count, struct text_buffer *b,
                                 struct message *m)
{
    for (int i = 0; i < count; i++)
        text_add(b, "%s\"%s\"", i ? "," : "[", v[i].sha256);
    text_add(b, "]");
    return b->out_of_memory ? status_fail(m, STATUS_NO_MEMORY, "no memory for %d files", count)
                            : STATUS_OK;
}

enum status store_data_changed(struct store *s, const struct plan *p, struct message *m)
{
    const struct config *c = plan_config(p);
    struct text_buffer now = {0};
    int count;
    const struct survey *v = plan_surveys(p, &count);
    enum status status = count ? list_contents(v, count, &now, m) : STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        char shown[256];
        int64_t trials = 0;
        status =
            store_integer(s, DOING, CHANGED, VALUES(TEXT(c->name), TEXT(v[i].path), TEXT(now.text)),
                          0, &trials, m);
        if (status == STATUS_OK && trials > 0)
            status = status_fail(
                m, STATUS_BAD_INPUT,
                "%s: %s changed since sweep \"%s\" was planned (%lld of its trials learnt from the "
                "old one): put the old one back, give the sweep another `name`, or use --replace "
                "to take the old trials out of the plan (their results stay)",
                c->path, text_shown(v[i].path, shown, sizeof shown), c->name, (long long)trials);
    }
    free(now.text);
    return status;
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

static enum status refuse_place(const char *last, const char *sha256, struct message *m)
{
    char shown[256];
    if (!*last)
        return status_fail(m, STATUS_BAD_INPUT,
                           "trials learnt from the file with SHA-256 %.64s, but the results file "
                           "does not say where it is; run the sweep again, which records it",
                           sha256);
    bool there = access(last, F_OK) == 0;
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s %s: put the old file back, or run the sweep again with its new path "
                       "(--set task.file=PATH)",
                       text_shown(last, shown, sizeof shown),
                       there ? "changed since trials learnt from it"
                             : "is missing, but trials learnt from it");
}

enum status store_data_place(struct store *s, const char *sha256, struct data_place *place,
                             struct message *m)
{
    char last[sizeof place->path] = "";
    enum likeness best = NOT_THERE;
    *place = (struct data_place){{0}};
    if (!*sha256)
        return STATUS_OK;
    struct rows r =
        store_rows(s, DOING,
                   "SELECT path, size, mtime_ns, read_ns FROM data_file WHERE sha256 = ?"
                   " ORDER BY read_ns DESC, path",
                   VALUES(TEXT(sha256)), m);
    while (best < AS_IT_WAS && rows_next(&r)) {
        enum likeness like = look_at(&r);
        if (!*last)
            rows_copy(&r, PATH, last, sizeof last);
        if (like > best) {
            best = like;
            rows_copy(&r, PATH, place->path, sizeof place->path);
        }
    }
    enum status status = rows_close(&r);
    return status == STATUS_OK && best == NOT_THERE ? refuse_place(last, sha256, m) : status;
}

enum status store_config_data(struct store *s, const char *config_sha256, struct data_place *place,
                              struct message *m)
{
    char sha256[65] = "";
    struct rows r = store_rows(s, DOING, "SELECT data_sha256 FROM config WHERE config_sha256 = ?",
                               VALUES(TEXT(config_sha256)), m);
    if (rows_next(&r))
        rows_copy(&r, 0, sha256, sizeof sha256);
    enum status status = rows_close(&r);
    return status == STATUS_OK ? store_data_place(s, sha256, place, m) : status;
}
