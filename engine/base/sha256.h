/* SHA-256 (FIPS 180-4). */
#ifndef ENGINE_BASE_SHA256_H
#define ENGINE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
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
