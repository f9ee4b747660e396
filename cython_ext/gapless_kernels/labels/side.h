/* The labels of one direction: extension, dominance, and the order in which labels are extended.
 *
 * From the sink everything is mirrored: a resource is minus the latest arrival that keeps the rest of the
 * route within its windows (Righini, Salani, Symmetry helps: bounded bi-directional dynamic programming
 * for the elementary shortest path problem with resource constraints, 2006). Less is then better in both
 * directions, so that one set of loops serves both. */
#ifndef GAPLESS_LABELS_SIDE_H
#define GAPLESS_LABELS_SIDE_H

#include "labels/grid.h"

#define LB_BINS 16
#define LB_HEURISTIC_BIN_SIZE 2 /* labels kept in a bin under heuristic dominance */

typedef struct {
    double cost;
    int32_t parent, arc, vertex, state;
    int dead;
} lb_label;

/* The part of a label that dominance reads first. */
typedef struct {
    double cost, main;
    uint64_t visited, closed; /* of the first 64 vertices */
    int32_t label;
} lb_entry;

typedef struct {
    lb_entry *entry; /* cheapest first */
    int32_t count, capacity;
} lb_bin;

typedef struct {
    int32_t *label;
    ptrdiff_t count, capacity;
} lb_list;

typedef struct {
    /* The direction, and the network as seen from it. */
    const lb_model *m;
    const uint64_t *memory;
    int back;
    int32_t *first, *arcs;
    double *floor, *ceiling, *begin; /* of resources and vertices, mirrored from the sink */
    /* Completion bounds; NULL before `lb_bound_side`. */
    const lb_grid *grid;
    const lb_cell *completion; /* cells of the other direction's pass */
    /* Labels: arrays of `capacity` slots, of which `count` are used and one more is free for the next
     * label. */
    lb_label *label;
    double *used;
    uint64_t *set; /* 2 * words for each label: visited vertices; those that are visited or out of reach */
    uint8_t *row;
    double *user_state;
    ptrdiff_t count, capacity;
    /* Undominated labels by vertex and bin of the main resource. */
    lb_bin *bin;
    double *width;    /* of the bins of a vertex */
    uint64_t *closed; /* vertices out of reach from each bin */
    /* Labels to extend, by slice; those of the first `done` slices have been extended. */
    lb_list *todo;
    ptrdiff_t done;
    ptrdiff_t created, compared; /* labels in all; labels compared in the last extension */
    double bytes;
    array_owner owner; /* of the arrays that do not grow */
} lb_side;

static void lb_close_side(lb_side *s)
{
    for (ptrdiff_t i = 0; s->bin && i < s->m->n * LB_BINS; i++)
        free(s->bin[i].entry);
    for (ptrdiff_t k = 0; s->todo && k < s->m->steps; k++)
        free(s->todo[k].label);
    free(s->label);
    free(s->used);
    free(s->set);
    free(s->row);
    free(s->user_state);
    free_arrays(&s->owner);
    memset(s, 0, sizeof *s);
}

/* Make room for one more label. 0 without memory; then each array keeps its labels. */
static int lb_reserve_label(lb_side *s)
{
    const lb_model *m = s->m;
    if (s->count + 1 < s->capacity)
        return 1;
    const ptrdiff_t capacity = 2 * s->capacity + 256;
    const size_t user_size = s->back ? 0 : (size_t)m->user->size * sizeof(double);
    const size_t used_size = (size_t)m->resources * sizeof(double);
    const size_t set_size = (size_t)m->words * 2 * sizeof(uint64_t);
    const size_t row_size = (size_t)m->rows;
    const size_t size = sizeof(lb_label) + used_size + set_size + row_size + user_size;
    if (!array_resize(&s->label, capacity, sizeof(lb_label)) || !array_resize(&s->used, capacity, used_size)
        || !array_resize(&s->set, capacity, set_size) || !array_resize(&s->row, capacity, row_size)
        || !array_resize(&s->user_state, capacity, user_size))
        return 0;
    s->bytes += (double)(capacity - s->capacity) * (double)size;
    s->capacity = capacity;
    return 1;
}

static ptrdiff_t lb_bin_of(const lb_side *s, ptrdiff_t v, double x)
{
    const double b = (x - s->floor[v]) / s->width[v];
    return b < 1 ? 0 : b < LB_BINS ? (ptrdiff_t)b : LB_BINS - 1;
}

