/* A layered graph from the steps of its layers: equal states merged on the way down, nodes pruned and merged
 * on the way up.
 *
 * Targets are kept layer after layer, choice after choice, one for each node, as numbers in the next layer;
 * -1: no edge. A choice with one score for all its edges keeps that alone.
 */
#ifndef GAPLESS_DIAGRAMS_UNROLLING_H
#define GAPLESS_DIAGRAMS_UNROLLING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/lanes.h"
#include "resize.h"

typedef struct {
    int64_t at, score_at; /* where its targets and its scores begin; -1: all have the constant */
    double constant;
} gu_block;

typedef struct {
    int64_t width, kept;    /* nodes, and those left by `gu_prune` */
    int64_t first, choices; /* its blocks */
} gu_layer;

typedef struct {
    gu_layer *layer;
    gu_block *block;
    int32_t *target; /* of the nodes of all layers */
    double *score;
    int64_t layers, blocks, targets, scores;                 /* in use */
    ptrdiff_t layer_room, block_room, target_room, score_room; /* allocated */
    int32_t *rank; /* of each state that a layer may lead to, and other work */
    ptrdiff_t rank_room;
} gu_unrolling;

/* A layer of so many nodes and choices; its block `b` is `block[layer.first + b]`. NULL without memory. */
static gu_layer *gu_new_layer(gu_unrolling *u, int64_t width, int64_t choices)
{
    if (!array_grow(&u->layer, &u->layer_room, u->layers + 1, sizeof *u->layer)
        || !array_grow(&u->block, &u->block_room, u->blocks + choices, sizeof *u->block)
        || !array_grow(&u->target, &u->target_room, u->targets + width * choices, sizeof *u->target)
        || !array_grow(&u->score, &u->score_room, u->scores + width * choices, sizeof *u->score))
        return NULL;
    gu_layer *layer = u->layer + u->layers;
    *layer = (gu_layer){width, width, u->blocks, choices};
    for (int64_t b = 0; b < choices; b++)
        u->block[u->blocks + b] = (gu_block){u->targets + b * width, -1, 0.0};
    return layer;
}

/* Check the scores of a block of the new layer, and keep them; `forbidden` where one is -inf. 0: one is no
 * score. */
static int gu_take_scores(gu_unrolling *u, gu_block *block, const double *scores, int64_t width,
                          double largest, int *forbidden)
{
    double *to = u->score + u->scores;
    int fine = 1;
    for (int64_t i = 0; i < width; i++) {
        to[i] = scores[i];
        fine &= (to[i] >= -largest && to[i] <= largest) || to[i] == -INFINITY;
        *forbidden |= to[i] == -INFINITY;
    }
    block->score_at = u->scores;
    u->scores += width;
    return fine;
}

/* Widen a range of states to these. */
GAPLESS_VERSIONS(void, gu_range, (const int64_t *states, int64_t count, int64_t *least, int64_t *most),
                 (states, count, least, most))
{
    int64_t low = *least, high = *most;
    for (int64_t i = 0; i < count; i++) {
        low = states[i] < low ? states[i] : low;
        high = states[i] > high ? states[i] : high;
    }
    *least = low;
    *most = high;
}

/* Number the states that a new layer's blocks lead to, 0 and up to `most`, and write them to `reached`,
 * ascending, if there is room for them in the rank table. `following`: the states of each block, as 64-bit
 * numbers; -1 forbids. Their number; -1 without memory. */
static int64_t gu_number(gu_unrolling *u, gu_layer *layer, const int64_t *const *following, int64_t most,
                         int64_t *reached)
{
    if (!array_grow(&u->rank, &u->rank_room, most + 2, sizeof *u->rank))
        return -1;
    int32_t *rank = u->rank + 1; /* rank[-1] is that of no edge */
    memset(u->rank, 0, (size_t)(most + 2) * sizeof *rank);
    for (int64_t b = 0; b < layer->choices; b++)
        for (int64_t i = 0; i < layer->width; i++)
            rank[following[b][i]] = 1;
    int64_t count = 0;
    for (int64_t state = 0; state <= most; state++) {
        reached[count] = state;
        const int32_t there = rank[state];
        rank[state] = (int32_t)count;
        count += there;
    }
    rank[-1] = -1;
    for (int64_t b = 0; b < layer->choices; b++) {
        int32_t *target = u->target + u->block[layer->first + b].at;
        for (int64_t i = 0; i < layer->width; i++)
            target[i] = rank[following[b][i]];
    }
    return count;
}

static void gu_keep_layer(gu_unrolling *u, const gu_layer *layer)
{
    u->layers++;
    u->blocks += layer->choices;
    u->targets += layer->width * layer->choices;
}

/* Edges of -inf are none. */
static void gu_forbid(gu_unrolling *u, const gu_layer *layer)
{
    for (int64_t b = 0; b < layer->choices; b++) {
        const gu_block *block = u->block + layer->first + b;
        int32_t *target = u->target + block->at;
        for (int64_t i = 0; i < layer->width; i++)
            if ((block->score_at < 0 ? block->constant : u->score[block->score_at + i]) == -INFINITY)
                target[i] = -1;
    }
}

/* --- on the way up */

GAPLESS_INLINE uint32_t gu_mixed(uint32_t key, uint32_t bits)
{
    key = (key ^ bits) * 0x9E3779B1u;
    return key ^ key >> 15;
}

