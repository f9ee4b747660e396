/* Hop distances between given vertices of a large graph, from many sources at once.
 *
 * Each vertex has a row of bits, one for each source: whether that source has reached it.
 *
 * Waves, for many points, batch by batch. A push carries the new bits one step further, so that rows tell
 * which sources are at most `a` steps away. Distances are needed at the targets only, so the last steps
 * need not cover the whole graph: a gather of depth b starts from the rows at the vertices within b - 1
 * steps of a target and walks back to the targets, which then know the sources at most a + b steps away.
 * Each level takes the cheaper of both, so the search from the sources and the one from the targets meet
 * in the middle.
 *
 * Meetings, for at most as many points as a row has bits. The ball of each point grows by itself; of two
 * points whose balls have not met, the one with the cheaper step grows. Two balls that have not met have a
 * distance above the sum of their radii, so the step in which they meet gives it exactly.
 *
 * Extra edges come as cliques (one edge is a clique of two); the graph itself stays as it is. One
 * translation unit: waves.h and meetings.h are included below, once for each width of rows. */
#ifndef GAPLESS_KERNELS_GRAPH_DISTANCES_H
#define GAPLESS_KERNELS_GRAPH_DISTANCES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/lanes.h"

#if defined(__GNUC__) || defined(__clang__)
#define gapless_prefetch(address) __builtin_prefetch(address)
#else
#define gapless_prefetch(address) ((void)(address))
#endif

enum {
    GRAPH_PREFETCH_DISTANCE = 12, /* in edges */
    GRAPH_CHUNK = 1 << 21,        /* edges between two checks for Ctrl-C */
    GRAPH_DEPTH = 30,             /* largest depth of a gather */
    GRAPH_WORDS = 2,              /* of a row at most */
    GRAPH_SOURCES = 64 * GRAPH_WORDS
};

typedef struct graph_waves {
    /* The graph, in compressed sparse rows, and extra edges as cliques. */
    ptrdiff_t n;
    const int64_t *offsets;
    const int32_t *neighbours;
    ptrdiff_t clique_count;
    const int64_t *clique_first;
    const int32_t *clique_members;
    /* The waves. */
    uint64_t *rows;       /* (n, 2 words): sources that reached the vertex; sources that are arriving */
    int32_t *front;       /* vertices reached anew in the last level, at most n */
    uint64_t *front_bits; /* (n, words): by which sources */
    ptrdiff_t front_count;
    int64_t front_edges;
    int32_t *next; /* vertices at which some source is arriving, at most n */
    ptrdiff_t next_count;
    int32_t *touched; /* vertices whose rows are not zero, at most n */
    ptrdiff_t touched_count;
    /* Vertices near the targets, for gathers. */
    int32_t *listed;     /* vertices by their distance from the targets: the targets first */
    int32_t *list_index; /* (n): index in `listed`, or -1 */
    ptrdiff_t target_count;
    ptrdiff_t layers;                 /* of `listed`, so far */
    ptrdiff_t layer[GRAPH_DEPTH + 1]; /* number of vertices within j steps of a target */
    int64_t layer_edges[GRAPH_DEPTH + 1];
    /* Open pairs. */
    uint64_t live[GRAPH_WORDS]; /* sources of an open pair */
    uint64_t *open;             /* (targets, words): sources that are open for each target */
    /* Meetings only, where the points are both sources and targets. */
    ptrdiff_t points;
    void *table; /* of the distances */
    int bytes;   /* of each entry */
    int too_far; /* whether a distance did not fit into the table */
    int64_t open_pairs;
    ptrdiff_t front_kept;
    uint64_t grow[GRAPH_WORDS];     /* sources that make a step now */
    uint32_t radius[GRAPH_SOURCES]; /* steps that each source has made */
    int64_t cost[GRAPH_SOURCES];    /* edges of its next step */
    int64_t waiting[GRAPH_SOURCES]; /* vertices at its boundary */
} graph_waves;

/* Whether a vertex is among the first `count` of the list. */
GAPLESS_INLINE int graph_is_listed(const graph_waves *waves, int32_t v, ptrdiff_t count)
{
    return waves->list_index[v] >= 0 && waves->list_index[v] < count;
}

/* Add a vertex to the list. */
GAPLESS_INLINE void graph_list_vertex(graph_waves *waves, int32_t v, ptrdiff_t *count, int64_t *edges)
{
    if (waves->list_index[v] >= 0)
        return;
    waves->list_index[v] = (int32_t)*count;
    waves->listed[(*count)++] = v;
    *edges += waves->offsets[v + 1] - waves->offsets[v];
}

