/* What machines of a cluster can all compute with (--same-kernels): two with the same kernels give
 * the same bits. */
#ifndef SWEEP_HOSTS_SAME_KERNELS_H
#define SWEEP_HOSTS_SAME_KERNELS_H

#include "sweep/hosts/agent_wire.h"

struct kernel_set {
    char core_type[64]; /* of OpenBLAS: "Haswell" */
    char kernels[64];   /* our own: "avx2" */
};

/* What a machine computes with. */
struct kernel_set kernel_set_of(const struct agent_hello *h);

/* The most that both can. Start with one machine's, and add the others one by one, in any order. */
struct kernel_set kernel_set_common(const struct kernel_set *a, const struct kernel_set *b);

bool kernel_set_same(const struct kernel_set *a, const struct kernel_set *b);

#endif
