/* The answers that come from a results file. */
#ifndef SWEEP_SERVE_PIECES_H
#define SWEEP_SERVE_PIECES_H

#include <stdio.h>

#include "sweep/serve/request.h"
#include "sweep/store/store.h"

/* Writes what q asks for, a piece of page.h, read from one state of the file. Returns a status code
 * of HTTP: OK; NOT_FOUND where the sweep is not in this file, or the trial not in this sweep; 503
 * where another try may succeed; 500. All but OK write a sentence into m. */
int piece_write(struct store *s, const struct request *q, FILE *out, struct message *m);

enum { PIECE_FAULT = 500, PIECE_UNAVAILABLE = 503 };

/* The code for what could not be read. */
int piece_code(enum status status);

/* Writes {"error":"..."} with the message in which the file at path goes by its name only, as do
 * all others. */
void piece_error(const char *path, const struct message *m, FILE *out);

/* The same words as text. */
void piece_words(const char *path, const struct message *m, struct message *words);

#endif
