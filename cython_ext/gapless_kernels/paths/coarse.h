/* Walks over a large graph with scores rounded up to 16 bits: a quarter of the memory to read for each
 * position.
 *
 * Scores are counted downwards from the largest one, in steps that divide the distance to the incumbent;
 * everything further below counts as forbidden. All roundings go up, so the tables bound the exact ones,
 * and whatever they rule out the exact walks without multipliers rule out, too. */
#ifndef GAPLESS_PATH_COARSE_H
#define GAPLESS_PATH_COARSE_H

#include "paths/routes.h"

#define PS_STEPS 15000          /* from the best imaginable path down to the incumbent */
#define PS_FORBIDDEN (-16000)   /* the sum of two still fits into 16 bits */

/* Round scores to steps below `top`, upwards. */
GAPLESS_VERSIONS(void, ps_round_up, (const double *scores, ptrdiff_t n, double top, double per_step,
                                     int16_t *restrict steps), (scores, n, top, per_step, steps))
{
    for (ptrdiff_t v = 0; v < n; v++) {
        const double below = (scores[v] - top) * per_step;
        steps[v] = (int16_t)(int32_t)ceil(GAPLESS_MAX(below, (double)PS_FORBIDDEN));
    }
}

/* after[u] = max over v of rows[u][v] + from[v], at least PS_FORBIDDEN. */
GAPLESS_VERSIONS(void, ps_coarse_after,
                 (const int16_t *from, const int16_t *rows, ptrdiff_t stride, ptrdiff_t n,
                  int16_t *restrict after),
                 (from, rows, stride, n, after))
{
    for (ptrdiff_t u = 0; u < n; u++) {
        const int16_t *row = rows + u * stride;
        int16_t lanes[32];
        for (int l = 0; l < 32; l++)
            lanes[l] = PS_FORBIDDEN;
        for (ptrdiff_t v = 0; v < stride; v += 32)
            for (int l = 0; l < 32; l++) {
                const int16_t sum = (int16_t)(row[v + l] + from[v + l]);
                lanes[l] = GAPLESS_MAX(sum, lanes[l]);
            }
        int16_t most = PS_FORBIDDEN;
        for (int l = 0; l < 32; l++)
            most = GAPLESS_MAX(lanes[l], most);
        after[u] = most;
    }
}

/* before[v] = max over the listed u of from[u] + rows[u][v], at least PS_FORBIDDEN. */
GAPLESS_VERSIONS(void, ps_coarse_before, (const int32_t *listed, ptrdiff_t count, const int16_t *from,
                                          const int16_t *rows, ptrdiff_t stride, int16_t *restrict before),
                 (listed, count, from, rows, stride, before))
{
    for (ptrdiff_t v = 0; v < stride; v++)
        before[v] = PS_FORBIDDEN;
    for (ptrdiff_t i = 0; i < count; i++) {
        const int16_t *row = rows + listed[i] * stride, most = from[listed[i]];
        for (ptrdiff_t v = 0; v < stride; v++) {
            const int16_t sum = (int16_t)(row[v] + most);
            before[v] = GAPLESS_MAX(sum, before[v]);
        }
    }
}

/* Find better paths by a beam under the coarse tables, then rule out vertices by the tables. The
 * multipliers must be 0, and nothing ruled out. PS_OPEN, PS_PROVED if no vertex remains, PS_STOPPED or
 * PS_NO_MEMORY. */
static int ps_coarse_pass(ps_search *s, double top_start, double top, double top_end)
{
    const ps_graph *g = &s->g;
    const ptrdiff_t n = g->n, k = s->k, stride = (n + 31) / 32 * 32;
    const double best = top_start + (double)(k - 1) * top + top_end, span = best - ps_cutoff(s);
    if (!(span > 0 && span < INFINITY))
        return PS_OPEN;
    const double per_step = PS_STEPS / span, step = span / PS_STEPS;
    int16_t *rows = malloc((size_t)(stride * (n + 2 * k)) * sizeof(int16_t));
    if (!rows)
        return PS_OPEN; /* this step is optional */
    int16_t *before = rows + stride * n, *after = before + stride * k;
    for (ptrdiff_t i = 0; i < stride * (n + 2 * k); i += stride)
        for (ptrdiff_t v = n; v < stride; v++)
            rows[i + v] = PS_FORBIDDEN;
    for (ptrdiff_t u = 0; u < n; u++)
        ps_round_up(g->out + u * g->stride, n, top, per_step, rows + u * stride);
    ps_round_up(g->end, n, top_end, per_step, after + (k - 1) * stride);
    for (ptrdiff_t j = k - 1; j-- > 0;)
        ps_coarse_after(after + (j + 1) * stride, rows, stride, n, after + j * stride);
    ps_set_penalties(s);
    for (ptrdiff_t j = 0; j < k; j++)
        for (ptrdiff_t v = 0; v < n; v++) {
            const int16_t steps = after[j * stride + v];
            s->after[j * g->stride + v] =
                steps == PS_FORBIDDEN ? PS_NONE : steps * step + (double)(k - 1 - j) * top + top_end;
        }
    s->freshness = -1;
    const int status = ps_beam(s, NULL, 4);
    if (status == PS_OPEN) {
        ps_round_up(g->start, n, top_start, per_step, before);
        /* In steps, rounded down; one less for the rounding of the division. */
        const int32_t level = (int32_t)floor((ps_cutoff(s) - best) * per_step) - 1;
        for (ptrdiff_t j = 1; j <= k; j++) {
            const int16_t *last = before + (j - 1) * stride, *rest = after + (j - 1) * stride;
            ptrdiff_t count = 0;
            for (ptrdiff_t v = 0; v < n; v++) {
                s->listed[count] = (int32_t)v;
                s->alive[(j - 1) * g->stride + v] = last[v] + rest[v] >= level;
                count += last[v] + rest[v] >= level;
            }
            if (j < k)
                ps_coarse_before(s->listed, count, last, rows, stride, before + j * stride);
        }
    }
    free(rows);
    s->freshness = 0;
    if (status != PS_OPEN)
        return status;
    if (!ps_record_stage(s))
        return PS_NO_MEMORY;
    ptrdiff_t left = ps_list_remaining(s);
    s->vertices_remaining = left;
    if (left == 0)
        return PS_PROVED;
    return ps_shrink(s, s->listed, left) ? PS_OPEN : PS_NO_MEMORY;
}

#endif
