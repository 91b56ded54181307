/* Texts as values of a sweep file, and back. */
#ifndef SWEEP_ASK_QUOTE_H
#define SWEEP_ASK_QUOTE_H

#include "engine/base/text.h"

/* Adds text in single quotes, in which YAML takes any text of one line: it's as 'it''s'. */
void quote_add(struct text_buffer *b, const char *text);

/* The other way, of what --set gives: what stands in quotes without them, and anything else as it
 * is. *quoted: whether it stood in them. A double-quoted text with a backslash stays as it is.
 * False where text, with its end, takes more than size bytes. */
bool quote_read(const char *value, char *text, size_t size, bool *quoted);

#endif
