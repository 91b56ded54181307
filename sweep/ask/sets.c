#include "sweep/ask/sets.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"

const char *sets_value(const char *const *sets, int count, const char *path)
{
    const char *found = NULL;
    size_t n = strlen(path);
    for (int i = 0; i < count; i++)
        if (strncmp(sets[i], path, n) == 0 && sets[i][n] == '=')
            found = sets[i] + n + 1;
    return found;
}

long sets_number(const char *const *sets, int count, const char *path)
{
    const char *value = sets_value(sets, count, path);
    double number;
    bool integral;
    return value && number_parse(value, &number, &integral) && integral && number >= 1 &&
                   number <= 1e9
               ? (long)number
               : 0;
}

static int compare_paths(const char *a, const char *b)
{
    size_t n = strcspn(a, "="), k = strcspn(b, "=");
    int order = strncmp(a, b, n < k ? n : k);
    return order ? order : (n > k) - (n < k);
}

const char *sets_next(const char *const *sets, int count, const char *before)
{
    const char *found = NULL;
    for (int i = 0; i < count; i++)
        if ((!before || compare_paths(sets[i], before) > 0) &&
            (!found || compare_paths(sets[i], found) <= 0))
            found = sets[i];
    return found;
}

static bool is_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            return true;
    return false;
}

enum status sets_check(const char *const *sets, int count, struct message *m)
{
    static const char *const sections[] = {"task.", "model.", "train."};
    static const char *const own[] = {"name", "task.name", "task.file"};
    char shown[80], path[80];
    for (int i = 0; i < count; i++) {
        size_t n = strcspn(sets[i], "=");
        snprintf(path, sizeof path, "%.*s", (int)n, sets[i]);
        const char *rest = path;
        for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
            if (strncmp(path, sections[k], strlen(sections[k])) == 0)
                rest = path + strlen(sections[k]);
        if (!sets[i][n] || n == 0 || is_control(sets[i]))
            return status_fail(m, STATUS_BAD_INPUT,
                               "--set %s: write path=value, as in train.steps=400",
                               text_shown(sets[i], shown, sizeof shown));
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (strcmp(path, own[k]) == 0)
                return status_fail(m, STATUS_BAD_INPUT,
                                   "--set %s: ask sets this itself, from what it is asked about; "
                                   "leave it out",
                                   path);
        if (strchr(rest, '.'))
            return status_fail(m, STATUS_BAD_INPUT,
                               "--set %s: ask sets whole keys; give %.*s={...}, or change the "
                               "file that --write writes, and run it",
                               path, (int)strcspn(rest, ".") + (int)(rest - path), path);
    }
    return STATUS_OK;
}
