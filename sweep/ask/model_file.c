#include "sweep/ask/model_file.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/scope.h"
#include "engine/base/text.h"
#include "sweep/ask/quote.h"
#include "sweep/plan/tree.h"

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

static enum status add_set(const char *section, const struct tree *key, char **set, int max,
                           int *count, struct message *m)
{
    struct text_buffer b = {0};
    if (*count >= max) {
        *count = max + 1;
        return STATUS_OK;
    }
    text_add(&b, "%s.%s=", section, key->key);
    add_value(key, &b);
    if (b.out_of_memory) {
        free(b.text);
        return status_no_memory(m, "a model");
    }
    set[(*count)++] = b.text;
    return STATUS_OK;
}

static enum status add_section(const char *path, const struct tree *root, const char *name,
                               char **set, int max, int *count, struct message *m)
{
    const struct tree *section = tree_find(root, name);
    enum status s = STATUS_OK;
    if (section && section->kind != TREE_MAP)
        return status_fail(m, STATUS_BAD_INPUT, "%s:%d:%d: %s is %s, where a mapping is expected",
                           path, section->place.line, section->place.column, name,
                           tree_kind_name(section));
    for (const struct tree *k = section ? section->first : NULL; k && s == STATUS_OK; k = k->next)
        if (strcmp(name, "model") != 0 || strcmp(k->key, "heads") != 0 || k->kind != TREE_SCALAR)
            s = add_set(name, k, set, max, count, m);
    return s;
}

static enum status add_sections(const char *path, const struct tree *root, char **set, int max,
                                int *count, struct message *m)
{
    if (root->kind != TREE_MAP || (!tree_find(root, "model") && !tree_find(root, "train")))
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: has neither a section `model` nor one `train`; write them as in a "
                           "sweep file",
                           path);
    enum status s = add_section(path, root, "model", set, max, count, m);
    return s == STATUS_OK ? add_section(path, root, "train", set, max, count, m) : s;
}

static void read_sets(struct scope *x, const char *path, char **set, int max, int *count)
{
    struct tree *root;
    struct place at;
    void *bytes = NULL;
    size_t size = 0;
    enum status s = file_read(path, TREE_BYTES, &bytes, &size, x->message);
    if (s == STATUS_IO) /* what was named cannot be read: another name is the remedy */
        s = STATUS_BAD_INPUT;
    scope_check(x, s);
    arena_on_free(&x->arena, free, bytes);
    s = tree_parse(&x->arena, bytes, size, &root, &at, x->message);
    if (s == STATUS_BAD_INPUT)
        status_fail_within(x->message, s, "%s:%d:%d: ", path, at.line, at.column);
    scope_check(x, s);
    scope_check(x, add_sections(path, root, set, max, count, x->message));
}

enum status model_file_read(const char *path, char **set, int max, int *count, struct message *m)
{
    struct scope *x = scope_new(NULL, "a model", m);
    if (scope_enter(x))
        read_sets(x, path, set, max, count);
    return scope_end(x);
}
