#include "sweep/cli/show_curve.h"

#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/db/rows.h"

enum { PLOT_WIDTH = 60, PLOT_HEIGHT = 11, VALUES_MAX = 1024 };

/* Marks accuracy y at step x, both in 0..1 (else nothing: rows may say anything); what is drawn
 * first stays on top. */
static void plot_point(char grid[PLOT_HEIGHT][PLOT_WIDTH + 1], double x, double y, char mark)
{
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1))
        return;
    int column = (int)(x * (PLOT_WIDTH - 1) + 0.5);
    int row = (int)((1.0 - y) * (PLOT_HEIGHT - 1) + 0.5);
    char *cell = &grid[row][column];
    if (*cell == ' ')
        *cell = mark;
}

/* Accuracy against steps: val '*', train '.'. */
static enum status print_plot(struct store *s, int64_t trial, int *points, struct message *m)
{
    enum { AT_STEP, VALIDATION, TRAINING, LAST_STEP };
    char grid[PLOT_HEIGHT][PLOT_WIDTH + 1];
    int64_t last = 0;
    for (int i = 0; i < PLOT_HEIGHT; i++) {
        memset(grid[i], ' ', PLOT_WIDTH);
        grid[i][PLOT_WIDTH] = '\0';
    }
    struct rows r =
        rows_open(s, m,
                  "SELECT v.step, v.val_acc, v.train_acc, t.steps FROM curve AS v"
                  " JOIN trials AS t USING (trial_id) WHERE trial_id = ?1 ORDER BY v.step",
                  VALUES(INTEGER(trial)));
    while (rows_next(&r)) {
        last = rows_integer(&r, LAST_STEP);
        double x = last > 0 ? (double)rows_integer(&r, AT_STEP) / (double)last : 0.0;
        plot_point(grid, x, rows_real(&r, VALIDATION), '*');
        plot_point(grid, x, rows_real(&r, TRAINING), '.');
        ++*points;
    }
    enum status status = rows_close(&r);
    if (status != STATUS_OK || *points == 0)
        return status;
    printf("\nAccuracy (* validation, . training):\n");
    for (int i = 0; i < PLOT_HEIGHT; i++) {
        size_t end = PLOT_WIDTH;
        while (end > 0 && grid[i][end - 1] == ' ')
            end--;
        printf("  %3.1f |%.*s\n", 1.0 - (double)i / (PLOT_HEIGHT - 1), (int)end, grid[i]);
    }
    printf("      +");
    for (int i = 0; i < PLOT_WIDTH; i++)
        putchar('-');
    printf("\n       0%*lld steps\n\n", PLOT_WIDTH - 7, (long long)last);
    return STATUS_OK;
}

/* "  val loss    █▆▃▁  2.774 to 0.01"; nothing where fewer than two evaluations have a value. The
 * rows are those of `lines` in show_curve. */
static enum status print_line(struct store *s, int64_t trial, const char *name, const char *sql,
                              struct message *m)
{
    double x[VALUES_MAX];
    char line[SPARKLINE_SIZE];
    int n = 0;
    struct rows r = rows_open(s, m, sql, VALUES(INTEGER(trial), INTEGER(VALUES_MAX)));
    while (n < VALUES_MAX && rows_next(&r)) {
        x[n] = rows_real(&r, 0);
        n += isfinite(x[n]);
    }
    text_sparkline(x, n, NAN, NAN, PLOT_WIDTH, line);
    if (n > 1)
        printf("  %-11s %s  %.4g to %.4g\n", name, line, x[0], x[n - 1]);
    return rows_close(&r);
}

enum status show_curve(struct store *s, int64_t trial, int *points, struct message *m)
{
#define LAST(column)                                                                               \
    "SELECT x FROM (SELECT step, " column " AS x FROM curve WHERE trial_id = ?1"                   \
    " ORDER BY step DESC LIMIT ?2) ORDER BY step"
    static const struct {
        const char *name, *sql;
    } lines[] = {{"train loss", LAST("train_loss")},
                 {"val loss", LAST("val_loss")},
                 {"grad norm", LAST("grad_norm")},
                 {"lr", LAST("lr")}};
#undef LAST
    *points = 0;
    enum status status = print_plot(s, trial, points, m);
    if (status != STATUS_OK || *points == 0 || !text_utf8())
        return status;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && status == STATUS_OK; i++)
        status = print_line(s, trial, lines[i].name, lines[i].sql, m);
    putchar('\n');
    return status;
}
