/* Distances in a graph of compressed sparse rows from one or more sources: breadth first where edges have no weights,
 * else by Dijkstra's algorithm with an indexed heap. Working arrays are given back as they were, at the cost of what
 * was reached.
 */
#ifndef GAPLESS_KERNELS_GRAPH_SEARCHES_H
#define GAPLESS_KERNELS_GRAPH_SEARCHES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const int64_t *offsets;
    const int32_t *neighbours;
    const double *weights;       /* NULL: each edge has length 1 */
    const int64_t *region;       /* NULL, or a search does not leave the region in which it is */
    const unsigned char *wanted; /* NULL, or where a search ends once it has settled `targets` of the marked */
    ptrdiff_t targets;
    double *distance;            /* of each vertex, INFINITY between searches */
    int32_t *reached;            /* vertices in the order in which they were first met */
    ptrdiff_t met;
    int32_t *heap;               /* only with weights, as are the places of vertices in it */
    int32_t *place;
    ptrdiff_t size;
} graph_search;

/* --- the heap -------------------------------------------------------------------------------------------------- */

static void graph_search_put(graph_search *s, ptrdiff_t at, int32_t vertex)
{
    s->heap[at] = vertex;
    s->place[vertex] = (int32_t)at;
}

static void graph_search_rise(graph_search *s, ptrdiff_t at)
{
    const int32_t vertex = s->heap[at];
    while (at > 0 && s->distance[vertex] < s->distance[s->heap[(at - 1) / 2]]) {
        graph_search_put(s, at, s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    graph_search_put(s, at, vertex);
}

static int32_t graph_search_nearest(graph_search *s)
{
    const int32_t nearest = s->heap[0], vertex = s->heap[--s->size];
    ptrdiff_t at = 0;
    for (;;) {
        ptrdiff_t child = 2 * at + 1;
        if (child + 1 < s->size && s->distance[s->heap[child + 1]] < s->distance[s->heap[child]])
            child++;
        if (child >= s->size || s->distance[vertex] <= s->distance[s->heap[child]])
            break;
        graph_search_put(s, at, s->heap[child]);
        at = child;
    }
    graph_search_put(s, at, vertex);
    return nearest;
}

/* --- the search ------------------------------------------------------------------------------------------------ */

static void graph_search_meet(graph_search *s, int32_t vertex, double distance)
{
    const int known = s->distance[vertex] < (double)INFINITY;
    s->distance[vertex] = distance;
    if (!known)
        s->reached[s->met++] = vertex;
    if (s->weights) {
        if (!known)
            graph_search_put(s, s->size++, vertex);
        graph_search_rise(s, s->place[vertex]);
    }
}

/* Distances from the nearest source; final for all vertices, or for those that are wanted. */
static void graph_search_run(graph_search *s, const int64_t *sources, ptrdiff_t count)
{
    ptrdiff_t open = s->targets, settled = 0;
    s->met = s->size = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        if (s->distance[sources[i]] > 0.0)
            graph_search_meet(s, (int32_t)sources[i], 0.0);
    while (s->weights ? s->size > 0 : settled < s->met) {
        const int32_t u = s->weights ? graph_search_nearest(s) : s->reached[settled];
        settled++;
        if (s->wanted && s->wanted[u] && --open == 0)
            return;
        for (int64_t at = s->offsets[u]; at < s->offsets[u + 1]; at++) {
            const int32_t v = s->neighbours[at];
            const double distance = s->distance[u] + (s->weights ? s->weights[at] : 1.0);
            if (distance < s->distance[v] && (!s->region || s->region[v] == s->region[u]))
                graph_search_meet(s, v, distance);
        }
    }
}

static void graph_search_clear(graph_search *s)
{
    for (ptrdiff_t i = 0; i < s->met; i++)
        s->distance[s->reached[i]] = (double)INFINITY;
}

/* costs[v] += weight * distance[v], for all vertices reached. */
static void graph_search_charge(const graph_search *s, double weight, double *costs)
{
    for (ptrdiff_t i = 0; i < s->met; i++)
        costs[s->reached[i]] += weight * s->distance[s->reached[i]];
}

#endif
