/* What this binary is and what it runs on; a row of the table `build`. */
#ifndef SWEEP_WORKER_BUILD_INFO_H
#define SWEEP_WORKER_BUILD_INFO_H

#include "sweep/trials/trials.h"

/* Filled from the compiler's and OpenBLAS's own words. Loads OpenBLAS with one thread, and takes no
 * memory for products. Where that fails (as blas_load does), openblas and core_type are "unknown"
 * and all else is filled. */
enum status build_info(struct build_info *b, struct message *m);

/* SHA-256, in hex, of the version and of all sources that this program was compiled from: equal
 * where they were, whatever compiler and flags made of them. */
const char *build_sources(void);

#endif
