#include "engine/kernels/denormals.h"

#include <stdint.h>

#if defined(REAL_DOUBLE)
enum { FLUSHES = false };
static void set_mode(void)
{
}
#elif defined(__x86_64__)
#include <immintrin.h>
enum { FLUSHES = true };
static void set_mode(void)
{
    const unsigned wanted = _MM_FLUSH_ZERO_ON | 0x0040; /* FTZ, DAZ: every x86-64 CPU has both */
    if ((_mm_getcsr() & wanted) != wanted)
        _mm_setcsr(_mm_getcsr() | wanted);
}
#elif defined(__aarch64__)
enum { FLUSHES = true };
static void set_mode(void)
{
    const uint64_t flush_to_zero = UINT64_C(1) << 24; /* FZ: operands and results */
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    if (!(fpcr & flush_to_zero))
        __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | flush_to_zero));
}
#else
enum { FLUSHES = false };
static void set_mode(void)
{
}
#endif

void denormals_flush(void)
{
    set_mode();
}

bool denormals_flushed(void)
{
    return FLUSHES;
}
