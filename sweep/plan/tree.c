#include "sweep/plan/tree.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>

#include "engine/base/text.h"
#include "engine/base/utf8.h"

struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the last one taken */
    struct scope *x;
    const char *name;
    bool lines; /* a fault is told with its place */
    bool open;  /* the parser and the event are to be deleted */
};

static struct place place_of(yaml_mark_t mark)
{
    return (struct place){(int)mark.line + 1, (int)mark.column + 1};
}

static _Noreturn void refuse(struct reader *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static _Noreturn void refuse(struct reader *r, struct place at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *fault = scope_vprint(r->x, format, arguments);
    va_end(arguments);
    if (r->lines)
        scope_fail(r->x, STATUS_BAD_INPUT, "%s:%d:%d: %s", r->name, at.line, at.column, fault);
    scope_fail(r->x, STATUS_BAD_INPUT, "%s: %s", r->name, fault);
}

/* Before libyaml: bytes. It would name no place for a bad byte, takes U+0085, U+2028 and U+2029 for
 * line ends (so that its line numbers would not be an editor's), and lets some tabs pass. */

static void check_start(struct reader *r, const char *text, size_t size)
{
    const struct place start = {1, 1};
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        refuse(r, start, "this is UTF-16; save the file as UTF-8");
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        refuse(r, start, "the file begins with a byte order mark; save it as UTF-8 without one");
}

static void check_character(struct reader *r, struct place at, uint32_t code, bool indenting)
{
    bool control = (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0);
    if (code == 0)
        refuse(r, at, "a NUL byte; the file must be UTF-8 text");
    if (code == 0x85 || code == 0x2028 || code == 0x2029)
        refuse(r, at, "the line separator U+%04X; end lines with a newline", (unsigned)code);
    if (control || code == 0xfeff || code == 0xfffe || code == 0xffff)
        refuse(r, at, "the control character U+%04X", (unsigned)code);
    if (indenting && code == '\t')
        refuse(r, at, "a tab in the indentation; use spaces");
}

static void check_bytes(struct reader *r, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    struct place at = {1, 1};
    bool indenting = true; /* nothing but spaces so far on this line */
    check_start(r, text, size);
    while (p < end) {
        uint32_t code;
        int n = utf8_decode(p, end, &code);
        if (n == 0)
            refuse(r, at, "byte 0x%02x is not UTF-8", *p);
        p += n;
        if (code == '\n' || code == '\r') {
            p += code == '\r' && p < end && *p == '\n';
            at = (struct place){at.line + 1, 1};
            indenting = true;
            continue;
        }
        check_character(r, at, code, indenting);
        indenting = indenting && code == ' ';
        at.column++;
    }
}

/* Then libyaml's events, as long as they please: its scanner looks at most 1024 characters ahead of
 * the event it hands out, so stopping at TREE_DEPTH also stops what it is slow at. */

/* Replaces r->event by the next one. */
static void next_event(struct reader *r)
{
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event))
        return;
    memset(&r->event, 0, sizeof r->event);
    if (r->parser.error == YAML_MEMORY_ERROR)
        scope_leave(r->x, status_no_memory(r->x->message, r->name));
    const char *context = r->parser.context, *problem = r->parser.problem;
    refuse(r, place_of(r->parser.problem_mark), "%s%s%s", problem ? problem : "not YAML",
           context ? " " : "", context ? context : "");
}

static void check_bare(struct reader *r, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    char shown[64];
    struct place at = place_of(r->event.start_mark);
    if (anchor)
        refuse(r, at, "the anchor &%s; anchors and aliases are not supported; write the value out",
               text_shown((const char *)anchor, shown, sizeof shown));
    if (tag)
        refuse(r, at, "the tag %s; tags are not supported; write the plain value",
               text_shown((const char *)tag, shown, sizeof shown));
}

/* Columns from the start of a scalar to its text if the file spells the text just so, else -1. */
static int scalar_shift(const yaml_event_t *e)
{
    size_t written = e->end_mark.index - e->start_mark.index, characters = 0;
    for (size_t i = 0; i < e->data.scalar.length; i++)
        characters += (e->data.scalar.value[i] & 0xc0) != 0x80;
    if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return written == characters ? 0 : -1;
    bool quotes = e->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                  e->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    return quotes && written == characters + 2 ? 1 : -1;
}

static void read_scalar(struct reader *r, struct tree *t)
{
    const yaml_event_t *e = &r->event;
    check_bare(r, e->data.scalar.anchor, e->data.scalar.tag);
    const char *value = (const char *)e->data.scalar.value;
    if (memchr(value, 0, e->data.scalar.length))
        refuse(r, t->place, "a NUL character in a string");
    t->kind = TREE_SCALAR;
    t->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    t->shift = scalar_shift(e);
    t->text = arena_text(&r->x->arena, value, e->data.scalar.length);
}

static struct tree *read_node(struct reader *r, int depth);

/* After the start of a list: its items up to its end. */
static void read_list(struct reader *r, int depth, struct tree *list)
{
    struct tree **last = &list->first;
    for (next_event(r); r->event.type != YAML_SEQUENCE_END_EVENT; next_event(r)) {
        *last = read_node(r, depth + 1);
        last = &(*last)->next;
        list->count++;
    }
}

