/* The parts of a figure: figure.c lays out panels, figure_map.c draws the map above them. */
#ifndef SWEEP_REPORT_FIGURE_PARTS_H
#define SWEEP_REPORT_FIGURE_PARTS_H

#include "sweep/report/report_map.h"

/* Pixels from the top left corner of what is to be drawn within its axes. */
struct figure_box {
    int x, y, width, height;
};

struct figure {
    const struct report_data *r;
    const struct report_map *map; /* NULL: none */
    struct text_buffer script;
    int width, height; /* pixels */
    int left, part;    /* of these the sweep's own: from left on, so many wide */
    bool loss, bits;
    double unit;          /* values are drawn times this: losses of bytes in bits */
    double low, high;     /* of the value axis */
    int64_t fewest, most; /* head counts */
    long blocks;          /* data blocks so far: $d1, $d2, ... */
};

/* The plot that follows is drawn there. */
void figure_place(struct figure *f, struct figure_box box);

/* The axes of the plots of values against heads. */
void figure_axes(struct figure *f);

/* Height that the map takes, its titles included; 0 where there is none to draw. */
int figure_map_height(const struct figure *f);
/* Draws it from `top` on. */
void figure_map(struct figure *f, int top);

#endif
