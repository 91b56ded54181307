/* What single heads of a trained model do. A measure is a file, measure_<name>.c, and a line in
 * measures.def:
 *
 *     MEASURE(confidence)
 *
 * declares here `extern const struct measure measure_confidence;` and puts it into the table.
 * Whatever takes, writes, stores and shows measures works from the table, so a new one is
 * everywhere at once; the order of the lines is that of the columns.
 *
 * A measure is computed over a set of examples, a slice at a time: `add` sees each layer after each
 * slice and adds to numbers that are its own, `value` makes the values of them. Positions that are
 * padding are no queries; a row that sees no key is left out. */
#ifndef ENGINE_MEASURES_MEASURE_H
#define ENGINE_MEASURES_MEASURE_H

#include "engine/base/json_write.h"
#include "engine/kernels/attention.h"
#include "engine/train.h"

enum measure_level { MEASURE_HEAD, MEASURE_LAYER, MEASURE_SLOT, MEASURE_LEVELS };

/* What a measure takes beside the forward pass. One that asks for gradients or ablation is not
 * cheap. */
enum measure_need {
    MEASURE_WEIGHTS = 1 << 0,   /* the attention weights */
    MEASURE_GRADIENTS = 1 << 1, /* of the loss with respect to the gates */
    MEASURE_ABLATION = 1 << 2,  /* the loss without each head */
    MEASURE_SOURCES = 1 << 3    /* where the targets stand to be read */
};

/* A layer with heads, after some sequences of the set went through the model. */
struct measure_view {
    const struct encoder *encoder;
    long layer;
    struct attention attention; /* B of these sequences, T, H, G, widths, mask, padding */
    const real *qkv;            /* (B,T,..), as the attention takes it */
    const real *output;         /* (B,T,H*d_v) */
    const int32_t *keys;        /* (B,T) keys that a query sees; 0: the row does not count */
    /* Those that the measure needs; else NULL: */
    const real *weights;          /* (B,H,T,T): query, then key */
    const double *gradient;       /* (B,H) of a sequence's loss, the mean over its unmasked targets,
                                     with respect to each head's gate */
    const double *ablated_loss;   /* (H) summed over the unmasked targets, each head's gate at 0 */
    const int64_t *ablated_right; /* (H) right targets among them */
    int64_t targets;              /* the unmasked ones */
    const int32_t *sources;       /* (B,T,S) position that holds the target, negative: none */
    long slots;                   /* S */
};

struct measure_column {
    const char *name, *what; /* a line for people; NULL name: the end */
};

struct measure {
    enum measure_level level;
    unsigned needs; /* of enum measure_need */
    const struct measure_column *columns;
    /* How many doubles of its own it keeps for a layer of this encoder, 0 at first; NULL: none. The
     * members of v that depend on examples are not there. */
    size_t (*kept)(const struct measure_view *v);
    void (*add)(const struct measure_view *v, double *kept); /* NULL: it looks at weights alone */
    /* The layer's values, all NaN so far: (columns), (H,columns) or (H,S,columns). B is 0. */
    void (*value)(const struct measure_view *v, double *kept, double *value);
};

#define MEASURE(name) extern const struct measure measure_##name;
#include "engine/measures/measures.def"
#undef MEASURE

extern const struct measure *const measure_table[]; /* ends with NULL */

/* The table of the results file that a level's values go to: "head_metric", "layer_metric",
 * "head_slot". */
const char *measure_level_table(enum measure_level level);

/* The i-th column of a level over all measures, in their order; NULL past the end. */
const struct measure_column *measure_column(enum measure_level level, int i);

/* Values of all measures that were taken. A layer without heads has none. A head's rows are written
 * under its number in the model as its options say, whatever was taken away from the encoder. */
struct measured {
    const struct encoder *encoder;
    long layers, slots; /* slots 0: it is not known where targets stand */
    bool cheap_only;
    size_t count; /* of values */
    double *value;
};

/* The value of a column, NaN where it has none or was not taken. head and slot are ignored where
 * the column's level has none. */
double measured_at(const struct measured *d, const char *column, long layer, long head, long slot);

/* Adds the rows of one level, {"layer":0,"head":1,"importance":...},..., with "step" as their first
 * member where step >= 0; NaN is null. Nothing where there are none. */
void measured_rows(const struct measured *d, enum measure_level level, int64_t step,
                   struct json_writer *w);

/* Adds the members "head_metric":[...],"layer_metric":[...],"head_slot":[...]. */
void measured_json(const struct measured *d, struct json_writer *w);

/* Takes measures of one encoder over and over, as it changes. set and sources (n,T,S), or (n,S)
 * when pooled, are kept; sources may be NULL. The encoder must want gradients unless cheap_only.
 * The memory is the arena's; taking allocates nothing. */
struct measurer;
enum status measurer_new(struct arena *a, const struct encoder *e, const struct examples *set,
                         const int32_t *sources, bool cheap_only, struct measurer **out,
                         struct message *m);
void measurer_take(struct measurer *r, struct measured *d);

/* Room for what measurer_take takes. */
void measured_new(struct arena *a, const struct measurer *r, struct measured *d);

/* All of it once: out's memory is the arena's. */
enum status measures_take(struct arena *a, const struct encoder *e, const struct examples *set,
                          const int32_t *sources, bool cheap_only, struct measured *out,
                          struct message *m);

#endif
