#include "sweep/page/page_write.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

/* ---- base64 ---- */

void base64_write(const uint8_t *bytes, size_t size, FILE *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        fputc(digit[group >> 18], out);
        fputc(digit[group >> 12 & 63], out);
        fputc(left > 1 ? digit[group >> 6 & 63] : '=', out);
        fputc(left > 2 ? digit[group & 63] : '=', out);
    }
}

/* ---- names for paths ---- */

/* A backslash begins an escape of JSON. */
static bool is_boundary(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f || strchr("\"'`=:,;()<>[]{}\\", c);
}

/* Whether a folder's name goes on behind the spaces at `at`: one of the next words of the line has
 * a slash within it, as in "/home/me/my own data/x.csv: ...". */
static bool goes_on(const char *at)
{
    enum { WORDS = 4 };
    for (int i = 0; i < WORDS && *at == ' '; i++) {
        at += strspn(at, " ");
        if (*at == '/')
            return false;
        for (; *at && !is_boundary(*at); at++)
            if (*at == '/')
                return true;
    }
    return false;
}

/* How much of the path at `at` is known: the folder that `beside` lies in. */
static size_t known_length(const char *at, const char *beside)
{
    const char *slash = beside && *beside == '/' ? strrchr(beside, '/') : NULL;
    size_t n = slash ? (size_t)(slash - beside) : 0;
    return n > 0 && strncmp(at, beside, n) == 0 && at[n] == '/' ? n : 0;
}

/* Whether the slash at `at` begins a path of at least two names; *name is then its last one, which
 * ends at *end. */
static bool is_path(const char *text, const char *at, const char *beside, const char **name,
                    const char **end)
{
    if (at != text && !is_boundary(at[-1]))
        return false;
    size_t known = known_length(at, beside);
    *name = at + known + 1;
    for (*end = *name; **end && (!is_boundary(**end) || (**end == ' ' && goes_on(*end))); ++*end)
        if (**end == '/' && (*end)[1] && !is_boundary((*end)[1]))
            *name = *end + 1;
    return at[1] != '/' && *name > at + 1;
}

void page_names_only(const char *text, const char *beside, struct text_buffer *names)
{
    const char *from = text, *name, *end;
    for (const char *at = text; (at = strchr(at, '/'));) {
        if (!is_path(text, at, beside, &name, &end)) {
            at++;
            continue;
        }
        text_add_bytes(names, from, (size_t)(at - from));
        from = name;
        at = end;
    }
    text_add_bytes(names, from, strlen(from));
}

/* ---- escapes ---- */

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
        scope_leave(x, status_no_memory(x->message, x->what));
    return s->own;
}

/* ---- rows ---- */

void page_cell(struct json_writer *w, const char *key, const struct rows *r, int i, int digits,
               struct text_buffer *names)
{
    switch (rows_kind(r, i)) {
    case ROWS_INTEGER:
        json_add_integer(w, key, rows_integer(r, i));
        break;
    case ROWS_REAL:
        if (digits == PAGE_ALL_DIGITS)
            json_add_real(w, key, rows_real(r, i));
        else
            json_add_digits(w, key, rows_real(r, i), digits);
        break;
    case ROWS_TEXT:
        names->used = 0;
        page_names_only(rows_text(r, i), store_folder(r->store), names);
        json_add_text(w, key, names->text);
        break;
    default:
        json_add_null(w, key);
    }
}

void page_rows(struct scope *x, struct rows *r, int digits, FILE *out)
{
    struct json_writer w = {.out = out};
    struct text_buffer names = scope_text(x);
    json_begin_object(&w, NULL);
    json_begin_list(&w, "columns");
    for (int i = 0; r->status == STATUS_OK && i < rows_columns(r); i++)
        json_add_text(&w, NULL, rows_name(r, i));
    json_end_list(&w);
    json_begin_list(&w, "rows");
    while (scope_next(x, r)) {
        json_begin_list(&w, NULL);
        for (int i = 0; i < rows_columns(r); i++)
            page_cell(&w, NULL, r, i, digits, &names);
        json_end_list(&w);
    }
    json_end_list(&w);
    json_end_object(&w);
}

void page_packed_rows(struct scope *x, struct rows *r, struct json_writer *w, const char *key)
{
    struct text_buffer *json;
    FILE *out = scope_text_stream(x, &json);
    page_rows(x, r, PAGE_ALL_DIGITS, out);
    if (fflush(out) != 0 || json->out_of_memory)
        scope_leave(x, status_no_memory(x->message, x->what));
    uLongf size = compressBound(json->used);
    uint8_t *packed = arena_alloc(&x->arena, size, 1);
    if (compress(packed, &size, (const uint8_t *)json->text, json->used) != Z_OK)
        scope_leave(x, status_no_memory(x->message, x->what));
    json_add_key(w, key);
    fputc('"', w->out);
    base64_write(packed, size, w->out);
    fputc('"', w->out);
}
