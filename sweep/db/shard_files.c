#include "sweep/db/shard_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/plan/plan.h"

static const char ENDING[] = ".db";

size_t shard_file_stem(const char *db)
{
    size_t length = strlen(db), ending = sizeof ENDING - 1;
    return length > ending && strcmp(db + length - ending, ENDING) == 0 ? length - ending : length;
}

char *shard_file_name(struct arena *a, const char *db, long number, long of)
{
    size_t stem = shard_file_stem(db), size = strlen(db) + 60;
    char *name = arena_alloc(a, 1, size);
    snprintf(name, size, "%.*s-%ld-of-%ld%s", (int)stem, db, number, of, db + stem);
    return name;
}

/* A number as shard_file_name writes it; where it ends, or NULL. */
static const char *take_number(const char *at, long *number)
{
    if (*at < '1' || *at > '9')
        return NULL;
    for (*number = 0; *at >= '0' && *at <= '9'; at++) {
        *number = *number * 10 + (*at - '0');
        if (*number > PLAN_SHARDS_MAX)
            return NULL;
    }
    return at;
}

/* Whether a file's name is that of a shard; stem: the results file's own, without its folder. */
static bool is_shard(const char *name, const char *stem, size_t length, const char *ending,
                     struct shard_file *shard)
{
    if (strncmp(name, stem, length) != 0 || name[length] != '-')
        return false;
    const char *at = take_number(name + length + 1, &shard->number);
    if (!at || strncmp(at, "-of-", 4) != 0)
        return false;
    at = take_number(at + 4, &shard->of);
    return at && strcmp(at, ending) == 0 && shard->number <= shard->of;
}

static void add_file(struct arena *a, struct shard_files *files, const char *db,
                     struct shard_file shard)
{
    struct stat st;
    char *path = shard_file_name(a, db, shard.number, shard.of);
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    shard.path = path;
    files->item = arena_grow(a, files->item, (size_t)files->count, sizeof shard);
    files->item[files->count++] = shard;
}

static void close_folder(void *folder)
{
    closedir(folder);
}

static int by_number(const void *a, const void *b)
{
    const struct shard_file *x = a, *y = b;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

enum status shard_files_find(struct arena *a, const char *db, struct shard_files *files,
                             struct message *m)
{
    const char *slash = strrchr(db, '/'), *name = slash ? slash + 1 : db;
    size_t before = (size_t)(name - db), stem = shard_file_stem(db);
    const char *path = slash ? arena_text(a, db, before) : ".";
    const struct dirent *entry;
    *files = (struct shard_files){0};
    DIR *folder = opendir(path);
    if (folder)
        arena_on_free(a, close_folder, folder);
    else if (errno != ENOENT && errno != ENOTDIR)
        return status_fail(m, status_of_errno(errno), "%s: cannot read: %s", path, strerror(errno));
    for (errno = 0; folder && (entry = readdir(folder)); errno = 0) {
        struct shard_file shard;
        if (is_shard(entry->d_name, name, stem - before, db + stem, &shard))
            add_file(a, files, db, shard);
    }
    if (folder && errno)
        return status_fail(m, STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
    if (files->count > 1)
        qsort(files->item, (size_t)files->count, sizeof *files->item, by_number);
    return STATUS_OK;
}
