#include "sweep/serve/watched.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/file.h"
#include "sweep/db/lock.h"

struct watched_sign watched_look(const char *path)
{
    static const char *const suffix[] = {"", "-wal"};
    struct watched_sign sign = {0};
    for (int i = 0; i < 2; i++) {
        char name[4096 + 8];
        struct stat st;
        int n = snprintf(name, sizeof name, "%s%s", path, suffix[i]);
        if ((size_t)n >= sizeof name || stat(name, &st) != 0 || (i == 1 && st.st_size == 0))
            continue;
        sign.there |= i == 0;
        sign.part[i].device = st.st_dev;
        sign.part[i].inode = st.st_ino;
        sign.part[i].size = st.st_size;
        sign.part[i].mtime_ns = file_mtime_ns(&st);
    }
    return sign;
}

bool watched_active(const char *path)
{
    return lock_is_taken(path);
}

static bool same(const struct watched_sign *a, const struct watched_sign *b)
{
    for (int i = 0; i < 2; i++)
        if (a->part[i].device != b->part[i].device || a->part[i].inode != b->part[i].inode ||
            a->part[i].size != b->part[i].size || a->part[i].mtime_ns != b->part[i].mtime_ns)
            return false;
    return a->there == b->there;
}

static void tell(struct watched *w, enum watched_news news)
{
    w->news[news]++;
    w->owed_s[news] = 0;
    w->serial++;
}

static void change(struct watched *w, double now_s)
{
    w->state++;
    tell(w, WATCHED_VERSION);
    watched_owe(w, WATCHED_SUMMARY, now_s > w->slow_due_s ? now_s : w->slow_due_s);
}

void watched_saw(struct watched *w, const struct watched_sign *sign, double now_s)
{
    static const double settle_s[] = {.5, 5};
    bool first = w->looked_s == 0;
    w->looked_s = now_s;
    if (first || !same(&w->sign, sign)) {
        char gone[MESSAGE_SIZE] = "";
        w->sign = *sign;
        w->changed_s = now_s;
        w->settled = 0;
        if (!sign->there)
            snprintf(gone, sizeof gone, "%s is not there", w->name);
        watched_read(w, gone);
        change(w, now_s);
    } else if (w->settled < 2 && now_s - w->changed_s >= settle_s[w->settled]) {
        w->settled++;
        change(w, now_s);
    }
    for (int i = 0; i < WATCHED_NEWS; i++)
        if (w->owed_s[i] > 0 && now_s >= w->owed_s[i])
            tell(w, (enum watched_news)i);
}

void watched_owe(struct watched *w, enum watched_news news, double due_s)
{
    if (w->owed_s[news] == 0 || due_s < w->owed_s[news])
        w->owed_s[news] = due_s;
}

void watched_hurry(struct watched *w, double now_s)
{
    w->slow_due_s = 0;
    for (int i = 0; i < WATCHED_NEWS; i++)
        w->owed_s[i] = w->owed_s[i] > 0 ? now_s : 0;
}

void watched_read(struct watched *w, const char *error)
{
    if (strcmp(w->error, error) == 0)
        return;
    snprintf(w->error, sizeof w->error, "%s", error);
    w->serial++;
}
