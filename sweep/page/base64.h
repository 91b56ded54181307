/* Base64 (RFC 4648, section 4). */
#ifndef SWEEP_PAGE_BASE64_H
#define SWEEP_PAGE_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void base64_write(const uint8_t *bytes, size_t size, FILE *out);

#endif
