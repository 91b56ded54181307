#include "engine/base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* why: "libgfortran.so.5: cannot open shared object file: No such file or directory", or another
 * fault of the library itself. */
static void not_loaded(const char *title, const char *name, const char *package, const char *why,
                       struct message *m)
{
    const char *end = strstr(why, ": cannot open shared object file");
    char what[128];
    if (end && strncmp(why, name, strlen(name)) != 0)
        snprintf(what, sizeof what, "%.*s", (int)(end - why), why);
    else
        snprintf(what, sizeof what, "it (Debian, Ubuntu: apt install %s)", package);
    status_fail(m, STATUS_INTERNAL,
                "%s cannot be loaded (%s); install %s, or name the folder that has it in "
                "LD_LIBRARY_PATH (on a cluster, `module load` does)",
                title, why, what);
}

void *library_open(const char *title, const char *name, int version, const char *package,
                   struct message *m)
{
    char file[64], why[512];
    snprintf(file, sizeof file, "%s.so.%d", name, version);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library)
        return library;
    snprintf(why, sizeof why, "%s", dlerror()); /* which has the last failure only */
    snprintf(file, sizeof file, "%s.so", name);
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        not_loaded(title, name, package, why, m);
    return library;
}

bool library_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); /* ISO C has no cast between the two */
    return found != NULL;
}
