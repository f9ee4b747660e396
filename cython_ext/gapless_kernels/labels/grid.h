/* Lower bounds on what is missing, from a relaxed pass of the other direction: routes that may come back to a vertex, but not at
 * once, over slices of the main resource (Christofides, Mingozzi, Toth, Exact algorithms for the vehicle routing problem based on
 * spanning tree and shortest path relaxations, 1981, section 3). Tolls are those of the cheapest state; charges are left out.
 *
 * best[v * steps + k] bounds the rest of a label at v in slice k, `who` is its neighbour, and `other` bounds all rests with
 * another neighbour. */
#ifndef GAPLESS_LABELS_GRID_H
#define GAPLESS_LABELS_GRID_H

#include "labels/model.h"

typedef struct {
    double *best, *other;
    int32_t *who;
} lb_grid;

static void lb_close_grid(lb_grid *g)
{
    free(g->best);
    free(g->other);
    free(g->who);
    memset(g, 0, sizeof *g);
}

static int lb_open_grid(const lb_model *m, lb_grid *g)
{
    const size_t cells = (size_t)(m->n * m->steps);
    g->best = malloc(cells * sizeof(double));
    g->other = malloc(cells * sizeof(double));
    g->who = malloc(cells * sizeof(int32_t));
    if (!g->best || !g->other || !g->who)
        return 0;
    for (size_t i = 0; i < cells; i++) {
        g->best[i] = g->other[i] = INFINITY;
        g->who[i] = -1;
    }
    return 1;
}

static void lb_note(lb_grid *g, ptrdiff_t at, double value, int32_t who)
{
    if (value < g->best[at]) {
        if (who != g->who[at])
            g->other[at] = g->best[at];
        g->best[at] = value;
        g->who[at] = who;
    } else if (who != g->who[at] && value < g->other[at])
        g->other[at] = value;
}

/* The bound at v for a route that has its other neighbour at u: not back to u, where v remembers it. */
static inline double lb_rest(const lb_model *m, const lb_grid *g, ptrdiff_t v, ptrdiff_t k, int32_t u)
{
    const ptrdiff_t at = v * m->steps + k;
    return g->who[at] == u && u >= 0 && lb_bit(m->memory + v * m->words, u) ? g->other[at] : g->best[at];
}

static double lb_arc_cost(const lb_model *m, ptrdiff_t a)
{
    return m->cost[a] + m->least_toll[m->kind[a]];
}

/* The slice in which an arc arrives that leaves its tail in slice k as early as can be; -1 where it arrives too late. */
static ptrdiff_t lb_arrival(const lb_model *m, ptrdiff_t a, ptrdiff_t k)
{
    const int32_t u = m->tail[a], v = m->head[a];
    const double from = fmax(m->start[0] + (double)k * m->step, m->lower[u]);
    const double to = fmax(from + m->use[a], m->lower[v]);
    return to > m->upper[v] ? -1 : lb_step(m, to);
}

/* From the sink. `first` and `arcs` list the arcs out of each vertex. */
static void lb_fill_after(const lb_model *m, lb_grid *g, const int32_t *first, const int32_t *arcs)
{
    const ptrdiff_t steps = m->steps;
    for (ptrdiff_t k = 0; k < steps; k++)
        lb_note(g, m->sink * steps + k, m->cheapest_end, -1);
    for (ptrdiff_t k = steps; k-- > 0;)
        for (ptrdiff_t i = 0; i < m->n; i++) {
            /* arcs out of the source may stay within a slice: it comes last */
            const ptrdiff_t u = i + 1 == m->n ? m->source : i == m->source ? m->n - 1 : i;
            if (u == m->sink || m->start[0] + (double)k * m->step > m->upper[u])
                continue;
            for (int32_t j = first[u]; j < first[u + 1]; j++) {
                const ptrdiff_t a = arcs[j], to = lb_arrival(m, a, k);
                if (to >= 0) {
                    const double rest = lb_rest(m, g, m->head[a], to, (int32_t)u);
                    if (rest < INFINITY)
                        lb_note(g, u * steps + k, lb_arc_cost(m, a) + rest, m->head[a]);
                }
            }
        }
}

/* From the source; then each slice holds the best of all slices up to it. */
static void lb_fill_before(const lb_model *m, lb_grid *g, const int32_t *first, const int32_t *arcs)
{
    const ptrdiff_t steps = m->steps;
    lb_note(g, m->source * steps + lb_step(m, m->start[0]), 0.0, -1);
    for (ptrdiff_t k = 0; k < steps; k++)
        for (ptrdiff_t i = 0; i < m->n; i++) {
            const ptrdiff_t u = i == 0 ? m->source : i == m->source ? 0 : i;
            if (u == m->sink || g->best[u * steps + k] == INFINITY)
                continue;
            for (int32_t j = first[u]; j < first[u + 1]; j++) {
                const ptrdiff_t a = arcs[j], to = lb_arrival(m, a, k);
                if (to >= 0) {
                    const double rest = lb_rest(m, g, u, k, m->head[a]);
                    if (rest < INFINITY)
                        lb_note(g, m->head[a] * steps + to, lb_arc_cost(m, a) + rest, (int32_t)u);
                }
            }
        }
    for (ptrdiff_t v = 0; v < m->n; v++)
        for (ptrdiff_t k = 1; k < steps; k++) {
            const ptrdiff_t at = v * steps + k - 1;
            if (g->best[at] < INFINITY)
                lb_note(g, at + 1, g->best[at], g->who[at]);
            if (g->other[at] < INFINITY)
                /* of some neighbour that is not who[at]: it may count as the best's own only if it is none */
                g->other[at + 1] = fmin(g->other[at + 1], g->other[at]);
        }
}

#endif
