/* From a sweep file to its trials: the grid (or random draws), constraints, exclusions, the check
 * of every point, and the identity of each. Points are not stored: each is decoded from its index
 * on demand, so that 100,000 of them cost a few bytes each. */
#ifndef SWEEP_PLAN_PLAN_H
#define SWEEP_PLAN_PLAN_H

#include "sweep/plan/config.h"
#include "sweep/plan/survey.h"

enum {
    PLAN_TEXT_MAX = 1024, /* a point's setting, label, tuned and replicated values */
    PLAN_RUNGS_MAX = 32
};

struct plan;

/* Expands and checks c, which is kept and must outlive the plan. Files that tasks learn from are
 * read, but for those that an earlier plan of the same command read: `known` is its plan_surveys
 * (known_count of them; NULL is none), and that plan must outlive this one. BAD_INPUT, with the
 * place in the sweep file, for a file that cannot be learned from, for an impossible point, for
 * more points than run_cap, for an empty plan. */
enum status plan_new(const struct config *c, const struct survey *known, int known_count,
                     struct plan **p, struct message *m);
void plan_free(struct plan *p);

/* What the files of the plan say, each once for the options that it was read with; the plan's. */
const struct survey *plan_surveys(const struct plan *p, int *count);

const struct config *plan_config(const struct plan *p);

long plan_points(const struct plan *p);
/* The i-th point, 0 <= i < plan_points, in the order of the file's axes (last varies fastest). */
void plan_point(const struct plan *p, long i, struct point *out);
/* How many points of the full grid were dropped, in all and by cause. */
long plan_dropped(const struct plan *p, long *by_constraint, long *by_exclude, long *by_duplicate);

/* Iterates over what the sweep file may say and hardly means, such as an item of `exclude` that
 * matches no point: the next sentence comes in m, and *i moves past it; false at the end. Start
 * with *i = 0. */
bool plan_note(const struct plan *p, int *i, struct message *m);

/* What is claimed, as canonical JSON: {"best":4,"over":[1,16]}, or of settings
 * {"better":{"model.kv_heads":1},"heads":8,"than":{"model.kv_heads":8}}; "" without. */
const char *plan_claim(const struct plan *p);

/* The i-th point's identity: canonical JSON and its SHA-256. */
void plan_identity(const struct plan *p, long i, char json[POINT_JSON_MAX], char sha256[65]);

/* From now on the i-th point has the identity of this configuration, which means the same: a
 * results file has it, in a longer spelling. NO_MEMORY. */
enum status plan_adopt(struct plan *p, long i, const char *json, struct message *m);

/* What a point is called. The objects are canonical JSON, with full paths as keys, sorted; {} where
 * there are none. */
struct plan_text {
    char setting[PLAN_TEXT_MAX];   /* what distinguishes it among points of equal heads: the varying
                                      axes but model.heads, the tuned and the replicated ones, and
                                      those that make no difference in this point (point_uses) */
    char label[PLAN_TEXT_MAX];     /* the same for people, in the order of the file, with the last
                                      part of each path (the one before a `.name`) where that is
                                      unambiguous: "slots=4, d_head=split"; "" */
    char tuning[PLAN_TEXT_MAX];    /* the tuned axes' values: {"train.lr":0.001} */
    char replicate[PLAN_TEXT_MAX]; /* the replicated axes': {"task.instance":3} */
};
void plan_text(const struct plan *p, long i, struct plan_text *text);

/* A setting with its tuned values, for people: "slots=4, lr=0.001", from label and tuning as
 * plan_text writes them; a path by its last part where that is unambiguous. Cut where size does
 * not suffice. */
void plan_full_label(const char *label, const char *tuning, char *text, size_t size);

struct plan_trial {
    long point;
    uint32_t seed;
    bool tuning; /* a trial on a tuning seed (1000 and up) that only serves to choose */
    int look;    /* the look that it runs for, from 1; 1 for tuning trials and without looks */
};
/* Trials in the order in which they are to run: tuning trials first; seeds outside, points inside,
 * so that every head count has its first result early. */
long plan_trials(const struct plan *p);
struct plan_trial plan_trial(const struct plan *p, long k);

/* A part of the trials, so that several runs with a results file each share a sweep (`run --shard
 * 2/8`): the parts are disjoint, together they are the plan, and they differ by one trial at most.
 * Under `tune` all trials of a setting and a head count are in one shard, where one of them is
 * chosen, and shards differ by one such group at most. */
struct plan_shard {
    int number, of; /* from 1; of 0: the whole plan */
};
enum { PLAN_SHARDS_MAX = 1000000 };

/* Reads "2/8"; BAD_INPUT says what is wrong with it. */
enum status plan_shard_read(const char *text, struct plan_shard *shard, struct message *m);

/* From now on the plan is to be run by this shard only; the trials stay all of them. BAD_INPUT for
 * a sweep with looks or confirm, which are judged by the trials of all shards. */
enum status plan_set_shard(struct plan *p, struct plan_shard shard, struct message *m);
struct plan_shard plan_shard(const struct plan *p);

/* Whether the k-th trial is in the plan's shard. */
bool plan_in_shard(const struct plan *p, long k);

/* Into so many shards it can be cut; of more, the others are empty. */
long plan_shards_most(const struct plan *p);

/* Without `tune`, the k-th trial is in shard 1 + (k + k / round) % of: this is `round`. Under it,
 * the n-th setting and head count, from 0 and in the order of the plan, is in shard 1 + n % of. */
long plan_shard_round(long points, int of);

/* The steps at which tuning trials of the i-th point pause to be compared, rising, below its
 * train.steps: min_steps, min_steps * eta, ..., each rounded up to a multiple of train.eval_every,
 * so that a trial that pauses is evaluated where an undisturbed one is. Equal for all points that
 * differ in tuned and replicated axes only. Returns how many: 0 without rungs, else at least 1. */
int plan_rungs(const struct plan *p, long i, int64_t steps[PLAN_RUNGS_MAX]);

/* The same for a trial of so many steps, evaluated every `every`; eta at least 2, min_steps at
 * least 1. */
int plan_rung_steps(int64_t eta, int64_t min_steps, int64_t steps, int64_t every,
                    int64_t out[PLAN_RUNGS_MAX]);

/* How many values of the tuned axes the i-th point's head count has in its setting: one of them is
 * chosen. 1 without tune. */
long plan_candidates(const struct plan *p, long i);

/* tune.extend: how many values may be added at most to those that the i-th point's head count has
 * in its setting, each with as many points as a listed one; 0 without. */
long plan_beyond(const struct plan *p, long i);

/* confirm: a claim names so many head counts at most. */
enum { PLAN_CONFIRMED = 3 };

/* How many replicates each head count of a setting is tried on: combinations of the replicated
 * axes' values, before constraints and exclude. 1 without. */
long plan_replicates(const struct plan *p);

/* SHA-256 of the set of (configuration, seed) pairs of the plan, those of tuning apart, as
 * lowercase hex: whatever the order and the wording of the file. NO_MEMORY is the only failure. */
enum status plan_pairs_sha256(const struct plan *p, char sha256[65], struct message *m);

#endif
