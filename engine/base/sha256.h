/* SHA-256 (FIPS 180-4). */
#ifndef ENGINE_BASE_SHA256_H
#define ENGINE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* Takes a block into the state. */
typedef void (*sha256_compress)(uint32_t state[8], const uint8_t block[64]);

/* In plain C; the other one, if any, uses the processor's own instructions and is compared with it.
 */
void sha256_compress_portable(uint32_t state[8], const uint8_t block[64]);

struct sha256 {
    sha256_compress compress; /* the fastest that this machine has */
    uint32_t state[8];
    uint64_t length; /* bytes seen */
    uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *data, size_t size);
/* hex: 64 lower-case digits and a terminator. s must be initialised again before another use. */
void sha256_final(struct sha256 *s, char hex[65]);
void sha256_hex(const void *data, size_t size, char hex[65]);

#endif
