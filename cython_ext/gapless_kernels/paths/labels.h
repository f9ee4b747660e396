/* Layer by layer: partial paths that can still become better than the incumbent.
 *
 * A label is a partial path that ends in a vertex, with the classes that it remembers to have visited. Two labels of one vertex
 * that remember the same are one: the better stays (the `wanted` best of them when more paths are asked for). A label is
 * dropped when its value and the best completion do not exceed the incumbent. With a limit on the width of a layer this is a
 * beam that is guided by bounds; when nothing fell to the limit, it is a proof.
 *
 * What a vertex remembers may be restricted (ng-routes: Baldacci, Mingozzi, Roberti, New route relaxation and pricing strategies
 * for the vehicle routing problem, 2011): then labels are walks, their best total is a bound, and the labels of a pass from one
 * end are completions for the pass from the other: a path through v has a label on either side, and the two have no class in
 * common but that of v.
 */
#ifndef GAPLESS_PATH_LABELS_H
#define GAPLESS_PATH_LABELS_H

#include "paths/multipliers.h"

#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "lanes/select_rows.h"
#include "lanes/types.h"

typedef struct {
    double value;       /* scores and penalties, that of the last vertex included */
    double bound;       /* on all paths that go on from here */
    int32_t vertex, parent, same;
    uint32_t hash;
} ps_label;

/* The labels of one place. Where they may complete others, sorted once complete: by vertex, best value first. */
typedef struct {
    ps_label *label;
    uint64_t *set;      /* words for each label */
    int32_t *first;     /* of each vertex, n + 1 entries */
    ptrdiff_t count, room;
} ps_layer;

/* The layers of a pass over one graph, in the order in which they were made. */
typedef struct {
    ps_layer *layer;
    ptrdiff_t k, words;
    int backward;       /* made from the end */
    double dropped;     /* the best bound of what fell to the width */
    int32_t *slot;      /* of the hash table */
    ptrdiff_t slots;
} ps_side;

static void ps_free_side(ps_side *side)
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

static int ps_make_side(ps_side *side, const ps_search *s, int backward)
{
    memset(side, 0, sizeof *side);
    side->k = s->k;
    side->words = (s->g.classes + 63) / 64;
    side->backward = backward;
    side->dropped = PS_NONE;
    side->layer = calloc((size_t)s->k, sizeof(ps_layer));
    return side->layer != NULL;
}

static int ps_reserve(ps_layer *layer, ptrdiff_t words)
{
    if (layer->count < layer->room)
        return 1;
    const ptrdiff_t room = 2 * layer->room + 64;
    ps_label *label = realloc(layer->label, (size_t)room * sizeof(ps_label));
    if (label)
        layer->label = label;
    uint64_t *set = realloc(layer->set, (size_t)(room * words) * sizeof(uint64_t));
    if (set)
        layer->set = set;
    if (!label || !set)
        return 0;
    layer->room = room;
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

/* Make the table fit for the labels of a layer, and enter those that are the first of their key. */
static int ps_enter_all(ps_side *side, const ps_layer *layer)
{
    ptrdiff_t slots = 256;
    while (slots < 2 * layer->room)
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
        ptrdiff_t at = layer->label[a].hash & (uint32_t)(side->slots - 1);
        while (side->slot[at] >= 0)
            at = (at + 1) & (side->slots - 1);
        side->slot[at] = (int32_t)a;
    }
    return 1;
}

/* Enter a label, unless as many as are wanted have its key and are no worse. 0 when there is no memory.
 *
 * Labels of one key stand one after another in the table's sequence of slots, each in a slot of its own. */
static int ps_enter(ps_side *side, ps_layer *layer, const ps_label *new, const uint64_t *set, ptrdiff_t wanted)
{
    const ptrdiff_t words = side->words;
    ptrdiff_t at = new->hash & (uint32_t)(side->slots - 1), same = 0, worst = -1;
    for (; side->slot[at] >= 0; at = (at + 1) & (side->slots - 1)) {
        const ptrdiff_t a = side->slot[at];
        const ps_label *old = layer->label + a;
        if (old->hash != new->hash || old->vertex != new->vertex
            || memcmp(layer->set + a * words, set, (size_t)words * sizeof(uint64_t)))
            continue;
        same++;
        if (worst < 0 || old->value < layer->label[worst].value)
            worst = a;
    }
    if (same >= wanted) {
        if (new->value > layer->label[worst].value)
            layer->label[worst] = *new;
        return 1;
    }
    const ptrdiff_t room = layer->room;
    if (!ps_reserve(layer, words))
        return 0;
    layer->label[layer->count] = *new;
    memcpy(layer->set + layer->count * words, set, (size_t)words * sizeof(uint64_t));
    layer->count++;
    if (layer->room != room)
        return ps_enter_all(side, layer);
    side->slot[at] = (int32_t)(layer->count - 1);
    return 1;
}

