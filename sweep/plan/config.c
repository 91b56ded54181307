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
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status_fail(r->m, STATUS_BAD_INPUT, "%s", text);
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

void reading_known_keys(const struct reading *r, const struct tree *map, const char *path,
                        const char *const *names)
{
    char shown[64];
    for (const struct tree *t = map->first; t; t = t->next) {
        const char *const *name = names;
        while (*name && strcmp(*name, t->key) != 0)
            name++;
        if (*name)
            continue;
        const char *meant = nearest_name(text_visible(t->key, shown, sizeof shown), names);
        reading_refuse(r, t->key_place, "unknown key '%s' under %s%s%s%s",
                       text_shown(t->key, shown, sizeof shown), path,
                       meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
    }
}

/* The words that `name` may be in a mapping that people tend to write as its name alone: task,
 * metric, train.schedule. Else NULL. */
static const char *const *names_within(const char *what, const char *tasks[READING_TASKS + 1])
{
    int n = 0;
    if (strcmp(what, "metric") == 0)
        return reading_metrics;
    if (strcmp(what, "train.schedule") == 0)
        return option_find(train_options, "schedule.name")->words;
    if (strcmp(what, "task") != 0)
        return NULL;
    for (; n < READING_TASKS && task_table[n]; n++)
        tasks[n] = task_table[n]->name;
    tasks[n] = NULL;
    return tasks;
}

/* "; write {name: cosine}" with what was written, if that is a name; else with what would be. */
static void remedy_of_name(const char *typed, const char *const *names, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], typed) == 0) {
            snprintf(text, size, "; write {name: %s}", typed);
            return;
        }
    for (int i = 0; names[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i ? ", " : "; write {name: X} with one of: ", names[i]);
}

void reading_expect(const struct reading *r, const struct tree *t, enum tree_kind kind,
                    const char *what)
{
    struct tree wanted = {.kind = kind};
    if (t->kind == kind)
        return;
    bool nothing = t->kind == TREE_SCALAR && !t->quoted && !*t->text;
    char shown[64], remedy[512] = "";
    const char *tasks[READING_TASKS + 1];
    const char *const *names = kind == TREE_MAP ? names_within(what, tasks) : NULL;
    if (t->kind == TREE_SCALAR && !nothing && names)
        remedy_of_name(t->text, names, remedy, sizeof remedy);
    else if (t->kind == TREE_SCALAR && !nothing && kind == TREE_LIST)
        snprintf(remedy, sizeof remedy, "; write [%s%s%s]", t->quoted ? "\"" : "",
                 text_shown(t->text, shown, sizeof shown), t->quoted ? "\"" : "");
    reading_refuse(r, t->place, "%s must be %s, not %s%s", what, tree_kind_name(&wanted),
                   nothing ? "empty" : tree_kind_name(t), remedy);
}

void reading_integer(const struct reading *r, const struct tree *t, const char *what, double min,
                     double max, int64_t *value)
{
    const struct option_entry o = {.name = what, .type = OPTION_INT, .min = min, .max = max};
    reading_expect(r, t, TREE_SCALAR, what);
    reading_check_at(r, t->place, option_parse(&o, "", t->text, t->quoted, value, r->m));
}

/* --set: a value from the command line takes the place of what the file says; null takes it away.
 */

static void mark_as_set(struct tree *t, int k)
{
    t->place = t->key_place = (struct place){0, k};
    t->shift = -1;
    for (struct tree *child = t->first; child; child = child->next)
        mark_as_set(child, k);
}

/* The child of that key, made (as an empty mapping) where there is none. */
static struct tree *child_for_set(const struct reading *r, struct tree *map, const char *key, int k)
{
    struct tree **end = &map->first;
    for (; *end; end = &(*end)->next)
        if (strcmp((*end)->key, key) == 0)
            return *end;
    struct tree *child = arena_alloc(r->arena, 1, sizeof *child);
    if (child) {
        child->kind = TREE_MAP;
        child->key = key;
        mark_as_set(child, k);
        *end = child;
        map->count++;
    }
    return child;
}

/* `tune: [train.lr]` means {axes: [train.lr]}, which has room for another key. */
static void open_tune(const struct reading *r, struct tree *tune)
{
    struct tree *axes = arena_alloc(r->arena, 1, sizeof *axes);
    *axes = *tune;
    axes->key = "axes";
    axes->next = NULL;
    tune->kind = TREE_MAP;
    tune->first = axes;
    tune->count = 1;
}

