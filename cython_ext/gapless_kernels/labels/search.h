/* Searches over labels: the cheapest routes, the cheapest route through each arc, all routes below a cost.
 *
 * The headers of label setting form one translation unit, each on top of the one before: user_state.h,
 * model.h, grid.h, side.h, join.h, search.h. windows.h stands alone. */
#ifndef GAPLESS_LABELS_SEARCH_H
#define GAPLESS_LABELS_SEARCH_H

#include "labels/join.h"

typedef struct {
    int32_t *arcs;
    int64_t *first;
    double *cost;
    ptrdiff_t count, capacity, used, arc_capacity;
} lb_routes;

static void lb_close_routes(lb_routes *t)
{
    free(t->arcs);
    free(t->first);
    free(t->cost);
    memset(t, 0, sizeof *t);
}

/* Compute the cost of a route, summed from the source on; infinite if it breaks a resource. `visited`,
 * `used` and `row` are workspace for one label. */
static double lb_price(const lb_model *m, const int32_t *arcs, ptrdiff_t count, uint64_t *visited,
                       double *used, uint8_t *row)
{
    int32_t v = m->source, state = m->begin;
    double cost = 0;
    memset(visited, 0, (size_t)m->words * sizeof(uint64_t));
    visited[v >> 6] |= (uint64_t)1 << (v & 63) & m->memory[v * m->words + (v >> 6)];
    memcpy(used, m->start, (size_t)m->resources * sizeof(double));
    const double *state_numbers = m->user->start;
    for (ptrdiff_t i = 0; i < m->rows; i++)
        row[i] = m->rise[v * m->rows + i];
    for (ptrdiff_t r = 0; r < m->resources; r++)
        if (used[r] > m->upper[r * m->n + v])
            return INFINITY;
    for (ptrdiff_t j = 0; j < count; j++) {
        const ptrdiff_t a = arcs[j], w = m->head[a], step = m->kind[a] * m->states + state;
        if (m->tail[a] != v || v == m->sink || w == m->source || lb_bit(visited, w)
            || m->next_states[step] < 0)
            return INFINITY;
        cost += m->cost[a];
        for (ptrdiff_t r = 0; r < m->resources; r++) {
            used[r] = fmax(used[r] + m->use[r * m->m + a], m->lower[r * m->n + w]);
            if (used[r] > m->upper[r * m->n + w])
                return INFINITY;
        }
        for (ptrdiff_t x = 0; x < m->words; x++)
            visited[x] &= m->memory[w * m->words + x];
        visited[w >> 6] |= (uint64_t)1 << (w & 63) & m->memory[w * m->words + (w >> 6)];
        for (ptrdiff_t i = 0; i < m->rows; i++) {
            unsigned sum = (unsigned)(row[i] & m->stay[w * m->rows + i]) + m->rise[w * m->rows + i];
            if (sum >= m->wrap[i]) {
                sum -= m->wrap[i];
                cost += m->charge[i];
            }
            row[i] = (uint8_t)sum;
        }
        if (m->user->count) {
            double *next = m->user->workspace + (state_numbers == m->user->workspace ? m->user->size : 0);
            if (!lb_extend_user_states(m->user, (int32_t)a, state_numbers, next, &cost))
                return INFINITY;
            state_numbers = next;
        }
        cost += m->step_costs[step];
        state = m->next_states[step];
        v = (int32_t)w;
    }
    return v == m->sink ? cost + m->final_costs[state] : INFINITY;
}

/* Make room for one more route. 0 without memory. */
static int lb_reserve_route(lb_routes *t, ptrdiff_t arcs)
{
    if (t->count + 2 > t->capacity) {
        const ptrdiff_t capacity = 2 * t->capacity + 64;
        if (!array_resize(&t->first, capacity, sizeof(int64_t))
            || !array_resize(&t->cost, capacity, sizeof(double)))
            return 0;
        t->first[0] = 0;
        t->capacity = capacity;
    }
    return array_grow(&t->arcs, &t->arc_capacity, t->used + arcs, sizeof(int32_t));
}

