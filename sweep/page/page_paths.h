/* Pages are shown to others: where things lie on this machine does not belong on them. */
#ifndef SWEEP_PAGE_PAGE_PATHS_H
#define SWEEP_PAGE_PAGE_PATHS_H

#include "engine/base/text.h"

/* Adds text with each absolute path in it ("cannot open /home/me/my data/x.csv: ...") cut to its
 * last name (x.csv). A path begins where a text does, or after a space, a quote, a bracket or one
 * of = : , ; and ends before any of these. At a space it ends only where none of the next four
 * words of the line has a slash: rather a word too few is shown than a part of a folder's name.
 * beside: a path whose folder is known to be one, whatever its name has in it (the results file, or
 * the folder beside it); NULL: none. Addresses (https://...) and lone slashes stay. JSON stays
 * JSON. */
void page_names_only(const char *text, const char *beside, struct text_buffer *names);

#endif
