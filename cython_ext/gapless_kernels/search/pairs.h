/* The best set of a few decisions of which each pair has a score: depth-first branch and bound.
 *
 * A positive score is shared equally by its two decisions. What a decision is then worth, beside those that are on, bounds what it can add;
 * a decision that is worth nothing stays off. Exponential at worst: after GS_PAIR_NODES the value is an upper bound.
 */
#ifndef GAPLESS_SEARCH_PAIRS_H
#define GAPLESS_SEARCH_PAIRS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "search/roles.h"

#define GS_MOST_PAIRED 64
#define GS_PAIR_NODES 100000

typedef struct {
    int count;
    const double *score; /* (count, count), symmetric, 0 on the diagonal */
    signed char on[GS_MOST_PAIRED];
    signed char *best_on;
    double best, open; /* `open`: the most that what was not looked at may be */
    int64_t nodes;
} gs_pairs;

/* `gain`: of each free decision, beside those that are on; `worth`: and half of its positive scores with others that are free. */
static void gs_pairs_search(gs_pairs *p, int free, const int *id, const double *gain, const double *worth, double value)
{
    double bound = value, most = 0.0;
    int top = -1;
    for (int i = 0; i < free; i++)
        if (worth[i] > 0.0) {
            bound += worth[i];
            if (worth[i] > most)
                most = worth[i], top = i;
        }
    if (value > p->best) {
        p->best = value;
        memcpy(p->best_on, p->on, (size_t)p->count);
    }
    if (top < 0 || !(bound > p->best))
        return;
    if (++p->nodes > GS_PAIR_NODES) {
        p->open = fmax(p->open, bound);
        return;
    }
    int next[GS_MOST_PAIRED];
    double gains[GS_MOST_PAIRED], worths[GS_MOST_PAIRED];
    const double *score = p->score + (ptrdiff_t)id[top] * p->count;
    const int decision = id[top];
    for (int on = 1; on >= 0; on--) {
        int kept = 0;
        for (int i = 0; i < free; i++) {
            if (i == top)
                continue;
            const double s = score[id[i]], half = s > 0.0 ? 0.5 * s : 0.0;
            next[kept] = id[i], gains[kept] = gain[i] + (on ? s : 0.0), worths[kept] = worth[i] - half + (on ? s : 0.0);
            kept++;
        }
        p->on[decision] = (signed char)on;
        gs_pairs_search(p, kept, next, gains, worths, on ? value + gain[top] : value);
    }
}

/* The most that scores of pairs that are on, less prices, can be under the state; `y`: where. */
static double gs_pairs_maximise(const double *score, int count, const double *prices, const signed char *state, signed char *y)
{
    gs_pairs p = {.count = count, .score = score, .best_on = y, .best = -INFINITY, .open = -INFINITY};
    int id[GS_MOST_PAIRED], free = 0;
    double gain[GS_MOST_PAIRED], worth[GS_MOST_PAIRED], value = 0.0;
    for (int i = 0; i < count; i++) {
        p.on[i] = state[i] == GS_ON;
        if (state[i] == GS_OFF)
            continue;
        double own = -prices[i];
        for (int j = 0; j < count; j++)
            if (state[j] == GS_ON && (state[i] == GS_FREE || j < i))
                own += score[(ptrdiff_t)i * count + j];
        if (state[i] == GS_ON)
            value += own;
        else
            gain[free] = own, id[free++] = i;
    }
    for (int i = 0; i < free; i++) {
        worth[i] = gain[i];
        for (int j = 0; j < free; j++)
            worth[i] += 0.5 * fmax(score[(ptrdiff_t)id[i] * count + id[j]], 0.0);
    }
    gs_pairs_search(&p, free, id, gain, worth, value);
    return fmax(p.best, p.open);
}

static double gs_pairs_value(const double *score, int count, const signed char *y)
{
    double value = 0.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; y[i] && j < i; j++)
            value += y[j] ? score[(ptrdiff_t)i * count + j] : 0.0;
    return value;
}

static void gs_pairs_flips(const double *score, int count, const signed char *y, double *difference)
{
    for (int i = 0; i < count; i++) {
        double gain = 0.0;
        for (int j = 0; j < count; j++)
            gain += y[j] && j != i ? score[(ptrdiff_t)i * count + j] : 0.0;
        difference[i] = y[i] ? -gain : gain;
    }
}

#endif
