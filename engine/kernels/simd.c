/* The fast kernels, for the instruction set that KERNEL_SET names and the compiler's flags allow.
 * One translation unit per set; nothing here is called before kernels.c has asked the CPU. */
#include "engine/kernels/simd_attention.h"
#include "engine/kernels/simd_elements.h"
#include "engine/kernels/simd_linear.h"
#include "engine/kernels/simd_rows.h"

#define TABLE_(set) kernels_##set
#define TABLE(set)  TABLE_(set)
#define TEXT_(set)  #set
#define TEXT(set)   TEXT_(set)

extern const struct kernels TABLE(KERNEL_SET);

const struct kernels TABLE(KERNEL_SET) = {
    .name = TEXT(KERNEL_SET),
    .attention_forward = attention_forward,
    .attention_backward = attention_backward,
    .attention_weights = attention_weights,
    .attention_scratch = attention_scratch,
    .linear_suits = linear_suits,
    .linear_forward = linear_forward,
    .linear_backward_input = linear_backward_input,
    .linear_backward_weight = linear_backward_weight,
    .layernorm_forward = layernorm_forward,
    .layernorm_backward = layernorm_backward,
    .gelu_forward = gelu_forward,
    .relu_forward = relu_forward,
    .activation_backward = activation_backward,
    .residual_forward = residual_forward,
    .residual_backward = residual_backward,
    .add = add,
    .column_sums = column_sums,
    .fill_rows = fill_rows,
    .rows_gather = rows_gather,
    .rows_scatter = rows_scatter,
    .cross_entropy = cross_entropy,
    .square_sum = square_sum,
    .adamw = adamw,
};