/* Puts value (its place marked) where path says, from the root. */
static void graft(const struct reading *r, struct tree *map, const char *path,
                  const struct tree *value)
{
    int k = value->place.column;
    for (;;) {
        size_t n = strcspn(path, ".");
        const char *key = arena_text(r->arena, path, n);
        struct tree *child = child_for_set(r, map, key, k);
        if (!path[n]) {
            struct tree old = *child;
            *child = *value;
            child->key = old.key;
            child->next = old.next;
            return;
        }
        if (child->kind == TREE_LIST && strcmp(key, "tune") == 0)
            open_tune(r, child);
        if (child->kind != TREE_MAP)
            reading_refuse(r, value->place, "'%s' is %s in the file, not a mapping", key,
                           tree_kind_name(child));
        map = child;
        path += n + 1;
    }
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
    size_t n = strcspn(path, ".");
    struct tree **slot = &map->first;
    while (*slot && (strncmp((*slot)->key, path, n) != 0 || (*slot)->key[n]))
        slot = &(*slot)->next;
    if (!*slot || (path[n] && (*slot)->kind != TREE_MAP))
        return false;
    if (path[n])
        return prune(*slot, path + n + 1);
    *slot = (*slot)->next;
    map->count--;
    return true;
}

/* Whether a sweep file may have something at path. */
static bool is_known(const struct reading *r, const char *path)
{
    struct option_set set;
    struct message unknown;
    for (int i = 0; config_keys[i]; i++)
        if (strcmp(config_keys[i], path) == 0)
            return true;
    for (const struct config_mapping *map = config_mappings; map->path; map++) {
        size_t n = strlen(map->path);
        for (int i = 0; strncmp(map->path, path, n) == 0 && path[n] == '.' && map->key[i]; i++)
            if (strcmp(map->key[i], path + n + 1) == 0)
                return true;
    }
    return reading_path(r, path, &set, &unknown) == STATUS_OK;
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
    struct tree *value;
    struct place at;
    reading_check_at(r, here,
                     tree_parse(r->arena, equals + 1, strlen(equals + 1), &value, &at, r->m));
    mark_as_set(value, k);
    if (is_null(value) && (prune(root, path) || is_known(r, path)))
        return;
    graft(r, root, path, value);
}

/* The file. */

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
    struct tree *root;
    struct place at;
    enum status s = tree_parse(r->arena, c->text, c->size, &root, &at, r->m);
    reading_check_at(r, at, s);
    reading_expect(r, root, TREE_MAP, "a sweep file");
    for (int k = 1; k <= set_count; k++)
        apply_set(r, root, sets[k - 1], k);
    r->root = root;
    reading_known_options(r, root, "", config_keys);
    reading_axes(r);
    reading_keys(r);
}

static size_t largest_section(void)
{
    size_t size = sizeof(struct encoder_config) > sizeof(struct train_config)
                      ? sizeof(struct encoder_config)
                      : sizeof(struct train_config);
    for (const struct task *const *t = task_table; *t; t++)
        size = (*t)->options_size > size ? (*t)->options_size : size;
    return size;
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
    r.scratch = arena_alloc(&x->arena, 1, largest_section());
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

/* Reads up to one byte more than a sweep file may have. */
static enum status read_file(const char *path, FILE *f, char *text, size_t *size, struct message *m)
{
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
        return status_fail(m, STATUS_BAD_INPUT, "%s: this is a directory, not a sweep file", path);
    *size = fread(text, 1, TREE_BYTES + 1, f);
    if (ferror(f))
        return status_fail(m, status_of_errno(errno), "%s: %s", path, strerror(errno));
    if (*size > TREE_BYTES)
        return status_fail(m, STATUS_BAD_INPUT, "%s: larger than 1 MiB, the limit for a sweep file",
                           path);
    return STATUS_OK;
}

static enum status read_stream(const char *path, FILE *f, const char *const *sets, int set_count,
                               struct config **c, struct message *m)
{
    char *text = malloc(TREE_BYTES + 1);
    size_t size = 0;
    *c = NULL;
    enum status s =
        text ? read_file(path, f, text, &size, m) : status_no_memory(m, "the sweep file");
    if (!s)
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

bool config_is_tuned(const struct config *c, const char *path)
{
    for (int i = 0; i < c->tune; i++)
        if (strcmp(c->tune_path[i], path) == 0)
            return true;
    return false;
}

void config_free(struct config *c)
{
    if (c)
        scope_end(c->memory);
}
