/* The heads of one trial, one by one. */
#include <inttypes.h>
#include <stdlib.h>

#include "sweep/report/report_heads_parts.h"

static enum status read_table(struct store *s, const struct heads_question *q,
                              struct text_buffer *sql, struct table **t, struct message *m)
{
    struct rows r = heads_query(s, q, sql, m);
    *t = heads_table(&r);
    rows_to_table(&r, *t);
    return rows_close(&r);
}

/* All measures of each head, and the slot that it looks at most. */
static enum status read_heads(struct store *s, const struct heads_question *q, struct table **t,
                              struct message *m)
{
    struct text_buffer sql = {0};
    struct heads_names n;
    enum status status = heads_measures(s, "head_metric", &n, m);
    if (status != STATUS_OK)
        return status;
    text_add(&sql,
             "%s SELECT layer, head, main.slot AS main_slot, main.mass AS main_mass,"
             " ablation_loss - loss AS rise",
             heads_measured_sql);
    for (int i = 0; i < n.count; i++)
        text_add(&sql, ", \"%s\"", n.name[i]);
    text_add(&sql, " FROM one JOIN head_metric USING (trial_id, step)"
                   " LEFT JOIN main USING (trial_id, layer, head) WHERE split = ?4"
                   " ORDER BY layer, head");
    return read_table(s, q, &sql, t, m);
}

static enum status read_layers(struct store *s, const struct heads_question *q, struct table **t,
                               struct message *m)
{
    struct text_buffer sql = {0};
    struct heads_names n;
    enum status status = heads_measures(s, "layer_metric", &n, m);
    if (status != STATUS_OK)
        return status;
    text_add(&sql, "%s SELECT layer", heads_measured_sql);
    for (int i = 0; i < n.count; i++)
        text_add(&sql, ", \"%s\"", n.name[i]);
    text_add(&sql, " FROM one JOIN layer_metric USING (trial_id, step) WHERE split = ?4"
                   " ORDER BY layer");
    return read_table(s, q, &sql, t, m);
}

static enum status read_slots(struct store *s, const struct heads_question *q, struct table **t,
                              struct message *m)
{
    struct text_buffer sql = {0};
    text_add(&sql,
             "%s SELECT layer, head, slot, mass FROM one"
             " JOIN head_slot USING (trial_id, step) WHERE split = ?4"
             " ORDER BY layer, head, slot",
             heads_measured_sql);
    return read_table(s, q, &sql, t, m);
}

struct trial_heads {
    char title[400], seen[400];
    struct table *heads, *layers, *slots;
};

/* "Heads of trial 3 of sweep gather: heads 4, seed 0", and in a sentence what they do. */
static enum status read_words(struct store *s, const struct heads_question *q,
                              struct trial_heads *t, struct message *m)
{
    enum { SWEEP, HEADS, LABEL, SEED, STEP, SEEN, SHARP_HEADS, PLACES, RISE };
    struct text_buffer sql = {0};
    text_add(&sql,
             "%s SELECT s.name, one.heads, t.setting_label, t.seed, step,"
             " count(main.head), sum(main.mass >= " SHARP "),"
             " count(DISTINCT iif(main.mass >= " SHARP ", main.layer || '/' || slot, NULL)),"
             " max(ablation_loss - loss) FROM one JOIN trial AS t USING (trial_id)"
             " JOIN sweep AS s USING (sweep_id)"
             " JOIN head_metric AS h USING (trial_id, step)"
             " LEFT JOIN main USING (trial_id, layer, head) WHERE h.split = ?4"
             " GROUP BY trial_id",
             heads_measured_sql);
    struct rows r = heads_query(s, q, &sql, m);
    if (rows_next(&r)) {
        const char *label = rows_text(&r, LABEL);
        snprintf(t->title, sizeof t->title,
                 "Heads of trial %" PRId64 " of sweep %s: heads %" PRId64 "%s%s, seed %" PRId64
                 ", with the weights of step %" PRId64 ", on the %s set",
                 q->trial_id, rows_given(&r, SWEEP), rows_integer(&r, HEADS),
                 label && label[0] ? ", " : "", label ? label : "", rows_integer(&r, SEED),
                 rows_integer(&r, STEP), q->on_test ? "test" : "validation");
        if (rows_integer(&r, SEEN) > 0)
            snprintf(t->seen, sizeof t->seen,
                     "Seen: %" PRId64 " of %" PRId64 " heads are sharp, and look at %" PRId64
                     " different places; removing a head adds at most %.3f to the loss.",
                     rows_integer(&r, SHARP_HEADS), rows_integer(&r, SEEN),
                     rows_integer(&r, PLACES), rows_real(&r, RISE));
        else
            snprintf(t->seen, sizeof t->seen,
                     "Seen: removing a head adds at most %.3f to the loss.", rows_real(&r, RISE));
    } else if (r.status == STATUS_OK) {
        r.status =
            status_fail(m, STATUS_BAD_INPUT, "trial %" PRId64 " was not measured", q->trial_id);
    }
    return rows_close(&r);
}

