/* First step on a large graph: solve its most promising part, then read all scores once to rule out
 * vertices that no better path can visit. Walks over all vertices would read the scores once for each
 * position. */
#ifndef GAPLESS_PATH_CORE_H
#define GAPLESS_PATH_CORE_H

#include "paths/coarse.h"

#define PS_CORE 64          /* vertices of the part */
#define PS_LARGE 2e6        /* sums in one table of walks, from which on this step pays */

static int ps_run(ps_search *s, int rounds);

/* Compute the largest score into and out of each vertex, including start and end. */
GAPLESS_VERSIONS(void, ps_extremes, (const ps_graph *g, double *restrict in, double *restrict out),
                 (g, in, out))
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
        double largest = g->end[u];
        for (int l = 0; l < GAPLESS_BLOCK; l++)
            largest = GAPLESS_MAX(lanes[l], largest);
        out[u] = largest;
    }
}

/* Solve the subgraph of the listed vertices briefly; take its paths and multipliers. 0 without memory. */
static int ps_search_core(ps_search *s, const int32_t *listed, ptrdiff_t n)
{
    ps_graph part;
    ps_search core;
    if (!ps_compact(&s->g, listed, n, &part))
        return 0;
    memset(&core, 0, sizeof core);
    int has_memory = ps_open(&core, s->k, s->max_paths, &part, s->scale);
    if (has_memory) {
        core.memory_limit = s->memory_limit;
        has_memory = ps_run(&core, 3) != PS_NO_MEMORY;
    }
    for (ptrdiff_t p = 0; has_memory && p < core.path_count; p++) {
        for (ptrdiff_t j = 0; j < s->k; j++)
            s->walk[j] = part.vertex[core.paths[p * s->k + j]];
        ps_offer(s, s->walk);
    }
    for (ptrdiff_t c = 0; has_memory && c < part.classes; c++)
        s->price[part.class_name[c]] = core.best_price[c];
    ps_close(&core);
    free(part.memory);
    return has_memory;
}

/* Rule out vertices by one score each: a path has one score of each of its k classes, and `rest` for the
 * others.
 *
 * The bound is that of walks under the multipliers max(0, best score of the class - the k-th best class);
 * these are recorded. Clears `keep_mask` for the vertices ruled out. 0 without memory. */
static int ps_rule_out_by_sums(ps_search *s, const double *score, double rest, unsigned char *keep_mask)
{
    const ps_graph *g = &s->g;
    const ptrdiff_t k = s->k;
    double *largest = malloc((size_t)(g->classes + k) * sizeof(double)), *top = largest + g->classes,
           sum = rest;
    ptrdiff_t count = 0, ruled_out = 0;
    if (!largest)
        return 0;
    for (ptrdiff_t c = 0; c < g->classes; c++)
        largest[c] = PS_NONE;
    for (ptrdiff_t v = 0; v < g->n; v++)
        largest[g->group[v]] = fmax(largest[g->group[v]], score[v]);
    for (ptrdiff_t c = 0; c < g->classes; c++) {
        if (count == k && largest[c] <= top[k - 1])
            continue;
        ptrdiff_t index = count < k ? count++ : k - 1;
        for (; index > 0 && top[index - 1] < largest[c]; index--)
            top[index] = top[index - 1];
        top[index] = largest[c];
    }
    for (ptrdiff_t j = 0; j < count; j++)
        sum += top[j];
    if (count == k && sum > PS_NONE) {
        const double last = top[k - 1], level = ps_cutoff(s);
        for (ptrdiff_t v = 0; v < g->n; v++)
            if (keep_mask[v] && sum - fmax(largest[g->group[v]], last) + score[v] <= level) {
                keep_mask[v] = 0;
                ruled_out++;
            }
        if (ruled_out) {
            memcpy(s->workspace, s->price, (size_t)g->classes * sizeof(double));
            for (ptrdiff_t c = 0; c < g->classes; c++)
                s->price[c] = fmax(0, largest[c] - last);
            if (!ps_record_stage(s)) {
                free(largest);
                return 0;
            }
            memcpy(s->price, s->workspace, (size_t)g->classes * sizeof(double));
        }
    }
    free(largest);
    return 1;
}

static double ps_largest(const double *values, ptrdiff_t count)
{
    double largest = PS_NONE;
    for (ptrdiff_t i = 0; i < count; i++)
        largest = fmax(largest, values[i]);
    return largest;
}

/* Run the first step, on the graph as it was given. PS_OPEN, PS_PROVED if no vertex remains, or
 * PS_NO_MEMORY. */
static int ps_solve_core(ps_search *s)
{
    const ptrdiff_t n = s->g.n;
    if ((double)s->k * (double)n * (double)n < PS_LARGE || n <= 2 * PS_CORE)
        return PS_OPEN;
    double *in = malloc((size_t)(4 * n) * sizeof(double)), *out = in + n, *both = out + n,
           *shuffled = both + n;
    unsigned char *keep_mask = malloc((size_t)n);
    int has_memory = in && keep_mask;
    if (has_memory) {
        ptrdiff_t count = 0;
        ps_extremes(&s->g, in, out);
        for (ptrdiff_t v = 0; v < n; v++) {
            both[v] = shuffled[v] = in[v] + out[v];
            keep_mask[v] = 1;
        }
        const double threshold = select_f64(shuffled, n, PS_CORE);
        for (ptrdiff_t v = 0; v < n && count < PS_CORE; v++)
            if (both[v] >= threshold)
                s->listed[count++] = (int32_t)v;
        has_memory = ps_search_core(s, s->listed, count);
    }
    if (has_memory && ps_incumbent(s) > PS_NONE)
        has_memory = ps_rule_out_by_sums(s, in, ps_largest(s->g.end, n), keep_mask)
               && ps_rule_out_by_sums(s, out, ps_largest(s->g.start, n), keep_mask);
    ptrdiff_t remaining = 0;
    for (ptrdiff_t v = 0; has_memory && v < n; v++)
        if (keep_mask[v])
            s->listed[remaining++] = (int32_t)v;
    const double top = in && ps_incumbent(s) > PS_NONE ? fmax(ps_largest(in, n), ps_largest(out, n)) : 0;
    free(in);
    free(keep_mask);
    if (!has_memory)
        return PS_NO_MEMORY;
    s->vertices_remaining = remaining;
    if (remaining == 0)
        return PS_PROVED;
    if (remaining * 8 > n * 7) { /* multipliers of a small part are far from those of the whole graph */
        memset(s->price, 0, (size_t)s->g.classes * sizeof(double));
        if (ps_incumbent(s) > PS_NONE)
            return ps_coarse_pass(s, ps_largest(s->g.start, n), top, ps_largest(s->g.end, n));
        return PS_OPEN;
    }
    memset(s->workspace, 0, (size_t)s->g.classes * sizeof(double));
    for (ptrdiff_t i = 0; i < remaining; i++)
        s->workspace[s->g.group[s->listed[i]]] = 1;
    for (ptrdiff_t c = 0; c < s->g.classes; c++)
        s->price[c] *= s->workspace[c];
    return ps_shrink(s, s->listed, remaining) ? PS_OPEN : PS_NO_MEMORY;
}

#endif
