/* A stream that writes on to another, escaped for the place in an HTML page where that stands. */
#ifndef SWEEP_PAGE_PAGE_STREAM_H
#define SWEEP_PAGE_PAGE_STREAM_H

#include "sweep/db/scope.h"

enum page_place {
    PAGE_TEXT, /* in an element: & < > " ' are character references */
    PAGE_JSON  /* JSON in a script element: & < > as in \u003c, so that nothing ends the element or
                  begins a comment */
};

/* To be flushed before more is written to `to`; it ends with the scope, which `to` must outlive.
 * What could not be written shows as an error of `to`. */
FILE *page_stream(struct scope *x, FILE *to, enum page_place place);

#endif
