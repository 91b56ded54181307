/* A strict scanner for JSON (RFC 8259) of a known layout: the caller asks for what must come next.
 * It never reads past the end, never recurses, and takes no memory: strings are unescaped into
 * `text`, which needs one byte more than the JSON has.
 *
 * Where members may stand in any order, or one decides how another is read, a first scan checks the
 * whole text (json_skip, json_end); json_member then finds values in it by their keys. */
#ifndef ENGINE_BASE_JSON_H
#define ENGINE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

enum { JSON_DEPTH = 16 }; /* of objects and lists in one another, for json_skip */

struct json {
    const unsigned char *start, *next, *end;
    const char *place; /* what is read, for messages: "header" */
    size_t offset;     /* of start within it, for messages */
    int64_t line;      /* start begins this line of it: messages say line and column instead of the
                          byte; 0: they do not */
    char *text;        /* where the next string goes */
    bool not_finite;   /* NaN, Infinity and -Infinity are numbers too, as Python writes them */
    struct message *m;
};

/* All return false after a message with the place and the byte, and the scan is then over. */

bool json_refuse(struct json *j, const char *what);
/* The same for a value that is not what was expected: "a string", ... */
bool json_refuse_value(struct json *j, const char *expected);

/* Of what comes next, where start begins a line: from 1, in characters. */
int64_t json_column(const struct json *j);

/* Takes c if it is next, after white space; no message where it is not. */
bool json_take(struct json *j, char c);
/* The same, but anything else is refused. */
bool json_expect(struct json *j, char c);
/* Between the members of an object or list: true and *more where a comma was taken, true and not
 * *more where it was `close`. */
bool json_more(struct json *j, char close, bool *more);

/* A string of clean UTF-8 without NUL. *s is in j->text, which moves on behind it (a caller that
 * does not keep the string sets text back). */
bool json_string(struct json *j, const char **s);

/* The same for the start of a string: as far as its content has `limit` bytes, and the character
 * there is whole. What follows is not read, and may be missing. */
bool json_string_start(struct json *j, size_t limit, const char **s);

/* An integer from 0 to 2^63-1, written as digits only. */
bool json_integer(struct json *j, int64_t *value);

/* A value without parts. *text, in j->text as for json_string, is the content of a string (*quoted)
 * or the spelling of a number, true, false or null (not *quoted). */
bool json_scalar(struct json *j, const char **text, bool *quoted);

/* Checks and skips a whole value of any kind. */
bool json_skip(struct json *j);

/* Whether nothing but white space is left. */
bool json_end(struct json *j);

/* Finds a key's value in an object that json_skip has checked; *value is a scanner that stands at
 * it. The first of equal keys; false, without a message, where the key is absent or `object` does
 * not stand at an object. */
bool json_member(const struct json *object, const char *key, struct json *value);

#endif
