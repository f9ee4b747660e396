/* ng-route relaxation: walks that remember only some classes, for tight bounds where memoryless walks
 * cycle. */
#ifndef GAPLESS_PATH_ROUTES_H
#define GAPLESS_PATH_ROUTES_H

#include "paths/labels.h"

/* Run a pass that remembers all classes: the proof, if no relevant label was dropped for the width. */
static int ps_beam(ps_search *s, const ps_side *other, ptrdiff_t width)
{
    ps_side side;
    if (!ps_open_side(&side, s, other && !other->backward))
        return PS_NO_MEMORY;
    int status = ps_pass(s, &side, other, NULL, width);
    if (status == PS_OPEN) {
        ps_offer_last(s, &side);
        if (side.best_dropped <= ps_cutoff(s)) {
            s->routed = 0;
            status = ps_record_stage(s) ? PS_PROVED : PS_NO_MEMORY;
        }
    }
    ps_close_side(&side);
    return status;
}

static int ps_best_first(const void *a, const void *b)
{
    const ps_rank *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

/* Let the vertices between two visits of a class remember it, along the walk of a last label. */
static void ps_remember_cycles(ps_search *s, const ps_side *side, ptrdiff_t a)
{
    ps_read_walk(side, a, s->walk);
    for (ptrdiff_t j = 0; j < s->k; j++) {
        const int32_t c = s->g.group[s->walk[j]];
        ptrdiff_t next_visit = j + 1;
        while (next_visit < s->k && s->g.group[s->walk[next_visit]] != c)
            next_visit++;
        for (ptrdiff_t i = j + 1; next_visit < s->k && i < next_visit; i++)
            s->memory[s->walk[i] * side->words + (c >> 6)] |= (uint64_t)1 << (c & 63);
    }
}

/* Grow the memory by the cycles of the best walks that are no paths, at most 64; return their number, or
 * -1 without memory.
 *
 * `visit_means` gets the mean number of visits of each class by the 8 best walks, unless it is NULL. */
static int ps_grow_memory(ps_search *s, const ps_side *side, double *visit_means)
{
    const ps_layer *last = side->layer + s->k - 1;
    ps_rank *order = malloc((size_t)(last->count + 1) * sizeof(ps_rank));
    if (!order)
        return -1;
    for (ptrdiff_t a = 0; a < last->count; a++)
        order[a] = (ps_rank){0, (int32_t)a, last->label[a].bound};
    qsort(order, (size_t)last->count, sizeof(ps_rank), ps_best_first);
    const ptrdiff_t sample = last->count < 8 ? last->count : 8;
    int cyclic_walks = 0;
    if (visit_means)
        memset(visit_means, 0, (size_t)s->g.classes * sizeof(double));
    for (ptrdiff_t i = 0; i < last->count && i < 64; i++) {
        ps_read_walk(side, order[i].label, s->walk);
        if (ps_count_visits(s)) {
            cyclic_walks++;
            ps_remember_cycles(s, side, order[i].label);
        }
        for (ptrdiff_t c = 0; visit_means && i < sample && c < s->g.classes; c++)
            visit_means[c] += (double)s->visits[c] / (double)sample;
    }
    free(order);
    return cyclic_walks;
}

static void ps_fill_both_tables(ps_search *s)
{
    ps_set_penalties(s);
    ps_walks_after(&s->g, s->k, s->penalty, s->after, s->listed, s->from);
    ps_walks_before(&s->g, s->k, s->penalty, s->after, ps_cutoff(s) - s->price_sum, s->before, s->listed,
                    s->from);
    s->freshness = 2;
}

/* Improve the multipliers of ng-routes: steps as in ps_lower_bound, along the mean of a few of the best
 * walks. */
static int ps_price_routes(ps_search *s, ptrdiff_t width, int steps)
{
    double *visit_means = malloc((size_t)s->g.classes * sizeof(double)), best = INFINITY, step_factor = 1.0;
    int status = visit_means ? PS_OPEN : PS_NO_MEMORY;
    for (int step = 0; status == PS_OPEN && step <= steps; step++) {
        ps_side side;
        if (!ps_open_side(&side, s, step % 2)) {
            status = PS_NO_MEMORY;
            break;
        }
        s->iterations++;
        status = ps_pass(s, &side, NULL, s->memory, width);
        const int is_exact = status == PS_OPEN && side.best_dropped <= ps_cutoff(s);
        if (is_exact) {
            const double bound = ps_offer_last(s, &side);
            s->routed |= bound <= s->bound;
            ps_lower_global_bound(s, bound);
            if (bound <= ps_cutoff(s))
                status = ps_record_stage(s) ? PS_PROVED : PS_NO_MEMORY;
            else if (ps_grow_memory(s, &side, visit_means) < 0)
                status = PS_NO_MEMORY;
            if (bound < best) {
                best = bound;
                memcpy(s->best_price, s->price, (size_t)s->given.classes * sizeof(double));
            } else
                step_factor *= 0.7;
            if (status == PS_OPEN)
                ps_subgradient_step(s, visit_means, step_factor * (bound - ps_incumbent(s)));
        }
        ps_close_side(&side);
        if (!is_exact)
            break;
        if (status == PS_OPEN)
            ps_fill_both_tables(s);
    }
    free(visit_means);
    if (status == PS_OPEN && best < INFINITY) {
        memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
        ps_fill_both_tables(s);
    }
    return status;
}

/* Run passes from either end in turn, each with the labels of the last one as completions, while the
 * memory grows by the cycles of the best walks (decremental state space relaxation: Righini, Salani, New
 * dynamic programming algorithms for the resource constrained elementary shortest path problem, 2008). The
 * last pass remembers all classes. PS_OPEN if a layer grew beyond `width`. */
static int ps_routes(ps_search *s, ptrdiff_t width)
{
    if (!s->g.into) { /* nothing was ruled out so far */
        /* Passes from the end read the transpose, which `ps_shrink` makes. */
        for (ptrdiff_t v = 0; v < s->g.n; v++)
            s->listed[v] = (int32_t)v;
        if (!ps_shrink(s, s->listed, s->g.n))
            return PS_NO_MEMORY;
        ps_fill_both_tables(s);
    }
    if (!s->memory) {
        s->words = (s->g.classes + 63) / 64;
        s->memory = calloc((size_t)(s->g.n * s->words), sizeof(uint64_t));
        if (!s->memory)
            return PS_NO_MEMORY;
    }
    int status = ps_price_routes(s, width, 70), cyclic_walks = 1;
    ps_side other, side;
    memset(&other, 0, sizeof other);
    for (int pass = 0; status == PS_OPEN && cyclic_walks > 0 && pass < 12; pass++) {
        if (!ps_open_side(&side, s, pass % 2 == 0)) {
            status = PS_NO_MEMORY;
            break;
        }
        status = ps_pass(s, &side, pass ? &other : NULL, s->memory, width);
        ps_close_side(&other);
        other = side;
        if (status != PS_OPEN || other.best_dropped > ps_cutoff(s))
            break;
        if (ps_offer_last(s, &other) <= ps_cutoff(s)) {
            /* The bound combines two passes; one alone may not attain it, so the proof must remember all
             * classes. */
            s->routed = 0;
            status = ps_record_stage(s) ? PS_PROVED : PS_NO_MEMORY;
            break;
        }
        cyclic_walks = ps_grow_memory(s, &other, NULL);
        if (cyclic_walks < 0)
            status = PS_NO_MEMORY;
    }
    if (status == PS_OPEN && other.layer && other.best_dropped <= ps_cutoff(s))
        status = ps_beam(s, &other, width);
    ps_close_side(&other);
    return status;
}

#endif
