/* The map of a sweep that varies one or two quantities beside heads: the plateau of each cell, and
 * what its lower edge follows (sweep/judge/fit.h). */
#ifndef SWEEP_REPORT_REPORT_MAP_H
#define SWEEP_REPORT_REPORT_MAP_H

#include "sweep/judge/fit.h"
#include "sweep/report/document.h"
#include "sweep/report/report_data.h"

/* A cell is a setting of the report. */
struct report_cell {
    const struct report_setting *set;
    double at[FIT_AXES_MAX]; /* its value on each axis */
    int64_t edge;            /* h*: 0 where it has none */
    bool unsolved;           /* no trial has an accuracy of VERDICT_SOLVED, so that it has none */
};

struct report_axis {
    char *path;       /* "task.slots" */
    const char *name; /* "slots": within path */
    int count;
    double *value; /* rising, each once */
};

struct report_map {
    int axes; /* 1 or 2 */
    struct report_axis axis[FIT_AXES_MAX];
    int cells; /* as many as the report has settings, in their order */
    struct report_cell *cell;
    int unsolved; /* of these */
    int units;    /* seeds, or instances, that the bootstrap draws from */
    struct fit fit;
    struct fit above; /* the same without the cells at the floor: of use where fit.floor > 0 */
};

/* NULL where there is none to draw: what varies beside heads is not one quantity with at least
 * three values or two with at least two each, all above 0 (the fit takes logarithms), or no setting
 * has more than one head count. A task instance is a name, no quantity. */
struct report_map *report_map_new(const struct report_data *r);

/* What the head counts of a cell are together: "plateau" or, without a margin, "confidence set". */
const char *report_map_set(const struct report_map *map);

/* The next rows of the plateau that stand side by side, from row *first on: *first to *last. False
 * where there are no more. */
bool report_plateau_run(const struct verdict *v, int *first, int *last);

/* "2, 8-16 (2)": a cell's plateau as runs of what was tried, and h* or why it has none; "at chance"
 * where there is no plateau for that reason. */
void report_map_cell(const struct report_cell *c, struct text_buffer *text);

/* The map for people: table and sentences. */
void report_map_people(const struct report_data *r, const struct report_map *map,
                       struct document *d);
/* As "map": an object, or null for NULL. */
void report_map_json(const struct report_map *map, struct json_writer *w);

#endif
