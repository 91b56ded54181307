/* Files of the user's own, from which trials learn (table data_file). What a file is its SHA-256
 * says, which is part of a trial's identity; paths, sizes and times only say where it was found,
 * and what need not be read again. */
#ifndef SWEEP_TRIALS_DATA_FILE_H
#define SWEEP_TRIALS_DATA_FILE_H

#include "sweep/trials/trials.h"

/* What plan_new need not read again: of each path and the options that it was read with, what was
 * read last. Left out are files that were written so shortly before they were read (2 s) that a
 * later change may have left their times as they are. *list is freed by store_surveys_free; NULL
 * where nothing is known. */
enum status store_surveys(struct store *s, struct survey **list, int *count, struct message *m);
void store_surveys_free(struct survey *list, int count);

/* BAD_INPUT where trials in the stored plan of p's sweep have learnt from another content of a file
 * that p names, and p has no trials upon that content any more. */
enum status store_data_changed(struct store *s, const struct plan *p, struct message *m);

struct data_place {
    char path[4096]; /* "": what learns from no file needs none */
};

/* Where the file of this SHA-256 lies: of the places where it was found the one that looks as it
 * did then, else one that has a file of its size, the newest first. "" has no place. BAD_INPUT
 * where none is left says where it was. */
enum status store_data_place(struct store *s, const char *sha256, struct data_place *place,
                             struct message *m);

/* The same for the file that trials of a configuration learn from. */
enum status store_config_data(struct store *s, const char *config_sha256, struct data_place *place,
                              struct message *m);

#endif
