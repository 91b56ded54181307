#include "sweep/page/page_paths.h"

#include <stdbool.h>
#include <string.h>

/* A backslash begins an escape of JSON. */
static bool is_boundary(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f || strchr("\"'`=:,;()<>[]{}\\", c);
}

/* Whether the slash at `at` begins a path of at least two names; *name is then its last one, which
 * ends at *end. */
static bool is_path(const char *text, const char *at, const char **name, const char **end)
{
    if (at != text && !is_boundary(at[-1]))
        return false;
    *name = at + 1;
    for (*end = at + 1; **end && !is_boundary(**end); ++*end)
        if (**end == '/' && (*end)[1] && !is_boundary((*end)[1]))
            *name = *end + 1;
    return at[1] != '/' && *name > at + 1;
}

void page_names_only(const char *text, FILE *out)
{
    const char *from = text, *name, *end;
    for (const char *at = text; (at = strchr(at, '/'));) {
        if (!is_path(text, at, &name, &end)) {
            at++;
            continue;
        }
        fwrite(from, 1, (size_t)(at - from), out);
        from = name;
        at = end;
    }
    fputs(from, out);
}
