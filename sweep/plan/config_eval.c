/* The key eval of a sweep file: further test sets, each with the options of the task that differ.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum { PATH_SIZE = 128 + CONFIG_NAME_BYTES };

/* What may stand in a set: the options that all listed tasks have. */
static void shared_options(const struct reading *r, const char ***names)
{
    const struct option_entry *table[READING_TASKS];
    int tables = reading_tables(r, "task", table), n = 0;
    *names = arena_alloc(r->arena, (size_t)option_count(table[0]) + 1, sizeof **names);
    for (const struct option_entry *o = table[0]; o->name; o++) {
        int i = 1;
        while (i < tables && option_find(table[i], o->name))
            i++;
        if (i == tables)
            (*names)[n++] = o->name;
    }
}

/* The value as canonical JSON; it was checked. */
static const char *value_json(const struct reading *r, const struct option_entry *option,
                              const struct config_value *v)
{
    _Alignas(16) unsigned char holder[OPTION_VALUE_MAX] = {0};
    struct option_entry o = *option;
    char json[OPTION_TEXT_MAX];
    o.offset = 0;
    for (int i = 0; i < v->scalars; i++)
        option_parse(&o, "", v->scalar[i], v->quoted[i], holder, NULL);
    option_format(&o, holder, json, sizeof json);
    return arena_string(r->arena, json);
}

static void read_option(const struct reading *r, const char *set_path, const struct tree *t,
                        struct config_eval_option *out)
{
    char path[2 * PATH_SIZE], option[PATH_SIZE];
    struct option_set set;
    struct config_value value;
    snprintf(path, sizeof path, "%s.%s", set_path, t->key);
    snprintf(option, sizeof option, "task.%s", t->key);
    reading_option(r, t->key_place, option, &set);
    reading_check_at(r, t->key_place, reading_settable(&set, r->m));
    if (set.option[0]->local)
        reading_refuse(r, t->key_place,
                       "%s: a test set is taken from the file that its model was trained "
                       "on, and from no other; leave it out",
                       path);
    if (set.option[0]->type != OPTION_INT_LIST && t->kind != TREE_SCALAR)
        reading_refuse(r, t->place,
                       "%s must be a single value, not %s; give each value a test set of "
                       "its own",
                       path, tree_kind_name(t));
    reading_one_value(r, &set, path, t, &value);
    *out = (struct config_eval_option){t->key, value_json(r, set.option[0], &value), t->place};
}

static int by_option(const void *a, const void *b)
{
    const struct config_eval_option *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    const struct config_eval *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Objects are put together member by member, in the order of their keys. */
static void add_member(struct text_buffer *b, const char *key, const char *json)
{
    text_add(b, "%s\"%s\":%s", b->used ? "," : "{", key, json);
}

static void read_set(const struct reading *r, const struct tree *t, const char *const *options,
                     struct config_eval *e)
{
    char path[PATH_SIZE], shown[96];
    if (!config_good_name(t->key))
        reading_refuse(r, t->key_place,
                       "the name '%s' of a test set must be 1 to %d letters, digits, '.', "
                       "'_', '-'",
                       text_shown(t->key, shown, sizeof shown), CONFIG_NAME_BYTES);
    snprintf(path, sizeof path, "eval.%s", t->key);
    reading_expect(r, t, TREE_MAP, path);
    reading_known_keys(r, t, path, options);
    *e = (struct config_eval){.name = t->key, .place = t->key_place};
    e->option = arena_alloc(r->arena, (size_t)t->count + 1, sizeof *e->option);
    for (const struct tree *child = t->first; child; child = child->next)
        read_option(r, path, child, &e->option[e->options++]);
    qsort(e->option, (size_t)e->options, sizeof *e->option, by_option);
    struct text_buffer b = scope_text(r->x);
    for (int i = 0; i < e->options; i++)
        add_member(&b, e->option[i].name, e->option[i].json);
    text_add(&b, b.used ? "}" : "{}");
    e->json = b.text;
}

void reading_eval(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    const char **options;
    reading_expect(r, t, TREE_MAP, "eval");
    shared_options(r, &options);
    c->eval = arena_alloc(r->arena, (size_t)t->count + 1, sizeof *c->eval);
    for (const struct tree *child = t->first; child; child = child->next)
        read_set(r, child, options, &c->eval[c->evals++]);
    qsort(c->eval, (size_t)c->evals, sizeof *c->eval, by_name);
    struct text_buffer b = scope_text(r->x);
    for (int i = 0; i < c->evals; i++)
        add_member(&b, c->eval[i].name, c->eval[i].json);
    text_add(&b, b.used ? "}" : "{}");
    c->eval_json = b.text;
}
