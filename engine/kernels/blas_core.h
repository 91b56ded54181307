/* Which of OpenBLAS's kernels to compute with ("core type"). A library older than the CPU takes it
 * for a Prescott of 2004 and computes at a fifth of its speed; the environment variable
 * OPENBLAS_CORETYPE, read when the library is loaded, makes it take others. */
#ifndef ENGINE_KERNELS_BLAS_CORE_H
#define ENGINE_KERNELS_BLAS_CORE_H

#include <stdbool.h>
#include <stdint.h>

/* What the instructions cpuid and xgetbv say; all 0 where there are none. */
struct cpu {
    char vendor[13];    /* leaf 0: "GenuineIntel", "AuthenticAMD" */
    uint32_t leaf1_ecx; /* FMA, AVX, XGETBV */
    uint32_t leaf7_ebx; /* AVX2, AVX-512 */
    uint32_t xcr0;      /* registers that the operating system saves; 0 without XGETBV */
};
struct cpu cpu_here(void);

/* The core type with which this CPU computes faster than with `core`, the best that the library
 * has; NULL where `core` makes use of all that the CPU can. has(name): whether the library has it.
 */
const char *blas_core_better(const struct cpu *cpu, const char *core,
                             bool (*has)(const char *name));

#endif
