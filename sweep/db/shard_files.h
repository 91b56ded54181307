/* The results files of shards (`run --shard K/N`) as jobs of Slurm name them: beside the file that
 * they are merged into, `results/x-2-of-8.db` for `results/x.db`. */
#ifndef SWEEP_DB_SHARD_FILES_H
#define SWEEP_DB_SHARD_FILES_H

#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"

/* How many bytes of a results file's name stand before its ending ".db"; all, where it has none. */
size_t shard_file_stem(const char *db);

/* The name of a shard's file. */
char *shard_file_name(struct arena *a, const char *db, long number, long of);

struct shard_file {
    char *path;      /* in the folder of the results file, as that was given */
    long number, of; /* 1 <= number <= of <= PLAN_SHARDS_MAX */
};

struct shard_files {
    struct shard_file *item; /* (count), by `of`, then by number */
    int count;
};

/* Lists those that lie beside a results file, which need not be there itself: of whatever number of
 * shards; plain files and links to such. None where there is no folder. IO where it cannot be read.
 */
enum status shard_files_find(struct arena *a, const char *db, struct shard_files *files,
                             struct message *m);

#endif
