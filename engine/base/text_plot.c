/* Plots of one line, made of characters (text.h). */
#include "engine/base/text.h"

#include <math.h>
#include <string.h>

/* The cell that x falls into; what is beyond the scale is cut. */
static int cell_of(double x, int cells)
{
    int cell = (int)floor(x * cells);
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

void text_dot_plot(double mean, double low, double high, int cells, char text[DOT_PLOT_SIZE])
{
    text[0] = '\0';
    if (cells < 3 || cells > DOT_PLOT_CELLS)
        return;
    bool interval = isfinite(low) && isfinite(high);
    int dot = isfinite(mean) ? cell_of(mean, cells) : -1;
    int left = interval ? cell_of(low, cells) : dot;
    int right = interval ? cell_of(high, cells) : dot;
    char *end = text;
    bool utf8 = text_utf8();
    for (int i = 0; i <= right || i <= dot; i++) {
        const char *glyph = " ";
        if (i == dot)
            glyph = utf8 ? "●" : "o";
        else if (i == left && i < dot)
            glyph = utf8 ? "├" : "|";
        else if (i == right && i > dot)
            glyph = utf8 ? "┤" : "|";
        else if (i > left && i < right)
            glyph = utf8 ? "─" : "-";
        end = stpcpy(end, glyph);
    }
}

void text_sparkline(const double *x, int n, double low, double high, int cells,
                    char text[SPARKLINE_SIZE])
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { BLOCKS = sizeof blocks / sizeof blocks[0] };
    char *end = text;
    *end = '\0';
    double least = NAN, most = NAN;
    for (int i = 0; i < n; i++) {
        least = isfinite(x[i]) ? fmin(least, x[i]) : least;
        most = isfinite(x[i]) ? fmax(most, x[i]) : most;
    }
    low = isnan(low) ? least : low;
    high = isnan(high) ? most : high;
    cells = cells > SPARKLINE_CELLS ? SPARKLINE_CELLS : cells;
    int columns = n < cells ? n : cells;
    for (int i = 0; i < columns; i++) {
        double value = x[(long)(i + 1) * n / columns - 1];
        double share = high > low ? (value - low) / (high - low) : 0;
        int block = !(share > 0) ? 0 : share >= 1 ? BLOCKS - 1 : (int)(share * BLOCKS);
        end = stpcpy(end, isfinite(value) ? blocks[block] : " ");
    }
}
