#include "sweep/plan/config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/sha256.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum status config_within(const struct config *c, struct place at, struct message *m)
{
    if (at.line > 0)
        return status_fail_within(m, STATUS_BAD_INPUT, "%s:%d:%d: ", c->path, at.line, at.column);
    if (at.column > 0 && at.column <= c->sets)
        return status_fail_within(m, STATUS_BAD_INPUT,
                                  "--set %.*s: ", (int)strcspn(c->set[at.column - 1], "="),
                                  c->set[at.column - 1]);
    return status_fail_within(m, STATUS_BAD_INPUT, "%s: ", c->path);
}

void reading_refuse(const struct reading *r, struct place at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    status_fail(r->m, STATUS_BAD_INPUT, "%s", scope_vprint(r->x, format, arguments));
    va_end(arguments);
    reading_refuse_at(r, at);
}

void reading_refuse_at(const struct reading *r, struct place at)
{
    scope_leave(r->x, config_within(r->c, at, r->m));
}

void reading_check_at(const struct reading *r, struct place at, enum status s)
{
    if (s == STATUS_BAD_INPUT)
        reading_refuse_at(r, at);
    scope_check(r->x, s);
}

/* "; write {name: cosine}", where people tend to write a mapping as its name alone: with what was
 * written if that is a name, else with what would be one. */
static const char *remedy_of_name(const struct reading *r, const char *path, const char *typed)
{
    struct text_buffer text = scope_text(r->x);
    char of_name[2 * CONFIG_PATH_SIZE];
    snprintf(of_name, sizeof of_name, "%s.name", path);
    const struct config_name *name = config_name_find(r->names, of_name);
    const char *const *words = name ? name->value->words : NULL;
    for (int i = 0; words && words[i]; i++)
        if (strcmp(words[i], typed) == 0)
            return scope_print(r->x, "; write {name: %s}", typed);
    for (int i = 0; words && words[i]; i++)
        text_add(&text, "%s%s", i ? ", " : "; write {name: X} with one of: ", words[i]);
    return text.used ? text.text : "";
}

void reading_expect(const struct reading *r, const struct tree *t, enum tree_kind kind,
                    const char *what)
{
    struct tree wanted = {.kind = kind};
    if (t->kind == kind)
        return;
    bool nothing = t->kind == TREE_SCALAR && !t->quoted && !*t->text;
    const char *remedy = "", *quote = t->quoted ? "\"" : "";
    char shown[64];
    if (t->kind == TREE_SCALAR && !nothing && kind == TREE_MAP)
        remedy = remedy_of_name(r, what, t->text);
    else if (t->kind == TREE_SCALAR && !nothing)
        remedy = scope_print(r->x, "; write [%s%s%s]", quote,
                             text_shown(t->text, shown, sizeof shown), quote);
    reading_refuse(r, t->place, "%s must be %s, not %s%s", what, tree_kind_name(&wanted),
                   nothing ? "empty" : tree_kind_name(t), remedy);
}

void reading_scalar(const struct reading *r, const struct option_entry *o, const struct tree *t,
                    void *config)
{
    reading_expect(r, t, TREE_SCALAR, o->name);
    reading_check_at(r, t->place, option_parse(o, "", t->text, t->quoted, config, r->m));
}

/* ---- --set: a value from the command line takes the place of what the file says; null takes it
 * away ---- */

static void mark_as_set(struct tree *t, int k)
{
    t->place = t->key_place = (struct place){0, k};
    t->shift = -1;
    for (struct tree *child = t->first; child; child = child->next)
        mark_as_set(child, k);
}

/* Where the mapping has the key that path begins with, or its end. */
static struct tree **slot_of(struct tree *map, const char *path)
{
    const size_t n = strcspn(path, ".");
    struct tree **slot = &map->first;
    while (*slot && (strncmp((*slot)->key, path, n) != 0 || (*slot)->key[n]))
        slot = &(*slot)->next;
    return slot;
}

