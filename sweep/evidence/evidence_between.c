/* Which settings are held against each other, and what they are called then. */
#include <stdlib.h>
#include <string.h>

#include "sweep/evidence/evidence_parts.h"

enum { SETTINGS_MAX = 1000 }; /* pairs of more are not even counted */

/* ---- settings by their axes ---- */

/* An axis of a setting and its value: JSON; label: how people see both, "kv_heads=1". */
struct member {
    const char *key, *value, *label;
    size_t at; /* where that is in the setting's label */
};

struct members {
    int count;
    struct member *member; /* in the order of the setting's label */
};

/* The last part of a path, or the one before a `.name`. */
static const char *short_name(struct arena *a, const char *path)
{
    char *name = arena_string(a, path);
    size_t n = strlen(name);
    if (n > 5 && strcmp(name + n - 5, ".name") == 0)
        name[n - 5] = '\0';
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Where a part begins in a label, "kv_heads=1, d_ff=64"; its length where it is not in it. */
static size_t place_in(const char *label, const char *part)
{
    for (const char *at = strstr(label, part); at; at = strstr(at + 1, part)) {
        const char *end = at + strlen(part);
        if ((at == label || at[-1] == ' ') && (*end == '\0' || *end == ','))
            return (size_t)(at - label);
    }
    return strlen(label);
}

/* A label has values as their JSON, words without quotes. */
static struct member member_of(struct scope *x, const char *label, const char *key,
                               const char *value)
{
    bool word = *value == '"';
    int shown = (int)strlen(value) - (word ? 2 : 0);
    struct member m = {key, value, NULL, 0};
    const char *const names[] = {short_name(&x->arena, key), key};
    for (int i = 0; i < 2; i++) {
        struct text_buffer text = scope_text(x);
        text_add(&text, "%s=%.*s", names[i], shown, value + word);
        m.label = text.text;
        m.at = place_in(label, m.label);
        if (label[m.at])
            break;
    }
    return m;
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Those of each setting. */
static struct members *read_members(struct scope *x, const struct evidence *e)
{
    enum { KEY, VALUE };
    struct members *all = arena_alloc(&x->arena, (size_t)e->settings, sizeof *all);
    struct rows *rows =
        scope_rows(x, "SELECT key, ?1 -> ('$.\"' || key || '\"') FROM json_each(?1)", NO_VALUES);
    for (int i = 0; i < e->settings; i++) {
        struct members *m = &all[i];
        rows_rebind(rows, VALUES(TEXT(e->setting[i].setting)));
        while (rows_next(rows)) {
            m->member = arena_grow(&x->arena, m->member, (size_t)m->count, sizeof *m->member);
            m->member[m->count++] = member_of(x, e->setting[i].label, scope_given(x, rows, KEY),
                                              scope_given(x, rows, VALUE));
        }
        if (m->count)
            qsort(m->member, (size_t)m->count, sizeof *m->member, compare_members);
    }
    scope_close(x, rows);
    return all;
}

/* The value that a setting has on an axis; NULL: the axis makes no difference there. */
static const char *value_of(const struct members *m, const char *key)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->member[i].key, key) == 0)
            return m->member[i].value;
    return NULL;
}

/* ---- pairs ---- */

static bool is_equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool is_of_task(const char *key)
{
    return strncmp(key, "task.", 5) == 0;
}

static bool is_claimed_axis(const struct evidence *e, const char *key)
{
    for (int i = 0; i < e->claimed_axes; i++)
        if (strcmp(e->claimed[i].key, key) == 0)
            return true;
    return false;
}

/* How many axes that both settings have differ, claimed ones apart if these are asked for; -1: they
 * are of different tasks. An axis that one of them does not have hangs on another, which differs.
 */
static int differing_axes(const struct evidence *e, const struct members *a,
                          const struct members *b, bool claim)
{
    int differing = 0;
    for (int i = 0; i < a->count; i++) {
        const char *key = a->member[i].key, *other = value_of(b, key);
        if (is_equal(a->member[i].value, other))
            continue;
        if (is_of_task(key))
            return -1;
        differing += other && !(claim && is_claimed_axis(e, key));
    }
    for (int i = 0; i < b->count; i++)
        if (is_of_task(b->member[i].key) && !value_of(a, b->member[i].key))
            return -1;
    return differing;
}

/* Whether it is one that is claimed to be better than others. */
static bool is_better(const struct evidence *e, const struct members *m)
{
    for (int i = 0; i < e->claimed_axes; i++)
        if (!is_equal(value_of(m, e->claimed[i].key), e->claimed[i].better))
            return false;
    return e->claimed_axes > 0;
}