/* Append the route of two labels, with its cost summed from the source on. The free slot of `f` serves as
 * workspace. */
static int lb_record_route(lb_side *f, const lb_side *b, lb_pair pair, lb_routes *t)
{
    ptrdiff_t prefix_length = 0, length = 1;
    for (int32_t x = pair.prefix; f->label[x].parent >= 0; x = f->label[x].parent)
        prefix_length++;
    for (int32_t y = pair.suffix; b->label[y].parent >= 0; y = b->label[y].parent)
        length++;
    length += prefix_length;
    if (!lb_reserve_route(t, length))
        return 0;
    int32_t *arcs = t->arcs + t->used;
    ptrdiff_t index = prefix_length;
    for (int32_t x = pair.prefix; f->label[x].parent >= 0; x = f->label[x].parent)
        arcs[--index] = f->label[x].arc;
    arcs[prefix_length] = pair.arc;
    index = prefix_length + 1;
    for (int32_t y = pair.suffix; b->label[y].parent >= 0; y = b->label[y].parent)
        arcs[index++] = b->label[y].arc;
    const lb_model *m = f->m;
    t->cost[t->count] = lb_price(m, arcs, length, f->set + f->count * 2 * m->words,
                                 f->used + f->count * m->resources, f->row + f->count * m->rows);
    t->used += length;
    t->first[++t->count] = t->used;
    return 1;
}

typedef struct {
    lb_model *m;
    lb_grid grid;
    lb_side f, b;
    lb_order fo, bo;
    double relaxed; /* the bound of the relaxed pass on all routes; -infinity without one */
} lb_search;

static void lb_close_search(lb_search *s)
{
    free_arrays(&s->fo.owner);
    free_arrays(&s->bo.owner);
    lb_close_side(&s->f);
    lb_close_side(&s->b);
    free_arrays(&s->grid.owner);
    free_arrays(&s->m->owner);
}

/* Run the pass from the source, too, so that labels of both sides are bounded from now on. */
static int lb_bound(lb_search *s)
{
    int status = lb_fill(s->m, &s->grid, 0, s->b.first, s->b.arcs);
    if (status == LB_COMPLETE)
        status = lb_fill_through(s->m, &s->grid);
    if (status == LB_COMPLETE
        && !(lb_bound_side(&s->f, &s->grid, s->grid.to_sink)
             && lb_bound_side(&s->b, &s->grid, s->grid.from_source)))
        status = LB_NO_MEMORY;
    return status;
}

/* Create the first labels at both ends. Labels from the source remember `memory`, those from the sink the
 * model's. */
static int lb_open_search(lb_search *s, lb_model *m, const uint64_t *memory)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    s->relaxed = -INFINITY;
    if (!lb_open_model(m) || !lb_open_side(&s->f, m, 0, memory) || !lb_open_side(&s->b, m, 1, m->memory))
        return LB_NO_MEMORY;
    if (m->bounded) {
        int status =
            lb_open_grid(m, &s->grid) ? lb_fill(m, &s->grid, 1, s->f.first, s->f.arcs) : LB_NO_MEMORY;
        if (status != LB_COMPLETE)
            return status;
        if (s->grid.low[m->source] <= s->grid.high[m->source])
            s->relaxed =
                s->grid.to_sink[s->grid.offset[m->source] + s->grid.low[m->source]].best - m->rounding;
        if (m->below < INFINITY && (status = lb_bound(s)) != LB_COMPLETE)
            return status;
    }
    return lb_initial_labels(&s->f) && lb_initial_labels(&s->b) ? LB_COMPLETE : LB_NO_MEMORY;
}

/* Extend the direction with fewer labels, slice by slice, until both meet. With a user's resources, only
 * the source's side grows: their states cannot be extended backwards. */
