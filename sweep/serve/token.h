/* The secret that an address open to others asks for. Only its digest is kept and compared, in a
 * time that does not tell how much of a guess was right. */
#ifndef SWEEP_SERVE_TOKEN_H
#define SWEEP_SERVE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

enum { TOKEN_MIN = 16, TOKEN_MAX = 256 };

struct token {
    char digest[65]; /* SHA-256, in hexadecimal: also what the cookie holds */
};

/* Of a text of any length. */
void token_of(const char *text, size_t size, struct token *t);

/* A new one of 128 random bits; text gets it, for people. IO where the system has no randomness. */
enum { TOKEN_TEXT_SIZE = 33 };
enum status token_make(struct token *t, char text[TOKEN_TEXT_SIZE], struct message *m);

/* From a file: one line of TOKEN_MIN to TOKEN_MAX printable ASCII characters without space.
 * BAD_INPUT where it is anything else, is not there, or may be read or written by others than its
 * owner; IO where it cannot be read. Messages never hold what stands in it. */
enum status token_read(const char *path, struct token *t, struct message *m);

/* Whether a text is the token. */
bool token_is(const struct token *t, const char *text, size_t size);

/* Whether a text is the token's digest, as a cookie holds it. */
bool token_is_digest(const struct token *t, const char *text, size_t size);

#endif
