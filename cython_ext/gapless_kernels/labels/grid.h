/* Completion bounds: lower bounds on the rest of a route, from a relaxed pass of the other direction.
 *
 * The relaxed routes may return to a vertex, but not at once, over slices of the main resource
 * (Christofides, Mingozzi, Toth, Exact algorithms for the vehicle routing problem based on spanning tree
 * and shortest path relaxations, 1981, section 3). A step costs what it costs in the cheapest state of the
 * automaton; charges are omitted, which keeps the bounds valid, because they are >= 0.
 *
 * A vertex has cells for the slices of its window only. In the pass to the sink, the cell of vertex v and
 * slice k bounds the part of a route after v, for a label in slice k; in the pass from the source, the
 * part before v, for arrivals up to slice k. */
#ifndef GAPLESS_LABELS_GRID_H
#define GAPLESS_LABELS_GRID_H

#include "labels/model.h"

typedef struct {
    double best, other; /* the bound, and the bound over completions by another neighbour than `neighbour` */
    int32_t neighbour;  /* the next vertex of the completion with the bound; -1: none */
} lb_cell;

typedef struct {
    int32_t *low, *high; /* slices of the window of each vertex; none where high < low */
    ptrdiff_t *offset;   /* index of the cell of slice 0, which may lie before the window */
    lb_cell *to_sink, *from_source;
    double *through; /* a bound on all routes through each arc */
    array_owner owner;
} lb_grid;

static double lb_earliest_arrival(const lb_model *m, ptrdiff_t v)
{
    return v == m->source ? m->start[0] : m->lower[v];
}

/* Allocate the cells of both passes, without bounds. 0 without memory. */
static int lb_open_grid(const lb_model *m, lb_grid *g)
{
    g->low = own_array(&g->owner, m->n, sizeof(int32_t));
    g->high = own_array(&g->owner, m->n, sizeof(int32_t));
    g->offset = own_array(&g->owner, m->n, sizeof(ptrdiff_t));
    if (g->owner.failed)
        return 0;
    ptrdiff_t cells = 0;
    for (ptrdiff_t v = 0; v < m->n; v++) {
        const int closed = lb_earliest_arrival(m, v) > m->upper[v];
        g->low[v] = closed ? 0 : (int32_t)lb_slice(m, lb_earliest_arrival(m, v));
        g->high[v] = closed ? -1 : (int32_t)lb_slice(m, m->upper[v]);
        g->offset[v] = cells - g->low[v];
        cells += g->high[v] - g->low[v] + 1;
    }
    g->to_sink = own_array(&g->owner, cells, sizeof(lb_cell));
    g->from_source = own_array(&g->owner, cells, sizeof(lb_cell));
    if (g->owner.failed)
        return 0;
    for (ptrdiff_t i = 0; i < cells; i++)
        g->to_sink[i] = g->from_source[i] = (lb_cell){INFINITY, INFINITY, -1};
    return 1;
}

/* The bound of a cell for a label that came from u: its completion cannot return to u if the vertex
 * remembers it. */
static inline double lb_completion_avoiding(const lb_cell *cell, int32_t u, int remembered)
{
    return cell->neighbour == u && remembered ? cell->other : cell->best;
}

static inline double lb_completion_bound(const lb_model *m, const lb_grid *g, const lb_cell *cells,
                                         ptrdiff_t v, ptrdiff_t k, int32_t u)
{
    return lb_completion_avoiding(cells + g->offset[v] + k, u, u >= 0 && lb_bit(m->memory + v * m->words, u));
}

static double lb_arc_cost(const lb_model *m, ptrdiff_t a)
{
    return m->cost[a] + m->min_step_cost[m->kind[a]] + m->user->min_cost;
}

/* An arc of a vertex in a pass; y is its other end. */
typedef struct {
    double cost;
    int32_t y, remembered, shift, first, last;
} lb_hop;

/* Describe an arc for the pass. 0 if no label can take it.
 *
 * From slice k, at most `last`, the arc arrives in slice k + shift at the earliest. From the beginning of
 * the tail's window, which may lie inside a slice, it arrives in `first`. */
static int lb_make_hop(const lb_model *m, ptrdiff_t a, int back, lb_hop *hop)
{
    const int32_t u = m->tail[a], v = m->head[a];
    const double from = lb_earliest_arrival(m, u), use = m->use[a],
                 to = from + use > m->lower[v] ? from + use : m->lower[v];
    if (from > m->upper[u] || to > m->upper[v] || u == m->sink || v == m->source)
        return 0;
    hop->cost = lb_arc_cost(m, a);
    hop->y = back ? v : u;
    hop->remembered = lb_bit(m->memory + hop->y * m->words, back ? u : v);
    hop->shift = (int32_t)lb_slice(m, m->start[0] + use);
    hop->first = (int32_t)lb_slice(m, to);
    hop->last = (int32_t)lb_slice(m, m->upper[v] - use);
    return hop->cost < INFINITY;
}

