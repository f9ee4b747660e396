/* Searches over labels: the cheapest routes, the cheapest route through each arc, all routes below a cost. */
#ifndef GAPLESS_LABELS_SEARCH_H
#define GAPLESS_LABELS_SEARCH_H

#include "labels/join.h"

typedef struct {
    int32_t *arcs;
    int64_t *first;
    double *cost;
    ptrdiff_t count, room, used, arc_room;
} lb_routes;

static void lb_close_routes(lb_routes *t)
{
    free(t->arcs);
    free(t->first);
    free(t->cost);
    memset(t, 0, sizeof *t);
}

/* What a route costs, summed from the source on; infinite where the resources do not allow it. `seen`, `used` and `row` are room
 * for a label. */
static double lb_price(const lb_model *m, const int32_t *arcs, ptrdiff_t count, uint64_t *seen, double *used, uint8_t *row)
{
    int32_t v = m->source, state = m->begin;
    double cost = 0;
    memset(seen, 0, (size_t)m->words * sizeof(uint64_t));
    seen[v >> 6] |= (uint64_t)1 << (v & 63) & m->memory[v * m->words + (v >> 6)];
    memcpy(used, m->start, (size_t)m->resources * sizeof(double));
    const double *own = m->owns->start;
    for (ptrdiff_t i = 0; i < m->rows; i++)
        row[i] = m->rise[v * m->rows + i];
    for (ptrdiff_t r = 0; r < m->resources; r++)
        if (used[r] > m->upper[r * m->n + v])
            return INFINITY;
    for (ptrdiff_t j = 0; j < count; j++) {
        const ptrdiff_t a = arcs[j], w = m->head[a], at = m->kind[a] * m->states + state;
        if (m->tail[a] != v || v == m->sink || w == m->source || lb_bit(seen, w) || m->after[at] < 0)
            return INFINITY;
        cost += m->cost[a];
        for (ptrdiff_t r = 0; r < m->resources; r++) {
            used[r] = fmax(used[r] + m->use[r * m->m + a], m->lower[r * m->n + w]);
            if (used[r] > m->upper[r * m->n + w])
                return INFINITY;
        }
        for (ptrdiff_t x = 0; x < m->words; x++)
            seen[x] &= m->memory[w * m->words + x];
        seen[w >> 6] |= (uint64_t)1 << (w & 63) & m->memory[w * m->words + (w >> 6)];
        for (ptrdiff_t i = 0; i < m->rows; i++) {
            unsigned sum = (unsigned)(row[i] & m->stay[w * m->rows + i]) + m->rise[w * m->rows + i];
            if (sum >= m->wrap[i]) {
                sum -= m->wrap[i];
                cost += m->charge[i];
            }
            row[i] = (uint8_t)sum;
        }
        if (m->owns->count) {
            double *next = m->owns->room + (own == m->owns->room ? m->owns->size : 0);
            if (!lb_move(m->owns, (int32_t)a, own, next, &cost))
                return INFINITY;
            own = next;
        }
        cost += m->toll[at];
        state = m->after[at];
        v = (int32_t)w;
    }
    return v == m->sink ? cost + m->ending[state] : INFINITY;
}

static int lb_reserve(lb_routes *t, ptrdiff_t arcs)
{
    if (t->count + 2 > t->room) {
        const ptrdiff_t room = 2 * t->room + 64;
        int64_t *first = realloc(t->first, (size_t)room * sizeof(int64_t));
        if (first)
            t->first = first;
        double *cost = realloc(t->cost, (size_t)room * sizeof(double));
        if (cost)
            t->cost = cost;
        if (!first || !cost)
            return 0;
        t->first[0] = 0;
        t->room = room;
    }
    if (t->used + arcs > t->arc_room) {
        const ptrdiff_t room = 2 * (t->used + arcs) + 256;
        int32_t *grown = realloc(t->arcs, (size_t)room * sizeof(int32_t));
        if (!grown)
            return 0;
        t->arcs = grown;
        t->arc_room = room;
    }
    return 1;
}

