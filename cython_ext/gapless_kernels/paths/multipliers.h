/* Lagrangian bounds: walks pay a multiplier for each visit of a class.
 *
 * For any multipliers >= 0, no path scores more than the best penalised walk plus the sum of the
 * multipliers, because a path visits each class at most once. A vertex is ruled out at a position if no
 * walk through it there exceeds the incumbent. */
#ifndef GAPLESS_PATH_MULTIPLIERS_H
#define GAPLESS_PATH_MULTIPLIERS_H

#include <float.h>

#include "paths/state.h"

/* Set the penalties of all vertices from the multipliers, and the sum of the multipliers. */
static void ps_set_penalties(ps_search *s)
{
    const ps_graph *g = &s->g;
    ptrdiff_t positive = 0;
    s->price_sum = 0;
    for (ptrdiff_t c = 0; c < g->classes; c++) {
        const double price = s->price[ps_class_name(g, c)];
        s->price_sum += price;
        positive += price > 0;
    }
    /* Add the rounding error of sums with multipliers of this size: if an incumbent contains a score that
     * stands for "never", they are as large. */
    s->price_sum *= 1 + DBL_EPSILON * (double)(4 * (s->k + 1) + positive);
    for (ptrdiff_t v = 0; v < g->n; v++)
        s->from[v] = -s->price[ps_class_name(g, g->group[v])];
    for (ptrdiff_t j = 0; j < s->k; j++)
        for (ptrdiff_t v = 0; v < g->n; v++)
            s->penalty[j * g->stride + v] = s->alive[j * g->stride + v] ? s->from[v] : PS_NONE;
}

/* Compute the bound under the current multipliers, and the walk that attains it. */
static double ps_walk_bound(ps_search *s)
{
    if (s->freshness <= 0) {
        ps_set_penalties(s);
        ps_walks_after(&s->g, s->k, s->penalty, s->after, s->listed, s->from);
        s->iterations++;
        s->freshness = 1;
    }
    return ps_best_walk(&s->g, s->k, s->penalty, s->after, s->walk) + s->price_sum;
}

/* Count the visits of each class by the walk; return the number of classes visited more than once. */
static ptrdiff_t ps_count_visits(ps_search *s)
{
    ptrdiff_t repeated = 0;
    memset(s->visits, 0, (size_t)s->g.classes * sizeof(int32_t));
    for (ptrdiff_t j = 0; j < s->k; j++)
        repeated += ++s->visits[s->g.group[s->walk[j]]] == 2;
    return repeated;
}

/* Rule out vertices by the tables of the current multipliers; shrink the graph if an eighth of them is
 * gone. 0 without memory. */
static int ps_rule_out(ps_search *s)
{
    const ps_graph *g = &s->g;
    const double level = ps_cutoff(s) - s->price_sum;
    ptrdiff_t ruled_out = 0, remaining = 0;
    ps_walks_before(g, s->k, s->penalty, s->after, level, s->before, s->listed, s->from);
    s->freshness = 2;
    for (ptrdiff_t v = 0; v < g->n; v++)
        s->from[v] = PS_NONE;
    for (ptrdiff_t j = 0; j < s->k; j++) {
        const ptrdiff_t row = j * g->stride;
        for (ptrdiff_t v = 0; v < g->n; v++) {
            /* The sum is -inf if the vertex is ruled out at this position already, or on no walk there. */
            const double sum = s->before[row + v] + s->penalty[row + v] + s->after[row + v];
            if (sum > level)
                s->from[v] = 1;
            else if (s->alive[row + v]) {
                s->alive[row + v] = 0;
                ruled_out++;
            }
        }
    }
    if (!ruled_out)
        return 1;
    if (!ps_record_stage(s))
        return 0;
    for (ptrdiff_t v = 0; v < g->n; v++)
        if (s->from[v] == 1)
            s->listed[remaining++] = (int32_t)v;
    for (ptrdiff_t c = 0; c < g->classes; c++)
        s->visits[c] = 0;
    for (ptrdiff_t i = 0; i < remaining; i++)
        s->visits[g->group[s->listed[i]]] = 1;
    for (ptrdiff_t c = 0; c < g->classes; c++)
        if (!s->visits[c]) {
            const int32_t name = ps_class_name(g, c);
            s->price[name] = s->best_price[name] = 0;
        }
    s->vertices_remaining = remaining;
    if (remaining == 0)
        return 1;
    if (s->memory || remaining * 8 > g->n * 7) {
        ps_set_penalties(s);
        s->freshness = -1;
        return 1;
    }
    return ps_shrink(s, s->listed, remaining);
}