/* List the arcs out of each vertex, or into it from the sink, without those of infinite cost. 0 without
 * memory. */
static int lb_list_arcs(lb_side *s)
{
    const lb_model *m = s->m;
    const int32_t *from = s->back ? m->head : m->tail;
    s->first = own_array(&s->owner, m->n + 2, sizeof(int32_t));
    s->arcs = own_array(&s->owner, m->m, sizeof(int32_t));
    if (s->owner.failed)
        return 0;
    for (ptrdiff_t a = 0; a < m->m; a++)
        if (m->cost[a] < INFINITY)
            s->first[from[a] + 2]++;
    for (ptrdiff_t v = 0; v < m->n; v++)
        s->first[v + 2] += s->first[v + 1];
    for (ptrdiff_t a = 0; a < m->m; a++)
        if (m->cost[a] < INFINITY)
            s->arcs[s->first[from[a] + 1]++] = (int32_t)a;
    return 1;
}

/* Bound labels by the cells from now on, and sort the arcs of each vertex by their bounds. 0 without
 * memory. */
static int lb_bound_side(lb_side *s, const lb_grid *grid, const lb_cell *completion)
{
    const lb_model *m = s->m;
    lb_arc_price *priced = malloc((size_t)(m->m + 1) * sizeof(lb_arc_price));
    if (!priced)
        return 0;
    for (ptrdiff_t v = 0; v < m->n; v++) {
        const ptrdiff_t begin = s->first[v], count = s->first[v + 1] - begin;
        for (ptrdiff_t i = 0; i < count; i++)
            priced[i] = (lb_arc_price){grid->through[s->arcs[begin + i]], s->arcs[begin + i]};
        qsort(priced, (size_t)count, sizeof(lb_arc_price), lb_cheaper);
        for (ptrdiff_t i = 0; i < count; i++)
            s->arcs[begin + i] = priced[i].arc;
    }
    free(priced);
    s->grid = grid;
    s->completion = completion;
    return 1;
}

/* Mark the vertices out of reach from each bin, by its least value; a vertex stays out of reach in all
 * later bins. */
static void lb_mark_unreachable(lb_side *s)
{
    const lb_model *m = s->m;
    for (ptrdiff_t v = 0; v < m->n; v++) {
        uint64_t *closed = s->closed + v * LB_BINS * m->words;
        for (ptrdiff_t u = 0; u < m->n; u++) {
            const double between = m->min_resource_between[s->back ? u * m->n + v : v * m->n + u];
            const double bins = (s->ceiling[u] - between - s->floor[v]) / s->width[v];
            const ptrdiff_t b = bins < 0 ? 0 : bins < LB_BINS ? (ptrdiff_t)bins + 1 : LB_BINS;
            if (b < LB_BINS)
                closed[b * m->words + (u >> 6)] |= (uint64_t)1 << (u & 63);
        }
        for (ptrdiff_t i = m->words; i < LB_BINS * m->words; i++)
            closed[i] |= closed[i - m->words];
    }
}

static int lb_open_side(lb_side *s, const lb_model *m, int back, const uint64_t *memory)
{
    const ptrdiff_t cells = m->resources * m->n;
    memset(s, 0, sizeof *s);
    s->m = m;
    s->back = back;
    s->memory = memory;
    s->floor = own_array(&s->owner, cells, sizeof(double));
    s->ceiling = own_array(&s->owner, cells, sizeof(double));
    s->begin = own_array(&s->owner, m->resources, sizeof(double));
    s->bin = own_array(&s->owner, m->n * LB_BINS, sizeof(lb_bin));
    s->width = own_array(&s->owner, m->n, sizeof(double));
    s->closed = own_array(&s->owner, m->n * LB_BINS * m->words, sizeof(uint64_t));
    s->todo = own_array(&s->owner, m->steps, sizeof(lb_list));
    if (s->owner.failed || !lb_list_arcs(s))
        return 0;
    for (ptrdiff_t i = 0; i < cells; i++) {
        s->floor[i] = back ? -m->upper[i] : m->lower[i];
        s->ceiling[i] = back ? -m->lower[i] : m->upper[i];
    }
    for (ptrdiff_t r = 0; r < m->resources; r++)
        s->begin[r] = back ? -m->upper[r * m->n + m->sink] : m->start[r];
    for (ptrdiff_t v = 0; v < m->n; v++) {
        const double range = s->ceiling[v] - s->floor[v];
        s->width[v] = range > 0 ? exp2(ceil(log2(range / LB_BINS))) : 1.0;
    }
    lb_mark_unreachable(s);
    s->bytes = (double)(m->n * LB_BINS) * (double)(sizeof(lb_bin) + 8 * (size_t)m->words);
    return lb_reserve_label(s);
}

