/* The k best projective trees, one after the other.
 *
 * Huang and Chiang (2005), "Better k-best parsing", algorithm 3, over the spans of parsing/eisner.h. An item
 * is a span; a derivation of it is a split and the ranks of the two parts' derivations. A tree has one
 * derivation, so derivations of the whole are trees, all different. An item makes its next derivation only
 * when a larger one asks for
 * it. */
#ifndef GAPLESS_KERNELS_EISNER_K_BEST_H
#define GAPLESS_KERNELS_EISNER_K_BEST_H

#include <stdlib.h>

#include "parsing/eisner.h"
#include "resize.h"

typedef struct {
    double value;
    int32_t split, left, right;
} eisner_derivation;

/* Derivations in order, and a heap of those that may be next; the successors of the last ``derivation_count
 * - extended`` derivations (at most one) are not yet in the heap. */
typedef struct {
    eisner_derivation *derivations, *waiting;
    ptrdiff_t derivation_count, derivation_capacity, waiting_count, waiting_capacity, extended;
    int opened;
} eisner_item;

enum { EISNER_RIGHT, EISNER_LEFT, EISNER_TO_RIGHT, EISNER_TO_LEFT, EISNER_ROOT };

typedef struct {
    int kind;
    ptrdiff_t i, j;
} eisner_span;

typedef struct {
    eisner_charts charts;
    ptrdiff_t n, first;
    const double *weights;
    eisner_span root_span;
    eisner_item *items;
} eisner_forest;

static eisner_item *eisner_item_of(const eisner_forest *forest, eisner_span span)
{
    const ptrdiff_t m = forest->charts.words;
    return forest->items + (span.kind == EISNER_ROOT ? 4 * m * m : (span.kind * m + span.i) * m + span.j);
}

static int eisner_is_word(eisner_span span)
{
    return span.i == span.j && (span.kind == EISNER_RIGHT || span.kind == EISNER_LEFT);
}

/* The two parts of a span that is split, and the weight of the arc that joins them. */
static double eisner_parts(const eisner_forest *forest, eisner_span span, ptrdiff_t split, eisner_span *left,
                           eisner_span *right)
{
    const ptrdiff_t row = forest->n + 1, i = span.i + forest->first, j = span.j + forest->first;
    double weight = 0;
    left->i = span.i;
    left->j = right->i = split;
    right->j = span.j;
    switch (span.kind) {
    case EISNER_RIGHT:
        left->kind = EISNER_TO_RIGHT;
        right->kind = EISNER_RIGHT;
        break;
    case EISNER_LEFT:
        left->kind = EISNER_LEFT;
        right->kind = EISNER_TO_LEFT;
        break;
    case EISNER_ROOT:
        left->kind = EISNER_LEFT;
        right->kind = EISNER_RIGHT;
        weight = forest->weights[split + forest->first];
        break;
    default:
        left->kind = EISNER_RIGHT;
        right->kind = EISNER_LEFT;
        right->i = split + 1;
        weight = forest->weights[span.kind == EISNER_TO_RIGHT ? i * row + j : j * row + i];
    }
    return weight;
}

/* The value of a derivation that is already listed; those of rank 0 are in the charts. */
static double eisner_value(const eisner_forest *forest, eisner_span span, ptrdiff_t rank)
{
    if (rank)
        return eisner_item_of(forest, span)->derivations[rank].value;
    const eisner_charts *charts = &forest->charts;
    const double *const of_kind[] = {charts->complete_right, charts->complete_left, charts->incomplete_right,
                                     charts->incomplete_left};
    return of_kind[span.kind][eisner_row(charts->words, span.j - span.i) + span.i];
}

/* Put a derivation on the item's heap, unless a part is missing. */
static int eisner_push(const eisner_forest *forest, eisner_span span, ptrdiff_t split, ptrdiff_t left_rank,
                       ptrdiff_t right_rank)
{
    eisner_item *const item = eisner_item_of(forest, span);
    eisner_span left, right;
    const double weight = eisner_parts(forest, span, split, &left, &right);
    const double value =
        weight + (eisner_value(forest, left, left_rank) + eisner_value(forest, right, right_rank));
    if (!(value > -(double)INFINITY))
        return 0;
    const ptrdiff_t waiting = item->waiting_count + 1;
    if (!array_grow(&item->waiting, &item->waiting_capacity, waiting, sizeof *item->waiting))
        return -1;
    ptrdiff_t slot = item->waiting_count++;
    for (; slot && item->waiting[(slot - 1) / 2].value < value; slot = (slot - 1) / 2)
        item->waiting[slot] = item->waiting[(slot - 1) / 2];
    const eisner_derivation derivation = {value, (int32_t)split, (int32_t)left_rank, (int32_t)right_rank};
    item->waiting[slot] = derivation;
    return 0;
}

