#include "sweep/page/page_paths.h"

#include <stdbool.h>
#include <string.h>

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
