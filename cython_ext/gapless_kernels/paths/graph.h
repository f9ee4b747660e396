/* The graph of a selection-and-ordering problem, and the best walks through it.
 *
 * A walk has k vertices, one at each position 0 .. k - 1; a path is a walk that visits no class twice.
 * Every visit of a vertex v at position j pays penalty[j][v]: minus the multiplier of its class, or -inf
 * when v is ruled out there. Tables of walks count the penalties of all their vertices but the last one,
 * so that a table from the start and one from the end add up:
 *     before[j][v] + penalty[j][v] + after[j][v] + sum of the multipliers
 * bounds all paths with v at position j. All sums are float64. */
#ifndef GAPLESS_PATH_GRAPH_H
#define GAPLESS_PATH_GRAPH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/lanes.h"

#define PS_NONE (-INFINITY)

/* The graph of the vertices that remain. */
typedef struct {
    ptrdiff_t n, stride;    /* rows of `out` and `into` are `stride` apart */
    ptrdiff_t classes;
    const double *start, *end;
    const double *out;      /* [u * stride + v]: the edge u -> v */
    const double *into;     /* the transpose; NULL for the graph as it was given */
    const int32_t *group;   /* the class of each vertex, 0 .. classes - 1 */
    const int32_t *vertex;  /* its number in the graph as it was given; NULL where that is the same */
    const int32_t *class_name; /* likewise of each class */
    void *memory;
} ps_graph;

/* best[y] = max over the listed x of from[x] + rows[x][y]. */
GAPLESS_VERSIONS(void, ps_product, (const int32_t *listed, ptrdiff_t count, const double *from,
                                    const double *rows, ptrdiff_t stride, ptrdiff_t n, double *restrict best),
                 (listed, count, from, rows, stride, n, best))
{
    for (ptrdiff_t y = 0; y < n; y++)
        best[y] = PS_NONE;
    for (ptrdiff_t i = 0; i < count; i += 4) {
        const double *t[4];
        double s[4];
        for (int a = 0; a < 4; a++) {
            const ptrdiff_t x = listed[i + a < count ? i + a : count - 1];
            s[a] = from[x];
            t[a] = rows + x * stride;
        }
        relax_f64(best, s, t[0], t[1], t[2], t[3], n);
    }
}

/* Sums in one pass over a row; so many that the compiler keeps the loop, which it then vectorises. */
#define PS_LANES 32

/* best[x] = max over y of rows[x][y] + from[y]: the same with the other end of each row.
 *
 * Maxima are idempotent: the last lanes overlap those before them instead of being fewer. */
GAPLESS_VERSIONS(void, ps_product_rows,
                 (const double *from, const double *rows, ptrdiff_t stride, ptrdiff_t n,
                  double *restrict best),
                 (from, rows, stride, n, best))
{
    for (ptrdiff_t x = 0; x < n; x++) {
        const double *row = rows + x * stride;
        double lanes[PS_LANES], largest = PS_NONE;
        if (n < PS_LANES) {
            for (ptrdiff_t y = 0; y < n; y++)
                largest = GAPLESS_MAX(row[y] + from[y], largest);
            best[x] = largest;
            continue;
        }
        for (int l = 0; l < PS_LANES; l++)
            lanes[l] = row[l] + from[l];
        for (ptrdiff_t begin = PS_LANES; begin < n; begin += PS_LANES) {
            const ptrdiff_t y = begin + PS_LANES <= n ? begin : n - PS_LANES;
            GAPLESS_INDEPENDENT
            for (int l = 0; l < PS_LANES; l++) {
                const double sum = row[y + l] + from[y + l], old = lanes[l];
                lanes[l] = GAPLESS_MAX(sum, old);
            }
        }
        for (int half = PS_LANES / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++)
                lanes[l] = GAPLESS_MAX(lanes[l + half], lanes[l]);
        best[x] = lanes[0];
    }
}

/* Compute the largest finite magnitude in a matrix; infinity if an entry is NaN or plus infinity. */
GAPLESS_VERSIONS(double, ps_extent, (const double *scores, ptrdiff_t stride, ptrdiff_t rows, ptrdiff_t n),
                 (scores, stride, rows, n))
{
    double lanes[GAPLESS_BLOCK], wrong[GAPLESS_BLOCK], largest = 0;
    for (int l = 0; l < GAPLESS_BLOCK; l++)
        lanes[l] = wrong[l] = 0;
    for (ptrdiff_t u = 0; u < rows; u++) {
        const double *row = scores + u * stride;
        ptrdiff_t v = 0;
        for (; v + GAPLESS_BLOCK <= n; v += GAPLESS_BLOCK)
            for (int l = 0; l < GAPLESS_BLOCK; l++) {
                const double size = row[v + l] > PS_NONE ? fabs(row[v + l]) : 0.0;
                lanes[l] = GAPLESS_MAX(size, lanes[l]);
                wrong[l] += row[v + l] < INFINITY ? 0.0 : 1.0;
            }
        for (int l = 0; v + l < n; l++) {
            const double size = row[v + l] > PS_NONE ? fabs(row[v + l]) : 0.0;
            lanes[l] = GAPLESS_MAX(size, lanes[l]);
            wrong[l] += row[v + l] < INFINITY ? 0.0 : 1.0;
        }
    }
    for (int l = 0; l < GAPLESS_BLOCK; l++) {
        largest = GAPLESS_MAX(lanes[l], largest);
        if (wrong[l] > 0)
            return INFINITY;
    }
    return largest;
}

