/* The choice of OpenBLAS's kernels, for CPUs that are not here: what cpuid would say is given. */
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/kernels/blas.h"
#include "engine/kernels/blas_core.h"

#include "tests/test.h"

/* Intel's manual, volume 2A, CPUID; what the CPUs below answer. */
#define FMA_AVX  (1u << 12 | 1u << 27 | 1u << 28)
#define AVX2     (1u << 5)
#define AVX512   (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31)
#define SAVE_YMM 0x07
#define SAVE_ZMM 0xe7

static const struct cpu sapphire_rapids = {"GenuineIntel", FMA_AVX, AVX2 | AVX512, SAVE_ZMM};
static const struct cpu meteor_lake = {"GenuineIntel", FMA_AVX, AVX2, SAVE_YMM};
static const struct cpu zen5 = {"AuthenticAMD", FMA_AVX, AVX2 | AVX512, SAVE_ZMM};
static const struct cpu zen3 = {"AuthenticAMD", FMA_AVX, AVX2, SAVE_YMM};
static const struct cpu zhaoxin = {"  Shanghai  ", FMA_AVX, AVX2, SAVE_YMM};
static const struct cpu core2 = {"GenuineIntel", 0, 0, 0};
static const struct cpu sandy_bridge = {"GenuineIntel", 1u << 27 | 1u << 28, 0, SAVE_YMM};
/* AVX-512 that the operating system does not save; only its foundation (Knights Landing) */
static const struct cpu unsaved = {"GenuineIntel", FMA_AVX, AVX2 | AVX512, SAVE_YMM};
static const struct cpu nothing_saved = {"GenuineIntel", FMA_AVX, AVX2 | AVX512, 0};
static const struct cpu knights_landing = {"GenuineIntel", FMA_AVX, AVX2 | 1u << 16 | 1u << 28,
                                           SAVE_ZMM};
static const struct cpu no_x86 = {.vendor = ""};

static bool has_all(const char *name)
{
    (void)name;
    return true;
}

static bool has_none(const char *name)
{
    (void)name;
    return false;
}

static bool has_haswell(const char *name)
{
    return strcmp(name, "Haswell") == 0;
}

TEST(test_choice)
{
    const struct {
        const struct cpu *cpu;
        const char *core, *better; /* better NULL: core is as good as any */
        bool (*has)(const char *name);
    } cases[] = {
        {&sapphire_rapids, "Prescott", "SkylakeX", has_all},
        {&sapphire_rapids, "Haswell", "SkylakeX", has_all},
        {&sapphire_rapids, "skylakex", NULL, has_all},
        {&sapphire_rapids, "Cooperlake", NULL, has_all},
        {&sapphire_rapids, "SapphireRapids", NULL, has_all},
        {&sapphire_rapids, "Prescott", "Haswell", has_haswell},
        {&sapphire_rapids, "Haswell", NULL, has_haswell},
        {&sapphire_rapids, "Prescott", NULL, has_none},
        {&meteor_lake, "Prescott", "Haswell", has_all},
        {&meteor_lake, "Sandybridge", "Haswell", has_all},
        {&meteor_lake, "Haswell", NULL, has_all},
        {&meteor_lake, "Zen", NULL, has_all},
        {&zen5, "Prescott", "SkylakeX", has_all},
        {&zen5, "Zen", "SkylakeX", has_all},
        {&zen5, "Cooperlake", NULL, has_all},
        {&zen3, "Barcelona", "Zen", has_all},
        {&zen3, "Barcelona", "Haswell", has_haswell},
        {&zen3, "Haswell", NULL, has_all},
        {&zen3, "Excavator", NULL, has_all},
        {&zhaoxin, "Prescott", "Haswell", has_all},
        {&unsaved, "Prescott", "Haswell", has_all},
        {&knights_landing, "Prescott", "Haswell", has_all},
        {&nothing_saved, "Prescott", NULL, has_all},
        {&sandy_bridge, "Prescott", NULL, has_all},
        {&core2, "Prescott", NULL, has_all},
        {&no_x86, "ARMV8", NULL, has_all},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *better = blas_core_better(cases[i].cpu, cases[i].core, cases[i].has);
        const char *want = cases[i].better;
        if ((better == NULL) != (want == NULL) || (want && strcmp(better, want) != 0))
            fail_msg("case %zu (%s, %s): %s, not %s", i, cases[i].cpu->vendor, cases[i].core,
                     better ? better : "none", want ? want : "none");
    }
}

/* The library of this machine: what is in use when nobody chooses cannot be bettered; what the user
 * chooses is kept, and told where it hinders. A process each, for a library is loaded once. */
static int in_child(int (*work)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(work());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int nobody_chooses(void)
{
    struct message m;
    const struct cpu cpu = cpu_here();
    unsetenv("OPENBLAS_CORETYPE");
    if (blas_load(1, &m) != STATUS_OK)
        return 1;
    const char *forced = getenv("OPENBLAS_CORETYPE");
    if (forced && strcmp(forced, blas_info().core_type) != 0)
        return 2;
    return (forced && blas_core_better(&cpu, forced, has_all)) || blas_hindered();
}

static int the_user_chooses(void)
{
    struct message m;
    const struct cpu cpu = cpu_here();
    setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
    if (blas_load(1, &m) != STATUS_OK)
        return 1;
    if (!blas_core_better(&cpu, "Nehalem", has_all) || strcmp(blas_info().core_type, "Nehalem"))
        return blas_hindered() != NULL; /* an old CPU, or a library for one */
    return !blas_hindered() || strcmp(blas_hindered(), "Nehalem") != 0;
}

TEST(test_here)
{
    assert_int_equal(in_child(nobody_chooses), 0);
    assert_int_equal(in_child(the_user_chooses), 0);
}
