#include "sweep/page/page_stream.h"

#include <string.h>

struct stream {
    FILE *own, *to;
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

static void close_stream(void *stream)
{
    struct stream *s = stream;
    if (s->own)
        fclose(s->own);
}

FILE *page_stream(struct scope *x, FILE *to, enum page_place place)
{
    struct stream *s = arena_alloc(&x->arena, 1, sizeof *s);
    s->to = to;
    s->place = place;
    arena_on_free(&x->arena, close_stream, s);
    s->own = fopencookie(s, "w", (cookie_io_functions_t){.write = write_on});
    if (!s->own)
        scope_check(x, status_no_memory(x->message, x->what));
    return s->own;
}