static int lb_run_both_directions(lb_search *s)
{
    const int one_way = s->m->user->count > 0;
    int status = LB_COMPLETE;
    while (status == LB_COMPLETE && (s->f.done == 0 || s->f.done + s->b.done < s->m->steps))
        status = lb_advance(one_way || s->f.done == 0 || s->f.count <= s->b.count ? &s->f : &s->b);
    return status;
}

/* Sort the labels of both sides; from the source only those in slices before `first_unextended`. */
static int lb_order_sides(lb_search *s, ptrdiff_t first_unextended, int32_t limit)
{
    const int status = lb_order_side(&s->fo, &s->f, 0, first_unextended, limit);
    return status == LB_COMPLETE ? lb_order_side(&s->bo, &s->b, 0, s->m->steps, limit) : status;
}

/* Drop all labels, and free their memory if they have filled it. 0 without memory. */
static int lb_restart(lb_search *s, int full)
{
    free_arrays(&s->fo.owner);
    free_arrays(&s->bo.owner);
    for (lb_side *side = &s->f;; side = &s->b) {
        const lb_side old = *side;
        if (!full)
            lb_clear_side(side);
        else {
            lb_close_side(side);
            if (!lb_open_side(side, s->m, old.back, old.memory)
                || (old.completion && !lb_bound_side(side, old.grid, old.completion)))
                return 0;
            side->created = old.created;
        }
        if (!lb_initial_labels(side))
            return 0;
        if (side == &s->b)
            return 1;
    }
}

/* Search with few labels below the threshold. If it yields `limit` routes, `last_cost` becomes the cost of
 * the last of them. */
static int lb_heuristic_pass(lb_search *s, ptrdiff_t limit, double *last_cost)
{
    lb_model *m = s->m;
    const int heuristic = m->heuristic;
    m->heuristic = 1;
    int status = lb_run_both_directions(s);
    m->heuristic = heuristic;
    const int full = status == LB_FULL;
    if (status == LB_COMPLETE) {
        lb_heap heap = {malloc((size_t)(limit + 1) * sizeof(lb_pair)), 0, limit};
        status = heap.pair ? lb_order_sides(s, s->f.done, INT32_MAX) : LB_NO_MEMORY;
        if (status == LB_COMPLETE)
            status = lb_cheapest_pairs(&s->f, &s->fo, &s->b, &s->bo, s->f.done, &heap);
        if (status == LB_COMPLETE && heap.count == limit)
            *last_cost = heap.pair[0].cost;
        free(heap.pair);
    }
    if (status != LB_COMPLETE && !full)
        return status;
    return lb_restart(s, full) ? LB_COMPLETE : LB_NO_MEMORY;
}

/* Lower the threshold to a cost below which there are `limit` routes: first near the relaxed bound, then
 * further away. */
static int lb_find_threshold(lb_search *s, ptrdiff_t limit)
{
    static const double near[] = {0.2, 0.35, 0.6, INFINITY};
    lb_model *m = s->m;
    const double below = m->below;
    double last_cost = INFINITY;
    int status = s->f.completion ? LB_COMPLETE : lb_bound(s);
    for (int i = 0; status == LB_COMPLETE && last_cost == INFINITY; i++) {
        const double guess = near[i] < INFINITY ? s->relaxed + near[i] * fabs(s->relaxed) : INFINITY;
        const int last = !(guess < below);
        if (last && m->heuristic) /* the search itself is such a pass */
            break;
        m->below = last ? below : guess;
        status = lb_heuristic_pass(s, limit, &last_cost);
        if (last)
            break;
    }
    /* nextafter: if all costs are 0, so is `rounding`, and the threshold must still be above the last
     * cost. */
    m->below = fmin(below, nextafter(last_cost + 2 * m->rounding, INFINITY));
    return status;
}

