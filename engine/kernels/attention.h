/* Where attention's numbers lie in a packed row: queries of H heads, then keys and values of G
 * heads each. What every table and every caller agrees on. */
#ifndef ENGINE_KERNELS_ATTENTION_H
#define ENGINE_KERNELS_ATTENTION_H

#include "engine/kernels/kernels.h"

/* Numbers of a position in qkv. */
static inline long attention_row(const struct attention *a)
{
    return a->H * a->d_k + a->G * (a->d_k + a->d_v);
}

/* The head of keys and values that head h uses, 0..G-1. */
static inline long attention_kv(const struct attention *a, long h)
{
    return a->kv_of ? a->kv_of[h] : a->G == a->H ? h : h * a->G / a->H;
}

/* Where a row holds the keys of kv head g, and its values. */
static inline long attention_key_column(const struct attention *a, long g)
{
    return (a->H + g) * a->d_k;
}

static inline long attention_value_column(const struct attention *a, long g)
{
    return (a->H + a->G) * a->d_k + g * a->d_v;
}

#endif