/* At the event of a key: its text. */
static void read_key(struct reader *r, const struct tree *map, struct tree *key)
{
    char shown[64];
    key->place = place_of(r->event.start_mark);
    if (r->event.type == YAML_ALIAS_EVENT)
        refuse(r, key->place,
               "an alias; anchors and aliases are not supported; write the value out");
    if (r->event.type != YAML_SCALAR_EVENT)
        refuse(r, key->place, "a key must be a single word, not a list or a mapping");
    read_scalar(r, key);
    const struct tree *twin = tree_find(map, key->text);
    if (twin)
        refuse(r, key->place, "duplicate key '%s'; it is already on line %d",
               text_shown(key->text, shown, sizeof shown), twin->key_place.line);
    if (map->count >= TREE_KEYS)
        refuse(r, key->place, "more than %d keys in one mapping", TREE_KEYS);
}

static void read_map(struct reader *r, int depth, struct tree *map)
{
    struct tree **last = &map->first;
    for (next_event(r); r->event.type != YAML_MAPPING_END_EVENT; next_event(r)) {
        struct tree key = {.kind = TREE_SCALAR};
        read_key(r, map, &key);
        next_event(r);
        *last = read_node(r, depth + 1);
        (*last)->key = key.text;
        (*last)->key_place = key.place;
        last = &(*last)->next;
        map->count++;
    }
}

/* At the first event of a node: the whole node. */
static struct tree *read_node(struct reader *r, int depth)
{
    const yaml_event_t *e = &r->event;
    struct place at = place_of(e->start_mark);
    if (depth > TREE_DEPTH)
        refuse(r, at, "nested deeper than %d levels", TREE_DEPTH);
    struct tree *t = arena_alloc(&r->x->arena, 1, sizeof *t);
    t->place = at;
    t->shift = -1;
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        read_scalar(r, t);
        break;
    case YAML_SEQUENCE_START_EVENT:
        t->kind = TREE_LIST;
        check_bare(r, e->data.sequence_start.anchor, e->data.sequence_start.tag);
        read_list(r, depth, t);
        break;
    case YAML_MAPPING_START_EVENT:
        t->kind = TREE_MAP;
        check_bare(r, e->data.mapping_start.anchor, e->data.mapping_start.tag);
        read_map(r, depth, t);
        break;
    case YAML_ALIAS_EVENT:
        refuse(r, at, "an alias; anchors and aliases are not supported; write the value out");
    default:
        scope_fail(r->x, STATUS_INTERNAL, "libyaml event %d where a value begins", (int)e->type);
    }
    return t;
}

static struct tree *read_stream(struct reader *r)
{
    next_event(r); /* stream start */
    next_event(r);
    if (r->event.type == YAML_STREAM_END_EVENT)
        refuse(r, (struct place){1, 1}, "it holds nothing but blanks and comments");
    bool directive = r->event.data.document_start.version_directive ||
                     r->event.data.document_start.tag_directives.start !=
                         r->event.data.document_start.tag_directives.end;
    if (directive)
        refuse(r, place_of(r->event.start_mark), "directives (%%YAML, %%TAG) are not supported");
    next_event(r);
    struct tree *root = read_node(r, 1);
    next_event(r); /* document end, and what follows */
    next_event(r);
    if (r->event.type != YAML_STREAM_END_EVENT)
        refuse(r, place_of(r->event.start_mark),
               "a second document begins here; one file is one sweep");
    return root;
}

/* Also where the scope is left. */
static void close_reader(void *reader)
{
    struct reader *r = reader;
    if (!r->open)
        return;
    r->open = false;
    yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
}

struct tree *tree_parse(struct scope *x, const char *text, size_t size, const char *name,
                        bool lines)
{
    struct reader *r = arena_alloc(&x->arena, 1, sizeof *r);
    *r = (struct reader){.x = x, .name = name, .lines = lines};
    if (size > TREE_BYTES)
        refuse(r, (struct place){1, 1}, "larger than 1 MiB");
    check_bytes(r, text, size);
    arena_on_free(&x->arena, close_reader, r);
    r->open = yaml_parser_initialize(&r->parser);
    if (!r->open)
        scope_leave(x, status_no_memory(x->message, name));
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, size);
    struct tree *root = read_stream(r);
    close_reader(r);
    return root;
}

struct tree *tree_find(const struct tree *map, const char *key)
{
    for (struct tree *t = map->first; t; t = t->next)
        if (strcmp(t->key, key) == 0)
            return t;
    return NULL;
}

struct tree *tree_at(const struct tree *map, const char *path)
{
    for (struct tree *t = map->kind == TREE_MAP ? map->first : NULL; t; t = t->next) {
        size_t n = strlen(t->key);
        if (strncmp(t->key, path, n) == 0 && (path[n] == '\0' || path[n] == '.'))
            return path[n] ? tree_at(t, path + n + 1) : t;
    }
    return NULL;
}

const char *tree_kind_name(const struct tree *t)
{
    return t->kind == TREE_MAP ? "a mapping" : t->kind == TREE_LIST ? "a list" : "a single value";
}
