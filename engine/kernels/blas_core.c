#include "engine/kernels/blas_core.h"

#include <string.h>
#include <strings.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* What a core type needs and uses. */
enum level { LEVEL_LOWER, LEVEL_AVX2, LEVEL_AVX512 };

/* Within a level the better first: AMD's own comes before Intel's on AMD only. */
static const struct core {
    const char *name;
    enum level level;
    const char *vendor; /* whose CPUs it may be forced on; NULL: all, "": none */
} cores[] = {
    {"SkylakeX", LEVEL_AVX512, NULL},     {"Cooperlake", LEVEL_AVX512, ""},
    {"SapphireRapids", LEVEL_AVX512, ""}, {"Zen", LEVEL_AVX2, "AuthenticAMD"},
    {"Haswell", LEVEL_AVX2, NULL},        {"Excavator", LEVEL_AVX2, ""},
};
enum { CORES = sizeof cores / sizeof *cores };

struct cpu cpu_here(void)
{
    struct cpu c = {.vendor = ""};
#if defined(__x86_64__)
    const uint32_t has_xgetbv = UINT32_C(1) << 27;
    uint32_t a, b, ecx, d;
    if (__get_cpuid(0, &a, &b, &ecx, &d)) {
        memcpy(c.vendor, &b, 4);
        memcpy(c.vendor + 4, &d, 4);
        memcpy(c.vendor + 8, &ecx, 4);
    }
    if (__get_cpuid(1, &a, &b, &ecx, &d))
        c.leaf1_ecx = ecx;
    if (__get_cpuid_count(7, 0, &a, &b, &ecx, &d))
        c.leaf7_ebx = b;
    if (c.leaf1_ecx & has_xgetbv)
        __asm__("xgetbv" : "=a"(c.xcr0), "=d"(d) : "c"(0));
#endif
    return c;
}

static enum level level_of(const struct cpu *c)
{
    const uint32_t fma_avx = 1u << 12 | 1u << 28, avx2 = 1u << 5;
    const uint32_t avx512 =
        1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* F DQ CD BW VL */
    const uint32_t saves_ymm = 0x06, saves_zmm = 0xe6;
    if ((c->leaf1_ecx & fma_avx) != fma_avx || !(c->leaf7_ebx & avx2) ||
        (c->xcr0 & saves_ymm) != saves_ymm)
        return LEVEL_LOWER;
    if ((c->leaf7_ebx & avx512) != avx512 || (c->xcr0 & saves_zmm) != saves_zmm)
        return LEVEL_AVX2;
    return LEVEL_AVX512;
}

static enum level level_of_core(const char *name)
{
    for (int i = 0; i < CORES; i++)
        if (strcasecmp(cores[i].name, name) == 0)
            return cores[i].level;
    return LEVEL_LOWER;
}

const char *blas_core_better(const struct cpu *cpu, const char *core, bool (*has)(const char *name))
{
    const enum level can = level_of(cpu), uses = level_of_core(core);
    for (int i = 0; i < CORES; i++) {
        const struct core *c = &cores[i];
        if (c->level <= can && c->level > uses &&
            (!c->vendor || strcmp(c->vendor, cpu->vendor) == 0) && has(c->name))
            return c->name;
    }
    return NULL;
}