/* Keep the `width` labels of the best bounds; `cut` is the level that labels must now exceed. 0 when there is no memory. */
static int ps_narrow(ps_side *side, ps_layer *layer, ptrdiff_t width, double *cut)
{
    double *bounds = malloc((size_t)layer->count * sizeof(double));
    if (!bounds)
        return 0;
    for (ptrdiff_t a = 0; a < layer->count; a++)
        bounds[a] = layer->label[a].bound;
    const double last = select_f64(bounds, layer->count, width);
    free(bounds);
    ptrdiff_t above = 0, kept = 0;
    for (ptrdiff_t a = 0; a < layer->count; a++)
        above += layer->label[a].bound > last;
    ptrdiff_t equal = width - above;
    for (ptrdiff_t a = 0; a < layer->count; a++) {
        const double bound = layer->label[a].bound;
        if (bound > last || (bound == last && equal-- > 0)) {
            layer->label[kept] = layer->label[a];
            memmove(layer->set + kept * side->words, layer->set + a * side->words,
                    (size_t)side->words * sizeof(uint64_t));
            kept++;
        }
    }
    layer->count = kept;
    *cut = last;
    if (last > side->dropped) /* what comes later and is no better is not looked at */
        side->dropped = last;
    return ps_enter_all(side, layer);
}

typedef struct {
    int32_t vertex, at;
    double value;
} ps_place;

