/* A YAML document as a tree with the place of every key and value. Strict: features of YAML that
 * sweep files do not need, or that readers interpret differently, are refused (see tree_parse). */
#ifndef SWEEP_PLAN_TREE_H
#define SWEEP_PLAN_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/scope.h"

enum { TREE_DEPTH = 32, TREE_BYTES = 1 << 20, TREE_KEYS = 256 };

struct place { /* in the sweep file, from 1, counted in characters; line 0: not from the file, then
                  column k > 0 is the k-th --set and 0 a default */
    int line, column;
};

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };

struct tree {
    enum tree_kind kind;
    struct place place;
    const char *key; /* within a mapping */
    struct place key_place;
    const char *text; /* scalar; "" where nothing was written */
    bool quoted;      /* scalar written in quotes or as a block: a string, whatever it looks like */
    int shift;        /* text stands in the file as it is, this many columns after place; -1: not */
    int count;        /* children of a list or mapping, in the order of the file */
    struct tree *first, *next;
};

/* Reads text (one document, at most TREE_BYTES); the tree is the scope's, which is left with
 * BAD_INPUT, "name:line:column: fault" or, without lines, "name: fault", for: bytes that are not
 * clean UTF-8, byte order marks, control characters, tabs in the indentation, what libyaml refuses,
 * directives, anchors, aliases, tags, keys that are not words, duplicate keys, nesting deeper than
 * TREE_DEPTH, more than one document, none at all. Keeps name until it returns. */
struct tree *tree_parse(struct scope *x, const char *text, size_t size, const char *name,
                        bool lines);

/* The child of a mapping with that key, or NULL. */
struct tree *tree_find(const struct tree *map, const char *key);

/* What stands at a dotted path from t down ("tune.rungs.eta"), or NULL. */
struct tree *tree_at(const struct tree *t, const char *path);

/* "a mapping", "a list" or "a single value", for messages. */
const char *tree_kind_name(const struct tree *t);

#endif
