#include "sweep/ask/quote.h"

#include <string.h>

void quote_add(struct text_buffer *b, const char *text)
{
    text_add(b, "'");
    for (const char *quote; (quote = strchr(text, '\'')) != NULL; text = quote + 1) {
        text_add_bytes(b, text, (size_t)(quote - text));
        text_add(b, "''");
    }
    text_add(b, "%s'", text);
}

bool quote_read(const char *value, char *text, size_t size, bool *quoted)
{
    size_t n = strlen(value), used = 0;
    char mark = value[0];
    *quoted = n >= 2 && (mark == '\'' || mark == '"') && value[n - 1] == mark &&
              !(mark == '"' && strchr(value, '\\'));
    const char *from = value + *quoted, *end = value + n - *quoted;
    if ((size_t)(end - from) >= size)
        return false;
    while (from < end) {
        text[used++] = *from;
        from += *quoted && mark == '\'' && from[0] == '\'' && from[1] == '\'' ? 2 : 1;
    }
    text[used] = '\0';
    return true;
}
