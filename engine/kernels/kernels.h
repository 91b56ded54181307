/* The loops that OpenBLAS does not have, or not as fast, behind one table. kernels/reference.c
 * holds the naive version of each, in plain scalar C for float and double; kernels/simd.c is one
 * portable source with vectors of the width its instruction set has, compiled once per set
 * (simd_sse2.o, simd_avx2.o, simd_avx512.o); kernels.c picks at run time. Every entry is
 * deterministic: the same input gives the same bits on the same table, and the result of a row or
 * of a sequence does not depend on the others.
 *
 * `beta` is 0 (overwrite) or 1 (add to) and says what to do with a gradient's old content. Sums
 * over rows (dgain, dbias) always add. Buffers do not overlap unless said. */
#ifndef ENGINE_KERNELS_KERNELS_H
#define ENGINE_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/real.h"

/* Where the dropout bits of one site come from: keep element e iff its random number is >= the
 * probability in 65536ths, and scale what is kept by 1/(1 - probability). The number of element e
 * is half of a word of Philox with key {seed, RNG_DROPOUT}, counter {block, site, step low, step
 * high}, where groups of 128 elements take 16 blocks: block = e/128*16 + e%16, word = e/16%4 (so
 * that 16 lanes of one word are 16 neighbours), of which the low half where e/64%2 is 0, else the
 * high one. */
struct dropout {
    double probability; /* 0: none; [0,1), rounded to 65536ths, not to none */
    uint32_t seed;
    uint32_t site;
    uint64_t step;
    uint64_t first; /* index of this buffer's element 0 within the whole batch: a batch taken in
                       slices drops the same elements */
    const uint64_t *kept; /* what dropout_draw made of these elements, for forward and backward;
                             NULL where probability is 0 */
};

/* Words that dropout_draw writes for n elements, wherever they begin. */
static inline long dropout_words(long n)
{
    return 2 * (n / 128 + 2) + 1;
}

struct attention {
    long B, T, H;
    long G;                 /* heads of keys and values; below H, heads share them (Shazeer 2019,
                               Ainslie et al. 2023) */
    long d_k, d_v;          /* widths of a head's queries and keys, and of its values */
    real scale;             /* 1/sqrt(d_k) */
    const int32_t *kv_of;   /* (H) whose keys and values each head uses, 0..G-1, in any order;
                               NULL: head h those of h*G/H */
    bool causal;            /* query i sees no key j > i */
    const uint8_t *padding; /* (B,T), 1 = ignore this key; NULL: none */
    struct dropout dropout; /* element ((b*H + h)*T + i)*T + j */
};

/* Pairs of numbers that are turned, each by an angle of its own that grows with the position (Su et
 * al. 2021, RoFormer, eq. 34). */
struct rotation {
    long T;            /* row r stands at position r % T */
    long width;        /* even: numbers of a group, pair by pair */
    long groups;       /* as many groups at the beginning of a row turn alike; the rest does not */
    const real *turns; /* (T,width): cosine and sine of each pair's angle */
    bool back;         /* by the opposite angles: the gradient, and the inverse */
};

struct adamw {
    real lr, beta1, beta2, epsilon, weight_decay;
    real correction1, correction2; /* 1 - beta1^t, 1 - beta2^t */
    real grad_scale;               /* multiplies every gradient first: clipping */
};

/* What packing and the products of a linear layer may ask for, whatever the table. */
enum {
    LINEAR_WIDEST = 2048, /* side of a weight */
    LINEAR_PANEL = 32,    /* columns of a panel */
    LINEAR_ROWS = 512,    /* rows that are taken at once */
    LINEAR_SPARE = 64
};

/* Numbers of a packed matrix (depth, columns). */
static inline long linear_panels(long columns, long depth)
{
    return (columns + LINEAR_PANEL - 1) / LINEAR_PANEL * LINEAR_PANEL * depth;
}

