/* Passes over a layered graph whose paths are the configurations of a factor.
 *
 * Nodes are numbered layer after layer; node 0 is none: an edge to it is not there, and `below[0]` is always
 * -inf. A block holds the edges of one layer for one choice, one from each node of a range. All scores are
 * finite or -inf, and no sum is NaN.
 *
 * `below` is filled from the last layer to the first, so that a node reads its own edges: targets of
 * neighbouring nodes are mostly neighbours, too, and the loops over a range become vector loops.
 */
#ifndef GAPLESS_SEARCH_DIAGRAM_H
#define GAPLESS_SEARCH_DIAGRAM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lanes/lanes.h"
#include "search/roles.h"

typedef struct {
    ptrdiff_t count, layers;
    const int64_t *layer_nodes;  /* first node of each layer, and their number [layers + 2] */
    const int64_t *layer_blocks; /* [layers + 1] */
    const int64_t *places;       /* of each block: place in the scope, -1 where none is on */
    const int64_t *sources, *counts;
    const int64_t *target_at; /* where its targets begin; of those that rise by one, minus the first */
    const int64_t *score_at;  /* where its scores begin; -1: all are the block's constant */
    const double *constants;
    const int32_t *targets;
    const double *scores, *final;
    double *below, *above; /* best from a node to an end; from the first node to a node [nodes] */
} gs_diagram;

enum { GS_ANY_BLOCK = -1, GS_NO_BLOCK = -2 };

/* So many maxima are kept side by side: a compiler may not reorder those of one number. */
#define GS_LANES 64

/* The block that the state leaves alone in a layer: the decision that is on. GS_NO_BLOCK: two are on. */
GAPLESS_INLINE ptrdiff_t gs_lone_block(const gs_diagram *d, ptrdiff_t layer, const signed char *state)
{
    ptrdiff_t lone = GS_ANY_BLOCK;
    for (ptrdiff_t b = d->layer_blocks[layer]; b < d->layer_blocks[layer + 1]; b++)
        if (d->places[b] >= 0 && state[d->places[b]] == GS_ON)
            lone = lone == GS_ANY_BLOCK ? b : GS_NO_BLOCK;
    return lone;
}

GAPLESS_INLINE int gs_block_open(const gs_diagram *d, ptrdiff_t b, ptrdiff_t lone, const signed char *state)
{
    if (lone != GS_ANY_BLOCK)
        return b == lone;
    return d->places[b] < 0 || state[d->places[b]] != GS_OFF;
}

GAPLESS_INLINE double gs_block_weight(const gs_diagram *d, ptrdiff_t b, const double *prices)
{
    return d->places[b] < 0 || !prices ? 0.0 : -prices[d->places[b]];
}

/* Whether the targets of a block rise by one and all its scores are the same. */
GAPLESS_INLINE int gs_is_even(const gs_diagram *d, ptrdiff_t b)
{
    return d->target_at[b] < 0 && d->score_at[b] < 0;
}

