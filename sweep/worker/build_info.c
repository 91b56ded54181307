#include "sweep/worker/build_info.h"

#include <stdio.h>
#include <string.h>

#include "build_id.h"
#include "engine/kernels/blas.h"
#include "engine/kernels/kernels.h"

static const char *cpu_name(void)
{
    static char line[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    const char *name = "unknown";
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            name = colon + 1 + strspn(colon + 1, " ");
            break;
        }
    }
    if (f)
        fclose(f);
    return name;
}

const char *build_sources(void)
{
    return BUILD_SOURCES;
}

enum status build_info(struct build_info *b, struct message *m)
{
    struct blas_info blas = {"unknown", "unknown", 1};
    enum status s = blas_load(1, m);
    if (s == STATUS_OK)
        blas = blas_info();
    *b = (struct build_info){
        .version = BUILD_VERSION,
        .commit = BUILD_COMMIT,
        .compiler = BUILD_COMPILER,
        .flags = BUILD_FLAGS,
        .openblas = blas.version,
        .core_type = blas.core_type,
        .kernels = kernels_build(),
        .cpu = cpu_name(),
    };
    return s;
}
