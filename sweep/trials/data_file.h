/* Files of the user's own, from which trials learn (table data_file). What a file is its SHA-256
 * says, which is part of a trial's identity; paths, sizes and times only say where it was found.
 *
 * When a sweep is planned, each is copied to `<db>.d/data-{SHA-256}`, which nobody changes. Trials
 * and studies read the copy, whatever becomes of the file meanwhile; they read the file itself only
 * where there is no copy (run --no-copy; results files of earlier versions). */
#ifndef SWEEP_TRIALS_DATA_FILE_H
#define SWEEP_TRIALS_DATA_FILE_H

#include <limits.h>

#include "sweep/trials/trials.h"

/* BAD_INPUT where trials in the stored plan of p's sweep have learnt from another content of a file
 * that p names, and p has no trials upon that content any more. */
enum status store_data_changed(struct store *s, const struct plan *p, struct message *m);

/* Makes the copies that are not there yet; before the plan is stored. Several processes may make
 * the same at once. BAD_INPUT as store_refuse_plan, and where a file changed meanwhile; DISK_FULL
 * says what is missing. What was copied before a failure stays, for the next plan or for `gc`. */
enum status store_copy_data(struct store *s, const struct plan *p, bool replace, struct message *m);

/* The SHA-256 in the name of a copy; NULL of any other name. */
const char *data_copy_sha256(const char *name);

/* Where the copy of a file belongs; "" where that is no SHA-256. */
enum { DATA_PATH_MAX = PATH_MAX + 80 };
void data_copy_path(const char *folder, const char *sha256, char path[DATA_PATH_MAX]);

/* Whether any trial learns from that file. */
struct scope;
bool store_data_is_needed(struct scope *x, const char *sha256);

/* What a file is on this machine by its inode, size and times; "" where there is none. */
enum { DATA_STAMP_SIZE = 120 };
void data_stamp(const char *path, char stamp[DATA_STAMP_SIZE]);

/* Where trials of a configuration find what they learn from. */
struct data_place {
    char path[4096];            /* absolute; "": what learns from no file needs none */
    char name[1025];            /* the user's file, whose name says how rows are separated */
    bool copied;                /* path is a copy; else it is the user's file, which may change */
    char good[DATA_STAMP_SIZE]; /* of a copy whose bytes were right on that machine; "": none */
};

/* BAD_INPUT where there is neither a copy nor, at any place where it was found, a file of its size
 * says where it was. */
enum status store_config_data(struct store *s, const char *config_sha256, struct data_place *place,
                              struct message *m);

#endif
