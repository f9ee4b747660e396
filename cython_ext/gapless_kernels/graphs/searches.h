/* Distances in a graph of compressed sparse rows from one or more sources: breadth-first search if edges
 * have no weights, else Dijkstra's algorithm with an indexed heap. `graph_search_clear` restores the
 * working arrays in the time of the vertices visited. */
#ifndef GAPLESS_KERNELS_GRAPH_SEARCHES_H
#define GAPLESS_KERNELS_GRAPH_SEARCHES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const int64_t *offsets;
    const int32_t *neighbours;
    const double *weights;          /* NULL: each edge has length 1 */
    const int64_t *region;          /* if not NULL, a search does not leave the region of its source */
    const unsigned char *is_target; /* if not NULL, a search ends once `targets` distances are final */
    ptrdiff_t targets;
    double *distance; /* of each vertex, INFINITY between searches */
    int32_t *visited; /* vertices in the order in which they were first reached */
    ptrdiff_t visited_count;
    /* Only with weights: a binary heap of vertices by distance. */
    int32_t *heap;
    int32_t *heap_index; /* of each vertex */
    ptrdiff_t size;
} graph_search;

/* --- the heap ------------------------------------------------------------------------------------- */

static void graph_search_put(graph_search *s, ptrdiff_t index, int32_t vertex)
{
    s->heap[index] = vertex;
    s->heap_index[vertex] = (int32_t)index;
}

static void graph_search_sift_up(graph_search *s, ptrdiff_t index)
{
    const int32_t vertex = s->heap[index];
    while (index > 0 && s->distance[vertex] < s->distance[s->heap[(index - 1) / 2]]) {
        graph_search_put(s, index, s->heap[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    graph_search_put(s, index, vertex);
}

static int32_t graph_search_pop(graph_search *s)
{
    const int32_t nearest = s->heap[0], vertex = s->heap[--s->size];
    ptrdiff_t index = 0;
    for (;;) {
        ptrdiff_t child = 2 * index + 1;
        if (child + 1 < s->size && s->distance[s->heap[child + 1]] < s->distance[s->heap[child]])
            child++;
        if (child >= s->size || s->distance[vertex] <= s->distance[s->heap[child]])
            break;
        graph_search_put(s, index, s->heap[child]);
        index = child;
    }
    graph_search_put(s, index, vertex);
    return nearest;
}

/* --- the search ----------------------------------------------------------------------------------- */

static void graph_search_visit(graph_search *s, int32_t vertex, double distance)
{
    const int was_visited = s->distance[vertex] < (double)INFINITY;
    s->distance[vertex] = distance;
    if (!was_visited)
        s->visited[s->visited_count++] = vertex;
    if (s->weights) {
        if (!was_visited)
            graph_search_put(s, s->size++, vertex);
        graph_search_sift_up(s, s->heap_index[vertex]);
    }
}

/* Compute the distances from the nearest source; final for all visited vertices, or for the targets. */
static void graph_search_run(graph_search *s, const int64_t *sources, ptrdiff_t count)
{
    ptrdiff_t open = s->targets, settled = 0;
    s->visited_count = s->size = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        if (s->distance[sources[i]] > 0.0)
            graph_search_visit(s, (int32_t)sources[i], 0.0);
    while (s->weights ? s->size > 0 : settled < s->visited_count) {
        const int32_t u = s->weights ? graph_search_pop(s) : s->visited[settled];
        settled++;
        if (s->is_target && s->is_target[u] && --open == 0)
            return;
        for (int64_t index = s->offsets[u]; index < s->offsets[u + 1]; index++) {
            const int32_t v = s->neighbours[index];
            const double distance = s->distance[u] + (s->weights ? s->weights[index] : 1.0);
            if (distance < s->distance[v] && (!s->region || s->region[v] == s->region[u]))
                graph_search_visit(s, v, distance);
        }
    }
}

static void graph_search_clear(graph_search *s)
{
    for (ptrdiff_t i = 0; i < s->visited_count; i++)
        s->distance[s->visited[i]] = (double)INFINITY;
}

/* Add weight * distance[v] to costs[v] for all visited vertices. */
static void graph_search_charge(const graph_search *s, double weight, double *costs)
{
    for (ptrdiff_t i = 0; i < s->visited_count; i++)
        costs[s->visited[i]] += weight * s->distance[s->visited[i]];
}

#endif
