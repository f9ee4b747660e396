/* The chain kernels for each type and instruction set, and the choice among them. */
#ifndef GAPLESS_KERNELS_CHAIN_KERNELS_H
#define GAPLESS_KERNELS_CHAIN_KERNELS_H

#include <stdlib.h>

#include "contracts.h"
#include "lanes/lanes.h"
#include "lanes/status.h"

/* Blocks whose maxima the dominance test looks at first, before it looks at them one by one. */
#define GAPLESS_GROUP 4

/* Rows are whole blocks, so malloc's alignment decides whether a load straddles two cache lines. */
static void *gapless_aligned_rows(size_t bytes)
{
#if defined(_MSC_VER)
    return malloc(bytes ? bytes : 1);
#else
    return aligned_alloc(64, (bytes + 127) / 64 * 64);
#endif
}

/* Scores are read once, in order of sentences but from several at a time, too short for the processor to see
 * where they go on. `next` runs ahead of the reading at its speed, so that rows are in the cache when they
 * are needed. */
typedef struct {
    const char *next, *end;
} gapless_ahead;

static GAPLESS_ALWAYS void gapless_fetch(gapless_ahead *ahead, size_t bytes)
{
#if defined(__GNUC__)
    const char *stop = (size_t)(ahead->end - ahead->next) < bytes ? ahead->end : ahead->next + bytes;
    for (; ahead->next < stop; ahead->next += 64)
        __builtin_prefetch(ahead->next, 0, 3);
    if (ahead->next > ahead->end)
        ahead->next = ahead->end;
#else
    (void)ahead;
    (void)bytes;
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
    uint8_t *keep_mask;                    /* (N, K) or NULL */
    int64_t *dominators;                   /* (N,) or NULL */
} gapless_batch;

enum { GAPLESS_VITERBI = 0, GAPLESS_DOMINANCE = 1 };

#define GAPLESS_TEMPLATE "lanes/path_value.h"
#include "lanes/types.h"
#define GAPLESS_TEMPLATE "chains/scores.h"
#include "lanes/types.h"
#define GAPLESS_TEMPLATE "chains/loops.h"
#include "lanes/versions.h"
#define GAPLESS_TEMPLATE "chains/decode.h"
#include "lanes/types.h"

/* Decode a batch. Returns -1 without memory. */
static int gapless_decode(int method, int is_double, const gapless_chain *chain, const gapless_batch *batch)
{
    return is_double ? decode_f64(method, chain, batch) : decode_f32(method, chain, batch);
}

#endif