/* Find the cheapest routes below the threshold, at most `limit`. */
static int lb_find(lb_search *s, ptrdiff_t limit, lb_routes *t, double *bound)
{
    const lb_model *m = s->m;
    const double below = m->below;
    int status = LB_COMPLETE;
    *bound = s->relaxed;
    if (s->relaxed >= below)
        return lb_reserve_route(t, 0) ? LB_COMPLETE : LB_NO_MEMORY;
    /* With several states, pairs may be the same route, so `limit` pairs do not show that there are
     * `limit` routes. */
    if (m->bounded && (m->states == 1 || limit == 1))
        status = lb_find_threshold(s, limit);
    if (status == LB_COMPLETE)
        status = lb_run_both_directions(s);
    if (status == LB_FAULT)
        return status;
    if (status == LB_NO_MEMORY || !lb_reserve_route(t, 0))
        return LB_NO_MEMORY;
    /* After an incomplete search every pair that fits is still a route, but the best may be missing. */
    ptrdiff_t first_unextended = status == LB_COMPLETE ? s->f.done : 0;
    int ordered = LB_STOPPED;
    if (status != LB_STOPPED)
        ordered = lb_order_sides(s, status == LB_COMPLETE ? first_unextended : m->steps, INT32_MAX);
    if (ordered == LB_STOPPED) {
        first_unextended = 0;
        status = LB_STOPPED;
        ordered = lb_order_sides(s, m->steps, LB_JOINED_AFTER_STOP);
    }
    if (ordered != LB_COMPLETE)
        return ordered;
    lb_heap heap = {malloc((size_t)(limit + 1) * sizeof(lb_pair)), 0, limit};
    if (!heap.pair)
        return LB_NO_MEMORY;
    const int joined = lb_cheapest_pairs(&s->f, &s->fo, &s->b, &s->bo, first_unextended, &heap);
    double best = INFINITY;
    int has_memory = joined != LB_NO_MEMORY;
    for (ptrdiff_t i = 0; has_memory && i < heap.count; i++) {
        best = fmin(best, heap.pair[i].cost);
        has_memory = lb_record_route(&s->f, &s->b, heap.pair[i], t);
        if (has_memory && !(t->cost[t->count - 1] < below)) /* the order of summation may decide */
            t->used = t->first[--t->count];
    }
    free(heap.pair);
    if (!has_memory)
        return LB_NO_MEMORY;
    if (status == LB_COMPLETE)
        status = joined;
    if (status == LB_COMPLETE && !m->heuristic)
        *bound = fmax(*bound, best < INFINITY ? fmin(best - m->rounding, m->below) : m->below);
    return status;
}

/* Compute the cost of the cheapest route through each arc; the threshold if it is not below. */
static int lb_through(lb_search *s, double *cost)
{
    const lb_model *m = s->m;
    int status = LB_COMPLETE;
    for (ptrdiff_t a = 0; a < m->m; a++)
        cost[a] = m->below;
    if (s->relaxed >= m->below)
        return LB_COMPLETE;
    while (status == LB_COMPLETE && s->f.done < m->steps)
        status = lb_advance(&s->f);
    while (status == LB_COMPLETE && s->b.done < m->steps)
        status = lb_advance(&s->b);
    if (status != LB_COMPLETE)
        return status;
    status = lb_order_sides(s, m->steps, INT32_MAX);
    if (status != LB_COMPLETE)
        return status;
    for (ptrdiff_t a = 0; a < m->m; a++)
        if (m->cost[a] < INFINITY && lb_best_pair(&s->f, &s->fo, &s->b, &s->bo, a, cost + a))
            return LB_STOPPED;
    return m->user->fault.kind ? LB_FAULT : LB_COMPLETE;
}

/* Whether label x, extended along an arc, has a completion below the threshold. Adds the number of
 * completions tried to `steps`. */