/* Best from each node to an end, under the state. */
GAPLESS_VERSIONS(void, gs_diagram_below,
                 (const gs_diagram *d, const double *prices, const signed char *state), (d, prices, state))
{
    double *below = d->below;
    below[0] = -INFINITY;
    ptrdiff_t end = d->layer_nodes[d->layers + 1];
    memcpy(below + d->layer_nodes[d->layers], d->final, (end - d->layer_nodes[d->layers]) * sizeof(double));
    for (ptrdiff_t layer = d->layers - 1; layer >= 0; layer--) {
        const ptrdiff_t lone = gs_lone_block(d, layer, state),
                        width = d->layer_nodes[layer + 1] - d->layer_nodes[layer];
        ptrdiff_t b = d->layer_blocks[layer];
        while (b < d->layer_blocks[layer + 1] && !gs_block_open(d, b, lone, state))
            b++;
        /* A first block that covers the layer, as in budgets, writes all its nodes: no -inf before. */
        if (b < d->layer_blocks[layer + 1] && gs_is_even(d, b) && d->counts[b] == width) {
            const ptrdiff_t other = b + 1;
            const int paired = other < d->layer_blocks[layer + 1] && d->counts[other] > 0
                && gs_is_even(d, other) && gs_block_open(d, other, lone, state);
            const ptrdiff_t begin = paired ? d->sources[other] - d->sources[b] : 0,
                            end = paired ? begin + d->counts[other] : 0;
            const double same = d->constants[b] + gs_block_weight(d, b, prices);
            const double *restrict from = below - d->target_at[b];
            double *restrict to = below + d->sources[b];
            for (ptrdiff_t i = 0; i < begin; i++)
                to[i] = from[i] + same;
            if (paired) {
                const double also = d->constants[other] + gs_block_weight(d, other, prices);
                const double *restrict rest = below - d->target_at[other] - begin;
                for (ptrdiff_t i = begin; i < end; i++)
                    to[i] = GAPLESS_MAX(rest[i] + also, from[i] + same);
            }
            for (ptrdiff_t i = end; i < width; i++)
                to[i] = from[i] + same;
            b += 1 + paired;
        } else
            for (ptrdiff_t node = d->layer_nodes[layer]; node < d->layer_nodes[layer + 1]; node++)
                below[node] = -INFINITY;
        for (; b < d->layer_blocks[layer + 1]; b++) {
            if (!gs_block_open(d, b, lone, state))
                continue;
            const ptrdiff_t count = d->counts[b];
            const double weight = gs_block_weight(d, b, prices), same = d->constants[b] + weight;
            const double *restrict scores = d->scores + (d->score_at[b] >= 0 ? d->score_at[b] : 0);
            double *restrict to = below + d->sources[b];
            if (d->target_at[b] < 0) {
                const double *restrict from = below - d->target_at[b];
                if (d->score_at[b] < 0)
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[i] = GAPLESS_MAX(from[i] + same, to[i]);
                else
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[i] = GAPLESS_MAX(from[i] + (scores[i] + weight), to[i]);
            } else {
                const int32_t *restrict targets = d->targets + d->target_at[b];
                const double *restrict from = below;
                if (d->score_at[b] < 0)
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[i] = GAPLESS_MAX(from[targets[i]] + same, to[i]);
                else
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[i] = GAPLESS_MAX(from[targets[i]] + (scores[i] + weight), to[i]);
            }
        }
    }
}

/* Best from the first node to each node; and for every block the best path through it, after `below`.
 * `through`: one for each block. */