/* Copy the subgraph of the listed vertices, in their order. The caller frees its `memory`. 0 without
 * memory. */
static int ps_compact(const ps_graph *g, const int32_t *listed, ptrdiff_t n, ps_graph *compact)
{
    const ptrdiff_t stride = (n + 7) / 8 * 8;
    const size_t doubles = (size_t)(2 * stride * (n + 1));
    char *memory = malloc(doubles * sizeof(double) + (size_t)(3 * n + g->classes + 1) * sizeof(int32_t));
    if (!memory)
        return 0;
    double *start = (double *)memory, *end = start + stride, *out = end + stride, *into = out + n * stride;
    int32_t *group = (int32_t *)(start + doubles), *vertex = group + n, *class_name = vertex + n,
            *renamed = class_name + n;
    ptrdiff_t classes = 0;
    for (ptrdiff_t c = 0; c < g->classes; c++)
        renamed[c] = -1;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t u = listed[i];
        const int32_t c = g->group[u];
        if (renamed[c] < 0) {
            class_name[classes] = g->class_name ? g->class_name[c] : c;
            renamed[c] = (int32_t)classes++;
        }
        group[i] = renamed[c];
        vertex[i] = g->vertex ? g->vertex[u] : (int32_t)u;
        start[i] = g->start[u];
        end[i] = g->end[u];
        const double *row = g->out + u * g->stride;
        for (ptrdiff_t l = 0; l < n; l++)
            out[i * stride + l] = row[listed[l]];
        for (ptrdiff_t l = n; l < stride; l++)
            out[i * stride + l] = PS_NONE;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        for (ptrdiff_t l = 0; l < n; l++)
            into[i * stride + l] = out[l * stride + i];
        for (ptrdiff_t l = n; l < stride; l++)
            into[i * stride + l] = PS_NONE;
    }
    for (ptrdiff_t l = n; l < stride; l++)
        start[l] = end[l] = PS_NONE;
    *compact = (ps_graph){n, stride, classes, start, end, out, into, group, vertex, class_name, memory};
    return 1;
}

/* Compute before[j] for all positions, for the walks that may exceed `level` with their completions in
 * `after`. `listed` and `from` are workspace for n entries. Skipping other walks leaves most rows of the
 * graph unread. */
static void ps_walks_before(const ps_graph *g, ptrdiff_t k, const double *penalty, const double *after,
                            double level, double *before, int32_t *listed, double *from)
{
    const ptrdiff_t stride = g->stride;
    memcpy(before, g->start, (size_t)g->n * sizeof(double));
    for (ptrdiff_t j = 1; j < k; j++) {
        const double *last = before + (j - 1) * stride;
        const double *pay = penalty + (j - 1) * stride, *rest = after + (j - 1) * stride;
        ptrdiff_t count = 0;
        for (ptrdiff_t v = 0; v < g->n; v++) {
            from[v] = last[v] + pay[v];
            listed[count] = (int32_t)v;
            count += from[v] + rest[v] > level;
        }
        ps_product(listed, count, from, g->out, stride, g->n, before + j * stride);
    }
}

/* Compute after[j] for all positions. */
static void ps_walks_after(const ps_graph *g, ptrdiff_t k, const double *penalty, double *after,
                           int32_t *listed, double *from)
{
    const ptrdiff_t stride = g->stride;
    memcpy(after + (k - 1) * stride, g->end, (size_t)g->n * sizeof(double));
    for (ptrdiff_t j = k - 1; j-- > 0;) {
        const double *next = after + (j + 1) * stride, *pay = penalty + (j + 1) * stride;
        ptrdiff_t count = 0;
        for (ptrdiff_t v = 0; v < g->n; v++) {
            from[v] = next[v] + pay[v];
            listed[count] = (int32_t)v;
            count += from[v] > PS_NONE;
        }
        if (g->into)
            ps_product(listed, count, from, g->into, stride, g->n, after + j * stride);
        else
            ps_product_rows(from, g->out, stride, g->n, after + j * stride);
    }
}

/* Compute the best walk by the tables `after`, and its penalised score; -inf if there is none. */
static double ps_best_walk(const ps_graph *g, ptrdiff_t k, const double *penalty, const double *after,
                           int32_t *walk)
{
    double best = PS_NONE;
    for (ptrdiff_t j = 0; j < k; j++) {
        const double *edges = j ? g->out + walk[j - 1] * g->stride : g->start;
        const double *pay = penalty + j * g->stride, *next = after + j * g->stride;
        double largest = PS_NONE;
        for (ptrdiff_t v = 0; v < g->n; v++) {
            const double sum = edges[v] + (pay[v] + next[v]);
            if (sum > largest) {
                largest = sum;
                walk[j] = (int32_t)v;
            }
        }
        if (j == 0)
            best = largest;
        if (largest == PS_NONE)
            return PS_NONE;
    }
    return best;
}

/* Compute the score of a walk without penalties. */
static double ps_walk_score(const ps_graph *g, ptrdiff_t k, const int32_t *walk)
{
    double sum = g->start[walk[0]];
    for (ptrdiff_t j = 1; j < k; j++)
        sum += g->out[walk[j - 1] * g->stride + walk[j]];
    return sum + g->end[walk[k - 1]];
}

#endif
