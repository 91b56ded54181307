/* The rows of the view cost, as the evidence of a sweep has them. */
#ifndef SWEEP_PAGE_PAGE_COST_H
#define SWEEP_PAGE_PAGE_COST_H

#include <stdio.h>

#include "sweep/evidence/evidence.h"

/* As page_rows writes the rows of a query. False where there is no memory. */
bool page_cost(const char *sweep, const struct evidence *e, FILE *out);

#endif