/* Begin a key for each node, or mix the targets of a block in; and its scores, where it has more than one. */
GAPLESS_VERSIONS(void, gu_mix,
                 (uint32_t *restrict key, const int32_t *restrict target, const double *restrict score,
                  int64_t width),
                 (key, target, score, width))
{
    for (int64_t i = 0; i < width; i++)
        key[i] = gu_mixed(key[i], (uint32_t)target[i]);
    for (int64_t i = 0; score != NULL && i < width; i++) {
        const double worth = (target[i] < 0 ? 0.0 : score[i]) + 0.0; /* no -0.0 */
        uint64_t bits;
        memcpy(&bits, &worth, sizeof bits);
        key[i] = gu_mixed(gu_mixed(key[i], (uint32_t)bits), (uint32_t)(bits >> 32));
    }
}

static double gu_worth(const gu_unrolling *u, const gu_block *block, int64_t node)
{
    return block->score_at < 0 ? block->constant : u->score[block->score_at + node];
}

/* Whether two nodes of a layer have the same edges. */
static int gu_same(const gu_unrolling *u, const gu_layer *layer, int64_t one, int64_t other)
{
    for (int64_t b = 0; b < layer->choices; b++) {
        const gu_block *block = u->block + layer->first + b;
        const int32_t *target = u->target + block->at;
        if (target[one] != target[other]
            || (target[one] >= 0 && gu_worth(u, block, one) != gu_worth(u, block, other)))
            return 0;
    }
    return 1;
}

/* Prune and merge the nodes of a layer after those of the next were, and move what is left to the front of
 * its rows. `next`: the new number of each node of the next layer, -1 where it is pruned, and next[-1] is -1.
 * `number`: room for that of each node here. `table`: a power of two, `slots`, of entries, of which two or
 * more for each node; NULL: equal nodes are not looked for. */
static void gu_prune(gu_unrolling *u, gu_layer *layer, const int32_t *next, int32_t *number, uint32_t *key,
                     int32_t *table, int64_t slots)
{
    const int64_t width = layer->width;
    memset(number, -1, (size_t)width * sizeof *number); /* 0 where any edge is there */
    for (int64_t b = 0; b < layer->choices; b++) {
        int32_t *target = u->target + u->block[layer->first + b].at;
        for (int64_t i = 0; i < width; i++) {
            target[i] = next[target[i]];
            number[i] &= target[i] >> 31;
        }
    }
    for (int64_t i = 0; i < width; i++)
        number[i] = number[i] < 0 ? -1 : 0;
    if (table != NULL) {
        memset(table, -1, (size_t)slots * sizeof *table);
        memset(key, 0, (size_t)width * sizeof *key);
        for (int64_t b = 0; b < layer->choices; b++) {
            const gu_block *block = u->block + layer->first + b;
            gu_mix(key, u->target + block->at, block->score_at < 0 ? NULL : u->score + block->score_at,
                   width);
        }
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < width; i++) {
        if (number[i] < 0)
            continue;
        if (table != NULL) { /* entries are places among those kept, which are in front of the rows by now */
            int64_t slot = (int64_t)key[i] & (slots - 1);
            while (table[slot] >= 0 && !(key[table[slot]] == key[i] && gu_same(u, layer, table[slot], i)))
                slot = (slot + 1) & (slots - 1);
            if (table[slot] >= 0) {
                number[i] = table[slot];
                continue;
            }
            table[slot] = (int32_t)kept;
            key[kept] = key[i];
        }
        number[i] = (int32_t)kept;
        if (kept < i)
            for (int64_t b = 0; b < layer->choices; b++) {
                const gu_block *block = u->block + layer->first + b;
                u->target[block->at + kept] = u->target[block->at + i];
                if (block->score_at >= 0)
                    u->score[block->score_at + kept] = u->score[block->score_at + i];
            }
        kept++;
    }
    layer->kept = kept;
}

/* --- the graph */

/* The arrays of a `LayeredGraph`, block by block. */
typedef struct {
    int64_t *sources, *counts, *target_at, *score_at;
    double *constants;
    int32_t *targets;
    double *scores;
    int64_t target_count, score_count;
} gu_graph;

/* Lay a block out: the range from its first edge to its last. `here`, `there`: the first node of its layer
 * and of the next. */
static void gu_lay_out(const gu_unrolling *u, const gu_layer *layer, int64_t b, int64_t here, int64_t there,
                       gu_graph *to)
{
    const gu_block *block = u->block + b;
    const int32_t *target = u->target + block->at;
    int64_t low = 0, high = layer->kept;
    while (low < high && target[low] < 0)
        low++;
    while (high > low && target[high - 1] < 0)
        high--;
    const int64_t count = high - low;
    if (!count)
        low = 0;
    target += low;
    const double *score = block->score_at < 0 ? NULL : u->score + block->score_at + low;
    const double constant = !count ? 0.0 : score == NULL ? block->constant : score[0];
    int rises = 1, same = 1;
    for (int64_t i = 0; rises && i < count; i++)
        rises = target[i] == target[0] + i;
    for (int64_t i = 0; score != NULL && same && i < count; i++)
        same = target[i] < 0 || score[i] == constant;
    to->sources[b] = here + low;
    to->counts[b] = count;
    to->target_at[b] = rises ? -(count ? there + target[0] : 1) : to->target_count;
    if (!rises) {
        int32_t *into = to->targets + to->target_count;
        for (int64_t i = 0; i < count; i++)
            into[i] = target[i] < 0 ? 0 : (int32_t)(there + target[i]);
        to->target_count += count;
    }
    to->score_at[b] = same ? -1 : to->score_count;
    to->constants[b] = same ? constant : 0.0;
    if (!same) {
        double *into = to->scores + to->score_count;
        for (int64_t i = 0; i < count; i++)
            into[i] = target[i] < 0 ? 0.0 : score[i];
        to->score_count += count;
    }
}

static void gu_free(gu_unrolling *u)
{
    free(u->layer);
    free(u->block);
    free(u->target);
    free(u->score);
    free(u->rank);
}

#endif
