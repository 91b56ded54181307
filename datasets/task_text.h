/* The task `text` from the inside: what its two modes share. */
#ifndef DATASETS_TASK_TEXT_H
#define DATASETS_TASK_TEXT_H

#include "datasets/corpus.h"
#include "datasets/task.h"

extern const struct task task_text;

enum text_mode_index { TEXT_LM, TEXT_CLASSIFY };
enum text_split { TEXT_CONTIGUOUS, TEXT_INTERLEAVED };
enum text_separator { TEXT_BY_NAME, TEXT_COMMA, TEXT_SEMICOLON, TEXT_TAB, TEXT_PIPE };

enum { TEXT_MAX_LENGTH = 4096, TEXT_VOCAB = 256, TEXT_MAX_COLUMN = 256, TEXT_STRETCHES = 32 };

struct text_options {
    int64_t mode, length, instance, separator, split;
    char file[OPTION_STRING_MAX + 1];
    char text_column[TEXT_MAX_COLUMN + 1], label_column[TEXT_MAX_COLUMN + 1];
    /* Derived. */
    char sha256[65];
    int64_t size;      /* of the file, in bytes */
    int64_t classes;   /* 256 bytes, or the labels */
    int64_t rows;      /* 0 where no rows are read */
    int64_t test_rows; /* of the test part, and of the validation part */
    int64_t repeated;  /* rows whose text stands in another row too */
    double majority;   /* share of the commonest byte, or label */
    double entropy;    /* of bytes, or labels, one by one, in nats: the loss of a guess that knows
                          how often each comes */
};

/* What one of the classes adds to the entropy: `count` of `all` are of it. */
double text_entropy_of(int64_t count, int64_t all);

/* The sum as it is kept: to four decimals, so that the last bits of a machine's logarithm are no
 * part of a result's identity. */
double text_entropy(double sum);

/* What tells one mode from the other. Where there is a source its file is open. */
struct text_mode {
    /* Reads the file: fills the derived options and appends members to the facts, each with a comma
     * before it. */
    enum status (*survey)(const struct corpus *c, struct text_options *o, struct text_buffer *facts,
                          struct message *m);
    /* Fills what is the mode's own. BAD_INPUT where the options do not go together, or the derived
     * ones are none that a survey found. */
    enum status (*shape)(const struct text_options *o, struct task_shape *s, struct message *m);
    /* As task.resolve; NULL: options mean what they say. */
    void (*resolve)(struct text_options *o, const char *facts);
    /* How many distinct ones a part has. */
    int64_t (*examples)(const struct text_options *o, enum task_part part);
    /* Takes the source's memory, before its file is open: there may be none, and the arena then
     * jumps. */
    void (*reserve)(struct arena *a, struct task_source *s);
    /* Reads the whole file once, for what the mode needs to know of it. NULL: nothing. */
    enum status (*open)(struct task_source *s, struct message *m);
    enum status (*draw)(struct task_source *s, struct rng *r, int32_t *inputs, int32_t *targets,
                        uint8_t *padding, struct message *m);
    /* Example `index` of all that the part has. */
    enum status (*read)(struct task_source *s, enum task_part part, int64_t index, int32_t *inputs,
                        int32_t *targets, uint8_t *padding, struct message *m);
    const char *(*label)(const struct task_source *s, long k); /* NULL: classes are bytes */
    enum status (*anchors)(struct task_source *s, struct task_anchors *a,
                           struct message *m); /* NULL: there are none */
};
extern const struct text_mode text_lm, text_classify;

struct task_source {
    const struct text_options *options;
    struct corpus corpus;
    unsigned char *piece; /* of the file: what an example is made from */
    struct text_rows *rows;
};

#endif
