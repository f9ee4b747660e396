/* The best colourful path under one colouring among those that a bound lets beat an incumbent; see the
 * twin, _color_coding_twin.py.
 *
 * The table of paths/color_coding.h would be nearly empty, so the states (last vertex, set of colours)
 * that are left are listed place after place, and a hash table finds those of the place at hand. */
#ifndef GAPLESS_KERNELS_COLOR_CODING_PRUNED_H
#define GAPLESS_KERNELS_COLOR_CODING_PRUNED_H

#include "lanes/lanes.h"
#include "owner.h"

#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "paths/graph_rows.h"
#include "lanes/versions.h"

enum { COLORFUL_LEAST = 1024 };

/* The best path found to a last vertex through a set of colours. */
typedef struct {
    double score, reduced;     /* reduced: less the charges of the classes visited */
    uint32_t colors;
    int32_t vertex, parent;    /* the parent's number, -1 at the first place */
} colorful_state;

typedef struct {
    ptrdiff_t n, length, classes;
    const double *start, *ordering, *end, *charges;
    const int64_t *class_of;
    const double
        *completion; /* length * n: what a path can still get once it has reached a vertex at a place */
    double *arrival;           /* the same, less the charge of the vertex itself */
    double *offers;
    int32_t *who;
    uint32_t *bit;             /* of each vertex's colour */
    ptrdiff_t most, held, capacity; /* of states: allowed, held, allocated */
    colorful_state *states;
    uint64_t *table;           /* turn << 32 | number of a state; entries of other turns are free */
    ptrdiff_t slots;
    uint64_t turn;
    array_owner owner;         /* of the arrays that do not grow */
} colorful;

static void colorful_free(colorful *search)
{
    free_arrays(&search->owner);
    free(search->states);
    free(search->table);
}

/* Allocate what all colourings need in a zeroed search; `colorful_free` frees it. 0 without memory. */
static int colorful_begin(colorful *search)
{
    const ptrdiff_t n = search->n;
    search->slots = 2 * COLORFUL_LEAST;
    search->arrival = own_array(&search->owner, search->length * n, sizeof(double));
    search->offers = own_array(&search->owner, n + GAPLESS_BLOCK, sizeof(double));
    search->who = own_array(&search->owner, n + GAPLESS_BLOCK, sizeof(int32_t));
    search->bit = own_array(&search->owner, n, sizeof(uint32_t));
    search->table = calloc((size_t)search->slots, sizeof *search->table);
    if (search->owner.failed || !search->table
        || !array_grow(&search->states, &search->capacity, COLORFUL_LEAST, sizeof *search->states))
        return 0;
    for (ptrdiff_t place = 0; place < search->length; place++)
        for (ptrdiff_t v = 0; v < search->n; v++)
            search->arrival[place * search->n + v] =
                search->completion[place * search->n + v] - search->charges[search->class_of[v]];
    return 1;
}

static inline ptrdiff_t colorful_first_slot(const colorful *search, uint32_t colors, int32_t vertex)
{
    const uint64_t key = (uint64_t)colors << 32 | (uint32_t)vertex;
    return (ptrdiff_t)((key * 0x9E3779B97F4A7C15u) >> 24) & (search->slots - 1);
}

/* Where a state of this turn is in the table, or would be. */
static inline ptrdiff_t colorful_slot(const colorful *search, uint32_t colors, int32_t vertex)
{
    ptrdiff_t slot = colorful_first_slot(search, colors, vertex);
    for (; search->table[slot] >> 32 == search->turn; slot = (slot + 1) & (search->slots - 1)) {
        const colorful_state *state = search->states + (uint32_t)search->table[slot];
        if (state->colors == colors && state->vertex == vertex)
            break;
    }
    return slot;
}

/* Twice the slots; 0 if there is no memory. `first` is the first state of this turn. */
static int colorful_rehash(colorful *search, ptrdiff_t first)
{
    uint64_t *larger = calloc((size_t)(2 * search->slots), sizeof *larger);
    if (!larger)
        return 0;
    free(search->table);
    search->table = larger;
    search->slots *= 2;
    for (ptrdiff_t s = first; s < search->held; s++)
        search->table[colorful_slot(search, search->states[s].colors, search->states[s].vertex)] =
            search->turn << 32 | (uint64_t)s;
    return 1;
}

