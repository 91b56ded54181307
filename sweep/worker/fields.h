/* Records as text: lines `key=value`, each key once, each line ended by "\n". Jobs (wire.h,
 * sweep/study/study_job.h) and what coordinator and agent tell each other
 * (sweep/hosts/agent_wire.h) are written this way. In a text "\n" is written as \n and a backslash
 * as two, so that it may hold any bytes but NUL; reals come back to the last bit. */
#ifndef SWEEP_WORKER_FIELDS_H
#define SWEEP_WORKER_FIELDS_H

#include <stddef.h>

#include "engine/base/status.h"

enum field_type {
    FIELD_TEXT,     /* char[size], terminated */
    FIELD_INTEGER,  /* int64_t */
    FIELD_UNSIGNED, /* uint32_t, an enum, or an int that is not negative */
    FIELD_REAL,     /* double */
    FIELD_FLAG      /* bool */
};

/* A member of a record, and the key of its line. */
struct field {
    const char *key;
    enum field_type type;
    size_t offset, size;
};
#define FIELD(record, member, type)                                                                \
    {                                                                                              \
#member, type, offsetof(record, member), sizeof(((record *)0)->member)                     \
    }

/* The lines of a record in their order. A member without a field is zero when it is read. */
struct fields {
    const char *what; /* names the record in messages: "job" */
    size_t size;      /* of the record */
    const struct field *field;
    int count; /* at most FIELDS_MAX */
};
enum { FIELDS_MAX = 32 };
#define FIELDS(what, record, table)                                                                \
    {                                                                                              \
        what, sizeof(record), table, sizeof(table) / sizeof *(table)                               \
    }

/* Writes the record. Returns the length, or -1 where size does not suffice. */
int fields_format(const struct fields *f, const void *record, char *text, size_t size);

/* Reads the record, in any order of its lines. BAD_INPUT names the line that is none of them, is
 * one of them again, or has a value that does not fit; or says that one is missing. */
enum status fields_parse(const struct fields *f, const char *text, void *record, struct message *m);

/* The same where more follows: *text then begins behind the record's lines. */
enum status fields_parse_next(const struct fields *f, const char **text, void *record,
                              struct message *m);

#endif
