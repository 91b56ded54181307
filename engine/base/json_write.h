/* A writer of JSON (RFC 8259), into a file or a growing text: it knows commas, quotes and escapes,
 * the caller names the members and closes what it opened.
 *
 *     struct json_writer w = {.out = stdout};
 *     json_begin_object(&w, NULL);
 *     json_add_text(&w, "sweep", name);
 *     json_begin_list(&w, "seeds");
 *     json_add_integer(&w, NULL, 4);
 *     json_end_list(&w);
 *     json_end_object(&w);            {"sweep":"gather","seeds":[4]}
 *
 * It takes no memory and keeps no stack: objects and lists may be nested as deep as one likes. A
 * failure stays in the file (text_check) or in the text (out_of_memory). */
#ifndef ENGINE_BASE_JSON_WRITE_H
#define ENGINE_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/text.h"

/* Starts as {.out = ...} or {.text = ...}. */
struct json_writer {
    FILE *out;                /* where it goes; NULL: */
    struct text_buffer *text; /* here */
    bool spaced;              /* a space behind every comma and colon */
    bool further;             /* what comes next stands behind a comma */
};

/* key: the member's name; NULL for an element of a list, and for the whole. */

void json_begin_object(struct json_writer *w, const char *key);
void json_end_object(struct json_writer *w);
void json_begin_list(struct json_writer *w, const char *key);
void json_end_list(struct json_writer *w);

/* As a string, null for NULL. Escaped: what RFC 8259 demands and every control character, so that
 * a terminal has nothing to obey; bytes that are not UTF-8 become U+FFFD. */
void json_add_text(struct json_writer *w, const char *key, const char *text);

void json_add_integer(struct json_writer *w, const char *key, int64_t n);
/* The same, null for 0. */
void json_add_nonzero(struct json_writer *w, const char *key, int64_t n);
void json_add_bool(struct json_writer *w, const char *key, bool flag);
void json_add_null(struct json_writer *w, const char *key);

/* The shortest number that reads back as x; null where x is not finite. */
void json_add_real(struct json_writer *w, const char *key, double x);
/* The same with so many digits (%.*g). */
void json_add_digits(struct json_writer *w, const char *key, double x, int digits);

/* What is JSON already, null for NULL: the same to every reader, with the control characters in its
 * strings escaped. */
void json_add_json(struct json_writer *w, const char *key, const char *json);

/* The value follows: the caller writes it to where w does. */
void json_add_key(struct json_writer *w, const char *key);

/* What comes next (there is something) begins a line, indented by so many spaces. */
void json_new_line(struct json_writer *w, int indent);

#endif
