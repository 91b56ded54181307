/* What the parts of a plan share: plan.c (from the grid to the points that stay), plan_axis.c
 * (values, draws, files), plan_filter.c (constraints and exclusions), plan_labels.c (settings,
 * their labels, identities), plan_claim.c (what is claimed of them), plan_trials.c (trials, looks,
 * rungs, shards), plan_instances.c (what they draw), plan_notes.c, extension.c (points beyond the
 * file's). All is built in the plan's scope. */
#ifndef SWEEP_PLAN_PLAN_PARTS_H
#define SWEEP_PLAN_PLAN_PARTS_H

#include "sweep/plan/expr.h"
#include "sweep/plan/plan.h"

/* One value, ready to be copied into a point. */
struct plan_value {
    struct place place;
    int task;         /* task.name: index in plan.task */
    const char *json; /* canonical: 0.001, "split", [1,-1] */
    size_t size;      /* bytes of an image */
    void *images;     /* (tasks, size): the value as each task's option stores it */
};

/* What an axis is for; a set of them where several are meant. COMMON, beside SETTING: two settings
 * that a claim compares have the same value. */
enum plan_role {
    ROLE_HEADS = 1,
    ROLE_SETTING = 2,
    ROLE_TUNED = 4,
    ROLE_REPLICATED = 8,
    ROLE_COMMON = 16
};

/* An option and some of its values: an axis, or a name in a condition. */
struct plan_axis {
    const char *path;
    const struct axis *written;         /* NULL in a condition */
    bool is_task;                       /* task.name */
    const struct option_entry **option; /* (tasks) */
    size_t *at;                         /* (tasks): where its value stands in a struct point */
    int values;
    struct plan_value *value;
    uint64_t stride; /* grid: points between two of its values */
    uint64_t stream; /* random: rng_name(path) */
    unsigned role;
    const char *label; /* for people; see struct plan_text */
    bool shared_label; /* another axis would have the same: the whole path is used */
};

/* A point's value on one axis: its index among the values, or a number drawn from a distribution.
 */
struct plan_choice {
    int index;
    double number;
};

struct plan_task {
    const struct task *task;
    struct point base; /* fixed options in place */
};

/* What holds for points that stay, or, as an item of `exclude`, for points that go. */
struct plan_condition {
    struct expr *expr; /* its names stand for struct plan_axis */
    struct place place;
    long held; /* how many of the points that were tried */
};

struct plan {
    const struct config *config;
    struct scope *x;     /* owns all of it; left at the first fault of the sweep file */
    struct arena *arena; /* the scope's */
    int tasks;
    struct plan_task *task;
    int axes; /* those with more than one value, in the order of the file */
    struct plan_axis *axis;
    int task_axis; /* index of task.name, or -1 */
    /* random: every draw meets each value of this axis, a list of head counts; else NULL */
    const struct plan_axis *crossed;

    struct survey_list surveys;
    struct plan_condition *constraint, *exclusion; /* as many as the config has */

    int *by_path; /* (axes): as JSON has them */

    long points;
    const char **adopted; /* (points): see plan_adopt; NULL: none is */
    uint32_t *kept;       /* (points): index in the grid or among the draws */
    uint32_t *candidates; /* (points), see plan_candidates; NULL without tune */
    uint32_t *beyond;     /* (points), see plan_beyond; NULL without tune.extend */
    long by_constraint, by_exclude, by_duplicate;
    struct plan_shard shard;
    uint32_t *group;   /* (points): which setting and head count, from 0; NULL without tune */
    const char *claim; /* see plan_claim */
};

/* BAD_INPUT with the place in the sweep file: the plan's scope is left. plan_refuse_at: with what
 * the scope's message says already. */
