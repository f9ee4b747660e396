/* A first look at a large graph: solve its most promising part, and rule out by one reading of the scores what cannot be on a
 * better path. Walks over all vertices read the scores once for each place. */
#ifndef GAPLESS_PATH_CORE_H
#define GAPLESS_PATH_CORE_H

#include "paths/coarse.h"

#define PS_CORE 64          /* vertices of the part */
#define PS_LARGE 2e6        /* sums of one table of walks from which on this is worth while */

static int ps_run(ps_search *s, int rounds);

/* The largest score into and out of each vertex, the ends included. */
GAPLESS_VERSIONS(void, ps_extremes, (const ps_graph *g, double *restrict in, double *restrict out), (g, in, out))
{
    const ptrdiff_t n = g->n;
    memcpy(in, g->start, (size_t)n * sizeof(double));
    for (ptrdiff_t u = 0; u < n; u++) {
        const double *row = g->out + u * g->stride;
        double lanes[GAPLESS_BLOCK];
        for (int l = 0; l < GAPLESS_BLOCK; l++)
            lanes[l] = PS_NONE;
        ptrdiff_t v = 0;
        for (; v + GAPLESS_BLOCK <= n; v += GAPLESS_BLOCK)
            for (int l = 0; l < GAPLESS_BLOCK; l++) {
                lanes[l] = GAPLESS_MAX(row[v + l], lanes[l]);
                in[v + l] = GAPLESS_MAX(row[v + l], in[v + l]);
            }
        for (int l = 0; v + l < n; l++) {
            lanes[l] = GAPLESS_MAX(row[v + l], lanes[l]);
            in[v + l] = GAPLESS_MAX(row[v + l], in[v + l]);
        }
        double most = g->end[u];
        for (int l = 0; l < GAPLESS_BLOCK; l++)
            most = GAPLESS_MAX(lanes[l], most);
        out[u] = most;
    }
}

/* The paths and multipliers that a short search among the listed vertices finds. */
static int ps_search_core(ps_search *s, const int32_t *listed, ptrdiff_t n)
{
    ps_graph part;
    ps_search core;
    if (!ps_compact(&s->g, listed, n, &part))
        return 0;
    memset(&core, 0, sizeof core);
    int fine = ps_begin(&core, s->k, s->wanted, &part, s->scale);
    if (fine) {
        core.memory_limit = s->memory_limit;
        fine = ps_run(&core, 3) != PS_NO_MEMORY;
    }
    for (ptrdiff_t p = 0; fine && p < core.found; p++) {
        for (ptrdiff_t j = 0; j < s->k; j++)
            s->walk[j] = part.vertex[core.paths[p * s->k + j]];
        ps_offer(s, s->walk);
    }
    for (ptrdiff_t c = 0; fine && c < part.classes; c++)
        s->price[part.class_name[c]] = core.best_price[c];
    ps_free(&core);
    free(part.memory);
    return fine;
}

/* Rule out vertices by one score for each, of which a path has one for each of its k classes, and `rest` for what they leave out.
 *
 * The bound is that of walks under the multipliers max(0, best score of the class - the k-th best): these are written down.
 * Clears `kept` where a vertex is ruled out. 0 when there is no memory. */
