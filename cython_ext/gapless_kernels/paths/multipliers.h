/* Bounds from walks that pay a multiplier for each visit of a class, and what they rule out.
 *
 * For any multipliers >= 0, no path is better than the best penalised walk plus the sum of the multipliers: a path visits each
 * class at most once. A vertex at a place is ruled out when no walk through it is better than the incumbent.
 */
#ifndef GAPLESS_PATH_MULTIPLIERS_H
#define GAPLESS_PATH_MULTIPLIERS_H

#include <float.h>

#include "paths/state.h"

static void ps_set_penalties(ps_search *s)
{
    const ps_graph *g = &s->g;
    ptrdiff_t paid = 0;
    s->price_sum = 0;
    for (ptrdiff_t c = 0; c < g->classes; c++) {
        const double price = s->price[ps_class_name(g, c)];
        s->price_sum += price;
        paid += price > 0;
    }
    /* And what sums lose beside multipliers of this size: where an incumbent paid a mask, they are as large. */
    s->price_sum *= 1 + DBL_EPSILON * (double)(4 * (s->k + 1) + paid);
    for (ptrdiff_t v = 0; v < g->n; v++)
        s->from[v] = -s->price[ps_class_name(g, g->group[v])];
    for (ptrdiff_t j = 0; j < s->k; j++)
        for (ptrdiff_t v = 0; v < g->n; v++)
            s->penalty[j * g->stride + v] = s->alive[j * g->stride + v] ? s->from[v] : PS_NONE;
}

/* The bound under the current multipliers, and the walk that has it. */
static double ps_walk_bound(ps_search *s)
{
    if (s->fresh <= 0) {
        ps_set_penalties(s);
        ps_walks_after(&s->g, s->k, s->penalty, s->after, s->listed, s->from);
        s->iterations++;
        s->fresh = 1;
    }
    return ps_best_walk(&s->g, s->k, s->penalty, s->after, s->walk) + s->price_sum;
}

/* Count the visits of each class by the walk; the number of classes that are visited more than once. */
static ptrdiff_t ps_count_visits(ps_search *s)
{
    ptrdiff_t repeated = 0;
    memset(s->visits, 0, (size_t)s->g.classes * sizeof(int32_t));
    for (ptrdiff_t j = 0; j < s->k; j++)
        repeated += ++s->visits[s->g.group[s->walk[j]]] == 2;
    return repeated;
}

/* Rule out by the tables of the current multipliers, and shrink the graph when much is gone. 0 when there is no memory. */
static int ps_rule_out(ps_search *s)
{
    const ps_graph *g = &s->g;
    const double level = ps_level(s) - s->price_sum;
    ptrdiff_t gone = 0, left = 0;
    ps_walks_before(g, s->k, s->penalty, s->after, level, s->before, s->listed, s->from);
    s->fresh = 2;
    for (ptrdiff_t v = 0; v < g->n; v++)
        s->from[v] = PS_NONE;
    for (ptrdiff_t j = 0; j < s->k; j++) {
        const ptrdiff_t row = j * g->stride;
        for (ptrdiff_t v = 0; v < g->n; v++) {
            /* The sum of the tables has -inf where the place is ruled out already, or never was on a walk. */
            const double sum = s->before[row + v] + s->penalty[row + v] + s->after[row + v];
            if (sum > level)
                s->from[v] = 1;
            else if (s->alive[row + v]) {
                s->alive[row + v] = 0;
                gone++;
            }
        }
    }
    if (!gone)
        return 1;
    if (!ps_write_down(s))
        return 0;
    for (ptrdiff_t v = 0; v < g->n; v++)
        if (s->from[v] == 1)
            s->listed[left++] = (int32_t)v;
    for (ptrdiff_t c = 0; c < g->classes; c++)
        s->visits[c] = 0;
    for (ptrdiff_t i = 0; i < left; i++)
        s->visits[g->group[s->listed[i]]] = 1;
    for (ptrdiff_t c = 0; c < g->classes; c++)
        if (!s->visits[c]) {
            const int32_t name = ps_class_name(g, c);
            s->price[name] = s->best_price[name] = 0;
        }
    s->vertices_left = left;
    if (left == 0)
        return 1;
    if (s->memory || left * 8 > g->n * 7) {
        ps_set_penalties(s);
        s->fresh = -1;
        return 1;
    }
    return ps_shrink(s, s->listed, left);
}

/* Lower the bound by subgradient steps towards the incumbent (Polyak), ruling out on the way.
 *
 * PS_PROVED when the bound meets the incumbent. Otherwise the best multipliers are in `price`. */
static int ps_lower_bound(ps_search *s, int steps)
{
    double best = INFINITY, settled = INFINITY, theta = 1.0;
    int since = 0;
    for (int it = 0; it <= steps; it++) {
        const double bound = ps_walk_bound(s);
        if (bound > PS_NONE && !ps_count_visits(s))
            ps_offer(s, s->walk);
        if (bound < best) {
            since = bound < best - 1e-4 * (best - ps_incumbent(s)) ? 0 : since + 1;
            best = bound;
            memcpy(s->best_price, s->price, (size_t)s->given.classes * sizeof(double));
            ps_bound(s, bound);
        } else
            since++;
        if (!ps_go_on(s, (double)s->k * (double)s->g.n * (double)s->g.n))
            return PS_STOPPED;
        if (bound == PS_NONE || bound <= ps_level(s)) {
            if (!ps_write_down(s))
                return PS_NO_MEMORY;
            return PS_PROVED;
        }
        const double gap = bound - ps_incumbent(s);
        if (it < steps && bound == best && ps_incumbent(s) > PS_NONE && gap < 0.8 * settled) {
            settled = gap;
            if (!ps_rule_out(s))
                return PS_NO_MEMORY;
            if (s->vertices_left == 0)
                return PS_PROVED;
            /* The walk is of the old graph; the next step begins from the new one. */
            const double again = ps_walk_bound(s);
            if (again == PS_NONE || again <= ps_level(s)) {
                if (!ps_write_down(s))
                    return PS_NO_MEMORY;
                return PS_PROVED;
            }
            best = fmin(best, again);
            ps_count_visits(s);
        }
        if (since >= 6) {
            since = 0;
            theta *= 0.6;
            if (theta < 0.02)
                break;
            memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
            s->fresh = 0;
            continue;
        }
        double norm = 0;
        for (ptrdiff_t c = 0; c < s->g.classes; c++) {
            const double over = s->visits[c] - 1;
            if (over > 0 || s->price[ps_class_name(&s->g, c)] > 0)
                norm += over * over;
        }
        if (norm == 0 || it == steps)
            break;
        s->fresh = 0;
        const double target = ps_incumbent(s) > PS_NONE ? ps_incumbent(s) : bound - 0.05 * fabs(bound) - 1e-3;
        const double length = theta * (bound - target) / norm;
        for (ptrdiff_t c = 0; c < s->g.classes; c++) {
            const int32_t name = ps_class_name(&s->g, c);
            const double price = s->price[name] + length * (s->visits[c] - 1);
            s->price[name] = price > 0 ? price : 0;
        }
    }
    if (memcmp(s->price, s->best_price, (size_t)s->given.classes * sizeof(double))) {
        memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
        s->fresh = 0;
    }
    return PS_OPEN;
}

#endif