_Noreturn void plan_refuse(const struct plan *p, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void plan_refuse_at(const struct plan *p, struct place at);

/* plan_axis.c */

/* The tasks, the axes and the base points. */
void plan_build_axes(struct plan *p);
/* Fills axis with path's option in every task and the values in v: each of its `count` elements is
 * one value or, if any is set, each scalar of its only element. Equal values are kept. */
void plan_build_values(struct plan *p, const char *path, const struct config_value *v, int count,
                       bool any, struct plan_axis *axis);
/* The axis of that path; NULL: it does not vary. */
struct plan_axis *plan_find_axis(const struct plan *p, const char *path);
/* Where a path's option stands in points of each task; sets is_task for task.name. */
void plan_bind(const struct plan *p, const char *path, struct plan_axis *axis);
/* Gives a point of that task one of the axis's values. */
void plan_copy_value(const struct plan_axis *axis, const struct plan_value *v, int task,
                     struct point *out);
/* The value on an axis of point g of the grid or of the draws. */
struct plan_choice plan_choose(const struct plan *p, const struct plan_axis *a, uint64_t g);
/* Whether the axis is part of what a point is called: not an axis of the setting that makes no
 * difference there. */
bool plan_distinguishes(const struct plan_axis *a, const struct point *point);
/* A hash of what point g chooses on the axes that have one of those roles and distinguish it. */
uint64_t plan_hash(const struct plan *p, uint64_t g, unsigned roles);
/* Surveys the files of all points, before anything is asked of them. */
void plan_build_files(struct plan *p, uint64_t total);
/* The task's index and the whole point g. */
int plan_decode(const struct plan *p, uint64_t g, struct point *out);

/* plan.c */
/* A plan without points: its tasks with their fixed options, its axes, constraints and exclusions.
 * Looks at no file. */
enum status plan_new_rules(const struct config *c, struct plan **p, struct message *m);
/* Where point g says what is at fault: of these options (paths; ends with NULL) the first that
 * varies, else the first that the file fixes, else the first axis. */
struct place plan_place(const struct plan *p, uint64_t g, const char *const *option);

/* plan_filter.c */
enum plan_verdict { PLAN_STAYS, PLAN_CONSTRAINED, PLAN_EXCLUDED };
void plan_build_filters(struct plan *p);
/* Decides whether a point stays, and counts it in the conditions that hold for it. */
enum plan_verdict plan_filter(struct plan *p, const struct point *point, int task);

/* plan_trials.c */
/* Counts candidates. BAD_INPUT where rungs have nothing to choose from, or a trial is too short to
 * have one, or where guessing is right more often on one replicate than on another. */
void plan_build_groups(struct plan *p);
/* A number that points of one setting have in common, and of two settings hardly ever. */
typedef uint64_t plan_hash_of(const struct plan *p, long i);
uint64_t plan_setting_hash(const struct plan *p, long i);

/* A point among those that it is compared with. */
struct plan_member {
    uint64_t group, candidate; /* hashes */
    uint32_t point;
};
/* The points, those of a group together and in it those of a candidate, each in their order. */
struct plan_member *plan_list(const struct plan *p, plan_hash_of *group, plan_hash_of *candidate);

/* A group of such a list. */
struct plan_group {
    const struct plan_member *first, *end;
    uint32_t candidates; /* that differ */
};
/* Advances; g begins as {.end = all}. False at the end of the list. */
bool plan_next_group(const struct plan *p, const struct plan_member *all, struct plan_group *g);

/* plan_instances.c */
/* confirm: BAD_INPUT where a fresh instance draws the task of an explored one, or of another. */
void plan_check_fresh(const struct plan *p);
/* Says in m where replicated instances draw the same task. */
bool plan_alike_note(const struct plan *p, struct message *m);

/* plan_claim.c */
/* Fills p->claim. BAD_INPUT where it is about what the sweep does not have. */
void plan_build_claim(struct plan *p);

/* plan_labels.c */
/* A hash of what a point is once every tuned axis of real numbers has the first of its values. */
uint64_t plan_level_hash(const struct plan *p, long i);
/* The axes of settings and the labels of all axes. */
void plan_build_labels(struct plan *p);
/* "model.heads=12, train.lr=0.001"; "" where nothing varies. */
void plan_describe(const struct plan *p, uint64_t g, char *text, size_t size);

#endif
