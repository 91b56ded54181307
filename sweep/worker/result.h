/* The durable result of a trial, one safetensors file: the weights of the best step under PyTorch's
 * names (none for a trial that diverged before its first evaluation), and in __metadata__:
 *
 *   format   "headcount.result.1"
 *   trial    the JSON below
 *   config   canonical JSON of the point       seed   decimal
 *   test_acc %.17g, for programs that read only weights
 *   sha256   of all tensor bytes in file order, then of each other metadata key and value in file
 *            order (each followed by NUL), then of each tensor's name, dtype and shape. The header
 *            must also be spelled as it was written, so that a flipped bit anywhere is noticed
 *
 * Trial JSON, numbers in %.17g, null for what a diverged trial did not reach:
 *   {"state":"completed"|"diverged","steps_done":,"best_step":,"train_acc":,"val_acc":,"test_acc":,
 *    "test_acc_by_slot":[...],"test_exact":,"test_loss":,
 *    "block_loss":[...],"label_acc":[{"label":,"n":,"acc":},...],"chance":,"train_s":,
 *    "resumed_from_step":,"error":null|"...","bad_step":null|n,
 *    "curve":[{"step":,"train_loss":,"train_acc":,"val_loss":,"val_acc":,"grad_norm":,"lr":,
 *              "elapsed_s":,"cpu_s":}, ...]}
 * train_s and cpu_s are CPU seconds of all threads over all attempts, elapsed_s are of the wall.
 * train_acc and val_acc are those of the best step. block_loss is there only where the targets are
 * the bytes of a text: the mean test loss of each contiguous block, in their order; the numbers of
 * sequences in two blocks differ by one at most. label_acc is there only where classes have names:
 * of each that the test set has. Under `measure: evals` there follow, for the rows of the curve
 * that were measured (engine/measures/measure.h),
 *    "head_metric":[{"step":,"layer":,"head":,...},...],"layer_metric":[...],"head_slot":[...] */
#ifndef SWEEP_WORKER_RESULT_H
#define SWEEP_WORKER_RESULT_H

#include "engine/base/safetensors.h"
#include "engine/measures/measure.h"
#include "sweep/db/state.h"

struct curve_row {
    int64_t step;
    double train_loss, train_acc, val_loss, val_acc, grad_norm, lr, elapsed_s, cpu_s;
};

enum { RESULT_BLOCKS = 32 }; /* at most */

/* Sequences of the test set with this target, and how many of them were told. */
struct result_label {
    const char *name;
    int64_t n, right;
};

struct result {
    bool diverged;
    int64_t bad_step;  /* of a diverged trial */
    const char *error; /* NULL: none */
    int64_t steps_done, resumed_from_step;
    bool has_best; /* else the members down to test_loss are not there */
    int64_t best_step;
    double train_acc, val_acc, test_acc, test_exact, test_loss;
    int slots;
    double test_acc_by_slot[64];
    int blocks; /* 0: the test set is no text */
    double block_loss[RESULT_BLOCKS];
    int labels;                       /* 0: they have no names */
    const struct result_label *label; /* (labels) */
    double chance, train_s;
    int rows;
    const struct curve_row *curve;
    const struct measured *measured; /* (rows), those from measured_from on; NULL: none */
    int measured_from;
};

/* The trial JSON, malloced. NULL when memory runs out. */
char *result_json(const struct result *r);

/* Adds one row of the curve. */
void curve_row_json(const struct curve_row *row, struct json_writer *w);

/* Writes the file durably. nn: the weights of the best step (ignored unless r->has_best). */
enum status result_write(const char *path, const struct result *r, const struct nn *nn,
                         const char *config, uint32_t seed, struct message *m);

/* The parameters as tensors of a file, (nn->count) of them, which point into nn. */
void result_tensors(const struct nn *nn, struct safetensor *tensor);

/* The trial that a result must belong to. */
struct result_owner {
    const char *config_sha256;
    uint32_t seed;
    int64_t n_params;
};

/* Whether a file is the result, or a checkpoint, of that trial, and has the size of one: from its
 * header alone. CORRUPT says what is wrong. */
enum status result_check(const struct safetensors_file *f, const struct result_owner *owner,
                         struct message *m);
enum status result_check_checkpoint(const struct safetensors_file *f,
                                    const struct result_owner *owner, struct message *m);

struct result_file {
    struct safetensors_file file;
    const char *trial_json, *config;
    enum trial_state state; /* completed or diverged */
    char sha256[65];        /* of the whole file */
};

/* Reads and checks a result file: its header first (whose it is, its size against the owner's
 * parameters), so that a file of any size costs little, then its digest. CORRUPT says what is
 * wrong; IO if it cannot be read. On success close with result_close. */
enum status result_open(const char *path, const struct result_owner *owner, struct result_file *f,
                        struct message *m);
void result_close(struct result_file *f);

/* Copies the stored weights into an encoder's parameters. CORRUPT where names or shapes differ. */
enum status result_weights(const struct result_file *f, struct nn *nn, struct message *m);

#endif
