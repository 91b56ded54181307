#include "sweep/serve/watched.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/file.h"

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

static bool same(const struct watched_sign *a, const struct watched_sign *b)
{
    for (int i = 0; i < 2; i++)
        if (a->part[i].device != b->part[i].device || a->part[i].inode != b->part[i].inode ||
            a->part[i].size != b->part[i].size || a->part[i].mtime_ns != b->part[i].mtime_ns)
            return false;
    return a->there == b->there;
}

void watched_notify(struct watched *w, enum watched_kind kind)
{
    w->news[kind]++;
    w->serial++;
}

bool watched_saw(struct watched *w, const struct watched_sign *sign, double now_s)
{
    static const double settle_s[] = {.5, 5};
    bool changed = w->looked_s == 0 || !same(&w->sign, sign);
    w->looked_s = now_s;
    if (changed) {
        char gone[MESSAGE_SIZE] = "";
        w->sign = *sign;
        w->changed_s = now_s;
        w->settled = 0;
        if (!sign->there)
            snprintf(gone, sizeof gone, "%s is not there", w->name);
        watched_read(w, gone);
    } else if (w->settled < 2 && now_s - w->changed_s >= settle_s[w->settled]) {
        w->settled++;
        changed = true;
    }
    for (int i = 0; i < WATCHED_KINDS; i++) {
        w->snapshot[i].stale |= changed;
        if (snapshot_advance(&w->snapshot[i], now_s))
            watched_notify(w, (enum watched_kind)i);
    }
    return changed;
}

void watched_read(struct watched *w, const char *error)
{
    if (strcmp(w->error, error) == 0)
        return;
    snprintf(w->error, sizeof w->error, "%s", error);
    w->serial++;
}

bool snapshot_advance(struct snapshot *n, double now_s)
{
    if (!n->stale || n->computing || now_s < n->due_s)
        return false;
    n->number++;
    n->stale = false;
    return true;
}

void snapshot_spend(struct snapshot *n, double cpu_s, bool again, double now_s)
{
    double cooldown_s = SNAPSHOT_COOLDOWN * cpu_s, ahead_s = SNAPSHOT_COOLDOWN * SNAPSHOT_AHEAD_S;
    double share_s = fmax(n->share_s, now_s - ahead_s) + cooldown_s;
    n->share_s = again ? share_s : fmin(share_s, fmax(n->share_s, now_s + ahead_s));
    n->due_s = fmax(n->due_s, fmax(n->share_s, now_s + cooldown_s));
}

void snapshot_retry(struct snapshot *n, double now_s)
{
    n->stale = true;
    n->due_s = fmax(n->due_s, now_s + 1);
}