static bool is_claimed(const struct evidence *e, const struct members *better,
                       const struct members *than)
{
    if (!is_better(e, better))
        return false;
    for (int i = 0; i < e->claimed_axes; i++)
        if (!is_equal(value_of(than, e->claimed[i].key), e->claimed[i].than))
            return false;
    return differing_axes(e, better, than, true) == 0;
}

/* Whether the two head counts are one model under two names (evidence.c). */
static bool is_same_model(const struct evidence_setting *a, int i, const struct evidence_setting *b,
                          int k)
{
    const char *x = a->input.arm[i].shared, *y = b->input.arm[k].shared;
    return x && y && (is_equal(x, y) || is_equal(x, b->label) || is_equal(y, a->label));
}

/* The labels of those axes of m that other has at the same value (same) or has not. */
static const char *join_labels(struct scope *x, const struct members *m,
                               const struct members *other, bool same)
{
    struct text_buffer text = scope_text(x);
    for (int i = 0; i < m->count; i++) {
        const struct member *own = &m->member[i];
        if (is_equal(own->value, value_of(other, own->key)) == same)
            text_add(&text, "%s%s", text.used ? ", " : "", own->label);
    }
    return text.used ? text.text : "";
}

struct pairing {
    struct scope *x;
    const struct evidence *e;
    const struct members *members; /* of each setting */
    struct evidence_pairs *pairs;
};

/* Arm i of setting a against arm k of setting b. */
static void add_pair(const struct pairing *g, int a, int i, int b, int k, bool claimed)
{
    struct evidence_pairs *p = g->pairs;
    struct arena *arena = &g->x->arena;
    const struct evidence_setting *s = &g->e->setting[a], *t = &g->e->setting[b];
    p->pair = arena_grow(arena, p->pair, (size_t)p->count, sizeof *p->pair);
    p->pair[p->count++] = (struct between_pair){
        .side = {{&s->input, &s->input.arm[i],
                  join_labels(g->x, &g->members[a], &g->members[b], false), s->setting},
                 {&t->input, &t->input.arm[k],
                  join_labels(g->x, &g->members[b], &g->members[a], false), t->setting}},
        .place = {s->input.arm[i].id, join_labels(g->x, &g->members[a], &g->members[b], true)},
        .claimed = claimed,
        .similar = claimed ? g->e->claimed_similar : (struct verdict_similar){0}};
}

/* At each head count that both have; of a claim at that which it names. False: they are too many.
 */
static bool pair_heads(const struct pairing *g, int a, int b, bool claimed)
{
    const struct evidence *e = g->e;
    const struct evidence_setting *s = &e->setting[a], *t = &e->setting[b];
    bool predicted = is_claimed(e, &g->members[a], &g->members[b]) ||
                     is_claimed(e, &g->members[b], &g->members[a]);
    for (int i = 0, k = 0; i < s->input.count && k < t->input.count;) {
        int64_t heads = s->input.arm[i].id, others = t->input.arm[k].id;
        bool named = predicted && heads == e->claimed_heads;
        if (heads == others && named == claimed && (claimed || !is_same_model(s, i, t, k))) {
            if (!claimed && g->pairs->count >= EVIDENCE_PAIRS_MAX)
                return false;
            add_pair(g, a, i, b, k, claimed);
        }
        i += heads <= others;
        k += others <= heads;
    }
    return true;
}

static void add_claimed(const struct pairing *g)
{
    for (int a = 0; a < g->e->settings; a++)
        for (int b = 0; b < g->e->settings && is_better(g->e, &g->members[a]); b++)
            if (a != b && is_claimed(g->e, &g->members[a], &g->members[b]))
                pair_heads(g, a, b, true);
}

static void add_others(const struct pairing *g)
{
    const struct evidence *e = g->e;
    int claimed = g->pairs->count;
    bool few = !g->pairs->too_many;
    for (int a = 0; a < e->settings && few; a++)
        for (int b = a + 1; b < e->settings && few; b++)
            if (differing_axes(e, &g->members[a], &g->members[b], false) == 1)
                few = pair_heads(g, a, b, false);
    g->pairs->too_many = !few;
    if (!few)
        g->pairs->count = claimed;
}

struct evidence_pairs evidence_pair_settings(struct scope *x, const struct evidence *e)
{
    struct evidence_pairs pairs = {.too_many = e->settings > SETTINGS_MAX && !e->drawn};
    if (e->settings < 2 || e->drawn || (pairs.too_many && e->claimed_axes == 0))
        return pairs;
    const struct pairing g = {x, e, read_members(x, e), &pairs};
    add_claimed(&g);
    add_others(&g);
    return pairs;
}
