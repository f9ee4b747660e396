/* Walks that remember only what they must: tight bounds where walks that remember nothing go back and forth. */
#ifndef GAPLESS_PATH_ROUTES_H
#define GAPLESS_PATH_ROUTES_H

#include "paths/labels.h"

/* A pass from the start that remembers everything: the proof, unless the width did harm. */
static int ps_beam(ps_search *s, const ps_side *other, ptrdiff_t width)
{
    ps_side side;
    if (!ps_make_side(&side, s, other && !other->backward))
        return PS_NO_MEMORY;
    int status = ps_pass(s, &side, other, NULL, width);
    if (status == PS_OPEN) {
        ps_offer_last(s, &side);
        if (side.dropped <= ps_level(s)) {
            s->routed = 0;
            status = ps_write_down(s) ? PS_PROVED : PS_NO_MEMORY;
        }
    }
    ps_free_side(&side);
    return status;
}

static int ps_best_first(const void *a, const void *b)
{
    const ps_place *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Remember on the way the classes that the walk of a last label visits twice. */
static void ps_remember_cycles(ps_search *s, const ps_side *side, ptrdiff_t a)
{
    ps_read_walk(side, a, s->walk);
    for (ptrdiff_t j = 0; j < s->k; j++) {
        const int32_t c = s->g.group[s->walk[j]];
        ptrdiff_t again = j + 1;
        while (again < s->k && s->g.group[s->walk[again]] != c)
            again++;
        for (ptrdiff_t i = j + 1; again < s->k && i < again; i++)
            s->memory[s->walk[i] * side->words + (c >> 6)] |= (uint64_t)1 << (c & 63);
    }
}

/* Grow the memory by the cycles of the best walks that are no paths, and count how often these walks visit each class (`often`, in
 * parts of 1; NULL if nobody asks). The number of walks with cycles, at most 64. -1 without memory. */
static int ps_learn(ps_search *s, const ps_side *side, double *often)
{
    const ps_layer *last = side->layer + s->k - 1;
    ps_place *order = malloc((size_t)(last->count + 1) * sizeof(ps_place));
    if (!order)
        return -1;
    for (ptrdiff_t a = 0; a < last->count; a++)
        order[a] = (ps_place){0, (int32_t)a, last->label[a].bound};
    qsort(order, (size_t)last->count, sizeof(ps_place), ps_best_first);
    const ptrdiff_t some = last->count < 8 ? last->count : 8;
    int cyclic = 0;
    if (often)
        memset(often, 0, (size_t)s->g.classes * sizeof(double));
    for (ptrdiff_t i = 0; i < last->count && i < 64; i++) {
        ps_read_walk(side, order[i].at, s->walk);
        if (ps_count_visits(s)) {
            cyclic++;
            ps_remember_cycles(s, side, order[i].at);
        }
        for (ptrdiff_t c = 0; often && i < some && c < s->g.classes; c++)
            often[c] += (double)s->visits[c] / (double)some;
    }
    free(order);
    return cyclic;
}

static void ps_both_tables(ps_search *s)
{
    ps_set_penalties(s);
    ps_walks_after(&s->g, s->k, s->penalty, s->after, s->listed, s->from);
    ps_walks_before(&s->g, s->k, s->penalty, s->after, ps_level(s) - s->price_sum, s->before, s->listed, s->from);
    s->fresh = 2;
}

/* Move the multipliers along how often each class is visited beyond once, by `gap` over the square of that. */
static void ps_step(ps_search *s, const double *often, double gap)
{
    double norm = 0;
    for (ptrdiff_t c = 0; c < s->g.classes; c++)
        if (often[c] > 1 || s->price[ps_class_name(&s->g, c)] > 0)
            norm += (often[c] - 1) * (often[c] - 1);
    const double length = norm > 0 ? gap / norm : 0;
    for (ptrdiff_t c = 0; c < s->g.classes; c++) {
        const int32_t name = ps_class_name(&s->g, c);
        const double price = s->price[name] + length * (often[c] - 1);
        s->price[name] = price > 0 ? price : 0;
    }
}

/* Better multipliers for walks that remember: steps as in ps_lower_bound, along the mean of a few of the best walks. */
static int ps_price_routes(ps_search *s, ptrdiff_t width, int steps)
{
    double *often = malloc((size_t)s->g.classes * sizeof(double)), best = INFINITY, theta = 1.0;
    int status = often ? PS_OPEN : PS_NO_MEMORY;
    for (int step = 0; status == PS_OPEN && step <= steps; step++) {
        ps_side side;
        if (!ps_make_side(&side, s, step % 2)) {
            status = PS_NO_MEMORY;
            break;
        }
        s->iterations++;
        status = ps_pass(s, &side, NULL, s->memory, width);
        const int whole = status == PS_OPEN && side.dropped <= ps_level(s);
        if (whole) {
            const double bound = ps_offer_last(s, &side);
            s->routed |= bound <= s->bound;
            ps_bound(s, bound);
            if (bound <= ps_level(s))
                status = ps_write_down(s) ? PS_PROVED : PS_NO_MEMORY;
            else if (ps_learn(s, &side, often) < 0)
                status = PS_NO_MEMORY;
            if (bound < best) {
                best = bound;
                memcpy(s->best_price, s->price, (size_t)s->given.classes * sizeof(double));
            } else
                theta *= 0.7;
            if (status == PS_OPEN)
                ps_step(s, often, theta * (bound - ps_incumbent(s)));
        }
        ps_free_side(&side);
        if (!whole)
            break;
        if (status == PS_OPEN)
            ps_both_tables(s);
    }
    free(often);
    if (status == PS_OPEN && best < INFINITY) {
        memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
        ps_both_tables(s);
    }
    return status;
}

/* Passes from either end in turn, each completing the labels of the next, while what must be remembered grows by the cycles of the
 * best walks (decremental state space: Righini, Salani 2008); the last pass remembers everything. PS_OPEN when a layer grew
 * beyond `width`. */
static int ps_routes(ps_search *s, ptrdiff_t width)
{
    if (!s->g.into) { /* nothing was ruled out so far, but passes from the end read the transpose */
        for (ptrdiff_t v = 0; v < s->g.n; v++)
            s->listed[v] = (int32_t)v;
        if (!ps_shrink(s, s->listed, s->g.n))
            return PS_NO_MEMORY;
        ps_both_tables(s);
    }
    if (!s->memory) {
        s->words = (s->g.classes + 63) / 64;
        s->memory = calloc((size_t)(s->g.n * s->words), sizeof(uint64_t));
        if (!s->memory)
            return PS_NO_MEMORY;
    }
    int status = ps_price_routes(s, width, 70), cyclic = 1;
    ps_side old, side;
    memset(&old, 0, sizeof old);
    for (int pass = 0; status == PS_OPEN && cyclic > 0 && pass < 12; pass++) {
        if (!ps_make_side(&side, s, pass % 2 == 0)) {
            status = PS_NO_MEMORY;
            break;
        }
        status = ps_pass(s, &side, pass ? &old : NULL, s->memory, width);
        ps_free_side(&old);
        old = side;
        if (status != PS_OPEN || old.dropped > ps_level(s))
            break;
        if (ps_offer_last(s, &old) <= ps_level(s)) {
            s->routed = 0; /* one pass alone, from either end, may not show it: the proof must remember everything */
            status = ps_write_down(s) ? PS_PROVED : PS_NO_MEMORY;
            break;
        }
        cyclic = ps_learn(s, &old, NULL);
        if (cyclic < 0)
            status = PS_NO_MEMORY;
    }
    if (status == PS_OPEN && old.layer && old.dropped <= ps_level(s))
        status = ps_beam(s, &old, width);
    ps_free_side(&old);
    return status;
}

#endif