static int lb_completes(const lb_search *s, ptrdiff_t x, ptrdiff_t a, ptrdiff_t *steps)
{
    const lb_model *m = s->m;
    const double so_far = s->f.label[x].cost + lb_arc_cost(m, a), limit = m->below + m->rounding;
    const int32_t w = m->head[a];
    for (int32_t j = s->bo.first[w]; j < s->bo.first[w + 1] && so_far + s->bo.label[j].cost < limit;
         j++, ++*steps)
        if (lb_join_cost(&s->f, &s->b, x, a, s->bo.label[j].label, limit) < limit)
            return 1;
    return 0;
}

/* List all routes below the threshold, at most `limit`: depth first, where labels from the sink complete a
 * route. The labels of `f` are the stack. */
static int lb_enumerate(lb_search *s, ptrdiff_t limit, lb_routes *t, double *bound)
{
    const lb_model *m = s->m;
    lb_side *f = &s->f;
    int status = LB_COMPLETE;
    *bound = s->relaxed;
    if (!lb_reserve_route(t, 0))
        return LB_NO_MEMORY;
    if (s->relaxed >= m->below || f->count == 0) {
        *bound = fmax(s->relaxed, m->below);
        return LB_COMPLETE;
    }
    while (status == LB_COMPLETE && s->b.done < m->steps)
        status = lb_advance(&s->b);
    if (status != LB_COMPLETE)
        return status;
    status = lb_order_side(&s->bo, &s->b, 0, m->steps, INT32_MAX);
    if (status != LB_COMPLETE)
        return status;
    int32_t *next = malloc(64 * sizeof(int32_t)), *path = malloc(64 * sizeof(int32_t));
    ptrdiff_t capacity = next && path ? 64 : 0, depth = 0;
    if (capacity)
        next[0] = f->first[m->source];
    else
        status = LB_NO_MEMORY;
    f->count = 1;
    while (status == LB_COMPLETE && depth >= 0) {
        const int32_t v = f->label[depth].vertex;
        if (next[depth] == f->first[v + 1]) {
            f->count = depth--;
            continue;
        }
        const int32_t a = f->arcs[next[depth]++];
        ptrdiff_t steps = 16;
        const int completes = lb_completes(s, depth, a, &steps);
        if (lb_must_stop(m, steps)) {
            status = LB_STOPPED;
            break;
        }
        if (!completes)
            continue;
        path[depth] = a;
        if (m->head[a] == m->sink) {
            if (!lb_reserve_route(t, depth + 1)) {
                status = LB_NO_MEMORY;
                break;
            }
            memcpy(t->arcs + t->used, path, (size_t)(depth + 1) * sizeof(int32_t));
            const ptrdiff_t free_slot = f->count;
            const double cost = lb_price(m, path, depth + 1, f->set + free_slot * 2 * m->words,
                                         f->used + free_slot * m->resources, f->row + free_slot * m->rows);
            if (!(cost < m->below))
                continue;
            if (t->count == limit) {
                status = LB_FULL;
                break;
            }
            t->cost[t->count] = cost;
            t->used += depth + 1;
            t->first[++t->count] = t->used;
            continue;
        }
        const ptrdiff_t kind = m->kind[a] * m->states + f->label[depth].state;
        if (!lb_extend_into_free_slot(f, depth, a))
            continue;
        f->label[f->count].cost += m->step_costs[kind];
        f->label[f->count].state = m->next_states[kind];
        depth++;
        f->count = depth + 1;
        if (depth + 1 >= capacity) {
            capacity *= 2;
            if (!array_resize(&next, capacity, sizeof(int32_t))
                || !array_resize(&path, capacity, sizeof(int32_t)))
                status = LB_NO_MEMORY;
        }
        if (status == LB_COMPLETE && !lb_reserve_label(f))
            status = LB_NO_MEMORY;
        next[depth] = f->first[m->head[a]];
    }
    free(next);
    free(path);
    if (m->user->fault.kind)
        status = LB_FAULT;
    if (status == LB_COMPLETE)
        *bound = fmax(s->relaxed, m->below);
    return status;
}

#endif
