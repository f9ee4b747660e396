/* The labels of one direction. From the sink, everything is mirrored: a resource is minus the latest arrival from which the rest
 * of the route is within its windows (Righini, Salani, Symmetry helps: bounded bi-directional dynamic programming for the
 * elementary shortest path problem with resource constraints, 2006), so that less is better in both directions. */
#ifndef GAPLESS_LABELS_SIDE_H
#define GAPLESS_LABELS_SIDE_H

#include "labels/grid.h"

#define LB_BINS 16
#define LB_FEW 2 /* labels of a bin when dominance is loose */

typedef struct {
    double cost;
    int32_t parent, arc, vertex, state;
    int dead;
} lb_label;

/* What dominance reads first. */
typedef struct {
    double cost, main;
    uint64_t seen, closed;
    int32_t at;
} lb_entry;

typedef struct {
    lb_entry *entry; /* cheapest first */
    int32_t count, room;
} lb_bin;

typedef struct {
    int32_t *at;
    ptrdiff_t count, room;
} lb_list;

typedef struct {
    const lb_model *m;
    const uint64_t *memory;
    int back;
    int32_t *first, *arcs;
    double *floor, *ceiling, *begin; /* of resources and vertices, mirrored from the sink */
    const lb_grid *grid;
    const lb_cell *rest; /* cells of the pass of the other direction, if there is one */
    lb_label *label;
    double *used;
    uint64_t *set;  /* seen, then seen or out of reach: 2 * words for each label */
    uint8_t *row;
    double *own;
    ptrdiff_t count, room;
    lb_bin *bin;
    double *width;    /* of the bins of a vertex */
    uint64_t *closed; /* out of reach from each bin */
    lb_list *todo;
    ptrdiff_t done, made;
    ptrdiff_t compared; /* labels, by the last extension */
    double bytes;
} lb_side;

static void lb_close_side(lb_side *s)
{
    for (ptrdiff_t i = 0; s->bin && i < s->m->n * LB_BINS; i++)
        free(s->bin[i].entry);
    for (ptrdiff_t k = 0; s->todo && k < s->m->steps; k++)
        free(s->todo[k].at);
    free(s->first);
    free(s->arcs);
    free(s->floor);
    free(s->label);
    free(s->used);
    free(s->set);
    free(s->row);
    free(s->own);
    free(s->bin);
    free(s->width);
    free(s->closed);
    free(s->todo);
    memset(s, 0, sizeof *s);
}

static int lb_room(lb_side *s)
{
    const lb_model *m = s->m;
    if (s->count + 1 < s->room)
        return 1;
    const ptrdiff_t room = 2 * s->room + 256;
    const size_t own_size = s->back ? 0 : (size_t)m->owns->size * sizeof(double);
    const size_t each = sizeof(lb_label) + (size_t)m->resources * 8 + (size_t)m->words * 16 + (size_t)m->rows + own_size;
    void *label = realloc(s->label, (size_t)room * sizeof(lb_label));
    if (label)
        s->label = label;
    void *used = realloc(s->used, (size_t)(room * m->resources) * sizeof(double));
    if (used)
        s->used = used;
    void *set = realloc(s->set, (size_t)(room * 2 * m->words) * sizeof(uint64_t));
    if (set)
        s->set = set;
    void *row = realloc(s->row, (size_t)(room * m->rows + 1));
    if (row)
        s->row = row;
    void *own = realloc(s->own, (size_t)room * own_size + 1);
    if (own)
        s->own = own;
    if (!label || !used || !set || !row || !own)
        return 0;
    s->bytes += (double)(room - s->room) * (double)each;
    s->room = room;
    return 1;
}

static ptrdiff_t lb_bin_of(const lb_side *s, ptrdiff_t v, double x)
{
    const double b = (x - s->floor[v]) / s->width[v];
    return b < 1 ? 0 : b < LB_BINS ? (ptrdiff_t)b : LB_BINS - 1;
}