static const char legend[] =
    "slot: the place that the head looks at most, mass: the share of its attention there (sharp: "
    "at least " SHARP "). loss +: what its removal adds to the loss. confidence: mean largest "
    "attention weight. entropy: of the attention weights, 1 where all keys get the same. "
    "importance: of length 1 per layer (Michel et al. 2019). W_O: its share of the output "
    "projection. rank: effective rank of all heads' outputs. D_sub, D_pos, D_out: disagreement of "
    "values, attention and outputs (Li et al. 2018).";

static enum status write_people(const struct heads_question *q, struct trial_heads *t,
                                struct text_page page, FILE *out, struct message *m)
{
    struct document d = document_new(out, q->format == REPORT_MARKDOWN, page);
    document_title(&d, t->title, "");
    enum status s = document_table(&d, t->heads, m);
    if (s == STATUS_OK)
        s = document_table(&d, t->layers, m);
    if (s == STATUS_OK) {
        document_finding(&d, t->seen);
        document_legend(&d, legend);
    }
    enum status ended = document_end(&d, m);
    return s == STATUS_OK ? ended : s;
}

static enum status write_json(const struct heads_question *q, const struct trial_heads *t,
                              FILE *out, struct message *m)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_integer(&w, "trial", q->trial_id);
    json_add_text(&w, "split", q->on_test ? "test" : "val");
    enum status s = table_add_json(t->heads, &w, "heads", m);
    if (s == STATUS_OK)
        s = table_add_json(t->layers, &w, "layers", m);
    if (s == STATUS_OK)
        s = table_add_json(t->slots, &w, "slots", m);
    json_add_text(&w, "seen", t->seen);
    json_end_object(&w);
    fputc('\n', out);
    return s == STATUS_OK ? text_check(out, m) : s;
}

enum status heads_of_trial(struct store *s, const struct heads_question *q, struct text_page page,
                           FILE *out, struct message *m)
{
    struct trial_heads *t = calloc(1, sizeof *t);
    if (!t)
        return status_no_memory(m, "the report");
    enum status status = read_words(s, q, t, m);
    if (status == STATUS_OK)
        status = read_heads(s, q, &t->heads, m);
    if (status == STATUS_OK)
        status = read_layers(s, q, &t->layers, m);
    if (status == STATUS_OK)
        status = read_slots(s, q, &t->slots, m);
    if (status == STATUS_OK)
        status = q->format == REPORT_CSV    ? table_write(t->heads, TABLE_CSV, false, out, m)
                 : q->format == REPORT_JSON ? write_json(q, t, out, m)
                                            : write_people(q, t, page, out, m);
    table_free(t->heads);
    table_free(t->layers);
    table_free(t->slots);
    free(t);
    return status;
}
