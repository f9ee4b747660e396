/* Label setting, layer by layer: partial paths that can still become better than the incumbent.
 *
 * A label is a partial path that ends in a vertex, with the classes that it remembers to have visited. Of
 * the labels of one vertex that remember the same classes, the `max_paths` best are kept. A label is
 * dropped if its value and the best completion do not exceed the incumbent. With a limit on the width of a
 * layer this is a beam search guided by bounds; if no label was dropped for the width, it is a proof.
 *
 * The memory of a vertex may be restricted (ng-routes: Baldacci, Mingozzi, Roberti, New route relaxation
 * and pricing strategies for the vehicle routing problem, 2011). Labels are then walks, and their best
 * total is a bound. The labels of a pass from one end are completions for the pass from the other: a path
 * through v has a label on either side, which share no class but that of v. */
#ifndef GAPLESS_PATH_LABELS_H
#define GAPLESS_PATH_LABELS_H

#include "paths/multipliers.h"

#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "lanes/select_rows.h"
#include "lanes/types.h"

typedef struct {
    double value; /* scores and penalties, including that of the last vertex */
    double bound; /* on all paths that continue this one */
    int32_t vertex, parent, same;
    uint32_t hash;
} ps_label;

/* The labels of one position. Layers that serve as completions are sorted: by vertex, best value first. */
typedef struct {
    ps_label *label;
    uint64_t *set;  /* words for each label */
    int32_t *first; /* of each vertex, n + 1 entries; NULL until the layer is sorted */
    ptrdiff_t count, capacity;
} ps_layer;

/* The layers of a pass over one graph, in the order of extension. */
typedef struct {
    ps_layer *layer;
    ptrdiff_t k, words;
    int backward;        /* extended from the end */
    double best_dropped; /* the best bound of the labels that did not fit into the width */
    int32_t *slot;       /* of the hash table */
    ptrdiff_t slots;
} ps_side;

static void ps_close_side(ps_side *side)
{
    for (ptrdiff_t i = 0; side->layer && i < side->k; i++) {
        free(side->layer[i].label);
        free(side->layer[i].set);
        free(side->layer[i].first);
    }
    free(side->layer);
    free(side->slot);
    memset(side, 0, sizeof *side);
}

static int ps_open_side(ps_side *side, const ps_search *s, int backward)
{
    memset(side, 0, sizeof *side);
    side->k = s->k;
    side->words = (s->g.classes + 63) / 64;
    side->backward = backward;
    side->best_dropped = PS_NONE;
    side->layer = calloc((size_t)s->k, sizeof(ps_layer));
    return side->layer != NULL;
}

static int ps_reserve(ps_layer *layer, ptrdiff_t words)
{
    if (layer->count < layer->capacity)
        return 1;
    const ptrdiff_t capacity = 2 * layer->capacity + 64;
    if (!array_resize(&layer->label, capacity, sizeof(ps_label))
        || !array_resize(&layer->set, capacity, (size_t)words * sizeof(uint64_t)))
        return 0;
    layer->capacity = capacity;
    return 1;
}

static uint32_t ps_hash(int32_t vertex, const uint64_t *set, ptrdiff_t words)
{
    uint64_t h = (uint64_t)vertex * 0x9E3779B97F4A7C15ull;
    for (ptrdiff_t w = 0; w < words; w++) {
        h = (h ^ set[w]) * 0xFF51AFD7ED558CCDull;
        h ^= h >> 32;
    }
    return (uint32_t)(h ^ h >> 29);
}

