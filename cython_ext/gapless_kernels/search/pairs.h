/* The best set of a few decisions of which each pair has a score: depth-first branch and bound.
 *
 * A positive score is shared equally by its two decisions. What a decision is then worth, beside those that are on, bounds what it can add;
 * a decision that is worth nothing stays off. Exponential at worst: after GS_PAIR_NODES the value is an upper bound.
 */
#ifndef GAPLESS_SEARCH_PAIRS_H
#define GAPLESS_SEARCH_PAIRS_H

#include "lanes/lanes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "search/roles.h"

#define GS_MOST_PAIRED 64
#define GS_PAIR_NODES 100000
#define GS_PAIR_LANES 8

typedef struct {
    int count, width;             /* `width`: of a row, a multiple of GS_PAIR_LANES */
    const double *score, *half;   /* (count, width): symmetric, 0 on the diagonal; half of what is positive of it, inf on the diagonal */
    uint64_t on, best_on;
    double best, open;            /* `open`: the most that what was not looked at may be */
    int64_t nodes;
} gs_pairs;

/* `to` = `from` less `half`, plus `score` unless NULL; `sum` and `most`: of its positive entries. */
GAPLESS_VERSIONS(void, gs_pair_row, (int width, const double *from, const double *half, const double *score, double *to, double *sum, double *most),
                 (width, from, half, score, to, sum, most))
{
    double sums[GS_PAIR_LANES] = {0.0}, tops[GS_PAIR_LANES] = {0.0};
    for (int i = 0; i < width; i += GS_PAIR_LANES)
        for (int k = 0; k < GS_PAIR_LANES; k++) {
            const double worth = score != NULL ? from[i + k] - half[i + k] + score[i + k] : from[i + k] - half[i + k];
            const double gained = GAPLESS_MAX(worth, 0.0);
            to[i + k] = worth, sums[k] += gained, tops[k] = GAPLESS_MAX(tops[k], gained);
        }
    *sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    *most = tops[0];
    for (int k = 1; k < GS_PAIR_LANES; k++)
        *most = tops[k] > *most ? tops[k] : *most;
}

GAPLESS_VERSIONS(void, gs_pair_add, (int width, const double *one, const double *other, double *to), (width, one, other, to))
{
    for (int i = 0; i < width; i++)
        to[i] = one[i] + other[i];
}

/* `gain`: of each decision beside those that are on; `worth`: and half of its positive scores with others that are free, -inf where it is
 * not. `top`: a decision of the highest worth, which is positive. */
static void gs_pairs_search(gs_pairs *p, const double *gain, const double *worth, double value, double bound, int top)
{
    if (++p->nodes > GS_PAIR_NODES) {
        p->open = fmax(p->open, bound);
        return;
    }
    const double *score = p->score + (ptrdiff_t)top * p->width, *half = p->half + (ptrdiff_t)top * p->width;
    double gains[GS_MOST_PAIRED], worths[GS_MOST_PAIRED], sum, most;
    for (int on = 1; on >= 0; on--) {
        const double now = on ? value + gain[top] : value;
        p->on ^= (uint64_t)1 << top;
        gs_pair_row(p->width, worth, half, on ? score : NULL, worths, &sum, &most);
        if (on)
            gs_pair_add(p->width, gain, score, gains);
        if (now > p->best)
            p->best = now, p->best_on = p->on;
        if (!(most > 0.0 && now + sum > p->best))
            continue;
        int next = 0;
        while (worths[next] != most)
            next++;
        gs_pairs_search(p, on ? gains : gain, worths, now, now + sum, next);
    }
}

/* The most that scores of pairs that are on, less prices, can be under the state; `y`: where. */
static double gs_pairs_maximise(const double *score, const double *half, int count, int width, const double *prices, const signed char *state, signed char *y)
{
    gs_pairs p = {.count = count, .width = width, .score = score, .half = half, .open = -INFINITY};
    double gain[GS_MOST_PAIRED] = {0.0}, worth[GS_MOST_PAIRED], value = 0.0, bound, most = 0.0;
    for (int i = 0; i < count; i++)
        gain[i] = -prices[i];
    for (int i = 0; i < count; i++)
        if (state[i] == GS_ON) {
            value += gain[i], p.on |= (uint64_t)1 << i;
            gs_pair_add(width, gain, score + (ptrdiff_t)i * width, gain);
        }
    for (int i = 0; i < width; i++)
        worth[i] = i < count && state[i] == GS_FREE ? gain[i] : -INFINITY;
    for (int i = 0; i < count; i++)
        for (int j = 0; state[i] == GS_FREE && j < count; j++)
            worth[i] += j != i && state[j] == GS_FREE ? half[(ptrdiff_t)i * width + j] : 0.0;
    bound = p.best = value, p.best_on = p.on;
    int top = 0;
    for (int i = 0; i < count; i++)
        if (worth[i] > 0.0) {
            bound += worth[i];
            if (worth[i] > most)
                most = worth[i], top = i;
        }
    if (most > 0.0)
        gs_pairs_search(&p, gain, worth, value, bound, top);
    for (int i = 0; i < count; i++)
        y[i] = p.best_on >> i & 1;
    return fmax(p.best, p.open);
}

static double gs_pairs_value(const double *score, int count, int width, const signed char *y)
{
    double value = 0.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; y[i] && j < i; j++)
            value += y[j] ? score[(ptrdiff_t)i * width + j] : 0.0;
    return value;
}

static void gs_pairs_flips(const double *score, int count, int width, const signed char *y, double *difference)
{
    for (int i = 0; i < count; i++) {
        double gain = 0.0;
        for (int j = 0; j < count; j++)
            gain += y[j] && j != i ? score[(ptrdiff_t)i * width + j] : 0.0;
        difference[i] = y[i] ? -gain : gain;
    }
}

#endif
