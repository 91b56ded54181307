#include "sweep/run/take_over.h"

#include "sweep/db/lock.h"
#include "sweep/run/merge_files.h"

/* Files first, and then the rows that name them. */
static enum status take_opened(struct store *s, int64_t sweep_id, struct store *from,
                               struct merge_files *files, struct taken *taken, struct message *m)
{
    struct merge_counts counts;
    enum status status = store_begin(s, m);
    if (status != STATUS_OK)
        return status;
    bool at_rest = !lock_is_taken(store_path(from));
    status = store_take_over(s, sweep_id, from, at_rest, merge_files_note, files, &counts, m);
    if (status == STATUS_OK)
        status = merge_files_bring(files, m);
    if (status == STATUS_OK) {
        taken->trials = counts.taken;
        taken->results = counts.results;
        return store_commit(s, m); /* the files stay: what failed may have been committed */
    }
    store_rollback(s);
    merge_files_drop(files);
    return status;
}

enum status take_over(struct store *s, int64_t sweep_id, const char *path, struct taken *taken,
                      struct message *m)
{
    struct store *from;
    *taken = (struct taken){0};
    taken->itself = merge_is_target(path, store_path(s));
    if (taken->itself)
        return STATUS_OK;
    enum status status = merge_open(path, &from, m);
    if (status != STATUS_OK || !from)
        return status;
    struct merge_files *files = merge_files_new(s, true);
    status = files ? take_opened(s, sweep_id, from, files, taken, m)
                   : status_no_memory(m, "a list of files");
    merge_files_free(files);
    store_close(from, NULL);
    return status;
}