/* Write down the route of two labels; its cost is summed anew. The free place of `f` is room to do so. */
static int lb_write(lb_side *f, const lb_side *b, lb_pair pair, lb_routes *t)
{
    ptrdiff_t before = 0, all = 1;
    for (int32_t x = pair.before; f->label[x].parent >= 0; x = f->label[x].parent)
        before++;
    for (int32_t y = pair.after; b->label[y].parent >= 0; y = b->label[y].parent)
        all++;
    all += before;
    if (!lb_reserve(t, all))
        return 0;
    int32_t *arcs = t->arcs + t->used;
    ptrdiff_t at = before;
    for (int32_t x = pair.before; f->label[x].parent >= 0; x = f->label[x].parent)
        arcs[--at] = f->label[x].arc;
    arcs[before] = pair.arc;
    at = before + 1;
    for (int32_t y = pair.after; b->label[y].parent >= 0; y = b->label[y].parent)
        arcs[at++] = b->label[y].arc;
    const lb_model *m = f->m;
    t->cost[t->count] = lb_price(m, arcs, all, f->set + f->count * 2 * m->words, f->used + f->count * m->resources,
                                 f->row + f->count * m->rows);
    t->used += all;
    t->first[++t->count] = t->used;
    return 1;
}

typedef struct {
    lb_model *m;
    lb_grid grid;
    lb_side f, b;
    lb_order fo, bo;
    double relaxed; /* bound of the relaxed pass */
} lb_search;

static void lb_close_search(lb_search *s)
{
    lb_close_order(&s->fo);
    lb_close_order(&s->bo);
    lb_close_side(&s->f);
    lb_close_side(&s->b);
    lb_close_grid(&s->grid);
    lb_close_model(s->m);
}

/* The pass from the source, too; labels of both sides are bounded from now on. */
static int lb_bound(lb_search *s)
{
    int status = lb_fill(s->m, &s->grid, 0, s->b.first, s->b.arcs);
    if (status == LB_COMPLETE)
        status = lb_fill_through(s->m, &s->grid);
    if (status == LB_COMPLETE
        && !(lb_bound_side(&s->f, &s->grid, s->grid.after) && lb_bound_side(&s->b, &s->grid, s->grid.before)))
        status = LB_NO_MEMORY;
    return status;
}

/* Labels at both ends. `memory` is what the labels from the source remember; those from the sink remember the model's. */
static int lb_open_search(lb_search *s, lb_model *m, const uint64_t *memory)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    s->relaxed = -INFINITY;
    if (!lb_open_model(m) || !lb_open_side(&s->f, m, 0, memory) || !lb_open_side(&s->b, m, 1, m->memory))
        return LB_NO_MEMORY;
    if (m->bounded) {
        int status = lb_open_grid(m, &s->grid) ? lb_fill(m, &s->grid, 1, s->f.first, s->f.arcs) : LB_NO_MEMORY;
        if (status != LB_COMPLETE)
            return status;
        if (s->grid.low[m->source] <= s->grid.high[m->source])
            s->relaxed = s->grid.after[s->grid.at[m->source] + s->grid.low[m->source]].best - m->slack;
        if (m->below < INFINITY && (status = lb_bound(s)) != LB_COMPLETE)
            return status;
    }
    return lb_root(&s->f) && lb_root(&s->b) ? LB_COMPLETE : LB_NO_MEMORY;
}

/* The direction with fewer labels goes on, until both meet; states of a user's own go from the source to the sink. */
static int lb_meet(lb_search *s)
{
    const int one_way = s->m->owns->count > 0;
    int status = LB_COMPLETE;
    while (status == LB_COMPLETE && (s->f.done == 0 || s->f.done + s->b.done < s->m->steps))
        status = lb_advance(one_way || s->f.done == 0 || s->f.count <= s->b.count ? &s->f : &s->b);
    return status;
}

/* Both orders; from the source, of labels in slices before `split`. */
static int lb_open_orders(lb_search *s, ptrdiff_t split, int32_t most)
{
    lb_close_order(&s->fo);
    lb_close_order(&s->bo);
    const int status = lb_open_order(&s->fo, &s->f, 0, split, most);
    return status == LB_COMPLETE ? lb_open_order(&s->bo, &s->b, 0, s->m->steps, most) : status;
}

/* Drop all labels; where they have filled the memory, it is given back. 0 when there is none. */
static int lb_begin_again(lb_search *s, int full)
{
    lb_close_order(&s->fo);
    lb_close_order(&s->bo);
    for (lb_side *side = &s->f;; side = &s->b) {
        const lb_side old = *side;
        if (!full)
            lb_clear_side(side);
        else {
            lb_close_side(side);
            if (!lb_open_side(side, s->m, old.back, old.memory) || (old.rest && !lb_bound_side(side, old.grid, old.rest)))
                return 0;
            side->made = old.made;
        }
        if (!lb_root(side))
            return 0;
        if (side == &s->b)
            return 1;
    }
}