static void graph_list_targets(graph_waves *waves, const int32_t *targets, ptrdiff_t count)
{
    ptrdiff_t arrived = 0;
    int64_t edges = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        graph_list_vertex(waves, targets[i], &arrived, &edges);
    waves->layers = 1;
    waves->target_count = waves->layer[0] = arrived;
    waves->layer_edges[0] = edges;
}

/* Extend the list by the vertices one step further from the targets. */
static void graph_extend_layers(graph_waves *waves)
{
    const ptrdiff_t j = waves->layers++, inner = waves->layer[j - 1];
    ptrdiff_t count = inner;
    int64_t edges = waves->layer_edges[j - 1];
    for (ptrdiff_t i = j > 1 ? waves->layer[j - 2] : 0; i < inner; i++)
        for (int64_t e = waves->offsets[waves->listed[i]]; e < waves->offsets[waves->listed[i] + 1]; e++)
            graph_list_vertex(waves, waves->neighbours[e], &count, &edges);
    for (ptrdiff_t c = 0; c < waves->clique_count; c++) {
        int is_listed = 0;
        for (int64_t i = waves->clique_first[c]; i < waves->clique_first[c + 1] && !is_listed; i++)
            is_listed = graph_is_listed(waves, waves->clique_members[i], inner);
        for (int64_t i = waves->clique_first[c]; i < waves->clique_first[c + 1] && is_listed; i++)
            graph_list_vertex(waves, waves->clique_members[i], &count, &edges);
    }
    waves->layer[j] = count;
    waves->layer_edges[j] = edges;
}

static void graph_clear_layers(graph_waves *waves)
{
    if (waves->layers)
        for (ptrdiff_t i = 0; i < waves->layer[waves->layers - 1]; i++)
            waves->list_index[waves->listed[i]] = -1;
    waves->layers = waves->target_count = 0;
}

/* Store a distance in a table of 1, 2 or 4 bytes for each entry. */
GAPLESS_INLINE void graph_store(void *table, int bytes, ptrdiff_t index, uint32_t value)
{
    if (bytes == 1)
        ((uint8_t *)table)[index] = (uint8_t)value;
    else if (bytes == 2)
        ((uint16_t *)table)[index] = (uint16_t)value;
    else
        ((uint32_t *)table)[index] = value;
}

/* Record that the balls around points s and t meet, whose radii have grown by 1 together, or by 1 each. */
static void graph_record_meeting(graph_waves *waves, ptrdiff_t words, ptrdiff_t s, ptrdiff_t t,
                                 uint32_t grown)
{
    const uint32_t distance = waves->radius[s] + waves->radius[t] + grown;
    waves->open[s * words + t / 64] &= ~((uint64_t)1 << t % 64);
    waves->open[t * words + s / 64] &= ~((uint64_t)1 << s % 64);
    waves->open_pairs--;
    waves->too_far |= waves->bytes < 4 && distance >= (1u << 8 * waves->bytes) - 1;
    graph_store(waves->table, waves->bytes, s * waves->points + t, distance);
    graph_store(waves->table, waves->bytes, t * waves->points + s, distance);
}

/* Choose the points whose balls grow, of each open pair the one with the cheaper step; return whether any
 * ball grows. */
static int graph_choose_growing(graph_waves *waves, ptrdiff_t words)
{
    uint64_t any = 0;
    memset(waves->grow, 0, sizeof waves->grow);
    memset(waves->live, 0, sizeof waves->live);
    for (ptrdiff_t s = 0; s < waves->points; s++)
        for (ptrdiff_t w = 0; w < words; w++) {
            uint64_t *row = waves->open + s * words + w;
            for (uint64_t bits = *row; bits; bits &= bits - 1) {
                const ptrdiff_t t = 64 * w + gapless_lowest(bits);
                if (!waves->waiting[s] || !waves->waiting[t]) { /* one ball is a whole component: no path */
                    *row &= ~(bits & -bits);
                    waves->open_pairs -= s < t;
                    continue;
                }
                waves->live[s / 64] |= (uint64_t)1 << s % 64;
                if (waves->cost[s] < waves->cost[t] || (waves->cost[s] == waves->cost[t] && s < t))
                    waves->grow[s / 64] |= (uint64_t)1 << s % 64;
            }
        }
    for (ptrdiff_t s = 0; s < waves->points; s++)
        if (waves->grow[s / 64] >> s % 64 & 1)
            waves->cost[s] = waves->waiting[s] = 0;
    for (ptrdiff_t w = 0; w < words; w++)
        any |= waves->grow[w];
    return any != 0;
}

