/* The glossary: terms.def, for people and for programs. */
#ifndef SWEEP_CLI_TERMS_H
#define SWEEP_CLI_TERMS_H

/* Prints what each term means, wrapped: `headcount help terms`. */
void terms_print(void);

/* Prints a line "term<tab>meaning" for each, for the man page. */
void terms_list(void);

#endif
