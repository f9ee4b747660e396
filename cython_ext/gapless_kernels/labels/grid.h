/* Lower bounds on what is missing, from a relaxed pass of the other direction: routes that may come back to a vertex, but not at
 * once, over slices of the main resource (Christofides, Mingozzi, Toth, Exact algorithms for the vehicle routing problem based on
 * spanning tree and shortest path relaxations, 1981, section 3). Tolls are those of the cheapest state; charges are left out.
 *
 * A vertex has cells for the slices of its window alone. Of a pass, the cell of vertex v and slice k bounds what lies between v
 * and the end that the pass comes from: after v for a label that is in slice k, before v for one that is there by slice k. */
#ifndef GAPLESS_LABELS_GRID_H
#define GAPLESS_LABELS_GRID_H

#include "labels/model.h"

typedef struct {
    double best, other; /* the bound, and that of all rests that have another neighbour than `who` */
    int32_t who;
} lb_cell;

typedef struct {
    int32_t *low, *high; /* slices of the window of each vertex; none where high < low */
    ptrdiff_t *at;       /* the cell of its slice 0, if it had one */
    lb_cell *after, *before;
    double *through; /* a bound on all routes through each arc */
} lb_grid;

static void lb_close_grid(lb_grid *g)
{
    free(g->low);
    free(g->at);
    free(g->after);
    free(g->before);
    free(g->through);
    memset(g, 0, sizeof *g);
}

static double lb_earliest(const lb_model *m, ptrdiff_t v)
{
    return v == m->source ? m->start[0] : m->lower[v];
}

/* Cells of both passes, without bounds. 0 when there is no memory. */
static int lb_open_grid(const lb_model *m, lb_grid *g)
{
    g->low = malloc((size_t)(2 * m->n) * sizeof(int32_t));
    g->at = malloc((size_t)m->n * sizeof(ptrdiff_t));
    if (!g->low || !g->at)
        return 0;
    g->high = g->low + m->n;
    ptrdiff_t cells = 0;
    for (ptrdiff_t v = 0; v < m->n; v++) {
        const int closed = lb_earliest(m, v) > m->upper[v];
        g->low[v] = closed ? 0 : (int32_t)lb_step(m, lb_earliest(m, v));
        g->high[v] = closed ? -1 : (int32_t)lb_step(m, m->upper[v]);
        g->at[v] = cells - g->low[v];
        cells += g->high[v] - g->low[v] + 1;
    }
    g->after = malloc((size_t)(cells + 1) * sizeof(lb_cell));
    g->before = malloc((size_t)(cells + 1) * sizeof(lb_cell));
    if (!g->after || !g->before)
        return 0;
    for (ptrdiff_t i = 0; i < cells; i++)
        g->after[i] = g->before[i] = (lb_cell){INFINITY, INFINITY, -1};
    return 1;
}

/* The bound of a cell for a route that has its other neighbour at u: not back to u, where the vertex remembers it. */
static inline double lb_unless(const lb_cell *cell, int32_t u, int remembered)
{
    return cell->who == u && remembered ? cell->other : cell->best;
}

static inline double lb_rest(const lb_model *m, const lb_grid *g, const lb_cell *cells, ptrdiff_t v, ptrdiff_t k, int32_t u)
{
    return lb_unless(cells + g->at[v] + k, u, u >= 0 && lb_bit(m->memory + v * m->words, u));
}

static double lb_arc_cost(const lb_model *m, ptrdiff_t a)
{
    return m->cost[a] + m->least_toll[m->kind[a]] + m->owns->least;
}

/* An arc of a vertex in a pass; y is its other end. */
typedef struct {
    double cost;
    int32_t y, remembered, shift, first, last;
} lb_hop;

/* 0 where no label can take the arc. From a slice k up to `last`, an arc arrives in slice k + shift at the earliest; from the
 * beginning of its tail's window, which may be inside a slice, in `first`. */
static int lb_hop_of(const lb_model *m, ptrdiff_t a, int back, lb_hop *hop)
{
    const int32_t u = m->tail[a], v = m->head[a];
    const double from = lb_earliest(m, u), use = m->use[a], to = from + use > m->lower[v] ? from + use : m->lower[v];
    if (from > m->upper[u] || to > m->upper[v] || u == m->sink || v == m->source)
        return 0;
    hop->cost = lb_arc_cost(m, a);
    hop->y = back ? v : u;
    hop->remembered = lb_bit(m->memory + hop->y * m->words, back ? u : v);
    hop->shift = (int32_t)lb_step(m, m->start[0] + use);
    hop->first = (int32_t)lb_step(m, to);
    hop->last = (int32_t)lb_step(m, m->upper[v] - use);
    return hop->cost < INFINITY;
}

