#include "engine/kernels/kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kernels/denormals.h"

#ifndef REAL_DOUBLE
#if defined(__x86_64__)
extern const struct kernels kernels_sse2, kernels_avx2, kernels_avx512;
#else
extern const struct kernels kernels_portable;
#endif
#endif

static bool always(void)
{
    return true;
}

#if defined(__x86_64__) && !defined(REAL_DOUBLE)
/* __builtin_cpu_supports also asks whether the operating system saves the wide registers. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#endif

static const struct {
    const struct kernels *table;
    bool (*runs_here)(void);
} tables[] = {
    /* slowest first */
    {&kernels_reference, always},
#ifndef REAL_DOUBLE
#if defined(__x86_64__)
    {&kernels_sse2, always},
    {&kernels_avx2, has_avx2},
    {&kernels_avx512, has_avx512},
#else
    {&kernels_portable, always},
#endif
#endif
};

const struct kernels *kernels_available(int i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        if (tables[t].runs_here() && i-- == 0)
            return tables[t].table;
    return NULL;
}

const struct kernels *kernels_best(void)
{
    const char *wanted = getenv("HEADCOUNT_KERNELS");
    const struct kernels *best = NULL, *k;
    for (int i = 0; (k = kernels_available(i)); i++) {
        best = k;
        if (wanted && !strcmp(wanted, k->name))
            break;
    }
    return best;
}

const char *kernels_build(void)
{
    static char text[32];
    snprintf(text, sizeof text, "%s%s-3", kernels_best()->name, denormals_flushed() ? "-ftz" : "");
    return text;
}
