#include "sweep/worker/build_info.h"

#include <stdio.h>
#include <string.h>

#include "build_id.h"
#include "engine/kernels/blas.h"
#include "engine/kernels/kernels.h"

#define PUT(member, text) snprintf(member, sizeof(member), "%s", text)

static void name_cpu(struct build_info *b)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            PUT(b->cpu, colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    if (f)
        fclose(f);
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
    *b = (struct build_info){.cpu = "unknown"};
    PUT(b->version, BUILD_VERSION);
    PUT(b->commit, BUILD_COMMIT);
    PUT(b->compiler, BUILD_COMPILER);
    PUT(b->flags, BUILD_FLAGS);
    PUT(b->openblas, blas.version);
    PUT(b->core_type, blas.core_type);
    PUT(b->kernels, kernels_build());
    name_cpu(b);
    return s;
}
