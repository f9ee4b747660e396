/* Preprocessing by a resource of non-negative uses, before there are costs: narrower windows, and
 * distances between vertices. */
#ifndef GAPLESS_LABELS_WINDOWS_H
#define GAPLESS_LABELS_WINDOWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    ptrdiff_t n, m;
    int32_t source, sink;
    const int32_t *tail, *head;
    const double *use;
} lb_network;

static int lb_is_on_no_route(const lb_network *t, ptrdiff_t a)
{
    return t->head[a] == t->source || t->tail[a] == t->sink;
}

/* Narrow the windows to the values that labels can have. `early`: the least sum at each vertex, infinite
 * if no label reaches it. `late`: the largest sum from which the sink can be reached, -infinity if there
 * is none. */
static void lb_narrow(const lb_network *t, double start, const double *lower, double *upper, double *early,
                      double *late)
{
    double last = -INFINITY;
    for (ptrdiff_t v = 0; v < t->n; v++) {
        early[v] = INFINITY;
        late[v] = -INFINITY;
    }
    if (start < upper[t->source])
        upper[t->source] = start;
    for (ptrdiff_t a = 0; a < t->m; a++)
        if (t->head[a] == t->sink && t->tail[a] != t->sink && upper[t->tail[a]] + t->use[a] > last)
            last = upper[t->tail[a]] + t->use[a];
    if (last < lower[t->sink])
        last = lower[t->sink];
    if (last < upper[t->sink])
        upper[t->sink] = last;
    early[t->source] = start;
    late[t->sink] = upper[t->sink];
    int changed = 1;
    for (ptrdiff_t pass = 0; pass < t->n && changed; pass++) {
        changed = 0;
        for (ptrdiff_t a = 0; a < t->m; a++) {
            const int32_t u = t->tail[a], v = t->head[a];
            const double sum = early[u] + t->use[a], reach = sum > lower[v] ? sum : lower[v];
            if (reach < early[v] && reach <= upper[v] && !lb_is_on_no_route(t, a)) {
                early[v] = reach;
                changed = 1;
            }
        }
    }
    changed = 1;
    for (ptrdiff_t pass = 0; pass < t->n && changed; pass++) {
        changed = 0;
        for (ptrdiff_t a = 0; a < t->m; a++) {
            const int32_t u = t->tail[a], v = t->head[a];
            const double latest = late[v] - t->use[a], leave = latest < upper[u] ? latest : upper[u];
            if (leave > late[u] && late[v] >= lower[v] && leave >= lower[u] && !lb_is_on_no_route(t, a)) {
                late[u] = leave;
                changed = 1;
            }
        }
    }
}

/* Compute the least use from vertex to vertex (Floyd and Warshall). */
static void lb_distances(const lb_network *t, double *minimum)
{
    const ptrdiff_t n = t->n;
    for (ptrdiff_t i = 0; i < n * n; i++)
        minimum[i] = i % (n + 1) ? INFINITY : 0.0;
    for (ptrdiff_t a = 0; a < t->m; a++)
        if (t->use[a] < minimum[t->tail[a] * n + t->head[a]])
            minimum[t->tail[a] * n + t->head[a]] = t->use[a];
    for (ptrdiff_t v = 0; v < n; v++)
        for (ptrdiff_t u = 0; u < n; u++) {
            const double to = minimum[u * n + v], *from = minimum + v * n;
            double *row = minimum + u * n;
            if (to == INFINITY || u == v)
                continue;
            for (ptrdiff_t w = 0; w < n; w++)
                row[w] = to + from[w] < row[w] ? to + from[w] : row[w];
        }
}

#endif
