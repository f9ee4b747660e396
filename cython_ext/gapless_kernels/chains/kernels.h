/* The chain kernels for each type and instruction set, and the choice among them. */
#ifndef GAPLESS_KERNELS_CHAIN_KERNELS_H
#define GAPLESS_KERNELS_CHAIN_KERNELS_H

#include <stdlib.h>

#include "lanes/lanes.h"
#include "lanes/status.h"

/* Blocks whose maxima the dominance test looks at first, before it looks at them one by one. */
#define GAPLESS_GROUP 4

/* Rows are whole blocks, so malloc's alignment decides whether a load straddles two cache lines. */
static void *gapless_room(size_t bytes)
{
#if defined(_MSC_VER)
    return malloc(bytes ? bytes : 1);
#else
    return aligned_alloc(64, (bytes + 127) / 64 * 64);
#endif
}

/* The arrays of the Python functions; those of scores hold float32 or float64, all of one type. */
typedef struct {
    ptrdiff_t labels, stride;
    const void *moves, *arrivals;          /* (K, stride) */
    const void *excess, *group_excess;     /* (K, stride), (K, groups of blocks); for dominance */
    const double *gauge;                   /* (K,) or NULL */
    const double *transition;              /* (K, K) */
    const double *initial, *final;         /* (K,) or NULL */
    double largest;
    int finite;
} gapless_chain;

typedef struct {
    const void *unary;                     /* (N, K) */
    const int64_t *offsets;                /* (S+1,) */
    ptrdiff_t sentences;
    int64_t *labels;                       /* (N,) */
    double *values;                        /* (S,) */
    uint8_t *status;                       /* (S,) */
    int64_t *survivors;                    /* (S,) or NULL; for dominance, as what follows */
    uint8_t *kept;                         /* (N, K) or NULL */
    int64_t *dominators;                   /* (N,) or NULL */
} gapless_batch;

enum { GAPLESS_VITERBI = 0, GAPLESS_DOMINANCE = 1 };

#define GAPLESS_PASTE_(a, b, c) a##_##b##_##c
#define GAPLESS_PASTE(a, b, c) GAPLESS_PASTE_(a, b, c)

/* float: u is half a unit in the last place; a sum is never denormal except by flushing, which TINY covers. Scores
 * beyond LIMIT could overflow and are left to float64. */
#define REAL float
#define TYPE f32
#define TYPED(f) f##_f32
#define ROUNDING 0x1.1p-24f
#define TINY 1e-30f
#define LIMIT 1e30f
#define DOUBTS 1
#include "chains/versions.h"
#undef REAL
#undef TYPE
#undef TYPED
#undef ROUNDING
#undef TINY
#undef LIMIT
#undef DOUBTS

#define REAL double
#define TYPE f64
#define TYPED(f) f##_f64
#define ROUNDING 0x1.1p-53
#define TINY 1e-300
#define LIMIT 1e300
#define DOUBTS 0
#include "chains/versions.h"
#undef REAL
#undef TYPE
#undef TYPED
#undef ROUNDING
#undef TINY
#undef LIMIT
#undef DOUBTS

/* Decode a batch. Returns -1 without memory. */
static int gapless_decode(int set, int method, int is_double, const gapless_chain *chain,
                          const gapless_batch *batch)
{
    return is_double ? decode_f64(set, method, chain, batch) : decode_f32(set, method, chain, batch);
}

#endif
