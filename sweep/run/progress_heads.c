#include "sweep/run/progress_heads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 32, TITLE = 8, GAP = 2, MORE = 10 };
static const char *const titles[HEADS_ROWS] = {" heads", " done", " val acc", " running"};

static void cell_text(const struct head_counts *h, long running, int row, char text[CELL])
{
    char acc[16];
    switch (row) {
    case 0:
        snprintf(text, CELL, "%lld", (long long)h->heads);
        return;
    case 1:
        snprintf(text, CELL, "%ld/%ld", h->done, h->planned);
        return;
    case 2:
        snprintf(text, CELL, "%s", line_accuracy(h->mean_val_acc, acc));
        return;
    default:
        snprintf(text, CELL, running > 0 ? "%ld" : "-", running);
    }
}

static int widest(const struct head_counts *list, const long *running, int count)
{
    int most = 5; /* as for 1.000: columns do not move as accuracies come in */
    char text[CELL];
    for (int i = 0; i < count; i++)
        for (int row = 0; row < HEADS_ROWS; row++) {
            cell_text(&list[i], running[i], row, text);
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

int heads_layout(const struct head_counts *list, const long *running, int count, int columns,
                 int rows, struct line lines[HEADS_LINES])
{
    int cell = widest(list, running, count) + GAP;
    int in_block = (columns - TITLE) / cell;
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
            line_add(l, "%-*s", TITLE, titles[row]);
            for (int i = from; i < from + in_block && i < shown; i++) {
                char text[CELL];
                cell_text(&list[first + i], running[first + i], row, text);
                line_add(l, "%*s", cell, text);
            }
            if (row == 0 && from + in_block >= shown && shown < count)
                line_add(l, "  +%d more", count - shown);
            line_cut(l, columns);
        }
    return n;
}