/* Take a subgradient step of Polyak's length: `gap` over the squared norm of the excess visits. 0 where there
 * are none. */
static int ps_subgradient_step(ps_search *s, const double *visits, double gap)
{
    double norm = 0;
    for (ptrdiff_t c = 0; c < s->g.classes; c++)
        if (visits[c] > 1 || s->price[ps_class_name(&s->g, c)] > 0)
            norm += (visits[c] - 1) * (visits[c] - 1);
    if (norm == 0)
        return 0;
    for (ptrdiff_t c = 0; c < s->g.classes; c++) {
        const int32_t name = ps_class_name(&s->g, c);
        const double price = s->price[name] + gap / norm * (visits[c] - 1);
        s->price[name] = price > 0 ? price : 0;
    }
    return 1;
}

/* Lower the bound by subgradient steps towards the incumbent (Polyak), ruling out vertices on the way.
 *
 * PS_PROVED if the bound meets the incumbent. Otherwise `price` has the best multipliers. */
static int ps_lower_bound(ps_search *s, int steps)
{
    double best = INFINITY, last_gap = INFINITY, step_factor = 1.0;
    int steps_without_gain = 0;
    for (int it = 0; it <= steps; it++) {
        const double bound = ps_walk_bound(s);
        if (bound > PS_NONE && !ps_count_visits(s))
            ps_offer(s, s->walk);
        if (bound < best) {
            steps_without_gain = bound < best - 1e-4 * (best - ps_incumbent(s)) ? 0 : steps_without_gain + 1;
            best = bound;
            memcpy(s->best_price, s->price, (size_t)s->given.classes * sizeof(double));
            ps_lower_global_bound(s, bound);
        } else
            steps_without_gain++;
        if (!ps_charge_work(s, (double)s->k * (double)s->g.n * (double)s->g.n))
            return PS_STOPPED;
        if (bound == PS_NONE || bound <= ps_cutoff(s)) {
            if (!ps_record_stage(s))
                return PS_NO_MEMORY;
            return PS_PROVED;
        }
        const double gap = bound - ps_incumbent(s);
        if (it < steps && bound == best && ps_incumbent(s) > PS_NONE && gap < 0.8 * last_gap) {
            last_gap = gap;
            if (!ps_rule_out(s))
                return PS_NO_MEMORY;
            if (s->vertices_remaining == 0)
                return PS_PROVED;
            /* The walk belongs to the old graph; the next step starts from the new one. */
            const double new_bound = ps_walk_bound(s);
            if (new_bound == PS_NONE || new_bound <= ps_cutoff(s)) {
                if (!ps_record_stage(s))
                    return PS_NO_MEMORY;
                return PS_PROVED;
            }
            best = fmin(best, new_bound);
            ps_count_visits(s);
        }
        if (steps_without_gain >= 6) {
            steps_without_gain = 0;
            step_factor *= 0.6;
            if (step_factor < 0.02)
                break;
            memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
            s->freshness = 0;
            continue;
        }
        if (it == steps)
            break;
        const double target = ps_incumbent(s) > PS_NONE ? ps_incumbent(s) : bound - 0.05 * fabs(bound) - 1e-3;
        for (ptrdiff_t c = 0; c < s->g.classes; c++)
            s->workspace[c] = s->visits[c];
        if (!ps_subgradient_step(s, s->workspace, step_factor * (bound - target)))
            break;
        s->freshness = 0;
    }
    if (memcmp(s->price, s->best_price, (size_t)s->given.classes * sizeof(double))) {
        memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
        s->freshness = 0;
    }
    return PS_OPEN;
}

#endif
