/* Entity linking by graph distance: the choice of least cost, with a proof; see _linking_search_twin.py.
 *
 * Local search finds a choice. Costs are moved from pairs to members until the sum of the least own costs
 * reaches its cost (ascent.h); members that are too costly are dropped on the way, and sets with one
 * remaining member are folded into the others. What stays open goes to Russian doll search
 * (russian_doll.h), or is split: a set takes its most promising member, or loses it (split.h).
 *
 * The headers are one translation unit; loops.h lists those that are compiled for each number type and
 * instruction set. */
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
    /* The problem. */
    ptrdiff_t k, points;
    const int64_t *first, *slot;
    const void *dist;
    const double *own;
    const uint8_t *allowed;
    /* Choices to begin with. */
    const int32_t *start;
    ptrdiff_t starts;
    /* Units and limits of costs. */
    double cutoff, step, limit, unit;
    double rounding;    /* error bound of sums of real costs; `step` is then the same */
    int shift, coarsest;
    /* Options. */
    int prove;
    uint64_t seed;
    int64_t kicks;
    double memory_limit;
    int (*pulse)(void *, double, double, int64_t, int64_t);
    void *owner;
    /* Results. */
    int32_t *choice;
    int has_choice, stop, status;
    int doll_written; /* the record ends with an interrupted Russian doll search */
    double bound, value;
    int64_t sweeps, nodes, branches;
    lk_record record;
} lk_search;

/* Call the pulse. Whether to stop. */
static int lk_call_pulse(lk_search *s)
{
    if (!s->stop && s->pulse && s->pulse(s->owner, s->bound, s->value, s->sweeps, s->nodes))
        s->stop = 1;
    return s->stop;
}

#define CALL_PULSE(owner) lk_call_pulse((lk_search *)(owner))
#define MIN_GAIN 0
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