enum { COLORFUL_DONE = 0, COLORFUL_TOO_MANY = 1, COLORFUL_NO_MEMORY = 2 };

/* Extend one state, or the empty path, by all vertices that can be at `place` on a path above `level`. */
static int colorful_extend(colorful *search, ptrdiff_t place, int32_t parent, double level,
                           ptrdiff_t first)
{
    const colorful_state empty = {0, 0, 0, -1, -1}, from = parent < 0 ? empty : search->states[parent];
    const double *row = parent < 0 ? search->start : search->ordering + (ptrdiff_t)from.vertex * search->n;
    const double *arrival = search->arrival + place * search->n;
    const double bound = level > -INFINITY ? nextafter(level, INFINITY) : -DBL_MAX;
    const ptrdiff_t count = GAPLESS_CALL(
        row_offers_f64, (from.reduced, row, arrival, search->n, bound, search->who, search->offers));
    for (ptrdiff_t c = 0; c < count; c++) {
        const int32_t v = search->who[c];
        if (from.colors & search->bit[v])
            continue;
        const uint32_t colors = from.colors | search->bit[v];
        const double score = from.score + row[v];
        const ptrdiff_t slot = colorful_slot(search, colors, v);
        colorful_state *state;
        if (search->table[slot] >> 32 == search->turn) {
            /* Of equal paths the one whose last vertex but one comes first. */
            state = search->states + (uint32_t)search->table[slot];
            if (state->score > score
                || (state->score == score && parent >= 0
                    && search->states[state->parent].vertex < from.vertex))
                continue;
        } else {
            if (search->held == search->most)
                return COLORFUL_TOO_MANY;
            if (!array_grow(&search->states, &search->capacity, search->held + 1, sizeof *search->states))
                return COLORFUL_NO_MEMORY;
            search->table[slot] = search->turn << 32 | (uint64_t)search->held;
            state = search->states + search->held++;
        }
        const double charge = search->charges[search->class_of[v]];
        *state = (colorful_state){score, from.reduced + row[v] - charge, colors, v, parent};
        if (2 * (search->held - first) > search->slots && !colorful_rehash(search, first))
            return COLORFUL_NO_MEMORY;
    }
    return COLORFUL_DONE;
}

/* The best value above `incumbent` under one colouring in *value, and its path; -inf if there is none.
 *
 * Of the paths that a bound does not let above `level` (in charges' terms) none is looked at. */
static int colorful_run(colorful *search, const uint8_t *colors, double level, double incumbent,
                        double *value, int64_t *path)
{
    ptrdiff_t first = 0, last = 0;
    *value = -INFINITY;
    search->held = 0;
    for (ptrdiff_t v = 0; v < search->n; v++)
        search->bit[v] = (uint32_t)1 << colors[search->class_of[v]];
    for (ptrdiff_t place = 0; place < search->length; place++) {
        const ptrdiff_t begin = search->held;
        /* A turn is a place of a colouring; after 2^32 of them entries would seem to be of this one. */
        if (++search->turn >> 32) {
            memset(search->table, 0, (size_t)search->slots * sizeof *search->table);
            search->turn = 1;
        }
        for (ptrdiff_t from = place ? first : -1; from < (place ? last : 0); from++) {
            const int failed = colorful_extend(search, place, (int32_t)from, level, begin);
            if (failed)
                return failed;
        }
        first = begin;
        last = search->held;
    }
    const colorful_state *best = NULL;
    double most = incumbent;
    for (ptrdiff_t s = first; s < last; s++) {
        const colorful_state *state = search->states + s;
        const double total = state->score + search->end[state->vertex];
        if (total > most
            || (best && total == most
                && (state->vertex < best->vertex
                    || (state->vertex == best->vertex && state->colors < best->colors)))) {
            best = state;
            most = total;
        }
    }
    if (!best)
        return COLORFUL_DONE;
    *value = most;
    for (ptrdiff_t place = search->length - 1; place >= 0; place--) {
        path[place] = best->vertex;
        best = best->parent < 0 ? NULL : search->states + best->parent;
    }
    return COLORFUL_DONE;
}

#endif
