/* What somebody asks about: a text to be predicted byte by byte, rows with labels, or a toy. What a
 * file holds, datasets/ says; here it is guessed how it is to be read, and by which names. */
#ifndef SWEEP_ASK_LOOK_H
#define SWEEP_ASK_LOOK_H

#include "sweep/plan/point.h"

struct corpus;

enum { LOOK_OTHERS = 256 };

enum look_kind { LOOK_TEXT, LOOK_ROWS, LOOK_TOY, LOOK_KINDS };

struct look {
    enum look_kind kind;
    struct point point;      /* the task with its options, those derived from the file too */
    struct task_shape shape; /* its names point into the task */
    bool names_columns, names_separator; /* the sweep file must, as they are not the defaults */
    long length, batch;                  /* task.length and train.batch that are set; else 0 */
    int64_t lines;                       /* of a text */
    int64_t typical;          /* bytes that nine in ten of the rows' texts have at most */
    const char *form;         /* of rows: "CSV", "CSV with semicolons", "TSV" or "JSON Lines" */
    char others[LOOK_OTHERS]; /* columns that the label could be as well, "date, id"; "": none */
    char warning[256];        /* what is odd about the file; "": nothing */
};

enum { LOOK_NAME_MAX = 256 }; /* bytes of a column's name */

/* The columns of a file of rows: which is the text, which the label. */
struct look_columns {
    char separator; /* a comma, ...; by the file's ending or first line, and JSON: '\0' */
    char text[LOOK_NAME_MAX + 1], label[LOOK_NAME_MAX + 1];
    int64_t typical;  /* as above; by 4096 of the texts */
    const char *form; /* as above */
    char others[LOOK_OTHERS];
};

/* Reads a file of rows to its end, and guesses. The text is the column with the longest values, of
 * which those of a column with gaps count for less, the label the one with the fewest different
 * ones, two at least, that come back, first among those of a usual name (target, stars, ...); a
 * column called `text` is the text, one called `label` the label, whatever it holds. text and label
 * that are not NULL are given and not guessed, even if there is no such column, nor is a separator
 * other than '\0'. BAD_INPUT where the rows cannot be read, with the place; where no two columns
 * will do: names those that there are, and the remedy; and where a name that would be guessed seems
 * to be a row's, of a file without a header. */
enum status look_columns(const struct corpus *file, char separator, const char *text,
                         const char *label, struct look_columns *found, struct message *m);

/* Looks at a file. sets: (count) "task.mode=lm", "task.label_column=stars": what is given; others
 * than those of `task` are passed over. BAD_INPUT for an option that there is not, and for a file
 * from which nothing can be learned or told: the message says why, and what would do. */
enum status look_file(const char *path, const char *const *sets, int count, struct look *l,
                      struct message *m);

/* The same for a toy. */
enum status look_toy(const char *task, const char *const *sets, int count, struct look *l,
                     struct message *m);

/* How many bits per byte a byte model of that order (datasets/byte_model.h) needs for the test part
 * of a text, *bits; takes seconds. CORRUPT where the file has changed since it was looked at. */
enum status look_order_bits(const struct look *l, int order, double *bits, struct message *m);

/* The value of an option of the task that is a number, a text or a word. */
int64_t look_integer(const struct look *l, const char *option);
const char *look_string(const struct look *l, const char *option);
const char *look_word(const struct look *l, const char *option);

/* Adds a sentence about how much of the texts of rows is not seen that are cut to `length` bytes,
 * if any is: "see" them, or "saw". */
void look_add_cut(const struct look *l, const char *see, long length, struct text_buffer *text);

#endif
