#include "sweep/page/page_columns.h"

#include <string.h>

#include "engine/base/rng.h"
#include "sweep/page/page_rows.h"

enum { DIFFERENT_MAX = 1 << 14, SLOTS_MIN = 16 };

/* A list that is written on the way. */
struct list {
    struct text_buffer text;
    struct json_writer writer;
};

/* A value among the different ones: its JSON, and its place from 1; 0: a free slot. */
struct value_slot {
    char *json;
    int place;
};

/* A column in all the forms that it may still take. */
struct column {
    struct list each, at, of, by;
    bool integers;
    int64_t before;
    int different, slots; /* slots: a power of two; 0: there are too many different values */
    struct value_slot *slot;
};

static void list_begin(struct scope *x, struct list *l)
{
    l->text = scope_text(x);
    l->writer = (struct json_writer){.text = &l->text};
    json_begin_list(&l->writer, NULL);
}

static struct column *columns_new(struct scope *x, int count)
{
    struct column *list = arena_alloc(&x->arena, (size_t)count, sizeof *list);
    for (int i = 0; i < count; i++) {
        struct column *c = &list[i];
        *c = (struct column){.integers = true, .slots = SLOTS_MIN};
        c->slot = arena_alloc(&x->arena, SLOTS_MIN, sizeof *c->slot);
        list_begin(x, &c->each);
        list_begin(x, &c->at);
        list_begin(x, &c->of);
        list_begin(x, &c->by);
    }
    return list;
}

/* ---- different values ---- */

/* Where the value is, or the free slot that it would take. */
static struct value_slot *slot_of(const struct column *c, const char *json)
{
    uint64_t at = rng_name(json);
    for (;; at++) {
        struct value_slot *s = &c->slot[at & (uint64_t)(c->slots - 1)];
        if (s->place == 0 || strcmp(s->json, json) == 0)
            return s;
    }
}

/* Twice as many slots, so that at most half of them are taken. */
static void grow(struct scope *x, struct column *c)
{
    struct column old = *c;
    c->slots *= 2;
    c->slot = arena_alloc(&x->arena, (size_t)c->slots, sizeof *c->slot);
    for (int i = 0; i < old.slots; i++)
        if (old.slot[i].place)
            *slot_of(c, old.slot[i].json) = old.slot[i];
}

static void add_place(struct scope *x, struct column *c, const char *json)
{
    struct value_slot *s = slot_of(c, json);
    if (s->place == 0 && c->different == DIFFERENT_MAX) {
        c->slots = 0;
        return;
    }
    if (s->place == 0) {
        *s = (struct value_slot){arena_string(&x->arena, json), ++c->different};
        json_add_json(&c->of.writer, NULL, json);
    }
    json_add_integer(&c->at.writer, NULL, s->place - 1);
    if (2 * c->different > c->slots)
        grow(x, c);
}

/* ---- rows ---- */

static void add_cell(struct scope *x, struct column *c, const struct rows *r, int i,
                     struct text_buffer *json, struct text_buffer *names)
{
    struct json_writer value = {.text = json};
    json->used = 0;
    page_cell(&value, NULL, r, i, PAGE_ALL_DIGITS, names);
    json_add_json(&c->each.writer, NULL, json->text);
    if (c->slots)
        add_place(x, c, json->text);
    c->integers = c->integers && rows_kind(r, i) == ROWS_INTEGER;
    if (c->integers) {
        json_add_integer(&c->by.writer, NULL, rows_integer(r, i) - c->before);
        c->before = rows_integer(r, i);
    }
}

static void end_list(struct list *l)
{
    json_end_list(&l->writer);
}

/* In its shortest form. */
static void put_column(struct column *c, const char *name, struct json_writer *w)
{
    size_t each = c->each.text.used, places = c->of.text.used + c->at.text.used,
           by = c->by.text.used;
    end_list(&c->each), end_list(&c->at), end_list(&c->of), end_list(&c->by);
    json_begin_object(w, name);
    if (c->different == 1) {
        c->of.text.text[c->of.text.used - 1] = '\0';
        json_add_json(w, "same", c->of.text.text + 1);
    } else if (c->integers && by < each && (c->slots == 0 || by < places)) {
        json_add_json(w, "by", c->by.text.text);
    } else if (c->slots && places < each) {
        json_add_json(w, "of", c->of.text.text);
        json_add_json(w, "at", c->at.text.text);
    } else {
        json_add_json(w, "each", c->each.text.text);
    }
    json_end_object(w);
}

void page_columns(struct scope *x, struct rows *r, struct json_writer *w, const char *key)
{
    struct text_buffer json = scope_text(x), names = scope_text(x);
    int count = r->status == STATUS_OK ? rows_columns(r) : 0;
    struct column *list = columns_new(x, count);
    const char **name = arena_alloc(&x->arena, (size_t)count, sizeof *name);
    int64_t rows = 0;
    for (int i = 0; i < count; i++)
        name[i] = arena_string(&x->arena, rows_name(r, i));
    for (; scope_next(x, r); rows++)
        for (int i = 0; i < count; i++)
            add_cell(x, &list[i], r, i, &json, &names);
    json_begin_object(w, key);
    json_add_integer(w, "rows", rows);
    json_begin_object(w, "columns");
    for (int i = 0; i < count; i++)
        put_column(&list[i], name[i], w);
    json_end_object(w);
    json_end_object(w);
}