static int ps_rule_out_by_sums(ps_search *s, const double *score, double rest, unsigned char *kept)
{
    const ps_graph *g = &s->g;
    const ptrdiff_t k = s->k;
    double *most = malloc((size_t)(g->classes + k) * sizeof(double)), *top = most + g->classes, sum = rest;
    ptrdiff_t held = 0, gone = 0;
    if (!most)
        return 0;
    for (ptrdiff_t c = 0; c < g->classes; c++)
        most[c] = PS_NONE;
    for (ptrdiff_t v = 0; v < g->n; v++)
        most[g->group[v]] = fmax(most[g->group[v]], score[v]);
    for (ptrdiff_t c = 0; c < g->classes; c++) {
        if (held == k && most[c] <= top[k - 1])
            continue;
        ptrdiff_t at = held < k ? held++ : k - 1;
        for (; at > 0 && top[at - 1] < most[c]; at--)
            top[at] = top[at - 1];
        top[at] = most[c];
    }
    for (ptrdiff_t j = 0; j < held; j++)
        sum += top[j];
    if (held == k && sum > PS_NONE) {
        const double last = top[k - 1], level = ps_level(s);
        for (ptrdiff_t v = 0; v < g->n; v++)
            if (kept[v] && sum - fmax(most[g->group[v]], last) + score[v] <= level) {
                kept[v] = 0;
                gone++;
            }
        if (gone) {
            memcpy(s->spare, s->price, (size_t)g->classes * sizeof(double));
            for (ptrdiff_t c = 0; c < g->classes; c++)
                s->price[c] = fmax(0, most[c] - last);
            if (!ps_write_down(s)) {
                free(most);
                return 0;
            }
            memcpy(s->price, s->spare, (size_t)g->classes * sizeof(double));
        }
    }
    free(most);
    return 1;
}

static double ps_largest(const double *values, ptrdiff_t count)
{
    double most = PS_NONE;
    for (ptrdiff_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

/* PS_OPEN, PS_PROVED when nothing is left, or PS_NO_MEMORY. The graph is still the one that was given. */
static int ps_first_look(ps_search *s)
{
    const ptrdiff_t n = s->g.n;
    if ((double)s->k * (double)n * (double)n < PS_LARGE || n <= 2 * PS_CORE)
        return PS_OPEN;
    double *in = malloc((size_t)(4 * n) * sizeof(double)), *out = in + n, *both = out + n, *shuffled = both + n;
    unsigned char *kept = malloc((size_t)n);
    int fine = in && kept;
    if (fine) {
        ptrdiff_t count = 0;
        ps_extremes(&s->g, in, out);
        for (ptrdiff_t v = 0; v < n; v++) {
            both[v] = shuffled[v] = in[v] + out[v];
            kept[v] = 1;
        }
        const double least = select_f64(shuffled, n, PS_CORE);
        for (ptrdiff_t v = 0; v < n && count < PS_CORE; v++)
            if (both[v] >= least)
                s->listed[count++] = (int32_t)v;
        fine = ps_search_core(s, s->listed, count);
    }
    if (fine && ps_incumbent(s) > PS_NONE)
        fine = ps_rule_out_by_sums(s, in, ps_largest(s->g.end, n), kept)
               && ps_rule_out_by_sums(s, out, ps_largest(s->g.start, n), kept);
    ptrdiff_t left = 0;
    for (ptrdiff_t v = 0; fine && v < n; v++)
        if (kept[v])
            s->listed[left++] = (int32_t)v;
    const double top = in && ps_incumbent(s) > PS_NONE ? fmax(ps_largest(in, n), ps_largest(out, n)) : 0;
    free(in);
    free(kept);
    if (!fine)
        return PS_NO_MEMORY;
    s->vertices_left = left;
    if (left == 0)
        return PS_PROVED;
    if (left * 8 > n * 7) { /* multipliers of a part say little about the whole */
        memset(s->price, 0, (size_t)s->g.classes * sizeof(double));
        if (ps_incumbent(s) > PS_NONE)
            return ps_coarse_look(s, ps_largest(s->g.start, n), top, ps_largest(s->g.end, n));
        return PS_OPEN;
    }
    memset(s->spare, 0, (size_t)s->g.classes * sizeof(double));
    for (ptrdiff_t i = 0; i < left; i++)
        s->spare[s->g.group[s->listed[i]]] = 1;
    for (ptrdiff_t c = 0; c < s->g.classes; c++)
        s->price[c] *= s->spare[c];
    return ps_shrink(s, s->listed, left) ? PS_OPEN : PS_NO_MEMORY;
}

#endif
