/* The answers that come from a results file. */
#ifndef SWEEP_SERVE_PIECES_H
#define SWEEP_SERVE_PIECES_H

#include <stdio.h>

#include "engine/base/text.h"
#include "sweep/serve/request.h"
#include "sweep/trials/trials.h"

/* Status codes of HTTP beside those of request.h. */
enum { PIECE_FAULT = 500, PIECE_UNAVAILABLE = 503 };

/* Writes what q asks for, a piece of page.h or metrics_of_file, read from one state of the file.
 * Returns OK; NOT_FOUND where the sweep is not in this file, or the trial not in this sweep; BAD
 * where what is asked has no answer (sweeps of two metrics side by side); else the piece_code of
 * what went wrong. All but OK write a sentence into m. */
int piece_write(struct store *s, const struct request *q, FILE *out, struct message *m);

/* UNAVAILABLE where the file cannot be read now; FAULT where that is this program's fault. */
int piece_code(enum status status);

/* The words of m for strangers: the file at path goes by its name, as do all others. */
void piece_words(const char *path, const struct message *m, struct message *words);

/* Adds {"error":sentence}. */
void piece_error(struct text_buffer *body, const char *sentence);

#endif