static eisner_derivation eisner_pop(eisner_item *item)
{
    const eisner_derivation best = item->waiting[0], last = item->waiting[--item->waiting_count];
    const ptrdiff_t count = item->waiting_count;
    ptrdiff_t slot = 0;
    for (ptrdiff_t child = 1; child < count; child = 2 * slot + 1) {
        if (child + 1 < count && item->waiting[child + 1].value > item->waiting[child].value)
            child++;
        if (!(item->waiting[child].value > last.value))
            break;
        item->waiting[slot] = item->waiting[child];
        slot = child;
    }
    item->waiting[slot] = last;
    return best;
}

/* Make sure of the derivation of that rank: 1 if there is one, 0 if not, -1 if memory ran out. */
static int eisner_need(const eisner_forest *forest, eisner_span span, ptrdiff_t rank)
{
    if (eisner_is_word(span))
        return rank == 0;
    eisner_item *const item = eisner_item_of(forest, span);
    if (!item->opened) {
        item->opened = 1;
        const ptrdiff_t begin = span.kind == EISNER_RIGHT ? span.i + 1 : span.i,
                        end = span.kind == EISNER_RIGHT || span.kind == EISNER_ROOT ? span.j : span.j - 1;
        for (ptrdiff_t split = begin; split <= end; split++)
            if (eisner_push(forest, span, split, 0, 0) < 0)
                return -1;
    }
    while (item->derivation_count <= rank) {
        if (item->extended < item->derivation_count) {
            /* The left rank rises only where the right one is 0, so that each pair has one predecessor. */
            const eisner_derivation d = item->derivations[item->extended++];
            eisner_span left, right;
            eisner_parts(forest, span, d.split, &left, &right);
            int exists = eisner_need(forest, right, d.right + 1);
            if (exists < 0 || (exists && eisner_push(forest, span, d.split, d.left, d.right + 1) < 0))
                return -1;
            if (d.right == 0) {
                exists = eisner_need(forest, left, d.left + 1);
                if (exists < 0 || (exists && eisner_push(forest, span, d.split, d.left + 1, 0) < 0))
                    return -1;
            }
        }
        if (item->waiting_count == 0)
            return 0;
        const ptrdiff_t needed = item->derivation_count + 1;
        if (!array_grow(&item->derivations, &item->derivation_capacity, needed, sizeof *item->derivations))
            return -1;
        item->derivations[item->derivation_count++] = eisner_pop(item);
    }
    return 1;
}

/* Write the heads of a derivation that is already listed. */
static int eisner_write(const eisner_forest *forest, eisner_span span, ptrdiff_t rank, int32_t *heads)
{
    if (eisner_is_word(span))
        return 0;
    if (eisner_need(forest, span, rank) < 0)
        return -1;
    const eisner_derivation d = eisner_item_of(forest, span)->derivations[rank];
    const int32_t i = (int32_t)(span.i + forest->first), j = (int32_t)(span.j + forest->first);
    eisner_span left, right;
    eisner_parts(forest, span, d.split, &left, &right);
    if (span.kind == EISNER_TO_RIGHT)
        heads[j] = i;
    else if (span.kind == EISNER_TO_LEFT)
        heads[i] = j;
    else if (span.kind == EISNER_ROOT)
        heads[d.split + forest->first] = 0;
    return eisner_write(forest, left, d.left, heads) < 0 || eisner_write(forest, right, d.right, heads) < 0
               ? -1
               : 0;
}

/* Begin; -1 if memory ran out. `weights` and `work`, as for eisner_inside, are in use until the end; `heads`
 * receives the best tree. */
static int eisner_forest_open(eisner_forest *forest, ptrdiff_t n, const double *weights, int single_root,
                              void *work, int32_t *heads)
{
    eisner_inside(n, weights, single_root, work, heads);
    forest->charts = eisner_charts_in(n, single_root, work);
    forest->n = n;
    forest->first = single_root ? 1 : 0;
    forest->weights = weights;
    forest->root_span.kind = single_root ? EISNER_ROOT : EISNER_RIGHT;
    forest->root_span.i = 0;
    forest->root_span.j = forest->charts.words - 1;
    const size_t m = (size_t)forest->charts.words;
    forest->items = (eisner_item *)calloc(4 * m * m + 1, sizeof(eisner_item));
    return forest->items ? 0 : -1;
}

/* Write the tree of that rank, from 0 on, and its value: 1 if there is one, 0 if not, -1 if memory ran
 * out. */
static int eisner_forest_tree(eisner_forest *forest, ptrdiff_t rank, double *value, int32_t *heads)
{
    const int exists = eisner_need(forest, forest->root_span, rank);
    if (exists <= 0)
        return exists;
    heads[0] = -1;
    if (eisner_write(forest, forest->root_span, rank, heads) < 0)
        return -1;
    *value = 0;
    for (ptrdiff_t word = 1; word <= forest->n; word++)
        *value += forest->weights[heads[word] * (forest->n + 1) + word];
    return 1;
}

static void eisner_forest_close(eisner_forest *forest)
{
    const ptrdiff_t m = forest->charts.words;
    for (ptrdiff_t k = 0; forest->items && k < 4 * m * m + 1; k++) {
        free(forest->items[k].derivations);
        free(forest->items[k].waiting);
    }
    free(forest->items);
}

#endif
