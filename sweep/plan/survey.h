/* What the files that trials learn from say. Each is read once, whole, for what is derived from it
 * (its SHA-256 among others), which is part of a trial's identity; a file that was read before and
 * looks as it did then is not read again. */
#ifndef SWEEP_PLAN_SURVEY_H
#define SWEEP_PLAN_SURVEY_H

#include "engine/base/arena.h"
#include "sweep/plan/point.h"

struct survey {
    char *path;    /* absolute */
    char *options; /* of the task, on which the rest depends, as point_survey_json writes them */
    char *facts;   /* what the task says of the file, a JSON object; holds every derived option but
                      size and sha256 */
    int64_t size;
    int64_t mtime_ns; /* file_mtime_ns, when it was read */
    int64_t read_ns;  /* the time at which reading began, likewise */
    char sha256[65];
};

struct survey_list {
    struct arena *arena;        /* which jumps where memory runs out */
    const struct survey *known; /* from earlier; none of files that may have been written after they
                                   were read */
    int known_count;
    struct survey *item; /* the list's, as all that it holds */
    int count;
};

/* Told before a file is read, which takes some seconds per GB. NULL: nobody listens. */
extern void (*survey_listener)(const char *path, int64_t size);

/* Fills the derived options of a point whose task learns from a file: from a survey that is listed
 * or known (and then listed), else from the file. BAD_INPUT (or IO, NO_MEMORY) names the file. */
enum status survey_point(struct survey_list *list, struct point *p, struct message *m);

/* What the facts say is odd about the file. False where they say nothing, or nothing that fits. */
bool survey_warning(const char *facts, char *warning, size_t size);

/* The absolute path of a file that is given relative to a folder (NULL: the working directory),
 * without `.` and empty parts. BAD_INPUT where it is longer than max bytes. */
enum status survey_path(const char *folder, const char *given, size_t max, char *path,
                        struct message *m);

#endif