/* Drop all labels, and keep their memory. */
static void lb_clear_side(lb_side *s)
{
    for (ptrdiff_t i = 0; i < s->m->n * LB_BINS; i++)
        s->bin[i].count = 0;
    for (ptrdiff_t k = 0; k < s->m->steps; k++)
        s->todo[k].count = 0;
    s->count = s->done = 0;
}

/* The slice of a value in the order of this direction: from the sink, slices count from the end. */
static ptrdiff_t lb_slice_of_side(const lb_side *s, double x)
{
    return s->back ? s->m->steps - 1 - lb_slice(s->m, -x) : lb_slice(s->m, x);
}

/* Whether label a dominates label b of the same vertex, except for the main resource and the first 64
 * vertices, which the caller compares. Each row in which a is ahead may cost a its charge (Jepsen et al.,
 * Subset-row inequalities applied to the vehicle-routing problem with time windows, 2008). */
static int lb_dominates(const lb_side *s, ptrdiff_t a, ptrdiff_t b)
{
    const lb_model *m = s->m;
    const double *ra = s->used + a * m->resources, *rb = s->used + b * m->resources;
    for (ptrdiff_t r = 1; r < m->resources; r++)
        if (ra[r] > rb[r])
            return 0;
    const uint64_t *visited = s->set + a * 2 * m->words, *closed = s->set + (b * 2 + 1) * m->words;
    for (ptrdiff_t w = 1; w < m->words; w++)
        if (visited[w] & ~closed[w])
            return 0;
    const int32_t p = s->label[a].state, q = s->label[b].state;
    if (p != q && !(s->back ? m->simulates[q * m->states + p] : m->simulates[p * m->states + q]))
        return 0;
    const ptrdiff_t size = m->user->size;
    if (!s->back && !lb_user_state_dominates(m->user, s->user_state + a * size, s->user_state + b * size))
        return 0;
    if (m->rows) {
        const uint8_t *row_a = s->row + a * m->rows, *row_b = s->row + b * m->rows;
        double cost = s->label[a].cost;
        const double limit = s->label[b].cost;
        for (ptrdiff_t i = 0; i < m->rows; i++)
            if (row_a[i] > row_b[i] && (cost += m->charge[i]) > limit)
                return 0;
    }
    return 1;
}

