/* Values beyond those that a sweep file lists (tune.extend), and the points that have them: found
 * while a sweep runs, from what its results file has of it. */
#ifndef SWEEP_PLAN_EXTENSION_H
#define SWEEP_PLAN_EXTENSION_H

#include "sweep/plan/config.h"

/* A sweep file, for the questions below. */
struct extension;

/* Reads the sweep file of a sweep again: its text, and the --set arguments that were given with it.
 * BAD_INPUT where this program refuses it. */
enum status extension_new(const char *name, const char *text, const char *const *sets,
                          int set_count, struct extension **e, struct message *m);
void extension_free(struct extension *e); /* NULL is allowed */

/* The number as far beyond `outermost` as that is from `neighbour`, by their ratio and as %.2g
 * prints it. 0: rounding leaves none beyond. Both are above 0. */
double extension_beyond(double outermost, double neighbour);

/* A point as the results file has it; the objects are those of plan_text. */
struct extension_point {
    const char *config_json, *setting, *replicate, *tuning;
};

/* The same point with another number on the axis of that path: what `plan` would make of it if the
 * sweep file listed the number. */
struct extended_point {
    bool possible; /* not outside the option's range, against constraints or in exclude */
    char json[POINT_JSON_MAX], sha256[65];
    char value[32]; /* the number, canonical */
};
enum status extension_point(struct extension *e, const struct extension_point *old,
                            const char *path, double number, struct extended_point *extended,
                            struct message *m);

#endif