/* Add a step to the radii of the sources that grew. */
static void graph_count_steps(graph_waves *waves)
{
    for (ptrdiff_t s = 0; s < waves->points; s++)
        waves->radius[s] += waves->grow[s / 64] >> s % 64 & 1;
}

#define WORDS 1
#define NAMED(name) graph_##name##_1
#include "graphs/waves.h"
#include "graphs/meetings.h"
#undef WORDS
#undef NAMED
#define WORDS 2
#define NAMED(name) graph_##name##_2
#include "graphs/waves.h"
#include "graphs/meetings.h"
#undef WORDS
#undef NAMED

typedef struct graph_steps {
    ptrdiff_t words;
    ptrdiff_t (*push)(graph_waves *, ptrdiff_t);
    ptrdiff_t (*pull)(graph_waves *, ptrdiff_t);
    void (*push_cliques)(graph_waves *, const uint64_t *);
    void (*settle)(graph_waves *);
    ptrdiff_t (*gather)(graph_waves *, ptrdiff_t, ptrdiff_t, int, const uint64_t *, uint64_t *);
    void (*gather_cliques)(graph_waves *, ptrdiff_t, const uint64_t *, uint64_t *);
    void (*start)(graph_waves *, const int32_t *, ptrdiff_t);
    void (*clear)(graph_waves *);
    ptrdiff_t (*grow)(graph_waves *, ptrdiff_t);
    ptrdiff_t (*meet)(graph_waves *, ptrdiff_t, int);
    void (*rest)(graph_waves *);
} graph_steps;

#define GRAPH_STEPS(words)                                                                          \
    {words, graph_push_##words, graph_pull_##words, graph_push_cliques_##words,                     \
     graph_settle_##words, graph_gather_##words, graph_gather_cliques_##words, graph_start_##words, \
     graph_clear_##words, graph_grow_##words, graph_meet_##words, graph_rest_##words}

static const graph_steps graph_all_steps[GRAPH_WORDS] = {GRAPH_STEPS(1), GRAPH_STEPS(2)};

/* The loops for rows of 1 or 2 words. Wider rows were slower, even for thousands of sources. */
static const graph_steps *graph_steps_for(ptrdiff_t words)
{
    return graph_all_steps + words - 1;
}

GAPLESS_INLINE uint32_t graph_load(const void *table, int bytes, ptrdiff_t index)
{
    return bytes == 1 ? ((const uint8_t *)table)[index]
                      : bytes == 2 ? ((const uint16_t *)table)[index] : ((const uint32_t *)table)[index];
}

/* Open the pairs whose distance is unknown, as bit s of target i; return their number. */
static int64_t graph_open_pairs(graph_waves *waves, ptrdiff_t words, const void *table, int bytes,
                                ptrdiff_t p, const int64_t *sources, ptrdiff_t source_count,
                                const int64_t *targets)
{
    const uint32_t unknown = bytes == 1 ? UINT8_MAX : bytes == 2 ? UINT16_MAX : UINT32_MAX;
    int64_t count = 0;
    memset(waves->live, 0, sizeof waves->live);
    memset(waves->open, 0, (size_t)(waves->target_count * words) * sizeof *waves->open);
    for (ptrdiff_t i = 0; i < waves->target_count; i++)
        for (ptrdiff_t s = 0; s < source_count; s++)
            if (graph_load(table, bytes, targets[i] * p + sources[s]) == unknown) {
                waves->open[i * words + s / 64] |= (uint64_t)1 << s % 64;
                waves->live[s / 64] |= (uint64_t)1 << s % 64;
                count++;
            }
    return count;
}

/* Record the sources that reached a target within `level` steps and not before; return their number. */
static int64_t graph_record_found(graph_waves *waves, ptrdiff_t words, void *table, int bytes, ptrdiff_t p,
                                  const int64_t *sources, const int64_t *targets, const uint64_t *arrived,
                                  uint32_t level)
{
    int64_t count = 0;
    memset(waves->live, 0, sizeof waves->live);
    for (ptrdiff_t i = 0; i < waves->target_count; i++)
        for (ptrdiff_t w = 0; w < words; w++) {
            uint64_t *open = waves->open + i * words + w;
            const uint64_t *row = waves->rows + (size_t)waves->listed[i] * 2 * words;
            uint64_t hits = *open & (arrived ? arrived[i * words + w] : row[w]);
            *open &= ~hits;
            waves->live[w] |= *open;
            for (; hits; hits &= hits - 1) {
                const int64_t s = sources[64 * w + gapless_lowest(hits)];
                graph_store(table, bytes, targets[i] * p + s, level);
                graph_store(table, bytes, s * p + targets[i], level);
                count++;
            }
        }
    return count;
}

#endif