/* Size the hash table for a layer, and insert the labels that it has. 0 without memory. */
static int ps_rehash(ps_side *side, const ps_layer *layer)
{
    ptrdiff_t slots = 256;
    while (slots < 2 * layer->capacity)
        slots *= 2;
    if (slots > side->slots) {
        free(side->slot);
        side->slot = malloc((size_t)slots * sizeof(int32_t));
        side->slots = side->slot ? slots : 0;
        if (!side->slot)
            return 0;
    }
    memset(side->slot, 0xFF, (size_t)side->slots * sizeof(int32_t));
    for (ptrdiff_t a = 0; a < layer->count; a++) {
        ptrdiff_t slot = layer->label[a].hash & (uint32_t)(side->slots - 1);
        while (side->slot[slot] >= 0)
            slot = (slot + 1) & (side->slots - 1);
        side->slot[slot] = (int32_t)a;
    }
    return 1;
}

/* Insert a label, unless `max_paths` labels with its key are at least as good. 0 without memory.
 *
 * Labels with the same key lie one after another in the probe sequence, each in its own slot. */
static int ps_insert(ps_side *side, ps_layer *layer, const ps_label *label, const uint64_t *set,
                     ptrdiff_t max_paths)
{
    const ptrdiff_t words = side->words;
    ptrdiff_t slot = label->hash & (uint32_t)(side->slots - 1), same = 0, worst = -1;
    for (; side->slot[slot] >= 0; slot = (slot + 1) & (side->slots - 1)) {
        const ptrdiff_t a = side->slot[slot];
        const ps_label *other = layer->label + a;
        if (other->hash != label->hash || other->vertex != label->vertex
            || memcmp(layer->set + a * words, set, (size_t)words * sizeof(uint64_t)))
            continue;
        same++;
        if (worst < 0 || other->value < layer->label[worst].value)
            worst = a;
    }
    if (same >= max_paths) {
        if (label->value > layer->label[worst].value)
            layer->label[worst] = *label;
        return 1;
    }
    const ptrdiff_t capacity = layer->capacity;
    if (!ps_reserve(layer, words))
        return 0;
    layer->label[layer->count] = *label;
    memcpy(layer->set + layer->count * words, set, (size_t)words * sizeof(uint64_t));
    layer->count++;
    if (layer->capacity != capacity)
        return ps_rehash(side, layer);
    side->slot[slot] = (int32_t)(layer->count - 1);
    return 1;
}

/* Keep the `width` labels of the best bounds; labels must now exceed the bound `cut`. 0 without memory. */
static int ps_cut_to_width(ps_side *side, ps_layer *layer, ptrdiff_t width, double *cut)
{
    double *bounds = malloc((size_t)layer->count * sizeof(double));
    if (!bounds)
        return 0;
    for (ptrdiff_t a = 0; a < layer->count; a++)
        bounds[a] = layer->label[a].bound;
    const double last = select_f64(bounds, layer->count, width);
    free(bounds);
    ptrdiff_t above = 0, retained = 0;
    for (ptrdiff_t a = 0; a < layer->count; a++)
        above += layer->label[a].bound > last;
    ptrdiff_t equal = width - above;
    for (ptrdiff_t a = 0; a < layer->count; a++) {
        const double bound = layer->label[a].bound;
        if (bound > last || (bound == last && equal-- > 0)) {
            layer->label[retained] = layer->label[a];
            memmove(layer->set + retained * side->words, layer->set + a * side->words,
                    (size_t)side->words * sizeof(uint64_t));
            retained++;
        }
    }
    layer->count = retained;
    *cut = last;
    if (last > side->best_dropped) /* later labels with such a bound are not created */
        side->best_dropped = last;
    return ps_rehash(side, layer);
}

typedef struct {
    int32_t vertex, label;
    double value;
} ps_rank;

