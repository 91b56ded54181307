#include "sweep/trials/data_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/trials/trials_internal.h"

static const char DOING[] = "looking for files that trials learn from";

void store_write_data(struct scope *x, const struct plan *p)
{
    int count;
    const struct survey *v = plan_surveys(p, &count);
    for (int i = 0; i < count; i++)
        scope_run(x, "recording the files that trials learn from", sql_write_survey,
                  VALUES(TEXT(v[i].path), TEXT(v[i].options), TEXT(v[i].facts), TEXT(v[i].sha256),
                         INTEGER(v[i].size), INTEGER(v[i].mtime_ns), INTEGER(v[i].read_ns)));
}

/* ---- copies ---- */

static const char copy_front[] = "data-";

static bool is_sha256(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

const char *data_copy_sha256(const char *name)
{
    const size_t front = sizeof copy_front - 1;
    bool is_copy = strncmp(name, copy_front, front) == 0 && is_sha256(name + front);
    return is_copy ? name + front : NULL;
}

void data_copy_path(const char *folder, const char *sha256, char path[DATA_PATH_MAX])
{
    path[0] = '\0';
    if (is_sha256(sha256)) /* a results file may say anything */
        snprintf(path, DATA_PATH_MAX, "%s/%s%s", folder, copy_front, sha256);
}

/* Whole, as it got its name only then; whether its bytes are still those, trials look. */
static bool is_copied(const char *copy, int64_t size)
{
    struct stat st;
    return lstat(copy, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == size;
}

static _Noreturn void refuse_full(struct scope *x, const struct survey *v)
{
    char shown[256], size[32];
    struct statvfs fs;
    const char *folder = x->store->folder;
    double needed = (double)v->size;
    if (statvfs(folder, &fs) == 0 && (double)fs.f_bavail * (double)fs.f_frsize < needed)
        needed -= (double)fs.f_bavail * (double)fs.f_frsize; /* else a quota, or it was freed */
    scope_fail(x, STATUS_DISK_FULL,
               "%s: no room for a copy of %s: %sB are missing; make room, or use `headcount run "
               "--no-copy`, which reads the file where it is",
               folder, text_shown(v->path, shown, sizeof shown),
               text_quantity(needed, size, sizeof size));
}

/* For as many eyes as the file, and for nobody to change. */
static void copy_file(struct scope *x, const struct survey *v, const char *copy)
{
    int fd;
    size_t size;
    struct stat st;
    scope_check(x, file_open(v->path, &fd, &size, x->message));
    mode_t mode = fstat(fd, &st) == 0 ? st.st_mode & 0444 : 0400;
    file_remove_unfinished(copy);
    enum status s = file_copy(fd, v->path, (size_t)v->size, copy, mode, v->sha256, x->message);
    close(fd);
    if (s == STATUS_DISK_FULL)
        refuse_full(x, v);
    if (s == STATUS_CORRUPT)
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s has changed since it was read, so nothing was planned; run again when it is "
                   "complete",
                   v->path);
    scope_check(x, s);
}

enum status store_copy_data(struct store *s, const struct plan *p, bool replace, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        int count;
        const struct survey *v = plan_surveys(p, &count);
        for (int i = 0; i < count; i++) {
            char copy[DATA_PATH_MAX];
            data_copy_path(s->folder, v[i].sha256, copy);
            if (is_copied(copy, v[i].size))
                continue;
            scope_check(x, store_refuse_plan(s, p, replace, m)); /* which needs no copy */
            copy_file(x, &v[i], copy);
        }
    }
    return scope_end(x);
}

bool store_data_is_needed(struct scope *x, const char *sha256)
{
    return scope_number(
               x, DOING,
               "SELECT count(*) FROM config JOIN trial USING (config_id) WHERE data_sha256 = ?",
               VALUES(TEXT(sha256))) > 0;
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
    enum { TRIALS, SHA256, SIZE };
    const struct config *c = plan_config(p);
    int count;
    const struct survey *v = plan_surveys(p, &count);
    const char *now = list_contents(x, v, count);
    struct rows *r = scope_query(x, DOING, sql_data_changed, NO_VALUES);
    for (int i = 0; i < count; i++) {
        char shown[256], copy[DATA_PATH_MAX];
        if (!scope_find(x, r, VALUES(TEXT(c->name), TEXT(v[i].path), TEXT(now))) ||
            rows_integer(r, TRIALS) == 0)
            continue;
        data_copy_path(x->store->folder, rows_given(r, SHA256), copy);
        bool copied = is_copied(copy, rows_integer(r, SIZE));
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: %s changed since sweep \"%s\" was planned (%lld of its trials learnt from "
                   "the old one%s%s): put the old one back, give the sweep another `name`, or use "
                   "--replace to take the old trials out of the plan (their results stay)",
                   c->path, text_shown(v[i].path, shown, sizeof shown), c->name,
                   (long long)rows_integer(r, TRIALS), copied ? ", of which there is a copy: " : "",
                   copied ? copy : "");
    }
    scope_close(x, r);
}

enum status store_data_changed(struct store *s, const struct plan *p, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        refuse_changed(x, p);
    return scope_end(x);
}

/* ---- where a file lies ---- */

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

void data_stamp(const char *path, char stamp[DATA_STAMP_SIZE])
{
    struct stat st;
    stamp[0] = '\0';
    if (stat(path, &st) == 0)
        snprintf(stamp, DATA_STAMP_SIZE, "%ju %ju %jd %" PRId64 " %" PRId64, (uintmax_t)st.st_dev,
                 (uintmax_t)st.st_ino, (intmax_t)st.st_size, file_mtime_ns(&st),
                 file_ctime_ns(&st));
}

/* Without a copy, the file of that size that was found last. */
static void find_place(struct scope *x, const char *sha256, struct data_place *place)
{
    enum { PATH, SIZE };
    char copy[DATA_PATH_MAX], last[sizeof place->name] = "";
    struct stat st;
    if (!*sha256)
        return;
    data_copy_path(x->store->folder, sha256, copy);
    place->copied = realpath(copy, place->path);
    bool found = false;
    struct rows *r = scope_query(x, DOING,
                                 "SELECT path, size FROM data_file"
                                 " WHERE sha256 = ? ORDER BY read_ns DESC, path",
                                 VALUES(TEXT(sha256)));
    while (!found && scope_next(x, r)) {
        rows_copy(r, PATH, place->name, sizeof place->name);
        if (!*last)
            memcpy(last, place->name, sizeof last);
        found = place->copied || (stat(place->name, &st) == 0 && S_ISREG(st.st_mode) &&
                                  st.st_size == rows_integer(r, SIZE));
    }
    scope_close(x, r);
    if (!found)
        refuse_place(x, last, sha256);
    if (!place->copied)
        memcpy(place->path, place->name, sizeof place->name);
}

enum status store_config_data(struct store *s, const char *config_sha256, struct data_place *place,
                              struct message *m)
{
    struct scope *x = scope_of(s, m);
    *place = (struct data_place){.copied = false};
    if (scope_enter(x)) {
        const char *sha256 =
            scope_string(x, DOING, "SELECT data_sha256 FROM config WHERE config_sha256 = ?",
                         VALUES(TEXT(config_sha256)));
        find_place(x, sha256 ? sha256 : "", place);
    }
    return scope_end(x);
}