/* A look with few labels at what is below the threshold: when it has as many routes as are wanted, `dearest` is what the last of
 * them costs. */
static int lb_glance(lb_search *s, ptrdiff_t most, double *dearest)
{
    lb_model *m = s->m;
    const int loose = m->loose;
    m->loose = 1;
    int status = lb_meet(s);
    m->loose = loose;
    const int full = status == LB_FULL;
    if (status == LB_COMPLETE) {
        lb_heap heap = {malloc((size_t)(most + 1) * sizeof(lb_pair)), 0, most};
        status = heap.pair ? lb_open_orders(s, s->f.done, INT32_MAX) : LB_NO_MEMORY;
        if (status == LB_COMPLETE)
            status = lb_pairs(&s->f, &s->fo, &s->b, &s->bo, s->f.done, &heap);
        if (status == LB_COMPLETE && heap.count == most)
            *dearest = heap.pair[0].cost;
        free(heap.pair);
    }
    if (status != LB_COMPLETE && !full)
        return status;
    return lb_begin_again(s, full) ? LB_COMPLETE : LB_NO_MEMORY;
}

/* Look for a threshold below which there are as many routes as are wanted: first near the bound, then further away. */
static int lb_look(lb_search *s, ptrdiff_t most)
{
    static const double near[] = {0.2, 0.35, 0.6, INFINITY};
    lb_model *m = s->m;
    const double below = m->below;
    double dearest = INFINITY;
    int status = s->f.rest ? LB_COMPLETE : lb_bound(s);
    for (int i = 0; status == LB_COMPLETE && dearest == INFINITY; i++) {
        const double guess = near[i] < INFINITY ? s->relaxed + near[i] * fabs(s->relaxed) : INFINITY;
        const int last = !(guess < below);
        if (last && m->loose) /* the search itself is such a look */
            break;
        m->below = last ? below : guess;
        status = lb_glance(s, most, &dearest);
        if (last)
            break;
    }
    m->below = fmin(below, nextafter(dearest + 2 * m->slack, INFINITY)); /* above it where all costs are 0, too */
    return status;
}

/* The cheapest routes below the threshold, at most `most`. */
static int lb_find(lb_search *s, ptrdiff_t most, lb_routes *t, double *bound)
{
    const lb_model *m = s->m;
    const double below = m->below;
    int status = LB_COMPLETE;
    *bound = s->relaxed;
    if (s->relaxed >= below)
        return lb_reserve(t, 0) ? LB_COMPLETE : LB_NO_MEMORY;
    /* Pairs may be one route in several states of the automaton: they do not count as several. */
    if (m->bounded && (m->states == 1 || most == 1))
        status = lb_look(s, most);
    if (status == LB_COMPLETE)
        status = lb_meet(s);
    if (status == LB_FAULT)
        return status;
    if (status == LB_NO_MEMORY || !lb_reserve(t, 0))
        return LB_NO_MEMORY;
    /* Cut short, every pair that fits is a route, but the best may not be among them. */
    ptrdiff_t split = status == LB_COMPLETE ? s->f.done : 0;
    int ordered = LB_STOPPED;
    if (status != LB_STOPPED)
        ordered = lb_open_orders(s, status == LB_COMPLETE ? split : m->steps, INT32_MAX);
    if (ordered == LB_STOPPED) {
        split = 0;
        status = LB_STOPPED;
        ordered = lb_open_orders(s, m->steps, LB_JOINED_AT_STOP);
    }
    if (ordered != LB_COMPLETE)
        return ordered;
    lb_heap heap = {malloc((size_t)(most + 1) * sizeof(lb_pair)), 0, most};
    if (!heap.pair)
        return LB_NO_MEMORY;
    const int joined = lb_pairs(&s->f, &s->fo, &s->b, &s->bo, split, &heap);
    double best = INFINITY;
    int fine = joined != LB_NO_MEMORY;
    for (ptrdiff_t i = 0; fine && i < heap.count; i++) {
        best = fmin(best, heap.pair[i].cost);
        fine = lb_write(&s->f, &s->b, heap.pair[i], t);
        if (fine && !(t->cost[t->count - 1] < below)) /* by a rounding */
            t->used = t->first[--t->count];
    }
    free(heap.pair);
    if (!fine)
        return LB_NO_MEMORY;
    if (status == LB_COMPLETE)
        status = joined;
    if (status == LB_COMPLETE && !m->loose)
        *bound = fmax(*bound, best < INFINITY ? fmin(best - m->slack, m->below) : m->below);
    return status;
}

