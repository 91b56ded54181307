/* Settings in the order of their values: as a drawn sweep (method: random) lists them. */
#ifndef SWEEP_DB_SETTING_ORDER_H
#define SWEEP_DB_SETTING_ORDER_H

struct sqlite3;

/* Compares the labels of two settings of a sweep ("slots=4, lr=0.01") by the first value in which
 * they differ: numbers by size, all else by bytes. */
int setting_compare(const char *a, const char *b);

/* The same as COLLATE setting_values, for labels, on this connection; returns SQLite's code. */
int setting_order_register(struct sqlite3 *db);

#endif