/* The earliest slice in which the arc arrives from slice k of vertex x. */
static inline int32_t lb_arrival_slice(const lb_grid *g, int32_t x, int32_t k, const lb_hop *hop)
{
    const int32_t j = k == g->low[x] ? hop->first : k + hop->shift;
    return j > g->low[hop->y] ? j : g->low[hop->y];
}

/* Compute the cell of vertex x in slice k from the cells of its neighbours. */
static lb_cell lb_cell_of(const lb_grid *g, int back, int32_t x, int32_t k, const lb_hop *hop,
                          const lb_hop *end)
{
    const lb_cell *cells = back ? g->to_sink : g->from_source;
    lb_cell c = {INFINITY, INFINITY, -1};
    for (; hop < end; hop++) {
        int32_t j;
        if (back) {
            if (k > hop->last && k > g->low[x])
                continue;
            j = lb_arrival_slice(g, x, k, hop);
        } else {
            if (hop->first > k)
                continue;
            j = k - hop->shift < hop->last ? k - hop->shift : hop->last;
            j = j < g->high[hop->y] ? j : g->high[hop->y];
            j = j > g->low[hop->y] ? j : g->low[hop->y];
        }
        const double value =
            hop->cost + lb_completion_avoiding(cells + g->offset[hop->y] + j, x, hop->remembered);
        if (value < c.best) {
            if (hop->y != c.neighbour)
                c.other = c.best;
            c.best = value;
            c.neighbour = hop->y;
        } else if (hop->y != c.neighbour && value < c.other)
            c.other = value;
    }
    return c;
}

/* Compute the cells of one pass. `first` and `arcs` list the arcs out of each vertex if `back`, else those
 * into it.
 *
 * Slices can be filled in order, because each arc between inner vertices leaves its slice (`bounded`). If
 * the status is not LB_COMPLETE, the cells bound nothing. */
static int lb_fill(const lb_model *m, lb_grid *g, int back, const int32_t *first, const int32_t *arcs)
{
    lb_cell *cells = back ? g->to_sink : g->from_source;
    const int32_t root = back ? m->sink : m->source, goal = back ? m->source : m->sink;
    array_owner workspace = {0};
    lb_hop *hops = own_array(&workspace, first[m->n], sizeof(lb_hop));
    ptrdiff_t *begin = own_array(&workspace, m->n + 1, sizeof(ptrdiff_t)), count = 0;
    int status = workspace.failed ? LB_NO_MEMORY : LB_COMPLETE;
    if (status == LB_COMPLETE) {
        for (ptrdiff_t x = 0; x < m->n; x++) {
            begin[x] = count;
            for (int32_t i = first[x]; i < first[x + 1]; i++)
                count += lb_make_hop(m, arcs[i], back, hops + count);
        }
        begin[m->n] = count;
        for (int32_t k = g->low[root]; k <= g->high[root]; k++)
            cells[g->offset[root] + k].best = back ? m->min_final_cost : 0.0;
        for (int32_t i = 0; i < (int32_t)m->steps && status == LB_COMPLETE; i++) {
            const int32_t k = back ? (int32_t)m->steps - 1 - i : i;
            if (lb_must_stop(m, m->n + count))
                status = LB_STOPPED;
            for (int32_t x = 0; x < (int32_t)m->n; x++)
                if (x != root && x != goal && g->low[x] <= k && k <= g->high[x])
                    cells[g->offset[x] + k] = lb_cell_of(g, back, x, k, hops + begin[x], hops + begin[x + 1]);
        }
        /* Arcs at the source or the sink may stay within a slice, so the goal is filled last. */
        for (int32_t k = g->low[goal]; k <= g->high[goal]; k++)
            cells[g->offset[goal] + k] =
                lb_cell_of(g, back, goal, k, hops + begin[goal], hops + begin[goal + 1]);
    }
    free_arrays(&workspace);
    return status;
}

/* Bound the routes through each arc, from both passes. */
static int lb_fill_through(const lb_model *m, lb_grid *g)
{
    g->through = own_array(&g->owner, m->m, sizeof(double));
    if (!g->through)
        return LB_NO_MEMORY;
    for (ptrdiff_t a = 0; a < m->m; a++) {
        double minimum = INFINITY;
        lb_hop hop;
        if (lb_must_stop(m, 1 + g->high[m->tail[a]] - g->low[m->tail[a]]))
            return LB_STOPPED;
        if (m->cost[a] < INFINITY && lb_make_hop(m, a, 1, &hop)) {
            const int32_t u = m->tail[a], v = hop.y, back_again = lb_bit(m->memory + u * m->words, v);
            const lb_cell *at_tail = g->from_source + g->offset[u], *at_head = g->to_sink + g->offset[v];
            for (int32_t k = g->low[u]; k <= g->high[u] && (k == g->low[u] || k <= hop.last); k++) {
                const lb_cell *arrival = at_head + lb_arrival_slice(g, u, k, &hop);
                const double prefix = lb_completion_avoiding(at_tail + k, v, back_again);
                const double sum = prefix + lb_completion_avoiding(arrival, u, hop.remembered);
                minimum = sum < minimum ? sum : minimum;
            }
            minimum += hop.cost;
        }
        g->through[a] = minimum;
    }
    return LB_COMPLETE;
}

#endif