/* The cost of the cheapest route through each arc; the threshold where that is no less. */
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
    status = lb_open_orders(s, m->steps, INT32_MAX);
    if (status != LB_COMPLETE)
        return status;
    for (ptrdiff_t a = 0; a < m->m; a++)
        if (m->cost[a] < INFINITY && lb_best_pair(&s->f, &s->fo, &s->b, &s->bo, a, cost + a))
            return LB_STOPPED;
    return m->owns->fault.what ? LB_FAULT : LB_COMPLETE;
}

/* Whether a label from the source, extended along an arc, has a rest below the threshold; the first rest that fits. `looked` counts
 * the rests. */
static int lb_completes(const lb_search *s, ptrdiff_t x, ptrdiff_t a, ptrdiff_t *looked)
{
    const lb_model *m = s->m;
    const double so_far = s->f.label[x].cost + lb_arc_cost(m, a), most = m->below + m->slack;
    const int32_t w = m->head[a];
    for (int32_t j = s->bo.first[w]; j < s->bo.first[w + 1] && so_far + s->bo.label[j].cost < most; j++, ++*looked)
        if (lb_joined(&s->f, &s->b, x, a, s->bo.label[j].at, most) < most)
            return 1;
    return 0;
}

/* All routes below the threshold, at most `most`: depth first, into what labels from the sink complete. The labels of `f` are
 * the stack. */
static int lb_enumerate(lb_search *s, ptrdiff_t most, lb_routes *t, double *bound)
{
    const lb_model *m = s->m;
    lb_side *f = &s->f;
    int status = LB_COMPLETE;
    *bound = s->relaxed;
    if (!lb_reserve(t, 0))
        return LB_NO_MEMORY;
    if (s->relaxed >= m->below || f->count == 0) {
        *bound = fmax(s->relaxed, m->below);
        return LB_COMPLETE;
    }
    while (status == LB_COMPLETE && s->b.done < m->steps)
        status = lb_advance(&s->b);
    if (status != LB_COMPLETE)
        return status;
    status = lb_open_order(&s->bo, &s->b, 0, m->steps, INT32_MAX);
    if (status != LB_COMPLETE)
        return status;
    int32_t *next = malloc(64 * sizeof(int32_t)), *path = malloc(64 * sizeof(int32_t));
    ptrdiff_t room = next && path ? 64 : 0, depth = 0;
    if (room)
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
        ptrdiff_t looked = 16;
        const int completes = lb_completes(s, depth, a, &looked);
        if (lb_must_stop(m, looked)) {
            status = LB_STOPPED;
            break;
        }
        if (!completes)
            continue;
        path[depth] = a;
        if (m->head[a] == m->sink) {
            if (!lb_reserve(t, depth + 1)) {
                status = LB_NO_MEMORY;
                break;
            }
            memcpy(t->arcs + t->used, path, (size_t)(depth + 1) * sizeof(int32_t));
            const ptrdiff_t free_place = f->count;
            const double cost = lb_price(m, path, depth + 1, f->set + free_place * 2 * m->words,
                                         f->used + free_place * m->resources, f->row + free_place * m->rows);
            if (!(cost < m->below))
                continue;
            if (t->count == most) {
                status = LB_FULL;
                break;
            }
            t->cost[t->count] = cost;
            t->used += depth + 1;
            t->first[++t->count] = t->used;
            continue;
        }
        const ptrdiff_t kind = m->kind[a] * m->states + f->label[depth].state;
        if (!lb_extended(f, depth, a))
            continue;
        f->label[f->count].cost += m->toll[kind];
        f->label[f->count].state = m->after[kind];
        depth++;
        f->count = depth + 1;
        if (depth + 1 >= room) {
            room *= 2;
            int32_t *more = realloc(next, (size_t)room * sizeof(int32_t));
            if (more)
                next = more;
            int32_t *longer = realloc(path, (size_t)room * sizeof(int32_t));
            if (longer)
                path = longer;
            if (!more || !longer)
                status = LB_NO_MEMORY;
        }
        if (status == LB_COMPLETE && !lb_room(f))
            status = LB_NO_MEMORY;
        next[depth] = f->first[m->head[a]];
    }
    free(next);
    free(path);
    if (m->owns->fault.what)
        status = LB_FAULT;
    if (status == LB_COMPLETE)
        *bound = fmax(s->relaxed, m->below);
    return status;
}

#endif
