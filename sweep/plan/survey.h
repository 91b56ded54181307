/* What the files that trials learn from say. A plan reads each whole, once for the options that it
 * is read with, for what is derived from it (its SHA-256 among others), which is part of a trial's
 * identity. */
#ifndef SWEEP_PLAN_SURVEY_H
#define SWEEP_PLAN_SURVEY_H

#include "engine/base/arena.h"
#include "sweep/plan/point.h"

struct survey {
    const struct task *task;
    const unsigned char *given, *whole; /* its options, of instance 0: as they were given, and with
                                           what is derived from the file */
    const char *path;                   /* absolute */
    const char *options; /* on which the rest depends, as point_survey_json writes them */
    const char *facts;   /* what the task says of the file, a JSON object */
    const char *sha256;
    int64_t size;
    int64_t mtime_ns; /* file_mtime_ns, when it was read */
    int64_t read_ns;  /* the time at which reading began, likewise */
};

/* Those of a plan: its own, and those of an earlier plan of the same command, which must outlive
 * it. What it uses of these becomes its own. */
struct survey_list {
    struct arena *arena; /* which jumps where memory runs out */
    const struct survey *known;
    int known_count;
    struct survey *item;
    int count;
};

/* Told before a file is read, which takes some seconds per GB. NULL: nobody listens. */
extern void (*survey_listener)(const char *path, int64_t size);

/* The survey of the file that the point's task learns from, by its options with or without those
 * that are derived; NULL where the list has none. Instances divide the same file. */
const struct survey *survey_find(const struct survey_list *list, const struct point *p);

/* Fills the derived options from that survey. False where there is none. */
bool survey_fill(const struct survey_list *list, struct point *p);

/* Adds the survey of the point's file to the list, which has none: one that is known, else the file
 * is read. BAD_INPUT (or IO, NO_MEMORY) names the file. */
enum status survey_add(struct survey_list *list, const struct point *p, struct message *m);

/* What the facts say is odd about the file. False where they say nothing, or nothing that fits. */
bool survey_warning(const char *facts, char *warning, size_t size);

/* The absolute path of a file that is given relative to a folder (NULL: the working directory),
 * without `.` and empty parts. BAD_INPUT where it is longer than max bytes. */
enum status survey_path(const char *folder, const char *given, size_t max, char *path,
                        struct message *m);

#endif
