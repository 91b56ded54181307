/* What this binary is and what it runs on; a row of the table `build`. */
#ifndef SWEEP_RUN_BUILD_INFO_H
#define SWEEP_RUN_BUILD_INFO_H

#include "sweep/store/store.h"

/* Filled from the compiler's and OpenBLAS's own words. The strings live as long as the process.
 * Calls OpenBLAS for its names only, never for a product. */
struct build_info build_info(void);

#endif