/* Numbers of room for products with a weight (N,K). */
static inline long linear_room(long N, long K)
{
    return LINEAR_ROWS * ((N > K ? N : K) + LINEAR_SPARE);
}

/* Numbers of a row of scores that attention_forward saves for backward: the largest score, and what
 * exponentials below it are multiplied by. One log-sum-exp would be too coarse for large scores. */
enum { ATTENTION_SAVED = 2 };

/* Each function has a line in kernels.def. */
struct kernels {
    const char *name; /* "reference", "sse2", "avx2", "avx512"; elsewhere than x86 "portable" */

    /* O = dropout(softmax(scale Q K^T)) V per sequence and head (Vaswani et al. 2017, eq. 1). A row
     * that sees no key gives 0. Packed rows: queries of all heads, then keys, then values. What a
     * query does not see moves none of its bits as long as it is finite. */
    void (*attention_forward)(const struct attention *a,
                              const real *qkv, /* (B,T,H*d_k + G*d_k + G*d_v) */
                              real *o,         /* (B,T,H*d_v) */
                              real *saved,     /* ATTENTION_SAVED times (B,T,H), in any order */
                              void *scratch);  /* attention_scratch(a) bytes, 64-aligned */
    /* Recomputes the weights from qkv and saved, which the same table wrote. dqkv is
     * overwritten. */
    void (*attention_backward)(const struct attention *a, const real *qkv, const real *o,
                               const real *saved, const real *d_o, /* (B,T,H*d_v) */
                               real *dqkv, void *scratch);
    /* The softmax itself, without dropout: rows sum to 1 to rounding, however large the scores are,
     * and a key that is not seen has exactly 0. */
    void (*attention_weights)(const struct attention *a, const real *qkv,
                              real *w, /* (B,H,T,T): query, then key */
                              void *scratch);
    size_t (*attention_scratch)(const struct attention *a);

    /* y = beta*y + x, turned. x, y (R,N), N >= groups*width; y may be x where beta is 0. */
    void (*rotate)(long R, long N, const struct rotation *t, const real *x, real beta, real *y);

    /* y = x w^T + bias and its gradients, for weights that linear_suits: a choice by shape and
     * table alone. All others are left to OpenBLAS (blas.h). x, dx (M,K); w, dw (N,K); y, dy (M,N);
     * M >= 1. A weight is packed first, w^T into `forward`, linear_panels(N, K) numbers, and w into
     * `backward`, linear_panels(K, N), unless NULL; both as this table alone reads them. room:
     * linear_room(N, K) numbers. */
    bool (*linear_suits)(long N, long K);
    void (*linear_pack)(long N, long K, const real *w, real *forward, real *backward);
    /* y = beta*y + bias + x p, where p (K,N) is what was packed: with `forward` the layer's output,
     * and with `backward` dx from dy, its widths K and N the other way round. bias may be NULL. */
    void (*linear_product)(long M, long N, long K, const real *x, const real *p, const real *bias,
                           real beta, real *y, real *room);
    void (*linear_backward_weight)(long M, long N, long K, const real *dy, const real *x, real beta,
                                   real *dw, real *room); /* dw = beta*dw + dy^T x */

    /* y = (x - mean)/sqrt(var + 1e-5) * gain + bias per row (Ba, Kiros, Hinton 2016; variance
     * without Bessel's correction, as PyTorch). x, y (M,C); mean, rstd (M). */
    void (*layernorm_forward)(long M, long C, const real *x, const real *gain, const real *bias,
                              real *y, real *mean, real *rstd);
    void (*layernorm_backward)(long M, long C, const real *x, const real *gain, const real *mean,
                               const real *rstd, const real *dy, real beta, real *dx, real *dgain,
                               real *dbias);