/* The first entry of a bin that costs at least as much. */
static int32_t lb_first_costlier(const lb_bin *bin, double cost)
{
    int32_t low = 0, high = bin->count;
    while (low < high) {
        const int32_t mid = low + (high - low) / 2;
        if (bin->entry[mid].cost < cost)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Insert the label of the free slot unless another dominates it, and drop those it dominates. 0 without
 * memory. */
static int lb_insert_free_slot(lb_side *s)
{
    const lb_model *m = s->m;
    const ptrdiff_t slot = s->count;
    lb_label *label = s->label + slot;
    const double main = s->used[slot * m->resources];
    const ptrdiff_t v = label->vertex, own_bin = lb_bin_of(s, v, main);
    uint64_t *visited = s->set + slot * 2 * m->words, *closed = visited + m->words;
    const uint64_t *far = s->closed + (v * LB_BINS + own_bin) * m->words;
    lb_bin *bins = s->bin + v * LB_BINS;
    for (ptrdiff_t w = 0; w < m->words; w++)
        closed[w] = visited[w] | far[w];
    const double cost = label->cost;
    const uint64_t open = ~closed[0];
    s->created++;
    for (ptrdiff_t b = 0; b <= own_bin; b++) {
        const lb_entry *e = bins[b].entry, *end = e + bins[b].count;
        s->compared += bins[b].count;
        for (; e < end && e->cost <= cost; e++)
            if (e->main <= main
                && (m->heuristic || (!(e->visited & open) && lb_dominates(s, e->label, slot))))
                return 1;
    }
    for (ptrdiff_t b = own_bin; b < LB_BINS; b++) {
        lb_entry *e = bins[b].entry;
        int32_t end = lb_first_costlier(bins + b, cost);
        s->compared += bins[b].count - end;
        for (int32_t i = end; i < bins[b].count; i++) {
            if (e[i].main >= main
                && (m->heuristic || (!(visited[0] & ~e[i].closed) && lb_dominates(s, slot, e[i].label)))) {
                s->label[e[i].label].dead = 1;
                continue;
            }
            if (end != i)
                e[end] = e[i];
            end++;
        }
        bins[b].count = end;
    }
    lb_bin *bin = bins + own_bin;
    if (m->heuristic && bin->count >= LB_HEURISTIC_BIN_SIZE) {
        const lb_entry *worst = bin->entry + bin->count - 1;
        if (worst->cost <= cost)
            return 1;
        s->label[worst->label].dead = 1;
        bin->count--;
    }
    if (bin->count == bin->capacity) {
        const int32_t capacity = 2 * bin->capacity + 4;
        if (!array_resize(&bin->entry, capacity, sizeof(lb_entry)))
            return 0;
        s->bytes += (double)(capacity - bin->capacity) * sizeof(lb_entry);
        bin->capacity = capacity;
    }
    const int32_t position = lb_first_costlier(bin, cost);
    memmove(bin->entry + position + 1, bin->entry + position,
            (size_t)(bin->count++ - position) * sizeof(lb_entry));
    bin->entry[position] = (lb_entry){cost, main, visited[0], closed[0], (int32_t)slot};
    lb_list *todo = s->todo + lb_slice_of_side(s, main);
    if (!array_grow(&todo->label, &todo->capacity, todo->count + 1, sizeof(int32_t)))
        return 0;
    todo->label[todo->count++] = (int32_t)slot;
    s->count++;
    return lb_reserve_label(s);
}

/* Fill the free slot with label `from`, extended along an arc except for the automaton. 0 if a resource or
 * bound forbids it. */
static int lb_extend_into_free_slot(lb_side *s, ptrdiff_t from, ptrdiff_t a)
{
    const lb_model *m = s->m;
    const ptrdiff_t slot = s->count, w = s->back ? m->tail[a] : m->head[a], words = m->words;
    const uint64_t *visited = s->set + from * 2 * words;
    s->compared += 1 + (m->user->count ? LB_STEPS_OF_FUNCTION : 0);
    if (lb_bit(visited, w))
        return 0;
    const double *used = s->used + from * m->resources;
    double *sums = s->used + slot * m->resources;
    for (ptrdiff_t r = 0; r < m->resources; r++) {
        const double x = used[r] + m->use[r * m->m + a], low = s->floor[r * m->n + w];
        sums[r] = x > low ? x : low;
        if (sums[r] > s->ceiling[r * m->n + w])
            return 0;
    }
    lb_label *label = s->label + slot;
    const double cost = s->label[from].cost + m->cost[a] + (s->back ? m->user->min_cost : 0.0);
    *label = (lb_label){cost, (int32_t)from, (int32_t)a, (int32_t)w, s->label[from].state, 0};
    if (s->completion) {
        const ptrdiff_t slice = lb_slice(m, s->back ? -sums[0] : sums[0]);
        const double completion =
            lb_completion_bound(m, s->grid, s->completion, w, slice, s->label[from].vertex);
        const double min_cost = m->min_step_cost[m->kind[a]] + (s->back ? 0.0 : m->user->min_cost);
        if (!(cost + min_cost + completion < m->below + m->rounding))
            return 0;
    }
    uint64_t *set = s->set + slot * 2 * words;
    for (ptrdiff_t x = 0; x < words; x++)
        set[x] = visited[x] & s->memory[w * words + x];
    set[w >> 6] |= (uint64_t)1 << (w & 63) & s->memory[w * words + (w >> 6)];
    for (ptrdiff_t i = 0; i < m->rows; i++) {
        const uint8_t old = s->row[from * m->rows + i] & m->stay[w * m->rows + i];
        unsigned sum = (unsigned)old + m->rise[w * m->rows + i];
        if (sum >= m->wrap[i]) {
            sum -= m->wrap[i];
            label->cost += m->charge[i];
        }
        s->row[slot * m->rows + i] = (uint8_t)sum;
    }
    if (s->back || !m->user->count)
        return 1;
    const double *state = s->user_state + from * m->user->size;
    return lb_extend_user_states(m->user, (int32_t)a, state, s->user_state + slot * m->user->size,
                                 &label->cost);
}

/* Extend a label along an arc, for each state that the automaton may be in. 0 without memory. */
static int lb_extend(lb_side *s, ptrdiff_t from, ptrdiff_t a)
{
    const lb_model *m = s->m;
    const ptrdiff_t c = m->kind[a];
    const int32_t state = s->label[from].state;
    if (!s->back) {
        const int32_t next = m->next_states[c * m->states + state];
        if (next < 0 || !lb_extend_into_free_slot(s, from, a))
            return 1;
        s->label[s->count].cost += m->step_costs[c * m->states + state];
        s->label[s->count].state = next;
        return lb_insert_free_slot(s);
    }
    /* States that lead to a state which simulates this one serve as well, too: so a dominated label from
     * the sink has only dominated extensions. */
    const int64_t *first = m->previous_first + c * m->states;
    for (int64_t i = first[state]; i < first[state + 1]; i++) {
        const int32_t earlier = m->previous_states[i];
        if (!lb_extend_into_free_slot(s, from, a))
            return 1;
        s->label[s->count].cost += m->step_costs[c * m->states + earlier];
        s->label[s->count].state = earlier;
        if (!lb_insert_free_slot(s))
            return 0;
    }
    return 1;
}

/* Create the first labels: one at the source, or one for each state in which a route may end. 0 without
 * memory. */
static int lb_initial_labels(lb_side *s)
{
    const lb_model *m = s->m;
    const int32_t v = s->back ? m->sink : m->source;
    for (int32_t state = 0; state < m->states; state++) {
        if (s->back ? m->final_costs[state] == INFINITY : state != m->begin)
            continue;
        const ptrdiff_t slot = s->count;
        s->label[slot] = (lb_label){s->back ? m->final_costs[state] : 0.0, -1, -1, v, state, 0};
        memset(s->set + slot * 2 * m->words, 0, (size_t)(2 * m->words) * sizeof(uint64_t));
        memset(s->row + slot * m->rows, 0, (size_t)m->rows);
        for (ptrdiff_t i = 0; i < m->rows; i++)
            s->row[slot * m->rows + i] = m->rise[v * m->rows + i];
        for (ptrdiff_t x = 0; x < m->words; x++)
            s->set[slot * 2 * m->words + x] =
                ((uint64_t)(x == v >> 6) << (v & 63)) & s->memory[v * m->words + x];
        if (!s->back && m->user->size)
            memcpy(s->user_state + slot * m->user->size, m->user->start,
                   (size_t)m->user->size * sizeof(double));
        int is_feasible = 1;
        for (ptrdiff_t r = 0; r < m->resources; r++) {
            s->used[slot * m->resources + r] = s->begin[r];
            is_feasible &= s->begin[r] <= s->ceiling[r * m->n + v];
        }
        if (is_feasible && !lb_insert_free_slot(s))
            return 0;
    }
    return 1;
}

/* Extend the labels of the next slice, including those that are inserted into it meanwhile. */
static int lb_advance(lb_side *s)
{
    const lb_model *m = s->m;
    lb_list *todo = s->todo + s->done;
    const int32_t end = s->back ? m->source : m->sink;
    for (ptrdiff_t i = 0; i < todo->count; i++) {
        const ptrdiff_t from = todo->label[i];
        const int32_t v = s->label[from].vertex;
        if (s->label[from].dead)
            continue;
        for (int32_t j = s->first[v]; j < s->first[v + 1]; j++) {
            const ptrdiff_t a = s->arcs[j];
            if (s->completion && !(s->grid->through[a] < m->below + m->rounding))
                break;
            if ((s->back ? m->tail[a] : m->head[a]) != end && !lb_extend(s, from, a))
                return LB_NO_MEMORY;
            if (lb_must_stop(m, s->compared))
                return LB_STOPPED;
            s->compared = 0;
        }
        if (m->user->fault.kind)
            return LB_FAULT;
        if (s->bytes > m->memory_limit || s->count > INT32_MAX / 2)
            return LB_FULL;
    }
    s->done++;
    return LB_COMPLETE;
}

#endif