GAPLESS_VERSIONS(void, gs_diagram_through,
                 (const gs_diagram *d, const double *prices, const signed char *state, double *through),
                 (d, prices, state, through))
{
    double *above = d->above;
    const double *below = d->below;
    above[1] = 0.0;
    for (ptrdiff_t layer = 0; layer < d->layers; layer++) {
        for (ptrdiff_t node = d->layer_nodes[layer + 1]; node < d->layer_nodes[layer + 2]; node++)
            above[node] = -INFINITY;
        const ptrdiff_t lone = gs_lone_block(d, layer, state);
        for (ptrdiff_t b = d->layer_blocks[layer]; b < d->layer_blocks[layer + 1]; b++) {
            through[b] = -INFINITY;
            if (!gs_block_open(d, b, lone, state))
                continue;
            const ptrdiff_t count = d->counts[b];
            const double weight = gs_block_weight(d, b, prices), same = d->constants[b] + weight;
            const double *restrict scores = d->score_at[b] < 0 ? NULL : d->scores + d->score_at[b];
            const double *restrict from = above + d->sources[b];
            double lanes[GS_LANES], top = -INFINITY;
            if (d->target_at[b] < 0) {
                double *restrict to = above - d->target_at[b];
                const double *restrict rest = below - d->target_at[b];
                if (!scores)
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[i] = GAPLESS_MAX(from[i] + same, to[i]);
                else
                    for (ptrdiff_t i = 0; i < count; i++)
                        to[i] = GAPLESS_MAX(from[i] + (scores[i] + weight), to[i]);
                const ptrdiff_t wide = count < GS_LANES ? count : GS_LANES;
                for (ptrdiff_t i = 0; i < wide; i++)
                    lanes[i] = -INFINITY;
                for (ptrdiff_t i = 0; i < count; i += GS_LANES) {
                    const ptrdiff_t left = count - i < GS_LANES ? count - i : GS_LANES;
                    if (!scores)
                        for (ptrdiff_t lane = 0; lane < left; lane++) {
                            const double sum = (from[i + lane] + same) + rest[i + lane];
                            lanes[lane] = GAPLESS_MAX(sum, lanes[lane]);
                        }
                    else
                        for (ptrdiff_t lane = 0; lane < left; lane++) {
                            const double sum =
                                (from[i + lane] + (scores[i + lane] + weight)) + rest[i + lane];
                            lanes[lane] = GAPLESS_MAX(sum, lanes[lane]);
                        }
                }
                for (ptrdiff_t half = GS_LANES / 2; wide == GS_LANES && half >= 8; half /= 2)
                    for (ptrdiff_t lane = 0; lane < half; lane++)
                        lanes[lane] = GAPLESS_MAX(lanes[lane + half], lanes[lane]);
                for (ptrdiff_t lane = 0; lane < (wide == GS_LANES ? 8 : wide); lane++)
                    top = GAPLESS_MAX(lanes[lane], top);
            } else {
                const int32_t *restrict targets = d->targets + d->target_at[b];
                for (ptrdiff_t i = 0; i < count; i++) {
                    const int32_t t = targets[i];
                    const double sum = from[i] + (scores ? scores[i] + weight : same), whole = sum + below[t];
                    above[t] = GAPLESS_MAX(sum, above[t]);
                    top = GAPLESS_MAX(whole, top);
                }
            }
            through[b] = top;
        }
    }
}

/* The edge of a block from a node: its target, 0 where there is none, and its score. */
GAPLESS_INLINE ptrdiff_t gs_edge(const gs_diagram *d, ptrdiff_t b, ptrdiff_t node, double *score)
{
    const ptrdiff_t i = node - d->sources[b];
    *score = -INFINITY;
    if (i < 0 || i >= d->counts[b])
        return 0;
    *score = d->score_at[b] < 0 ? d->constants[b] : d->scores[d->score_at[b] + i];
    return d->target_at[b] < 0 ? i - d->target_at[b] : d->targets[d->target_at[b] + i];
}

/* The block that a configuration takes in a layer; GS_NO_BLOCK: it is forbidden. */
GAPLESS_INLINE ptrdiff_t gs_taken(const gs_diagram *d, ptrdiff_t layer, const signed char *y)
{
    const ptrdiff_t lone = gs_lone_block(d, layer, y), first = d->layer_blocks[layer];
    if (lone != GS_ANY_BLOCK)
        return lone;
    return first < d->layer_blocks[layer + 1] && d->places[first] < 0 ? first : GS_NO_BLOCK;
}

/* Whether anything is allowed at all, whatever the state. */
GAPLESS_INLINE int gs_some_path(const gs_diagram *d)
{
    return d->layer_nodes[1] > d->layer_nodes[0];
}

static int gs_diagram_maximise(const gs_diagram *d, const double *prices, const signed char *state,
                               double *value, signed char *y)
{
    *value = -INFINITY;
    memset(y, 0, d->count);
    if (!gs_some_path(d))
        return GS_NOTHING;
    gs_diagram_below(d, prices, state);
    *value = d->below[1];
    if (*value == -INFINITY)
        return GS_NOTHING;
    ptrdiff_t node = 1;
    for (ptrdiff_t layer = 0; layer < d->layers; layer++) {
        const ptrdiff_t lone = gs_lone_block(d, layer, state);
        ptrdiff_t on = -1, next = 0;
        double most = -INFINITY;
        for (ptrdiff_t b = d->layer_blocks[layer]; b < d->layer_blocks[layer + 1]; b++) {
            if (!gs_block_open(d, b, lone, state))
                continue;
            double score;
            const ptrdiff_t target = gs_edge(d, b, node, &score);
            const double sum = d->below[target] + (score + gs_block_weight(d, b, prices));
            if (sum > most) {
                most = sum;
                on = d->places[b];
                next = target;
            }
        }
        if (on >= 0)
            y[on] = 1;
        node = next;
    }
    return GS_FOUND;
}

