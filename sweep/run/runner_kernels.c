#include <stdio.h>
#include <stdlib.h>

#include "engine/kernels/blas.h"
#include "sweep/run/runner_internal.h"
#include "sweep/store/rows.h"

void runner_choose_kernels(struct runner *r, struct build_info *b)
{
    const char *chosen = getenv("OPENBLAS_CORETYPE");
    if (!blas_below_cpu() || (chosen && *chosen))
        return;
    snprintf(r->core_type, sizeof r->core_type, PROCESS_CORE_TYPE);
    b->core_type = r->core_type;
}

void runner_tell_kernels(struct runner *r)
{
    struct rows used =
        rows_open(r->store, NULL, "SELECT 1 FROM attempt WHERE build_id = ?1 LIMIT 1",
                  VALUES(INTEGER(r->build_id)));
    bool told = rows_next(&used);
    rows_close(&used);
    if (told || !blas_below_cpu())
        return;
    if (r->core_type[0])
        runner_say(r,
                   "this OpenBLAS does not know this CPU; workers are told to use its %s kernels "
                   "(AVX-512); an OpenBLAS as new as the CPU would choose by itself",
                   r->core_type);
    else
        runner_say(r,
                   "OPENBLAS_CORETYPE=%s keeps OpenBLAS from using this CPU's AVX-512: matrix "
                   "products take about twice as long; unset it to use them",
                   getenv("OPENBLAS_CORETYPE"));
}
