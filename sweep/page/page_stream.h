/* A stream that writes on to another, escaped for the place in an HTML page where that stands. */
#ifndef SWEEP_PAGE_PAGE_STREAM_H
#define SWEEP_PAGE_PAGE_STREAM_H

#include <stdio.h>

enum page_place {
    PAGE_TEXT, /* in an element: & < > " ' are character references */
    PAGE_JSON  /* JSON in a script element: & < > as in \u003c, so that nothing ends the element or
                  begins a comment */
};

/* NULL where there is no memory. fclose ends it and leaves `to` open; what could not be written
 * shows as an error of `to`. */
FILE *page_stream(FILE *to, enum page_place place);

#endif