static int ps_by_vertex(const void *a, const void *b)
{
    const ps_rank *x = a, *y = b;
    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

static int ps_is_subset(const uint64_t *a, const uint64_t *b, ptrdiff_t words)
{
    for (ptrdiff_t w = 0; w < words; w++)
        if (a[w] & ~b[w])
            return 0;
    return 1;
}

/* Sort a complete layer. Drop labels that one of the 64 best of their vertex dominates: it remembers a
 * subset. */
static int ps_sort_layer(ps_layer *layer, ptrdiff_t n, ptrdiff_t words)
{
    const ptrdiff_t count = layer->count;
    array_owner workspace = {0};
    ps_rank *order = own_array(&workspace, count, sizeof(ps_rank));
    ps_label *label = own_array(&workspace, count, sizeof(ps_label));
    uint64_t *set = own_array(&workspace, count * words, sizeof(uint64_t));
    if (workspace.failed || !array_resize(&layer->first, n + 1, sizeof(int32_t))) {
        free_arrays(&workspace);
        return 0;
    }
    int32_t *first = layer->first;
    for (ptrdiff_t a = 0; a < count; a++)
        order[a] = (ps_rank){layer->label[a].vertex, (int32_t)a, layer->label[a].value};
    qsort(order, (size_t)count, sizeof(ps_rank), ps_by_vertex);
    ptrdiff_t retained = 0;
    int32_t vertex = -1;
    for (ptrdiff_t i = 0; i < count; i++) {
        while (vertex < order[i].vertex)
            first[++vertex] = (int32_t)retained;
        const uint64_t *label_set = layer->set + order[i].label * words;
        int is_dominated = 0;
        for (ptrdiff_t b = first[vertex]; !is_dominated && b < retained && b < first[vertex] + 64; b++)
            is_dominated = ps_is_subset(set + b * words, label_set, words);
        if (is_dominated)
            continue;
        label[retained] = layer->label[order[i].label];
        memcpy(set + retained * words, label_set, (size_t)words * sizeof(uint64_t));
        retained++;
    }
    while (vertex < n)
        first[++vertex] = (int32_t)retained;
    memcpy(layer->label, label, (size_t)retained * sizeof(ps_label));
    memcpy(layer->set, set, (size_t)(retained * words) * sizeof(uint64_t));
    layer->count = retained;
    free_arrays(&workspace);
    return 1;
}

/* Compute the best total of a label that has come to v, over the labels from the other end that share no
 * class with it but v's. `level` if no total exceeds it. Totals do not include the sum of the multipliers. */
static double ps_completion(const ps_layer *other, ptrdiff_t words, ptrdiff_t v, double value, double penalty,
                            const uint64_t *set, const uint64_t *own, double level)
{
    for (int32_t b = other->first[v]; b < other->first[v + 1]; b++) {
        const double total = value + (other->label[b].value - penalty);
        if (total <= level)
            return level;
        const uint64_t *other_set = other->set + b * words;
        int are_disjoint = 1;
        for (ptrdiff_t w = 0; are_disjoint && w < words; w++)
            are_disjoint = !(other_set[w] & set[w] & ~own[w]);
        if (are_disjoint)
            return total;
    }
    return level;
}

/* Extend all labels of layer i - 1; for i = 0, create the first. PS_OPEN if the layer is complete. */
static int ps_extend(ps_search *s, ps_side *side, const ps_side *other, const uint64_t *memory,
                     ptrdiff_t width, ptrdiff_t i)
{
    const ps_graph *g = &s->g;
    const ptrdiff_t n = g->n, words = side->words, position = side->backward ? s->k - 1 - i : i;
    const double *penalty = s->penalty + position * g->stride;
    const double *completion = (side->backward ? s->before : s->after) + position * g->stride;
    const double *edges = side->backward ? g->into : g->out, *begin = side->backward ? g->end : g->start;
    const ptrdiff_t max_paths = memory ? 1 : s->max_paths;
    const ps_layer *last = i ? side->layer + i - 1 : NULL,
                   *completions = other ? other->layer + s->k - 1 - i : NULL;
    ps_layer *layer = side->layer + i;
    double level = ps_cutoff(s), cut = level, *reach = s->from;
    uint64_t *set = malloc((size_t)(2 * words) * sizeof(uint64_t)), *own = set + words;
    if (!set || !ps_reserve(layer, words) || !ps_rehash(side, layer)) {
        free(set);
        return PS_NO_MEMORY;
    }
    for (ptrdiff_t v = 0; v < n; v++)
        reach[v] = penalty[v] + completion[v];
    int status = PS_OPEN;
    for (ptrdiff_t a = 0; status == PS_OPEN && a < (last ? last->count : 1); a++) {
        const double base = last ? last->label[a].value : 0.0;
        const double *row = last ? edges + last->label[a].vertex * g->stride : begin;
        const uint64_t *visited = last ? last->set + a * words : NULL;
        if (!ps_charge_work(s, 16.0 * (double)n)) { /* 16: a scan with many branches costs more than a sum */
            status = PS_STOPPED;
            break;
        }
        for (ptrdiff_t v = 0; v < n; v++) {
            double bound = base + row[v] + reach[v] + s->price_sum;
            if (!(bound > cut))
                continue;
            const ptrdiff_t c = g->group[v], w = c >> 6;
            const uint64_t bit = (uint64_t)1 << (c & 63);
            if (visited && visited[w] & bit)
                continue;
            for (ptrdiff_t x = 0; x < words; x++) {
                set[x] = visited ? memory ? visited[x] & memory[v * words + x] : visited[x] : 0;
                own[x] = 0;
            }
            set[w] |= bit;
            own[w] = bit;
            ps_label label = {base + row[v] + penalty[v], bound, (int32_t)v, (int32_t)a, -1, 0};
            if (completions) {
                label.bound = ps_completion(completions, words, v, label.value, penalty[v], set, own,
                                            cut - s->price_sum)
                              + s->price_sum;
                if (!(label.bound > cut))
                    continue;
            }
            label.hash = ps_hash(label.vertex, set, words);
            s->labels++;
            if (!ps_insert(side, layer, &label, set, max_paths)) {
                status = PS_NO_MEMORY;
                break;
            }
            if (layer->count > 4 * width + 64 && !ps_cut_to_width(side, layer, width, &cut)) {
                status = PS_NO_MEMORY;
                break;
            }
        }
    }
    free(set);
    if (status != PS_OPEN)
        return status;
    if (layer->count > width && !ps_cut_to_width(side, layer, width, &cut))
        return PS_NO_MEMORY;
    /* Labels that remember all classes complete no others, so their layers need no order. */
    return !memory || ps_sort_layer(layer, n, words) ? PS_OPEN : PS_NO_MEMORY;
}

/* Read the walk of a label of the last layer, in the order from the start. */
static void ps_read_walk(const ps_side *side, ptrdiff_t a, int32_t *walk)
{
    for (ptrdiff_t i = side->k; i-- > 0;) {
        walk[side->backward ? side->k - 1 - i : i] = side->layer[i].label[a].vertex;
        a = side->layer[i].label[a].parent;
    }
}

/* Return the best bound of the last layer, and offer every path in it: a bound includes the multipliers of
 * classes that the path does not visit, so the best path need not have the best bound. */
static double ps_offer_last(ps_search *s, const ps_side *side)
{
    const ps_layer *last = side->layer + s->k - 1;
    double bound = PS_NONE;
    for (ptrdiff_t a = 0; a < last->count; a++) {
        bound = fmax(bound, last->label[a].bound);
        if (last->label[a].bound <= ps_cutoff(s))
            continue;
        ps_read_walk(side, a, s->walk);
        if (!ps_count_visits(s))
            ps_offer(s, s->walk);
    }
    return bound;
}

/* Run one pass with at most `width` labels in each layer. PS_OPEN if all layers are complete;
 * `best_dropped` then bounds the labels dropped for the width. */
static int ps_pass(ps_search *s, ps_side *side, const ps_side *other, const uint64_t *memory, ptrdiff_t width)
{
    s->passes++;
    for (ptrdiff_t i = 0; i < s->k; i++) {
        const int status = ps_extend(s, side, other, memory, width, i);
        if (status != PS_OPEN)
            return status;
    }
    return PS_OPEN;
}

#endif