/* Puts value (its place marked) where path says, from the mapping down. */
static void graft(const struct reading *r, struct tree *map, const char *path, struct tree *value)
{
    const size_t n = strcspn(path, ".");
    struct tree **slot = slot_of(map, path), *old = *slot;
    const char *key = arena_text(r->arena, path, n);
    if (old && path[n] && old->kind != TREE_MAP)
        reading_refuse(r, value->place, "'%s' is %s in the file, not a mapping", key,
                       tree_kind_name(old));
    if (!old || !path[n]) {
        struct tree *new = path[n] ? arena_alloc(r->arena, 1, sizeof *new) : value;
        if (path[n])
            *new = (struct tree){.kind = TREE_MAP, .place = value->place, .shift = -1};
        new->key = key;
        new->key_place = value->place;
        new->next = old ? old->next : NULL;
        map->count += !old;
        *slot = new;
    }
    if (path[n])
        graft(r, *slot, path + n + 1, value);
}

static bool is_null(const struct tree *t)
{
    static const char *const nulls[] = {"null", "Null", "NULL", "~"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (t->kind == TREE_SCALAR && !t->quoted && strcmp(t->text, nulls[i]) == 0)
            return true;
    return false;
}

/* Takes away what stands at path; false where nothing does. */
static bool prune(struct tree *map, const char *path)
{
    const size_t n = strcspn(path, ".");
    struct tree **slot = slot_of(map, path);
    if (!*slot || (path[n] && (*slot)->kind != TREE_MAP))
        return false;
    if (path[n])
        return prune(*slot, path + n + 1);
    *slot = (*slot)->next;
    map->count--;
    return true;
}

/* `tune: [train.lr]` means {axes: [train.lr]}. */
static void open_tune(const struct reading *r, struct tree *root)
{
    struct tree *tune = tree_find(root, "tune");
    if (!tune || tune->kind == TREE_MAP)
        return;
    struct tree *axes = arena_alloc(r->arena, 1, sizeof *axes);
    *axes = *tune;
    axes->key = "axes";
    axes->next = NULL;
    tune->kind = TREE_MAP;
    tune->first = axes;
    tune->count = 1;
}

static void apply_set(struct reading *r, struct tree *root, const char *set, int k)
{
    const char *equals = strchr(set, '=');
    char shown[64];
    if (!equals || equals == set)
        scope_fail(r->x, STATUS_BAD_INPUT, "--set %s: write path=value, as in train.steps=100",
                   text_shown(set, shown, sizeof shown));
    char *path = arena_text(r->arena, set, (size_t)(equals - set));
    const struct place here = {0, k};
    r->c->set[k - 1] = arena_string(r->arena, set);
    r->c->sets = k;
    if (equals[1 + strspn(equals + 1, " \t")] == '\0')
        reading_refuse(r, here, "no value after '='");
    struct tree *value = tree_parse(r->x, equals + 1, strlen(equals + 1),
                                    scope_print(r->x, "--set %s", path), false);
    mark_as_set(value, k);
    if (is_null(value) && (prune(root, path) || config_name_find(r->names, path)))
        return;
    graft(r, root, path, value);
    open_tune(r, root);
}

/* ---- the file ---- */

/* The first line that is a comment, without its mark. */
static const char *find_question(struct arena *arena, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line == '#') {
            line += strspn(line, "# \t");
            size_t n = strcspn(line, "\r\n");
            return arena_text(arena, line, n);
        }
    }
    return "";
}

static void read_tree(struct reading *r, const char *const *sets, int set_count)
{
    struct config *c = r->c;
    struct tree *root = tree_parse(r->x, c->text, c->size, c->path, true);
    reading_names(r);
    reading_expect(r, root, TREE_MAP, "a sweep file");
    open_tune(r, root);
    for (int k = 1; k <= set_count; k++)
        apply_set(r, root, sets[k - 1], k);
    r->root = c->root = root;
    reading_known(r, root, "", NULL);
    reading_axes(r);
    reading_keys(r);
}

/* Keeps the text as every editor and every shell would hand it on: lines end with "\n", the last
 * one too. It means the same to YAML, and has the same hash wherever it has been. */
