/* Settings in the order of their values: as a drawn sweep (method: random) lists them. */
#ifndef SWEEP_DB_SETTING_ORDER_H
#define SWEEP_DB_SETTING_ORDER_H

/* Compares the labels of two settings of a sweep ("slots=4, lr=0.01") by the first value in which
 * they differ: numbers by size, all else by bytes. As COLLATE setting_values. */
int setting_compare(const char *a, const char *b);

#endif
