#include "sweep/store/data_file.h"

#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/store/store_internal.h"

static const char DOING[] = "looking for a file that trials learn from";

/* ---- where a file lies ---- */

enum likeness { NOT_THERE, SAME_SIZE, AS_IT_WAS };

static enum likeness look_at(const char *path, int64_t size, int64_t mtime_ns)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size != size)
        return NOT_THERE;
    return file_mtime_ns(&st) == mtime_ns ? AS_IT_WAS : SAME_SIZE;
}

/* Columns of the query below. */
enum { PATH, SIZE, MTIME_NS };

static enum status refuse_place(const char *last, const char *sha256, struct message *m)
{
    char shown[256];
    if (!*last)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "nothing is known of the file with SHA-256 %.64s that trials learnt from; "
            "`headcount run` with the sweep's file finds it",
            sha256);
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s is not there any more as trials learnt from it: put it back, or run the "
                       "sweep again with --set task.file= and where it is now",
                       text_shown(last, shown, sizeof shown));
}

enum status store_data_place(struct store *s, const char *sha256, struct data_place *place,
                             struct message *m)
{
    char last[sizeof place->path] = "";
    enum likeness best = NOT_THERE;
    *place = (struct data_place){{0}, 0};
    if (!*sha256)
        return STATUS_OK;
    struct rows r = store_rows(s, DOING,
                               "SELECT path, size, mtime_ns FROM data_file WHERE sha256 = ?"
                               " ORDER BY read_ns DESC, path",
                               VALUES(TEXT(sha256)), m);
    while (best < AS_IT_WAS && rows_next(&r)) {
        const char *path = rows_given(&r, PATH);
        int64_t mtime_ns = rows_integer(&r, MTIME_NS);
        enum likeness like = look_at(path, rows_integer(&r, SIZE), mtime_ns);
        if (!*last)
            rows_copy(&r, PATH, last, sizeof last);
        if (like > best) {
            best = like;
            rows_copy(&r, PATH, place->path, sizeof place->path);
            place->mtime_ns = mtime_ns;
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
