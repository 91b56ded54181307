/* The trained models of a sweep, for reports that put something beside them. */
#ifndef SWEEP_REPORT_TRAINED_H
#define SWEEP_REPORT_TRAINED_H

#include "sweep/report/sample.h"

/* A CTE `judged` of the sweep ?1: its completed trials that are judged, and what is taken for
 * independent among them (unit): seeds or, where axes are replicated, their values, of which equal
 * instances are one, and which the task is then without. By place, setting_label COLLATE
 * setting_values, setting they are listed. */
#define TRAINED_JUDGED                                                                             \
    "WITH judged AS ("                                                                             \
    "  SELECT t.trial_id, t.setting, t.setting_label, t.test_acc, t.test_loss, t.train_acc,"       \
    "         c.heads, c.layers, c.n_params,"                                                      \
    "         c.flops_per_step / 3 / c.batch AS flops, t.replicate <> '{}' AS replicated,"         \
    "         json_patch(c.config_json -> '$.task', json_object('options', json("                  \
    "             (SELECT json_group_object(substr(key, length('task.') + 1), NULL)"               \
    "                FROM json_each(t.replicate) WHERE key GLOB 'task.*')))) AS task,"             \
    "         iif((SELECT drawn FROM sweep WHERE sweep_id = ?1), 0,"                               \
    "             min(t.plan_order) OVER (PARTITION BY t.setting)) AS place,"                      \
    "         dense_rank() OVER (ORDER BY " REPLICATE_DRAWN(                                       \
        "t.replicate") ","                                                                         \
                       "                            CASE t.replicate WHEN '{}' THEN t.seed END) "  \
                       "AS unit"                                                                   \
                       "    FROM trial AS t JOIN config AS c USING (config_id)"                    \
                       "   WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.is_tuning = 0 AND "       \
                       "t.confirms = 0"                                                            \
                       "     AND t.choice = 'chosen' AND t.state = 'completed') "

/* What they are judged by: the sweep's metric, on the test set. */
struct trained_metric {
    bool loss;       /* in nats, which are to be few; else accuracy */
    bool bits;       /* of the bytes of a text: told in bits per byte too */
    bool replicated; /* units are instances, not seeds */
};
struct trained_metric trained_metric_read(struct scope *x, int64_t sweep_id);

/* Conditions of a table's columns, beside its own. */
enum { TRAINED_ACCURACY = 1 << 8, TRAINED_LOSS = 1 << 9, TRAINED_BITS = 1 << 10 };
unsigned trained_conditions(const struct trained_metric *m);

/* "metric" and "goal", as in report --json and in table `sweep`. */
void trained_metric_json(const struct trained_metric *m, struct json_writer *w);

/* sample_finish of what is judged by. */
void trained_finish(struct scope *x, struct sample *s, const struct trained_metric *m);

/* A cell: bits per byte of a sample's mean loss; empty where there is none. */
void trained_bits(struct table *t, const void *sample);
/* What a legend has to say of these: " bits/byte: ...". Other than those of a verdict, intervals
 * know nothing of the blocks of a text. "" without bits. */
const char *trained_bits_legend(const struct trained_metric *m);

/* Those of one setting and head count. */
struct trained {
    char *setting, *label;
    char *task; /* JSON, without what is replicated */
    long heads, layers;
    struct sample test;                 /* accuracy or loss */
    double n_params, flops_per_example; /* flops: forward */
};

struct trained_list {
    struct trained_metric metric;
    int count;
    struct trained *item; /* in the order of the plan, by head count */
};

struct trained_list trained_read(struct scope *x, int64_t sweep_id);

#endif