static int gs_diagram_value(const gs_diagram *d, const signed char *y, double *value)
{
    *value = -INFINITY;
    if (!gs_some_path(d))
        return GS_FOUND;
    ptrdiff_t node = 1;
    double total = 0.0;
    for (ptrdiff_t layer = 0; layer < d->layers; layer++) {
        const ptrdiff_t taken = gs_taken(d, layer, y);
        double score;
        node = taken < 0 ? 0 : gs_edge(d, taken, node, &score);
        if (!node)
            return GS_FOUND;
        total += score;
    }
    *value = total + d->final[node - d->layer_nodes[d->layers]];
    return GS_FOUND;
}

/* `through`: room for one number for each block. */
static int gs_diagram_marginals(const gs_diagram *d, const double *prices, const signed char *state,
                                double *with, double *without, double *through)
{
    for (ptrdiff_t i = 0; i < d->count; i++)
        with[i] = without[i] = -INFINITY;
    if (!gs_some_path(d))
        return GS_NOTHING;
    gs_diagram_below(d, prices, state);
    if (d->below[1] == -INFINITY)
        return GS_NOTHING;
    gs_diagram_through(d, prices, state, through);
    for (ptrdiff_t layer = 0; layer < d->layers; layer++) {
        double first = -INFINITY, second = -INFINITY;
        ptrdiff_t top = -1;
        for (ptrdiff_t b = d->layer_blocks[layer]; b < d->layer_blocks[layer + 1]; b++)
            if (top < 0 || through[b] > first) {
                second = first;
                first = through[b];
                top = b;
            } else if (through[b] > second)
                second = through[b];
        for (ptrdiff_t b = d->layer_blocks[layer]; b < d->layer_blocks[layer + 1]; b++)
            if (d->places[b] >= 0) {
                with[d->places[b]] = through[b];
                without[d->places[b]] = b == top ? second : first;
            }
    }
    return GS_FOUND;
}

/* In a layer of several, an off decision stands against none being on, or, where that is forbidden, against
 * the one that is on: then turning that one off counts 0. `with`: the value of y with the layer's choice
 * replaced. Forbidden flips count -inf. */
static int gs_diagram_flips(const gs_diagram *d, const signed char *y, double *difference)
{
    memset(difference, 0, d->count * sizeof(double));
    double value;
    gs_diagram_value(d, y, &value);
    if (value == -INFINITY)
        return GS_FOUND;
    gs_diagram_below(d, NULL, y);
    ptrdiff_t node = 1;
    for (ptrdiff_t layer = 0; layer < d->layers; layer++) {
        const ptrdiff_t taken = gs_taken(d, layer, y), first = d->layer_blocks[layer];
        const ptrdiff_t following = d->layer_blocks[layer + 1];
        double score, none = -INFINITY;
        const double own = d->below[node];
        if (d->places[first] < 0) {
            const ptrdiff_t target = gs_edge(d, first, node, &score);
            none = d->below[target] + score;
        }
        const double reference = none == -INFINITY ? own : none;
        for (ptrdiff_t b = first; b < following; b++) {
            if (d->places[b] < 0)
                continue;
            if (b == taken)
                difference[d->places[b]] =
                    none == -INFINITY && following - first > 1 + (d->places[first] < 0) ? 0.0 : none - own;
            else {
                const ptrdiff_t target = gs_edge(d, b, node, &score);
                difference[d->places[b]] = (d->below[target] + score) - reference;
            }
        }
        node = gs_edge(d, taken, node, &score);
    }
    return GS_FOUND;
}

#endif
