/* Table `pruning` as curves; only report_prune.c includes this. */
#ifndef SWEEP_REPORT_REPORT_PRUNE_READ_H
#define SWEEP_REPORT_REPORT_PRUNE_READ_H

#include "sweep/report/trained.h"
#include "sweep/study/pruner.h"

/* What the models of a curve do with as many heads, removed by one method. */
struct prune_point {
    long kept;
    int method;                         /* enum prune_by; PRUNE_METHODS: nothing was removed */
    struct sample test, infer_ms;       /* test: accuracy or loss, as trained.metric says */
    double n_params, flops_per_example; /* means */
};

/* Models of one setting that were trained with one head count. */
struct prune_curve {
    char *setting, *label;
    long heads, layers;
    long finetuned; /* steps */
    double lr;      /* of fine-tuning */
    int points;
    struct prune_point *point; /* by falling `kept`, then by method, "none" first */
};

struct prune_data {
    struct scope *scope;
    char *name, *question;
    long trials, pruned; /* that are judged; of these, how many have rows */
    int curves;
    struct prune_curve *curve;
    struct trained_list trained;
};

struct prune_data *prune_data_read(struct scope *x, int64_t sweep_id);

/* The point of a curve; the whole model where kept is all of its heads. NULL: there is none. */
const struct prune_point *prune_point_find(const struct prune_curve *c, long kept, int method);

/* Models of the curve's setting that were trained with `kept` heads in all; NULL: there are none.
 */
const struct trained *prune_trained_find(const struct prune_data *d, const struct prune_curve *c,
                                         long kept);

#endif
