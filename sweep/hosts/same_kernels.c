#include "sweep/hosts/same_kernels.h"

#include <stdio.h>
#include <string.h>

/* From the least; a later one can all that an earlier one can. */
static const char *const kernels[] = {"reference", "portable", "sse2", "avx2", "avx512"};

/* Of each level of OpenBLAS's kernels, the one that runs on every CPU of the level. */
enum level { LEVEL_LOWER, LEVEL_AVX2, LEVEL_AVX512 };
static const struct {
    const char *name;
    enum level level;
} cores[] = {{"Haswell", LEVEL_AVX2},      {"Zen", LEVEL_AVX2},
             {"Excavator", LEVEL_AVX2},    {"SkylakeX", LEVEL_AVX512},
             {"Cooperlake", LEVEL_AVX512}, {"SapphireRapids", LEVEL_AVX512}};
enum { KERNELS = sizeof kernels / sizeof *kernels, CORES = sizeof cores / sizeof *cores };

static int rank(const char *name)
{
    for (int i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i], name) == 0)
            return i;
    return 0;
}

static enum level level_of(const char *core_type)
{
    for (int i = 0; i < CORES; i++)
        if (strcmp(cores[i].name, core_type) == 0)
            return cores[i].level;
    return LEVEL_LOWER;
}

struct kernel_set kernel_set_of(const struct agent_hello *h)
{
    struct kernel_set s;
    snprintf(s.core_type, sizeof s.core_type, "%s", h->core_type);
    snprintf(s.kernels, sizeof s.kernels, "%.*s", (int)strcspn(h->kernels, "-"), h->kernels);
    return s; /* "avx2-ftz-3": the rest is no choice of the kernels' */
}

struct kernel_set kernel_set_common(const struct kernel_set *a, const struct kernel_set *b)
{
    struct kernel_set s = *a;
    enum level level_a = level_of(a->core_type), level_b = level_of(b->core_type);
    enum level level = level_a < level_b ? level_a : level_b;
    if (rank(b->kernels) < rank(a->kernels))
        memcpy(s.kernels, b->kernels, sizeof s.kernels);
    if (strcmp(a->core_type, b->core_type) == 0)
        return s;
    if (level == LEVEL_LOWER && level_a == level_b) /* of these only the least is known to all */
        snprintf(s.core_type, sizeof s.core_type, "Prescott");
    else if (level == LEVEL_LOWER)
        memcpy(s.core_type, level_b < level_a ? b->core_type : a->core_type, sizeof s.core_type);
    else
        snprintf(s.core_type, sizeof s.core_type, "%s",
                 level == LEVEL_AVX2 ? "Haswell" : "SkylakeX");
    return s;
}

bool kernel_set_same(const struct kernel_set *a, const struct kernel_set *b)
{
    return strcmp(a->core_type, b->core_type) == 0 && strcmp(a->kernels, b->kernels) == 0;
}