static void keep_text(struct config *c, struct arena *arena, const char *text, size_t size)
{
    char *kept = arena_alloc(arena, size + 2, 1);
    for (size_t i = 0; i < size; i++)
        if (text[i] != '\r')
            kept[c->size++] = text[i];
        else if (i + 1 == size || text[i + 1] != '\n')
            kept[c->size++] = '\n';
    if (c->size > 0 && c->size < TREE_BYTES && kept[c->size - 1] != '\n')
        kept[c->size++] = '\n';
    c->text = kept;
}

static struct config *parse(struct scope *x, const char *path, const char *text, size_t size,
                            const char *const *sets, int set_count)
{
    struct config *c = arena_alloc(&x->arena, 1, sizeof *c);
    struct reading r = {.c = c, .x = x, .arena = &x->arena, .m = x->message};
    c->memory = x;
    c->path = arena_string(&x->arena, path);
    c->set = arena_alloc(&x->arena, (size_t)set_count, sizeof *c->set);
    r.scratch = arena_alloc(&x->arena, READING_TASKS, OPTION_VALUE_MAX);
    keep_text(c, &x->arena, text, size);
    sha256_hex(c->text, c->size, c->sha256);
    read_tree(&r, sets, set_count);
    c->question = find_question(&x->arena, c->text);
    return c;
}

enum status config_parse(const char *path, const char *text, size_t size, const char *const *sets,
                         int set_count, struct config **out, struct message *m)
{
    struct scope *x = scope_new(NULL, "the sweep file", m);
    *out = NULL;
    if (scope_enter(x))
        *out = parse(x, path, text, size, sets, set_count);
    return *out ? STATUS_OK : scope_end(x);
}

static enum status read_stream(const char *path, FILE *f, const char *const *sets, int set_count,
                               struct config **c, struct message *m)
{
    struct stat st;
    *c = NULL;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
        return status_fail(m, STATUS_BAD_INPUT, "%s: this is a directory, not a sweep file", path);
    char *text = malloc(TREE_BYTES + 1); /* a byte more than there may be */
    if (!text)
        return status_no_memory(m, "the sweep file");
    const size_t size = fread(text, 1, TREE_BYTES + 1, f);
    enum status s;
    if (ferror(f))
        s = status_fail(m, status_of_errno(errno), "%s: %s", path, strerror(errno));
    else if (size > TREE_BYTES)
        s = status_fail(m, STATUS_BAD_INPUT, "%s: larger than 1 MiB, the limit for a sweep file",
                        path);
    else
        s = config_parse(path, text, size, sets, set_count, c, m);
    free(text);
    return s;
}

enum status config_read_stdin(const char *as, const char *const *sets, int set_count,
                              struct config **c, struct message *m)
{
    return read_stream(as ? as : "<stdin>", stdin, sets, set_count, c, m);
}

enum status config_read(const char *path, const char *const *sets, int set_count, struct config **c,
                        struct message *m)
{
    *c = NULL;
    FILE *f = fopen(path, "rbe");
    if (!f && errno == ENOMEM)
        return status_no_memory(m, "the sweep file");
    if (!f) {
        char near[2 * PATH_MAX];
        const char *why = strerror(errno);
        bool meant = errno == ENOENT && reading_near_file(path, near, sizeof near);
        return status_fail(m, STATUS_BAD_INPUT, "%s: %s%s%s%s", path, why,
                           meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : "");
    }
    enum status s = read_stream(path, f, sets, set_count, c, m);
    fclose(f);
    return s;
}

struct place config_item_place(const struct config *c, const char *path, int i)
{
    const struct tree *t = tree_at(c->root, path), *item = t ? t->first : NULL;
    for (; item && i > 0; i--)
        item = item->next;
    return item ? item->place : config_place(c, path);
}

struct place config_place(const struct config *c, const char *path)
{
    const struct tree *t = tree_at(c->root, path);
    return t ? t->place : (struct place){0, 0};
}

void config_free(struct config *c)
{
    if (c)
        scope_end(c->memory);
}
