/* Options described by tables: one line per option gives its name, type, range, default and help,
 * and the place of its value in the struct that the code reads. Model, training and every task
 * have such a table; the sweep file, --set, `params`, `bench`, `tasks` and the canonical JSON of a
 * trial all work from it, so a new option is one line and one struct member. */
#ifndef ENGINE_BASE_OPTION_H
#define ENGINE_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

enum {
    OPTION_LIST_MAX = 64,
    OPTION_STRING_MAX = 1024,                    /* bytes of any STRING */
    OPTION_TEXT_MAX = 2 * OPTION_STRING_MAX + 3, /* of any value as JSON */
    OPTION_VALUE_MAX = OPTION_STRING_MAX + 8     /* of any value in its struct */
};

struct int_list {
    int64_t n;
    int64_t item[OPTION_LIST_MAX];
};
_Static_assert(sizeof(struct int_list) <= OPTION_VALUE_MAX, "a list is a value");

enum option_type {
    OPTION_INT,      /* int64_t; a word of `words` is stored as -1, -2, ... in their order */
    OPTION_REAL,     /* double */
    OPTION_BOOL,     /* int64_t, 0 or 1; written true | false */
    OPTION_CHOICE,   /* int64_t, the index in `words` */
    OPTION_INT_LIST, /* struct int_list; a flat list is one value; empty means "choose for me" */
    OPTION_STRING    /* char[max + 1]: clean UTF-8 of min to max bytes, terminated */
};

struct option_entry {
    const char *name; /* below its section: "d_model", "schedule.warmup" */
    enum option_type type;
    size_t offset;             /* of its member in the struct the table describes */
    double min, max;           /* inclusive: INT, REAL and each item of INT_LIST; bytes of STRING */
    bool above_min;            /* REAL: min itself is excluded (lr > 0) */
    const char *const *words;  /* ends with NULL; CHOICE: all values; INT: words beside numbers */
    const char *default_value; /* as a sweep file would write it; NULL: must be given */
    bool omit_at_default; /* introduced after version 1: at its default no part of the identity */
    bool local;           /* where something lies on this machine: no part of the identity */
    bool derived;         /* read from the task's file, never given; has a default only with
                             omit_at_default */
    const char *help;     /* one sentence, for `headcount tasks` and error messages */
};
/* A table ends with an entry whose name is NULL. */

/* Number of entries before the end. */
int option_count(const struct option_entry *table);

/* The entry of that name, or NULL. */
const struct option_entry *option_find(const struct option_entry *table, const char *name);

/* Writes every default into config; options that must be given or are derived become 0 or "". */
void option_defaults(const struct option_entry *table, void *config);

/* Reads one scalar as the sweep file writes it and stores it in config. Typing follows YAML 1.2's
 * core schema, stricter where silence would hurt: `quoted` text is a string; refused are 08, +1,
 * 32.0 or 1e3 for an INT; 1e400, 1e-50 (0 in single precision), .nan, .inf for a REAL; anything out
 * of range. BAD_INPUT names the option, the value given and what is allowed ("model.heads is 0;
 * allowed: 1 to 65536"): `section` is put in front of the name (may be ""). INT_LIST takes items
 * one by one: each call appends. A STRING may look like a number, but null without quotes is no
 * value. */
enum status option_parse(const struct option_entry *o, const char *section, const char *text,
                         bool quoted, void *config, struct message *m);

/* Whether a person may set the option: BAD_INPUT for a derived one. */
enum status option_settable(const struct option_entry *o, const char *section, struct message *m);

/* Writes the value in config as canonical JSON (RFC 8785): numbers shortest, words in quotes.
 * Returns the length written, or -1 where size does not suffice. */
int option_format(const struct option_entry *o, const void *config, char *text, size_t size);

/* Bytes of its member that the value in config uses: a list's items, a text with its end. */
size_t option_used(const struct option_entry *o, const void *config);

/* What the option's value may be, in words: "1 to 65536, or split". Returns text. */
const char *option_allowed(const struct option_entry *o, char *text, size_t size);

/* The nearest of the names to a mistyped one, or NULL where more than a third of it, or three
 * letters, would have to change: for "did you mean". `names` ends with NULL. */
const char *nearest_name(const char *typed, const char *const *names);

#endif
