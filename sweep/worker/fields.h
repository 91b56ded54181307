/* Texts of lines `key=value`, each key once: jobs (wire.h), and what coordinator and agent tell
 * each other when they meet (agent_wire.h). */
#ifndef SWEEP_WORKER_FIELDS_H
#define SWEEP_WORKER_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

/* Where the value of one key goes: a text has a size, numbers do not. */
struct field {
    const char *key;
    char *text;
    size_t size;
    int64_t *integer;
    double *real;
};

enum { FIELDS_MAX = 32 };

/* Reads all of the fields, in any order. what: names the text in messages ("job"). BAD_INPUT names
 * the line that is none of them, is one of them again, or has a value that does not fit; or says
 * that one is missing. */
enum status fields_parse(const char *text, const struct field *fields, int count, const char *what,
                         struct message *m);

#endif
