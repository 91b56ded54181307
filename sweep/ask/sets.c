#include "sweep/ask/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/tree.h"

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

/* ---- quotes ---- */

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

/* ---- of a model that somebody has ---- */

/* In one line, as YAML has it. */
static void add_value(const struct tree *t, struct text_buffer *b)
{
    if (t->kind == TREE_SCALAR) {
        if (t->quoted)
            quote_add(b, t->text);
        else
            text_add(b, "%s", *t->text ? t->text : "null");
        return;
    }
    text_add(b, t->kind == TREE_LIST ? "[" : "{");
    for (const struct tree *c = t->first; c; c = c->next) {
        if (t->kind == TREE_MAP)
            text_add(b, "%s: ", c->key);
        add_value(c, b);
        text_add(b, c->next ? ", " : "");
    }
    text_add(b, t->kind == TREE_LIST ? "]" : "}");
}

static void add_section(struct scope *x, const char *path, const struct tree *root,
                        const char *name, struct sets *sets)
{
    const struct tree *section = tree_find(root, name);
    if (section && section->kind != TREE_MAP)
        scope_fail(x, STATUS_BAD_INPUT, "%s:%d:%d: %s is %s, where a mapping is expected", path,
                   section->place.line, section->place.column, name, tree_kind_name(section));
    for (const struct tree *k = section ? section->first : NULL; k; k = k->next) {
        struct text_buffer b = scope_text(x);
        if (strcmp(name, "model") == 0 && strcmp(k->key, "heads") == 0 && k->kind == TREE_SCALAR)
            continue;
        text_add(&b, "%s.%s=", name, k->key);
        add_value(k, &b);
        sets->item = arena_grow(&x->arena, sets->item, (size_t)sets->count, sizeof *sets->item);
        sets->item[sets->count++] = b.text;
    }
}

struct sets sets_of_model(struct scope *x, const char *path)
{
    struct sets sets = {.count = 0};
    void *bytes = NULL;
    size_t size = 0;
    enum status s = file_read(path, TREE_BYTES, &bytes, &size, x->message);
    scope_check(x, s == STATUS_IO ? STATUS_BAD_INPUT : s); /* another name is the remedy */
    arena_on_free(&x->arena, free, bytes);
    const struct tree *root = tree_parse(x, bytes, size, path, true);
    if (root->kind != TREE_MAP || (!tree_find(root, "model") && !tree_find(root, "train")))
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: has neither a section `model` nor one `train`; write them as in a sweep "
                   "file",
                   path);
    add_section(x, path, root, "model", &sets);
    add_section(x, path, root, "train", &sets);
    return sets;
}
