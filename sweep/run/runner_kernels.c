#include "engine/kernels/blas.h"
#include "sweep/db/rows.h"
#include "sweep/run/runner_internal.h"

void runner_tell_kernels(struct runner *r)
{
    const char *chosen = blas_hindered();
    struct rows used =
        rows_open(r->store, NULL, "SELECT 1 FROM attempt WHERE build_id = ?1 LIMIT 1",
                  VALUES(INTEGER(r->here.build_id)));
    bool told = rows_next(&used);
    rows_close(&used);
    if (chosen && !told)
        runner_say(
            r,
            "OPENBLAS_CORETYPE=%s keeps OpenBLAS from using all that this CPU can do: matrix "
            "products may take several times as long; unset it to use the best kernels",
            chosen);
}
