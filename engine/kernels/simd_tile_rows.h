/* Rows of whole vectors, as the products of attention like them, from rows of any width and back;
 * and the same turned. */
#ifndef ENGINE_KERNELS_SIMD_TILE_ROWS_H
#define ENGINE_KERNELS_SIMD_TILE_ROWS_H

#include "engine/kernels/simd_attention_keys.h"
#include "engine/kernels/simd_groups.h"

/* Numbers in a row of s, p, ds: the queries of a block, times the heads of a group. */
enum { TILE_ROW = 32, TILE_GROUP_ROW = 64 };

/* Rows of whole vectors, `step` numbers apart. */
struct tile_rows {
    float *at;
    long step;
};

/* Whether n rows `step` numbers apart start at so few places of a 4096-byte way of the first-level
 * cache that they push each other out. */
static bool rows_collide(long n, long step)
{
    const unsigned long bytes = (unsigned long)step * sizeof(float), even = bytes & -bytes;
    return n > 4 * (even < 4096 ? (long)(4096 / even) : 1);
}

/* n rows of d numbers per head that begin at `column` of x (,step) and are only read: used where
 * they are if whole vectors stay within x's rows (lanes past d then hold a neighbour's numbers, and
 * no lane that counts looks there), else packed into room. list: which rows; NULL: the first n. */
static struct tile_rows tile_rows_pack(int group, long n, const int32_t *list, long d,
                                       const float *x, long column, long step, float *room)
{
    const long wide = round_up(d, LANES);
    if (group == 1 && !list && column + wide <= step && !rows_collide(n, step))
        return (struct tile_rows){(float *)(uintptr_t)(x + column), step};
    for (long r = 0; r < n; r++) {
        const float *from = x + column + (list ? list[r] : r) * step;
        long c = 0;
        if (group == 2)
            vstore(room + r * wide, group_zip(vload(from), 2));
        else if (group == 4)
            vstore(room + r * wide, group_zip(vload(from), 4));
        for (; group == 1 && c + LANES <= d; c += LANES)
            vstore(room + r * wide + c, vload(from + c));
        if (group == 1 && c < d)
            vstore(room + r * wide + c, vload_n(from + c, d - c));
    }
    return (struct tile_rows){room, wide};
}

/* Where results that belong at x (,step) are to be written: there if they are whole vectors. */
static struct tile_rows tile_rows_target(int group, long n, const int32_t *list, long d, float *x,
                                         long step, float *room)
{
    if (group == 1 && !list && d % LANES == 0 && !rows_collide(n, step))
        return (struct tile_rows){x, step};
    return (struct tile_rows){room, round_up(d, LANES)};
}

/* Brings them to x, if they are not there. add (group 1 only): to what x holds. */
static void rows_unpack(int group, long n, const int32_t *list, long d, struct tile_rows from,
                        bool add, float *x, long step)
{
    if (from.at == x)
        return;
    for (long r = 0; r < n; r++, from.at += from.step) {
        float *to = x + (list ? list[r] : r) * step;
        long c = 0;
        if (group == 2)
            vstore(to, group_unzip(vload(from.at), 2));
        else if (group == 4)
            vstore(to, group_unzip(vload(from.at), 4));
        for (; group == 1 && c < d; c += LANES) {
            const vf y = vload(from.at + c);
            vstore_n(to + c, d - c, add ? vload_n(to + c, d - c) + y : y);
        }
    }
}

/* tile_rows_pack of a group whose heads begin at columns of their own. */
ALWAYS_INLINE struct tile_rows group_rows_pack(const int GROUP, long n, const int32_t *list,
                                               const float *x, const long *column, long step,
                                               float *room)
{
    for (long r = 0; r < n; r++) {
        const float *from = x + (list ? list[r] : r) * step;
        float whole[LANES] = {0};
        for (int g = 0; g < GROUP; g++)
            memcpy(whole + g * (LANES / GROUP), from + column[g], sizeof(vf) / (size_t)GROUP);
        vstore(room + r * LANES, group_zip(vload(whole), GROUP));
    }
    return (struct tile_rows){room, LANES};
}

/* Adds them to x: where heads share a column, their sum. */
ALWAYS_INLINE void group_rows_add(const int GROUP, long n, const int32_t *list,
                                  struct tile_rows from, float *x, const long *column, long step)
{
    for (long r = 0; r < n; r++) {
        float *to = x + (list ? list[r] : r) * step;
        float whole[LANES];
        vstore(whole, group_unzip(vload(from.at + r * from.step), GROUP));
        for (int g = 0; g < GROUP; g++)
            for (int c = 0; c < LANES / GROUP; c++)
                to[column[g] + c] += whole[g * (LANES / GROUP) + c];
    }
}

/* x (rows,d) with rows `step` apart -> xt (d,TILE_ROW), times scale; lanes past `rows` are 0. */
static void pack_transposed(long rows, long d, const float *x, long step, float scale, float *xt)
{
    for (long r = 0; r < rows; r += LANES) {
        for (long c = 0; c < d; c += LANES) {
            const long n = d - c < LANES ? d - c : LANES;
            vf tile[LANES];
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                tile[i] = r + i < rows ? vload_n(x + (r + i) * step + c, n) * scale : vset(0);
            vtranspose(tile);
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                if (i < n)
                    vstore(xt + (c + i) * TILE_ROW + r, tile[i]);
        }
    }
}

/* The same for a group of heads, side by side or packed (interleaved): x (rows,LANES) -> xt
 * (LANES/GROUP,TILE_GROUP_ROW). */
ALWAYS_INLINE void pack_group(const int GROUP, bool packed, long rows, const float *x, long step,
                              float scale, float *xt)
{
    const int d = LANES / GROUP;
    for (long r = 0; r < rows; r += LANES) {
        vf tile[LANES];
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            tile[i] = r + i < rows ? vload(x + (r + i) * step) * scale : vset(0);
        vtranspose(tile);
#pragma GCC unroll 8
        for (int k = 0; k < d; k++) {
            vf zipped[GROUP_MAX];
            group_zip_vectors(tile + (packed ? k * GROUP : k), packed ? 1 : d, GROUP, zipped);
            for (int i = 0; i < GROUP; i++)
                vstore(xt + k * TILE_GROUP_ROW + r * GROUP + i * LANES, zipped[i]);
        }
    }
}

#endif
