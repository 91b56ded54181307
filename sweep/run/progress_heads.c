#include "sweep/run/progress_heads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 32, GAP = 2, MORE = 10 };
static const char *const titles[METRICS][HEADS_ROWS] = {
    [METRIC_VAL_ACC] = {" heads", " done", " val acc", " running"},
    [METRIC_VAL_LOSS] = {" heads", " done", " val loss", " running"},
};

static void cell_text(enum metric metric, const struct head_counts *h, long running, int row,
                      char text[CELL])
{
    char value[16];
    switch (row) {
    case 0:
        snprintf(text, CELL, "%lld", (long long)h->heads);
        return;
    case 1:
        snprintf(text, CELL, "%ld/%ld", h->ended, h->planned);
        return;
    case 2:
        snprintf(text, CELL, "%s", line_value(metric, h->mean, value));
        return;
    default:
        snprintf(text, CELL, running > 0 ? "%ld" : "-", running);
    }
}

static int widest(enum metric metric, const struct head_counts *list, const long *running,
                  int count)
{
    int most = 5; /* as for 1.000: columns do not move as accuracies come in */
    char text[CELL];
    for (int i = 0; i < count; i++)
        for (int row = 0; row < HEADS_ROWS; row++) {
            cell_text(metric, &list[i], running[i], row, text);
            most = (int)strlen(text) > most ? (int)strlen(text) : most;
        }
    return most;
}

/* The first of `shown` neighbours among which the first that runs stands in the middle. */
static int window(const long *running, int count, int shown)
{
    int first = 0;
    while (first < count && running[first] == 0)
        first++;
    first = first < count ? first - shown / 2 : 0;
    return first < 0 ? 0 : first > count - shown ? count - shown : first;
}

static int title_columns(enum metric metric)
{
    return (int)strlen(titles[metric][2]); /* the longest */
}

int heads_layout(enum metric metric, const struct head_counts *list, const long *running, int count,
                 int columns, int rows, struct line lines[HEADS_LINES])
{
    int title = title_columns(metric), cell = widest(metric, list, running, count) + GAP;
    int in_block = (columns - title) / cell;
    int blocks = (rows < HEADS_LINES ? rows : HEADS_LINES) / HEADS_ROWS;
    if (count == 0 || in_block < 1 || blocks < 1)
        return 0;
    int shown = count;
    if (in_block * blocks < count) { /* the last block has to say so */
        shown = in_block * blocks - (MORE + cell - 1) / cell;
        if (shown < 1)
            return 0;
    }
    int first = window(running, count, shown), n = 0;
    for (int from = 0; from < shown; from += in_block)
        for (int row = 0; row < HEADS_ROWS; row++) {
            struct line *l = &lines[n++];
            line_clear(l);
            line_add(l, "%-*s", title, titles[metric][row]);
            for (int i = from; i < from + in_block && i < shown; i++) {
                char text[CELL];
                cell_text(metric, &list[first + i], running[first + i], row, text);
                line_add(l, "%*s", cell, text);
            }
            if (row == 0 && from + in_block >= shown && shown < count)
                line_add(l, "  +%d more", count - shown);
            line_cut(l, columns);
        }
    return n;
}