/* The arcs of each vertex; arcs that are off are left out. */
static int lb_list_arcs(lb_side *s)
{
    const lb_model *m = s->m;
    const int32_t *from = s->back ? m->head : m->tail;
    s->first = calloc((size_t)m->n + 2, sizeof(int32_t));
    s->arcs = malloc((size_t)(m->m + 1) * sizeof(int32_t));
    if (!s->first || !s->arcs)
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

/* Labels are bounded from now on; arcs that promise most come first. 0 when there is no memory. */
static int lb_bound_side(lb_side *s, const lb_grid *grid, const lb_cell *rest)
{
    const lb_model *m = s->m;
    lb_priced *priced = malloc((size_t)(m->m + 1) * sizeof(lb_priced));
    if (!priced)
        return 0;
    for (ptrdiff_t v = 0; v < m->n; v++) {
        const ptrdiff_t begin = s->first[v], count = s->first[v + 1] - begin;
        for (ptrdiff_t i = 0; i < count; i++)
            priced[i] = (lb_priced){grid->through[s->arcs[begin + i]], s->arcs[begin + i]};
        qsort(priced, (size_t)count, sizeof(lb_priced), lb_cheaper);
        for (ptrdiff_t i = 0; i < count; i++)
            s->arcs[begin + i] = priced[i].at;
    }
    free(priced);
    s->grid = grid;
    s->rest = rest;
    return 1;
}

/* Which vertices cannot follow any more, from the least value of each bin: none from the first bin on that is too late. */
static void lb_close_far(lb_side *s)
{
    const lb_model *m = s->m;
    for (ptrdiff_t v = 0; v < m->n; v++) {
        uint64_t *closed = s->closed + v * LB_BINS * m->words;
        for (ptrdiff_t u = 0; u < m->n; u++) {
            const double apart = s->back ? m->apart[u * m->n + v] : m->apart[v * m->n + u];
            const double room = (s->ceiling[u] - apart - s->floor[v]) / s->width[v];
            const ptrdiff_t b = room < 0 ? 0 : room < LB_BINS ? (ptrdiff_t)room + 1 : LB_BINS;
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
    s->floor = malloc((size_t)(2 * cells + m->resources) * sizeof(double));
    s->bin = calloc((size_t)(m->n * LB_BINS), sizeof(lb_bin));
    s->width = malloc((size_t)m->n * sizeof(double));
    s->closed = calloc((size_t)(m->n * LB_BINS * m->words), sizeof(uint64_t));
    s->todo = calloc((size_t)m->steps, sizeof(lb_list));
    if (!s->floor || !s->bin || !s->width || !s->closed || !s->todo || !lb_list_arcs(s))
        return 0;
    s->ceiling = s->floor + cells;
    s->begin = s->ceiling + cells;
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
    lb_close_far(s);
    s->bytes = (double)(m->n * LB_BINS) * (double)(sizeof(lb_bin) + 8 * (size_t)m->words);
    return lb_room(s);
}

/* Begin again, in the room that there is. */
static void lb_clear_side(lb_side *s)
{
    for (ptrdiff_t i = 0; i < s->m->n * LB_BINS; i++)
        s->bin[i].count = 0;
    for (ptrdiff_t k = 0; k < s->m->steps; k++)
        s->todo[k].count = 0;
    s->count = s->done = 0;
}

/* A slice that holds a value; from the sink, slices count from the end. */
static ptrdiff_t lb_turn(const lb_side *s, double x)
{
    return s->back ? s->m->steps - 1 - lb_step(s->m, -x) : lb_step(s->m, x);
}

/* Whether label a may stand in for label b of the same vertex, its main resource and first 64 vertices apart. */
static int lb_beats(const lb_side *s, ptrdiff_t a, ptrdiff_t b)
{
    const lb_model *m = s->m;
    const double *ra = s->used + a * m->resources, *rb = s->used + b * m->resources;
    for (ptrdiff_t r = 1; r < m->resources; r++)
        if (ra[r] > rb[r])
            return 0;
    const uint64_t *seen = s->set + a * 2 * m->words, *closed = s->set + (b * 2 + 1) * m->words;
    for (ptrdiff_t w = 1; w < m->words; w++)
        if (seen[w] & ~closed[w])
            return 0;
    const int32_t p = s->label[a].state, q = s->label[b].state;
    if (p != q && !(s->back ? m->better[q * m->states + p] : m->better[p * m->states + q]))
        return 0;
    if (!s->back && !lb_no_worse(m->owns, s->own + a * m->owns->size, s->own + b * m->owns->size))
        return 0;
    if (m->rows) {
        const uint8_t *one = s->row + a * m->rows, *two = s->row + b * m->rows;
        double cost = s->label[a].cost;
        const double most = s->label[b].cost;
        for (ptrdiff_t i = 0; i < m->rows; i++)
            if (one[i] > two[i] && (cost += m->charge[i]) > most)
                return 0;
    }
    return 1;
}

/* The first entry of a bin that costs no less. */
static int32_t lb_dearer(const lb_bin *bin, double cost)
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

/* Enter the label in the free place unless another beats it; drop those that it beats. 0 when there is no memory. */
static int lb_enter(lb_side *s)
{
    const lb_model *m = s->m;
    const ptrdiff_t at = s->count;
    lb_label *label = s->label + at;
    const double main = s->used[at * m->resources];
    const ptrdiff_t v = label->vertex, mine = lb_bin_of(s, v, main);
    uint64_t *seen = s->set + at * 2 * m->words, *closed = seen + m->words;
    const uint64_t *far = s->closed + (v * LB_BINS + mine) * m->words;
    lb_bin *bins = s->bin + v * LB_BINS;
    for (ptrdiff_t w = 0; w < m->words; w++)
        closed[w] = seen[w] | far[w];
    const double cost = label->cost;
    const uint64_t open = ~closed[0];
    s->made++;
    for (ptrdiff_t b = 0; b <= mine; b++) {
        const lb_entry *e = bins[b].entry, *end = e + bins[b].count;
        s->compared += bins[b].count;
        for (; e < end && e->cost <= cost; e++)
            if (e->main <= main && (m->loose || (!(e->seen & open) && lb_beats(s, e->at, at))))
                return 1;
    }
    for (ptrdiff_t b = mine; b < LB_BINS; b++) {
        lb_entry *e = bins[b].entry;
        int32_t kept = lb_dearer(bins + b, cost);
        s->compared += bins[b].count - kept;
        for (int32_t i = kept; i < bins[b].count; i++) {
            if (e[i].main >= main && (m->loose || (!(seen[0] & ~e[i].closed) && lb_beats(s, at, e[i].at)))) {
                s->label[e[i].at].dead = 1;
                continue;
            }
            if (kept != i)
                e[kept] = e[i];
            kept++;
        }
        bins[b].count = kept;
    }
    lb_bin *own = bins + mine;
    if (m->loose && own->count >= LB_FEW) {
        const lb_entry *worst = own->entry + own->count - 1;
        if (worst->cost <= cost)
            return 1;
        s->label[worst->at].dead = 1;
        own->count--;
    }
    if (own->count == own->room) {
        const int32_t room = 2 * own->room + 4;
        lb_entry *e = realloc(own->entry, (size_t)room * sizeof(lb_entry));
        if (!e)
            return 0;
        s->bytes += (double)(room - own->room) * sizeof(lb_entry);
        own->entry = e;
        own->room = room;
    }
    const int32_t place = lb_dearer(own, cost);
    memmove(own->entry + place + 1, own->entry + place, (size_t)(own->count++ - place) * sizeof(lb_entry));
    own->entry[place] = (lb_entry){cost, main, seen[0], closed[0], (int32_t)at};
    lb_list *todo = s->todo + lb_turn(s, main);
    if (todo->count == todo->room) {
        const ptrdiff_t room = 2 * todo->room + 64;
        int32_t *list = realloc(todo->at, (size_t)room * sizeof(int32_t));
        if (!list)
            return 0;
        todo->at = list;
        todo->room = room;
    }
    todo->at[todo->count++] = (int32_t)at;
    s->count++;
    return lb_room(s);
}

/* Fill the free place with label `from` extended along an arc, the automaton apart. 0 where that is not allowed. */
static int lb_extended(lb_side *s, ptrdiff_t from, ptrdiff_t a)
{
    const lb_model *m = s->m;
    const ptrdiff_t at = s->count, w = s->back ? m->tail[a] : m->head[a], words = m->words;
    const uint64_t *seen = s->set + from * 2 * words;
    s->compared += 1 + (m->owns->count ? LB_STEPS_OF_FUNCTION : 0);
    if (lb_bit(seen, w))
        return 0;
    const double *used = s->used + from * m->resources;
    double *into = s->used + at * m->resources;
    for (ptrdiff_t r = 0; r < m->resources; r++) {
        const double x = used[r] + m->use[r * m->m + a], low = s->floor[r * m->n + w];
        into[r] = x > low ? x : low;
        if (into[r] > s->ceiling[r * m->n + w])
            return 0;
    }
    lb_label *label = s->label + at;
    const double cost = s->label[from].cost + m->cost[a] + (s->back ? m->owns->least : 0.0);
    *label = (lb_label){cost, (int32_t)from, (int32_t)a, (int32_t)w, s->label[from].state, 0};
    if (s->rest) {
        const double main = s->back ? -into[0] : into[0];
        const double rest = lb_rest(m, s->grid, s->rest, w, lb_step(m, main), s->label[from].vertex);
        const double least = m->least_toll[m->kind[a]] + (s->back ? 0.0 : m->owns->least);
        if (!(cost + least + rest < m->below + m->slack))
            return 0;
    }
    uint64_t *set = s->set + at * 2 * words;
    for (ptrdiff_t x = 0; x < words; x++)
        set[x] = seen[x] & s->memory[w * words + x];
    set[w >> 6] |= (uint64_t)1 << (w & 63) & s->memory[w * words + (w >> 6)];
    for (ptrdiff_t i = 0; i < m->rows; i++) {
        const uint8_t old = s->row[from * m->rows + i] & m->stay[w * m->rows + i];
        unsigned sum = (unsigned)old + m->rise[w * m->rows + i];
        if (sum >= m->wrap[i]) {
            sum -= m->wrap[i];
            label->cost += m->charge[i];
        }
        s->row[at * m->rows + i] = (uint8_t)sum;
    }
    const ptrdiff_t size = m->owns->size;
    return s->back || !m->owns->count || lb_move(m->owns, (int32_t)a, s->own + from * size, s->own + at * size, &label->cost);
}

/* Extend a label along an arc, to each state that the automaton may be in. 0 when there is no memory. */
static int lb_extend(lb_side *s, ptrdiff_t from, ptrdiff_t a)
{
    const lb_model *m = s->m;
    const ptrdiff_t c = m->kind[a];
    const int32_t state = s->label[from].state;
    if (!s->back) {
        const int32_t next = m->after[c * m->states + state];
        if (next < 0 || !lb_extended(s, from, a))
            return 1;
        s->label[s->count].cost += m->toll[c * m->states + state];
        s->label[s->count].state = next;
        return lb_enter(s);
    }
    /* Whatever leads to a better state is as good: labels from the sink that others beat have all their extensions beaten. */
    const int64_t *first = m->before_first + c * m->states;
    for (int64_t i = first[state]; i < first[state + 1]; i++) {
        const int32_t earlier = m->before[i];
        if (!lb_extended(s, from, a))
            return 1;
        s->label[s->count].cost += m->toll[c * m->states + earlier];
        s->label[s->count].state = earlier;
        if (!lb_enter(s))
            return 0;
    }
    return 1;
}

/* The first labels: at the source, or one for each state in which a route may end. 0 when there is no memory. */
static int lb_root(lb_side *s)
{
    const lb_model *m = s->m;
    const int32_t v = s->back ? m->sink : m->source;
    for (int32_t state = 0; state < m->states; state++) {
        if (s->back ? m->ending[state] == INFINITY : state != m->begin)
            continue;
        const ptrdiff_t at = s->count;
        s->label[at] = (lb_label){s->back ? m->ending[state] : 0.0, -1, -1, v, state, 0};
        memset(s->set + at * 2 * m->words, 0, (size_t)(2 * m->words) * sizeof(uint64_t));
        memset(s->row + at * m->rows, 0, (size_t)m->rows);
        for (ptrdiff_t i = 0; i < m->rows; i++)
            s->row[at * m->rows + i] = m->rise[v * m->rows + i];
        for (ptrdiff_t x = 0; x < m->words; x++)
            s->set[at * 2 * m->words + x] = ((uint64_t)(x == v >> 6) << (v & 63)) & s->memory[v * m->words + x];
        if (!s->back && m->owns->size)
            memcpy(s->own + at * m->owns->size, m->owns->start, (size_t)m->owns->size * sizeof(double));
        int fits = 1;
        for (ptrdiff_t r = 0; r < m->resources; r++) {
            s->used[at * m->resources + r] = s->begin[r];
            fits &= s->begin[r] <= s->ceiling[r * m->n + v];
        }
        if (fits && !lb_enter(s))
            return 0;
    }
    return 1;
}

/* Extend the labels of the next slice, those that join it meanwhile included. */
static int lb_advance(lb_side *s)
{
    const lb_model *m = s->m;
    lb_list *todo = s->todo + s->done;
    const int32_t end = s->back ? m->source : m->sink;
    for (ptrdiff_t i = 0; i < todo->count; i++) {
        const ptrdiff_t from = todo->at[i];
        const int32_t v = s->label[from].vertex;
        if (s->label[from].dead)
            continue;
        for (int32_t j = s->first[v]; j < s->first[v + 1]; j++) {
            const ptrdiff_t a = s->arcs[j];
            if (s->rest && !(s->grid->through[a] < m->below + m->slack))
                break;
            if ((s->back ? m->tail[a] : m->head[a]) != end && !lb_extend(s, from, a))
                return LB_NO_MEMORY;
            if (lb_must_stop(m, s->compared))
                return LB_STOPPED;
            s->compared = 0;
        }
        if (m->owns->fault.what)
            return LB_FAULT;
        if (s->bytes > m->memory_limit || s->count > INT32_MAX / 2)
            return LB_FULL;
    }
    s->done++;
    return LB_COMPLETE;
}

#endif
