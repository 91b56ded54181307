#include "sweep/db/shard_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/array.h"
#include "sweep/plan/plan.h"

static const char ENDING[] = ".db";

size_t shard_file_stem(const char *db)
{
    size_t length = strlen(db), ending = sizeof ENDING - 1;
    return length > ending && strcmp(db + length - ending, ENDING) == 0 ? length - ending : length;
}

char *shard_file_name(const char *db, long number, long of)
{
    char *name;
    size_t stem = shard_file_stem(db);
    return asprintf(&name, "%.*s-%ld-of-%ld%s", (int)stem, db, number, of, db + stem) < 0 ? NULL
                                                                                          : name;
}

void shard_files_free(struct shard_files *files)
{
    for (int i = 0; i < files->count; i++)
        free(files->item[i].path);
    free(files->item);
    *files = (struct shard_files){0};
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

static enum status add_file(struct shard_files *files, const char *db, struct shard_file shard,
                            struct message *m)
{
    struct stat st;
    struct shard_file *longer = array_grow(files->item, (size_t)files->count, sizeof *longer);
    if (longer) {
        files->item = longer;
        shard.path = shard_file_name(db, shard.number, shard.of);
    }
    if (!longer || !shard.path)
        return status_no_memory(m, "the names of results files");
    if (stat(shard.path, &st) == 0 && S_ISREG(st.st_mode))
        longer[files->count++] = shard;
    else
        free(shard.path);
    return STATUS_OK;
}

static enum status read_folder(struct shard_files *files, DIR *folder, const char *db,
                               const char *path, struct message *m)
{
    const char *slash = strrchr(db, '/'), *name = slash ? slash + 1 : db;
    size_t before = (size_t)(name - db), stem = shard_file_stem(db);
    enum status status = STATUS_OK;
    const struct dirent *entry;
    for (errno = 0; status == STATUS_OK && (entry = readdir(folder)); errno = 0) {
        struct shard_file shard;
        if (is_shard(entry->d_name, name, stem - before, db + stem, &shard))
            status = add_file(files, db, shard, m);
    }
    return status == STATUS_OK && errno
               ? status_fail(m, STATUS_IO, "%s: cannot read: %s", path, strerror(errno))
               : status;
}

static int by_number(const void *a, const void *b)
{
    const struct shard_file *x = a, *y = b;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

enum status shard_files_find(const char *db, struct shard_files *files, struct message *m)
{
    const char *slash = strrchr(db, '/');
    char *path = slash ? strndup(db, (size_t)(slash - db) + 1) : strdup(".");
    enum status status = STATUS_OK;
    *files = (struct shard_files){0};
    if (!path)
        return status_no_memory(m, "the name of a folder");
    DIR *folder = opendir(path);
    if (folder) {
        status = read_folder(files, folder, db, path, m);
        closedir(folder);
    } else if (errno != ENOENT && errno != ENOTDIR) {
        status =
            status_fail(m, status_of_errno(errno), "%s: cannot read: %s", path, strerror(errno));
    }
    free(path);
    if (files->count > 1)
        qsort(files->item, (size_t)files->count, sizeof *files->item, by_number);
    return status;
}
