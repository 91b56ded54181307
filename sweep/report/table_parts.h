/* What table.c fills and table_write.c writes. */
#ifndef SWEEP_REPORT_TABLE_PARTS_H
#define SWEEP_REPORT_TABLE_PARTS_H

#include "sweep/report/table.h"

enum { TABLE_GAP = 2 };

enum cell_kind { CELL_EMPTY, CELL_TEXT, CELL_INTEGER, CELL_REAL, CELL_BOOL, CELL_JSON };

struct cell {
    enum cell_kind kind;
    bool bold; /* looked at in the first cell of a row only */
    union {
        const char *text;
        int64_t integer;
        double real;
    } as;
};

struct table {
    struct scope *scope; /* all of it is the scope's */
    struct table_column *column;
    int columns;
    struct cell *cell; /* row after row */
    size_t cells;
    int left_out; /* columns whose leave_out is 1 to this are not in the text */
};

const struct cell *table_cell_at(const struct table *t, long row, int column);
/* A cell as people read it. Numbers are written into buffer, texts returned as they are. */
const char *table_cell_text(const struct cell *c, int decimals, char buffer[512]);
/* Whether TABLE_TEXT has the column, and how wide it is there. */
bool table_in_text(const struct table *t, int column);
int table_column_width(const struct table *t, int column);

#endif