    /* y = gelu(x + bias) with gelu(z) = z Phi(z), Phi by erf (Hendrycks and Gimpel 2016), or
     * max(x + bias, 0); slope = the derivative there, for backward, unless NULL. bias (N) may be
     * NULL. x, y, slope (M,N). backward: dx = beta*dx + dy slope, dbias += column sums of dy slope.
     * dx may be dy. */
    void (*gelu_forward)(long M, long N, const real *x, const real *bias, real *y, real *slope);
    void (*relu_forward)(long M, long N, const real *x, const real *bias, real *y, real *slope);
    void (*activation_backward)(long M, long N, const real *slope, const real *dy, real beta,
                                real *dx, real *dbias);

    /* A bit for each of the elements 0 .. n-1, from the group on that holds element 0, lowest
     * first: 1 keeps. kept: dropout_words(n). Probability is not 0. */
    void (*dropout_draw)(const struct dropout *d, long n, uint64_t *kept);

    /* y = residual + dropout(x + bias). residual (M,N) and bias (N) may be NULL. backward: dx =
     * beta*dx + mask*dy/(1-p), dbias += column sums of the masked dy. (The residual's own gradient
     * is dy: add.) */
    void (*residual_forward)(long M, long N, const real *x, const real *bias, const real *residual,
                             const struct dropout *d, real *y);
    void (*residual_backward)(long M, long N, const struct dropout *d, const real *dy, real beta,
                              real *dx, real *dbias);

    /* y = beta*y + x, n elements; and dbias += column sums of dy (M,N). */
    void (*add)(long n, const real *x, real beta, real *y);
    void (*column_sums)(long M, long N, const real *dy, real *dbias);
    /* every row of y (M,N) = bias */
    void (*fill_rows)(long M, long N, const real *bias, real *y);

    /* Rows of a table: y[r] = beta*y[r] + table[index[r*stride]] + cycle[r % T], and dtable[...] +=
     * dy[r]. y, dy (R,C); cycle (T,C), may be NULL. */
    void (*rows_gather)(long R, long C, const real *table, const int32_t *index, long stride,
                        const real *cycle, long T, real beta, real *y);
    void (*rows_scatter)(long R, long C, const real *dy, const int32_t *index, long stride,
                         real *dtable);

    /* Softmax cross-entropy of R rows of V logits. target[r] in 0..V-1, or negative: masked.
     * Returns the sum over unmasked rows of -log softmax(logits)[target] in double. correct[r] = 1
     * where the first largest logit is the target's, 0 where not, 2 where masked. dlogits (R,V),
     * unless NULL, = scale*(softmax - onehot), 0 for masked rows; it may be the same buffer as
     * logits. */
    double (*cross_entropy)(long R, long V, const real *logits, const int32_t *target,
                            uint8_t *correct, real scale, real *dlogits);

    /* Sum of squares in double, n elements; NaN and Inf come through. */
    double (*square_sum)(long n, const real *x);
    /* One AdamW step (Loshchilov and Hutter 2019, algorithm 2, as torch.optim.AdamW) on n numbers:
     * w -= lr*wd*w; m, v updated with g*grad_scale; w -= lr * (m/c1) / (sqrt(v/c2) + eps). */
    void (*adamw)(long n, const struct adamw *p, real *w, const real *g, real *m, real *v);
};

extern const struct kernels kernels_reference;

/* The fastest table this CPU can run. Environment HEADCOUNT_KERNELS=reference|sse2|avx2|avx512
 * overrides (falls back to what the CPU has). In the double build always the reference. */
const struct kernels *kernels_best(void);

/* What results depend on besides the instructions of the program: the best table's name, and
 * whether denormals are flushed, and 3, the number of the arithmetic: of the tables' formulas and
 * of the order in which sums over a batch and over all gradients are formed (encoder_slice,
 * optim_grad_norm): "avx512-ftz-3". Valid until the next call. */
const char *kernels_build(void);

/* The i-th table this CPU can run, slowest first, or NULL past the end: for tests and bench. */
const struct kernels *kernels_available(int i);

#endif
