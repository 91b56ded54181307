/* What a text holds that needs no network: adaptive byte models of the orders 0 to 5. Order k gives
 * a byte a probability from how often it followed the same k bytes before, mixed with what order
 * k-1 says in proportion to the number of different bytes that followed them (Witten and Bell 1991,
 * "The zero-frequency problem", method C; order -1 gives each byte 1/256). Every byte is learned as
 * soon as it was predicted. */
#ifndef DATASETS_BYTE_MODEL_H
#define DATASETS_BYTE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { BYTE_MODEL_ORDERS = 6 };

struct byte_model;

/* A model that has seen nothing, the caller's to free; NULL where there is no memory. It counts
 * exactly and forgets nothing: of each length from 1 to 6, the different runs of bytes take 16
 * bytes each, in a table that is filled to between 3/8 and 3/4. 5 MiB of headers and scripts take
 * 50 MiB; of random bytes, where nearly all runs of three and more differ, 512 (576 while a table
 * grows). */
struct byte_model *byte_model_new(void);
void byte_model_free(struct byte_model *m); /* NULL allowed */

/* The next byte has nothing before it: another text begins. */
void byte_model_restart(struct byte_model *m);

/* Says of each order in how many bits it would write the next byte, were it `byte`. */
void byte_model_bits(const struct byte_model *m, uint8_t byte, double bits[BYTE_MODEL_ORDERS]);

/* Learns that it is `byte`. False where there is no memory; the model is then only good to be
 * freed. */
bool byte_model_learn(struct byte_model *m, uint8_t byte);

#endif
