#include "sweep/report/gnuplot.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "sweep/hosts/subprocess.h"

enum { SVG_MAX = 64 << 20 };

void gnuplot_quote(struct text_buffer *script, const char *text, int columns)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    text_add(script, "'");
    for (int i = 0; p < end && i < columns; i++) {
        uint32_t code = 0;
        int n = utf8_decode(p, end, &code);
        if (n == 0 || utf8_is_control(code) || code == 0xfffe || code == 0xffff)
            text_add(script, "?");
        else
            text_add(script, "%s%.*s", code == '\'' ? "'" : "", n, (const char *)p);
        p += n ? n : 1;
    }
    text_add(script, p < end ? "..'" : "'");
}

static bool is_whole(const struct text_buffer *svg)
{
    static const char tail[] = "</svg>";
    size_t used = svg->used, size = strlen(tail);
    while (used > 0 && strchr(" \r\n\t", svg->text[used - 1]))
        used--;
    return used >= size && memcmp(svg->text + used - size, tail, size) == 0;
}

/* Of gnuplot that has ended. */
static enum status judge(const struct subprocess *c, const struct text_buffer *svg,
                         struct message *m)
{
    const char *words = c->errors->text + strspn(c->errors->text, " \r\n\t");
    if (c->succeeded && is_whole(svg))
        return STATUS_OK;
    if (c->exit_status < 0)
        return status_fail(m, STATUS_IO,
                           "gnuplot was ended by signal %d (%s): no figure was written", c->signal,
                           strsignal(c->signal));
    if (c->succeeded)
        return status_fail(m, STATUS_IO, "gnuplot wrote no whole SVG%s%s", *words ? ": " : "",
                           words);
    return status_fail(m, STATUS_IO, "gnuplot failed with status %d%s%s", c->exit_status,
                       *words ? ": " : "", words);
}

enum status gnuplot_draw(const struct text_buffer *script, struct text_buffer *svg,
                         struct message *m)
{
    char name[] = "gnuplot", defaults[] = "-d", standard_input[] = "-";
    struct text_buffer errors = {0};
    struct subprocess c = {.argv = (char *[]){name, defaults, standard_input, NULL},
                           .input = script->text,
                           .input_size = script->used,
                           .patience_ms = SUBPROCESS_FOREVER,
                           .most = SVG_MAX,
                           .stops = true,
                           .errors = &errors};
    enum status s = subprocess_run(&c, svg, m);
    if (c.missing)
        s = status_fail(m, STATUS_IO,
                        "gnuplot draws the figure and is not in PATH; install it (Debian, Ubuntu: "
                        "apt install gnuplot-nox), or use --html, which needs nothing");
    else if (s == STATUS_INTERRUPTED)
        s = status_fail(m, s, "stopped; no figure was written");
    else if (s == STATUS_OK && errors.out_of_memory)
        s = status_no_memory(m, "the figure");
    else if (s == STATUS_OK)
        s = judge(&c, svg, m);
    free(errors.text);
    return s;
}
