/* The fast kernels, for the instruction set that KERNEL_SET names and the compiler's flags allow.
 * One translation unit per set; nothing here is called before kernels.c has asked the CPU. */
#include "engine/kernels/simd_attention.h"
#include "engine/kernels/simd_elements.h"
#include "engine/kernels/simd_linear.h"
#include "engine/kernels/simd_rotary.h"
#include "engine/kernels/simd_rows.h"

#define TABLE_(set) kernels_##set
#define TABLE(set)  TABLE_(set)
#define TEXT_(set)  #set
#define TEXT(set)   TEXT_(set)

extern const struct kernels TABLE(KERNEL_SET);

const struct kernels TABLE(KERNEL_SET) = {
    .name = TEXT(KERNEL_SET),
#define KERNEL(function) .function = function,
#include "engine/kernels/kernels.def"
#undef KERNEL
};
