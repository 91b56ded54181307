/* Twelve digits that tell which sweeps share their trials, whatever their head counts and the
 * values that they tune, their seeds, and how they are judged. */
#ifndef SWEEP_ASK_DIGITS_H
#define SWEEP_ASK_DIGITS_H

#include "sweep/ask/design.h"

enum { DIGITS_SIZE = 13 };

/* Of the trials of d where that is set: of the data or the toy, the net, its training, and the
 * metric, which chooses the best step of a trial. All of it is read from the sweep file that d
 * makes, called path: the digits are the same whether a default is set or not, however a value is
 * spelled, in whichever order, and whatever the file is called. BAD_INPUT where d cannot have what
 * is set. */
enum status digits_of(const struct design *d, const struct look *l, const char *path,
                      const char *const *sets, int count, char digits[DIGITS_SIZE],
                      struct message *m);

#endif
