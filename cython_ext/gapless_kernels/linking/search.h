/* Entity linking by graph distance: whole choices of least cost, and the proof; see _linking_search_twin.py.
 *
 * A choice is found by local search. Costs are moved from pairs to members until the sum of the least own costs
 * reaches it (linking/ascent.h); members that would cost too much are dropped on the way, and sets that have one
 * member left are folded into the others. What stays open goes to Russian doll search over the moved costs
 * (linking/dolls.h), or is split: a set takes its most promising member, or loses it. */
#ifndef GAPLESS_KERNELS_LINKING_SEARCH_H
#define GAPLESS_KERNELS_LINKING_SEARCH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/lanes.h"
#include "linking/record.h"

enum { LK_CLOSED, LK_OPEN, LK_STOPPED, LK_NO_MEMORY };

typedef struct {
    /* given */
    ptrdiff_t k, points;
    const int64_t *first, *slot;
    const void *dist;
    const double *own;
    const uint8_t *allowed;
    const int32_t *start;
    ptrdiff_t starts;
    double cutoff, step, limit, unit;
    double rounding; /* how far sums of real costs may be off; `step` is as much then */
    int shift, coarsest, prove;
    uint64_t seed;
    int64_t kicks;
    int (*pulse)(void *, double, double, int64_t, int64_t);
    void *owner;
    double memory_limit;
    /* found */
    int32_t *choice;
    int found, stop, status;
    int written; /* the record ends with a doll search that was broken off */
    double bound, value;
    int64_t sweeps, nodes, branches;
    lk_record record;
} lk_search;

static int lk_ask(lk_search *s)
{
    if (!s->stop && s->pulse && s->pulse(s->owner, s->bound, s->value, s->sweeps, s->nodes))
        s->stop = 1;
    return s->stop;
}

#define ASK_STOP(owner) lk_ask((lk_search *)(owner))
#define LEAST_GAIN 0
#define OWN(cost, shift) ((cost) * 0.5 * (double)((int64_t)1 << (shift)))

#define GAPLESS_TYPES "linking/types.h"
#define GAPLESS_TEMPLATE "linking/loops.h"
#include "lanes/versions.h"

static void lk_run(lk_search *s, int whole)
{
    if (whole)
        GAPLESS_CALL(lk_run_whole, (s));
    else
        GAPLESS_CALL(lk_run_real, (s));
}

#endif