static int ps_by_vertex(const void *a, const void *b)
{
    const ps_place *x = a, *y = b;
    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int ps_within(const uint64_t *a, const uint64_t *b, ptrdiff_t words)
{
    for (ptrdiff_t w = 0; w < words; w++)
        if (a[w] & ~b[w])
            return 0;
    return 1;
}

/* Sort a complete layer, and drop labels that one of the best of their vertex beats while remembering less. */
static int ps_sort(ps_layer *layer, ptrdiff_t n, ptrdiff_t words)
{
    const ptrdiff_t count = layer->count;
    ps_place *order = malloc((size_t)(count + 1) * sizeof(ps_place));
    ps_label *label = malloc((size_t)(count + 1) * sizeof(ps_label));
    uint64_t *set = malloc((size_t)(count * words + 1) * sizeof(uint64_t));
    int32_t *first = malloc((size_t)(n + 1) * sizeof(int32_t));
    if (!order || !label || !set || !first) {
        free(order);
        free(label);
        free(set);
        free(first);
        return 0;
    }
    for (ptrdiff_t a = 0; a < count; a++)
        order[a] = (ps_place){layer->label[a].vertex, (int32_t)a, layer->label[a].value};
    qsort(order, (size_t)count, sizeof(ps_place), ps_by_vertex);
    ptrdiff_t kept = 0;
    int32_t vertex = -1;
    for (ptrdiff_t i = 0; i < count; i++) {
        while (vertex < order[i].vertex)
            first[++vertex] = (int32_t)kept;
        const uint64_t *mine = layer->set + order[i].at * words;
        int beaten = 0;
        for (ptrdiff_t b = first[vertex]; !beaten && b < kept && b < first[vertex] + 64; b++)
            beaten = ps_within(set + b * words, mine, words);
        if (beaten)
            continue;
        label[kept] = layer->label[order[i].at];
        memcpy(set + kept * words, mine, (size_t)words * sizeof(uint64_t));
        kept++;
    }
    while (vertex < n)
        first[++vertex] = (int32_t)kept;
    free(order);
    free(layer->label);
    free(layer->set);
    free(layer->first);
    layer->label = label;
    layer->set = set;
    layer->first = first;
    layer->count = kept;
    layer->room = count + 1;
    return 1;
}

/* The best of what completes a label that has come to v: labels from the other end that share no class but v's own. At most
 * `level`, where nothing is better than that; all totals without the sum of the multipliers. */
static double ps_completion(const ps_layer *other, ptrdiff_t words, ptrdiff_t v, double value, double penalty,
                            const uint64_t *set, const uint64_t *own, double level)
{
    for (int32_t b = other->first[v]; b < other->first[v + 1]; b++) {
        const double total = value + (other->label[b].value - penalty);
        if (total <= level)
            return level;
        const uint64_t *theirs = other->set + b * words;
        int apart = 1;
        for (ptrdiff_t w = 0; apart && w < words; w++)
            apart = !(theirs[w] & set[w] & ~own[w]);
        if (apart)
            return total;
    }
    return level;
}

/* Extend all labels of layer i - 1 (or begin, for i = 0). PS_OPEN when the layer is complete. */
static int ps_extend(ps_search *s, ps_side *side, const ps_side *other, const uint64_t *memory, ptrdiff_t width,
                     ptrdiff_t i)
{
    const ps_graph *g = &s->g;
    const ptrdiff_t n = g->n, words = side->words, place = side->backward ? s->k - 1 - i : i;
    const double *penalty = s->penalty + place * g->stride;
    const double *rest = (side->backward ? s->before : s->after) + place * g->stride;
    const double *edges = side->backward ? g->into : g->out, *begin = side->backward ? g->end : g->start;
    const ptrdiff_t wanted = memory ? 1 : s->wanted;
    const ps_layer *last = i ? side->layer + i - 1 : NULL, *meets = other ? other->layer + s->k - 1 - i : NULL;
    ps_layer *layer = side->layer + i;
    double level = ps_level(s), cut = level, *reach = s->from;
    uint64_t *set = malloc((size_t)(2 * words) * sizeof(uint64_t)), *own = set + words;
    if (!set || !ps_reserve(layer, words) || !ps_enter_all(side, layer)) {
        free(set);
        return PS_NO_MEMORY;
    }
    for (ptrdiff_t v = 0; v < n; v++)
        reach[v] = penalty[v] + rest[v];
    int status = PS_OPEN;
    for (ptrdiff_t a = 0; status == PS_OPEN && a < (last ? last->count : 1); a++) {
        const double base = last ? last->label[a].value : 0.0;
        const double *row = last ? edges + last->label[a].vertex * g->stride : begin;
        const uint64_t *visited = last ? last->set + a * words : NULL;
        if (!ps_go_on(s, 16.0 * (double)n)) { /* a scan that stops often costs more than a sum */
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
            ps_label new = {base + row[v] + penalty[v], bound, (int32_t)v, (int32_t)a, -1, 0};
            if (meets) {
                new.bound = ps_completion(meets, words, v, new.value, penalty[v], set, own, cut - s->price_sum) + s->price_sum;
                if (!(new.bound > cut))
                    continue;
            }
            new.hash = ps_hash(new.vertex, set, words);
            s->labels++;
            if (!ps_enter(side, layer, &new, set, wanted)) {
                status = PS_NO_MEMORY;
                break;
            }
            if (layer->count > 4 * width + 64 && !ps_narrow(side, layer, width, &cut)) {
                status = PS_NO_MEMORY;
                break;
            }
        }
    }
    free(set);
    if (status != PS_OPEN)
        return status;
    if (layer->count > width && !ps_narrow(side, layer, width, &cut))
        return PS_NO_MEMORY;
    /* Labels that remember everything complete no others. */
    return !memory || ps_sort(layer, n, words) ? PS_OPEN : PS_NO_MEMORY;
}

/* The walk of a label of the last layer, in the order from the start. */
static void ps_read_walk(const ps_side *side, ptrdiff_t a, int32_t *walk)
{
    for (ptrdiff_t i = side->k; i-- > 0;) {
        walk[side->backward ? side->k - 1 - i : i] = side->layer[i].label[a].vertex;
        a = side->layer[i].label[a].parent;
    }
}

/* The bound of the best last label. Every path among the last labels is offered: bounds count the multipliers of classes that a
 * path does not visit, so the best path need not have the best bound. */
static double ps_offer_last(ps_search *s, const ps_side *side)
{
    const ps_layer *last = side->layer + s->k - 1;
    double bound = PS_NONE;
    for (ptrdiff_t a = 0; a < last->count; a++) {
        bound = fmax(bound, last->label[a].bound);
        if (last->label[a].bound <= ps_level(s))
            continue;
        ps_read_walk(side, a, s->walk);
        if (!ps_count_visits(s))
            ps_offer(s, s->walk);
    }
    return bound;
}

/* One pass with at most `width` labels at each place. PS_OPEN when all layers are made; `side->dropped` says whether the width
 * did harm. */
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
