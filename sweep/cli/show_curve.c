#include "sweep/cli/show_curve.h"

#include <math.h>
#include <string.h>

#include "engine/base/text.h"

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
static int print_plot(struct scope *x, int64_t trial)
{
    enum { AT_STEP, VALIDATION, TRAINING, LAST_STEP };
    char grid[PLOT_HEIGHT][PLOT_WIDTH + 1];
    int64_t last = 0;
    int points = 0;
    for (int i = 0; i < PLOT_HEIGHT; i++) {
        memset(grid[i], ' ', PLOT_WIDTH);
        grid[i][PLOT_WIDTH] = '\0';
    }
    struct rows *r =
        scope_rows(x,
                   "SELECT v.step, v.val_acc, v.train_acc, t.steps FROM curve AS v"
                   " JOIN trials AS t USING (trial_id) WHERE trial_id = ?1 ORDER BY v.step",
                   VALUES(INTEGER(trial)));
    for (; scope_next(x, r); points++) {
        last = rows_integer(r, LAST_STEP);
        double at = last > 0 ? (double)rows_integer(r, AT_STEP) / (double)last : 0.0;
        plot_point(grid, at, rows_real(r, VALIDATION), '*');
        plot_point(grid, at, rows_real(r, TRAINING), '.');
    }
    if (points == 0)
        return 0;
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
    return points;
}

/* "  val loss    █▆▃▁  2.774 to 0.01"; nothing where fewer than two evaluations have a value. The
 * rows are those of `lines` in show_curve. */
static void print_line(struct scope *x, int64_t trial, const char *name, const char *sql)
{
    double y[VALUES_MAX];
    char line[SPARKLINE_SIZE];
    int n = 0;
    struct rows *r = scope_rows(x, sql, VALUES(INTEGER(trial), INTEGER(VALUES_MAX)));
    while (scope_next(x, r)) {
        y[n] = rows_real(r, 0);
        n += isfinite(y[n]);
    }
    text_sparkline(y, n, NAN, NAN, PLOT_WIDTH, line);
    if (n > 1)
        printf("  %-11s %s  %.4g to %.4g\n", name, line, y[0], y[n - 1]);
}

bool show_curve(struct scope *x, int64_t trial)
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
    if (print_plot(x, trial) == 0)
        return false;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && text_utf8(); i++)
        print_line(x, trial, lines[i].name, lines[i].sql);
    fputs(text_utf8() ? "\n" : "", stdout);
    return true;
}
