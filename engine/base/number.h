/* Numbers as text: what YAML and JSON call one, and the shortest way to write one. */
#ifndef ENGINE_BASE_NUMBER_H
#define ENGINE_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* How a text relates to the numbers of YAML 1.2's core schema (section 10.3.2), decimal only:
 * [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
enum number_form { NUMBER_NONE, NUMBER_INTEGER, NUMBER_REAL, NUMBER_LEADING_ZERO };
enum number_form number_form(const char *text);

/* The value of a text that is a number. False where its magnitude is too large for a double, or not
 * zero and too small. */
bool number_value(const char *text, double *x);

/* Shortest decimal that reads back as x, laid out as ECMAScript does (RFC 8785 section 3.2.2.3);
 * x must be finite. size >= 32. Returns the length. */
int number_format(double x, char *text, size_t size);

/* Reads a whole text as a number of YAML 1.2's core schema (decimal only). False if it is none or
 * not finite. *integral: whether it was written as an integer. */
bool number_parse(const char *text, double *x, bool *integral);

#endif
