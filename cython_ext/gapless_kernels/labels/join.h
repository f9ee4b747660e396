/* Labels from the source and labels from the sink, joined over an arc: the cheapest pairs. */
#ifndef GAPLESS_LABELS_JOIN_H
#define GAPLESS_LABELS_JOIN_H

#include "labels/side.h"

#define LB_STEPS_OF_SORTING 16  /* of each label */
#define LB_JOINED_AFTER_STOP 16 /* labels of a bin that are still joined after the pulse stopped a search */

/* The undominated labels of each vertex, cheapest first. */
typedef struct {
    lb_entry *label;
    int32_t *first;
    array_owner owner;
} lb_order;

typedef struct {
    double cost;
    int32_t prefix, arc, suffix;
} lb_pair;

static int lb_cheaper_entry(const void *a, const void *b)
{
    const lb_entry *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

/* Sort the labels with the main resource in slices `from` to `to` - 1; of each bin the `limit` cheapest at
 * most. */
static int lb_order_side(lb_order *o, const lb_side *s, ptrdiff_t from, ptrdiff_t to, int32_t limit)
{
    const lb_model *m = s->m;
    ptrdiff_t count = 0;
    free_arrays(&o->owner);
    o->label = own_array(&o->owner, s->count, sizeof(lb_entry));
    o->first = own_array(&o->owner, m->n + 1, sizeof(int32_t));
    if (o->owner.failed)
        return LB_NO_MEMORY;
    for (ptrdiff_t v = 0; v < m->n; v++) {
        o->first[v] = (int32_t)count;
        for (ptrdiff_t b = 0; b < LB_BINS; b++)
            for (int32_t i = 0; i < s->bin[v * LB_BINS + b].count && i < limit; i++) {
                const lb_entry *e = s->bin[v * LB_BINS + b].entry + i;
                const ptrdiff_t k = lb_slice(m, s->back ? -e->main : e->main);
                if (from <= k && k < to)
                    o->label[count++] = *e;
            }
        qsort(o->label + o->first[v], (size_t)(count - o->first[v]), sizeof(lb_entry), lb_cheaper_entry);
        if (lb_must_stop(m, LB_STEPS_OF_SORTING * (count - o->first[v])))
            return LB_STOPPED;
    }
    o->first[m->n] = (int32_t)count;
    return LB_COMPLETE;
}

/* Compute the cost of the route that joins two labels over an arc. Infinite if they do not fit, or it is
 * not below `limit`.
 *
 * A user's resources are extended to the head of the arc only: unless that is the sink, the cost is a
 * lower bound. */
static double lb_join_cost(const lb_side *f, const lb_side *b, ptrdiff_t x, ptrdiff_t a, ptrdiff_t y,
                           double limit)
{
    const lb_model *m = f->m;
    const ptrdiff_t w = m->head[a], words = m->words, c = m->kind[a];
    const uint64_t *prefix_set = f->set + x * 2 * words, *suffix_set = b->set + y * 2 * words;
    for (ptrdiff_t i = 0; i < words; i++)
        if (prefix_set[i] & suffix_set[i])
            return INFINITY;
    const double *used = f->used + x * m->resources, *suffix_used = b->used + y * m->resources;
    for (ptrdiff_t r = 0; r < m->resources; r++) {
        const double sum = used[r] + m->use[r * m->m + a], low = f->floor[r * m->n + w];
        if ((sum > low ? sum : low) > -suffix_used[r])
            return INFINITY;
    }
    const int32_t state = f->label[x].state, next = m->next_states[c * m->states + state];
    if (next < 0 || !m->simulates[next * m->states + b->label[y].state])
        return INFINITY;
    double cost = f->label[x].cost + m->cost[a] + m->step_costs[c * m->states + state] + b->label[y].cost;
    const uint8_t *p = f->row + x * m->rows, *q = b->row + y * m->rows;
    lb_user_resources *o = m->user;
    for (ptrdiff_t i = 0; i < m->rows && cost + o->min_cost < limit; i++)
        if ((unsigned)p[i] + q[i] >= m->wrap[i])
            cost += m->charge[i];
    if (!(cost + o->min_cost < limit)) /* a user's cost may be negative, but not less than `min_cost` */
        return INFINITY;
    return o->count && !lb_extend_user_states(o, (int32_t)a, f->user_state + x * o->size, o->workspace, &cost)
               ? INFINITY
               : cost;
}

/* The largest mirrored main resource that a label from the sink can have to follow label x over an arc. */
static double lb_latest_arrival(const lb_side *f, const lb_entry *x, ptrdiff_t a)
{
    const double to = x->main + f->m->use[a], low = f->floor[f->m->head[a]];
    return to > low ? -to : -low;
}

/* The cheapest pairs: a heap with the costliest on top. */
typedef struct {
    lb_pair *pair;
    ptrdiff_t count, capacity;
} lb_heap;

static void lb_sift(lb_heap *h, ptrdiff_t i)
{
    for (;;) {
        ptrdiff_t top = 2 * i + 1;
        if (top >= h->count)
            return;
        if (top + 1 < h->count && h->pair[top + 1].cost > h->pair[top].cost)
            top++;
        if (h->pair[i].cost >= h->pair[top].cost)
            return;
        const lb_pair pair = h->pair[i];
        h->pair[i] = h->pair[top];
        h->pair[top] = pair;
        i = top;
    }
}

static void lb_offer(lb_heap *h, lb_pair pair)
{
    if (h->count == h->capacity) {
        h->pair[0] = pair;
        lb_sift(h, 0);
        return;
    }
    ptrdiff_t i = h->count++;
    h->pair[i] = pair;
    for (; i > 0 && h->pair[(i - 1) / 2].cost < h->pair[i].cost; i = (i - 1) / 2) {
        const lb_pair other = h->pair[i];
        h->pair[i] = h->pair[(i - 1) / 2];
        h->pair[(i - 1) / 2] = other;
    }
}

/* The cost that the next pair must undercut. */
static double lb_pair_limit(const lb_model *m, const lb_heap *h)
{
    return h->count < h->capacity ? m->below + m->rounding : h->pair[0].cost;
}

/* Collect the pairs over an arc that cost less than `cut`, until the heap is full and lowers it. 1 if the
 * pulse stopped the search.
 *
 * Labels from the source are extended up to slice `first_unextended` only. An arc that arrives before it
 * would join pairs that another arc of the same route joins, too; arcs into the sink join all. */
static int lb_join_over_arc(const lb_side *f, const lb_order *fo, const lb_side *b, const lb_order *bo,
                            ptrdiff_t a, ptrdiff_t first_unextended, double cut, lb_heap *h)
{
    const lb_model *m = f->m;
    const ptrdiff_t u = m->tail[a], w = m->head[a];
    const double arc_cost = lb_arc_cost(m, a);
    const int32_t first = bo->first[w], end = bo->first[w + 1];
    for (int32_t i = fo->first[u]; i < fo->first[u + 1] && first < end; i++) {
        const double so_far = fo->label[i].cost + arc_cost;
        if (so_far + bo->label[first].cost >= cut)
            break;
        const double latest = lb_latest_arrival(f, fo->label + i, a);
        if (w != m->sink && lb_slice(m, -latest) < first_unextended)
            continue;
        const uint64_t visited = fo->label[i].visited;
        const lb_entry *y = bo->label + first;
        for (; y < bo->label + end && so_far + y->cost < cut; y++) {
            if (y->main > latest || (y->visited & visited))
                continue;
            const double cost = lb_join_cost(f, b, fo->label[i].label, a, y->label, cut);
            if (cost < cut) {
                lb_offer(h, (lb_pair){cost, fo->label[i].label, (int32_t)a, y->label});
                cut = lb_pair_limit(m, h);
            }
        }
        if (lb_must_stop(m, 1 + (y - bo->label - first)))
            return 1;
    }
    return 0;
}

/* Lower `best` to the least cost of a pair over an arc. 1 if the pulse stopped the search. */
static int lb_best_pair(const lb_side *f, const lb_order *fo, const lb_side *b, const lb_order *bo,
                        ptrdiff_t a, double *best)
{
    lb_pair pair;
    lb_heap heap = {&pair, 0, 1};
    if (lb_join_over_arc(f, fo, b, bo, a, 0, *best, &heap))
        return 1;
    if (heap.count)
        *best = pair.cost;
    return 0;
}

/* Collect the cheapest pairs below the threshold, arc by arc in the order of their bounds. */
static int lb_cheapest_pairs(const lb_side *f, const lb_order *fo, const lb_side *b, const lb_order *bo,
                             ptrdiff_t first_unextended, lb_heap *h)
{
    const lb_model *m = f->m;
    lb_arc_price *arcs = malloc((size_t)(m->m + 1) * sizeof(lb_arc_price));
    ptrdiff_t count = 0;
    int status = LB_COMPLETE;
    if (!arcs)
        return LB_NO_MEMORY;
    for (ptrdiff_t a = 0; a < m->m; a++) {
        const ptrdiff_t u = m->tail[a], w = m->head[a];
        if (m->cost[a] < INFINITY && fo->first[u] < fo->first[u + 1] && bo->first[w] < bo->first[w + 1]) {
            const double minimum =
                fo->label[fo->first[u]].cost + lb_arc_cost(m, a) + bo->label[bo->first[w]].cost;
            if (minimum < m->below + m->rounding)
                arcs[count++] = (lb_arc_price){minimum, (int32_t)a};
        }
    }
    qsort(arcs, (size_t)count, sizeof(lb_arc_price), lb_cheaper);
    for (ptrdiff_t k = 0; k < count && status == LB_COMPLETE; k++) {
        const double cut = lb_pair_limit(m, h);
        if (arcs[k].cost >= cut)
            break;
        if (lb_join_over_arc(f, fo, b, bo, arcs[k].arc, first_unextended, cut, h))
            status = LB_STOPPED;
        if (m->user->fault.kind)
            status = LB_FAULT;
    }
    free(arcs);
    return status;
}

#endif
