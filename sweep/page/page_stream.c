#include "sweep/page/page_stream.h"

#include <stdlib.h>
#include <string.h>

struct stream {
    FILE *to;
    enum page_place place;
};

static const char *escaped(char c, enum page_place place)
{
    static const struct {
        char c;
        const char *as[2]; /* by place; NULL: as it is */
    } table[] = {
        {'&', {"&amp;", "\\u0026"}}, {'<', {"&lt;", "\\u003c"}}, {'>', {"&gt;", "\\u003e"}},
        {'"', {"&quot;", NULL}},     {'\'', {"&#39;", NULL}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].c == c)
            return table[i].as[place];
    return NULL;
}

/* What comes of it is asked of the stream written to. */
static ssize_t write_on(void *cookie, const char *text, size_t size)
{
    const struct stream *s = cookie;
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        const char *as = escaped(text[i], s->place);
        if (!as)
            continue;
        fwrite(text + from, 1, i - from, s->to);
        fputs(as, s->to);
        from = i + 1;
    }
    fwrite(text + from, 1, size - from, s->to);
    return (ssize_t)size;
}

static int close_stream(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *page_stream(FILE *to, enum page_place place)
{
    struct stream *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct stream){to, place};
    FILE *out =
        fopencookie(s, "w", (cookie_io_functions_t){.write = write_on, .close = close_stream});
    if (!out)
        free(s);
    return out;
}
