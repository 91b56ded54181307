/* What the completed trials of a sweep were computed with. Programs and machines that differ in it
 * may differ in the last bits of what they compute. */
#ifndef SWEEP_REPORT_REPORT_KERNELS_H
#define SWEEP_REPORT_REPORT_KERNELS_H

#include "sweep/db/scope.h"

struct report_kernels {
    int kinds;                /* that differ */
    struct text_buffer words; /* "12 trials with Haswell, avx2; 24 with SkylakeX, avx512" */
    struct text_buffer json;  /* an object for each kind */
};

struct report_kernels report_kernels_read(struct scope *x, int64_t sweep_id);

#endif