/* The slice that an arc reaches from slice k of vertex x, at the earliest. */
static inline int32_t lb_reached(const lb_grid *g, int32_t x, int32_t k, const lb_hop *hop)
{
    const int32_t j = k == g->low[x] ? hop->first : k + hop->shift;
    return j > g->low[hop->y] ? j : g->low[hop->y];
}

/* The cell of vertex x in slice k, from those of its neighbours. */
static lb_cell lb_cell_of(const lb_grid *g, int back, int32_t x, int32_t k, const lb_hop *hop, const lb_hop *end)
{
    const lb_cell *cells = back ? g->after : g->before;
    lb_cell c = {INFINITY, INFINITY, -1};
    for (; hop < end; hop++) {
        int32_t j;
        if (back) {
            if (k > hop->last && k > g->low[x])
                continue;
            j = lb_reached(g, x, k, hop);
        } else {
            if (hop->first > k)
                continue;
            j = k - hop->shift < hop->last ? k - hop->shift : hop->last;
            j = j < g->high[hop->y] ? j : g->high[hop->y];
            j = j > g->low[hop->y] ? j : g->low[hop->y];
        }
        const double value = hop->cost + lb_unless(cells + g->at[hop->y] + j, x, hop->remembered);
        if (value < c.best) {
            if (hop->y != c.who)
                c.other = c.best;
            c.best = value;
            c.who = hop->y;
        } else if (hop->y != c.who && value < c.other)
            c.other = value;
    }
    return c;
}

/* A pass from the sink, where `first` and `arcs` list the arcs out of each vertex, or from the source, and into each vertex. Each
 * arc between other vertices leaves its slice. Unless it is complete, the cells bound nothing. */
static int lb_fill(const lb_model *m, lb_grid *g, int back, const int32_t *first, const int32_t *arcs)
{
    lb_cell *cells = back ? g->after : g->before;
    const int32_t root = back ? m->sink : m->source, goal = back ? m->source : m->sink;
    lb_hop *hops = malloc((size_t)(first[m->n] + 1) * sizeof(lb_hop));
    ptrdiff_t *begin = malloc((size_t)(m->n + 1) * sizeof(ptrdiff_t)), count = 0;
    int status = hops && begin ? LB_COMPLETE : LB_NO_MEMORY;
    if (status == LB_COMPLETE) {
        for (ptrdiff_t x = 0; x < m->n; x++) {
            begin[x] = count;
            for (int32_t i = first[x]; i < first[x + 1]; i++)
                count += lb_hop_of(m, arcs[i], back, hops + count);
        }
        begin[m->n] = count;
        for (int32_t k = g->low[root]; k <= g->high[root]; k++)
            cells[g->at[root] + k].best = back ? m->cheapest_end : 0.0;
        for (int32_t i = 0; i < (int32_t)m->steps && status == LB_COMPLETE; i++) {
            const int32_t k = back ? (int32_t)m->steps - 1 - i : i;
            if (lb_must_stop(m, m->n + count))
                status = LB_STOPPED;
            for (int32_t x = 0; x < (int32_t)m->n; x++)
                if (x != root && x != goal && g->low[x] <= k && k <= g->high[x])
                    cells[g->at[x] + k] = lb_cell_of(g, back, x, k, hops + begin[x], hops + begin[x + 1]);
        }
        /* arcs out of the source, or into the sink, may stay within a slice: the other end comes last */
        for (int32_t k = g->low[goal]; k <= g->high[goal]; k++)
            cells[g->at[goal] + k] = lb_cell_of(g, back, goal, k, hops + begin[goal], hops + begin[goal + 1]);
    }
    free(hops);
    free(begin);
    return status;
}

/* Bounds on routes through arcs, from both passes. */
static int lb_fill_through(const lb_model *m, lb_grid *g)
{
    g->through = malloc((size_t)(m->m + 1) * sizeof(double));
    if (!g->through)
        return LB_NO_MEMORY;
    for (ptrdiff_t a = 0; a < m->m; a++) {
        double least = INFINITY;
        lb_hop hop;
        if (lb_must_stop(m, 1 + g->high[m->tail[a]] - g->low[m->tail[a]]))
            return LB_STOPPED;
        if (m->cost[a] < INFINITY && lb_hop_of(m, a, 1, &hop)) {
            const int32_t u = m->tail[a], v = hop.y, back_again = lb_bit(m->memory + u * m->words, v);
            const lb_cell *before = g->before + g->at[u], *after = g->after + g->at[v];
            for (int32_t k = g->low[u]; k <= g->high[u] && (k == g->low[u] || k <= hop.last); k++) {
                const double sum = lb_unless(before + k, v, back_again) + lb_unless(after + lb_reached(g, u, k, &hop), u, hop.remembered);
                least = sum < least ? sum : least;
            }
            least += hop.cost;
        }
        g->through[a] = least;
    }
    return LB_COMPLETE;
}

#endif
