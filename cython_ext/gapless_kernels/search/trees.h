/* Dependency trees as a maximiser of the search: Eisner's dynamic program, or maximum arborescences.
 *
 * A decision is an arc; its weight is in cell head * (n + 1) + modifier, as both algorithms read them.
 */
#ifndef GAPLESS_SEARCH_TREES_H
#define GAPLESS_SEARCH_TREES_H

#include <stdlib.h>

#include "arborescences/arborescence.h"
#include "parsing/eisner.h"
#include "search/roles.h"

typedef struct {
    ptrdiff_t n, N, arcs;
    int projective, single_root;
    int32_t *head, *modifier, *index, *conflict, *heads;
    ptrdiff_t *cell;
    double *slacks;
    void *work[GS_CHARTS];
} gs_trees;

static int gs_trees_maximise(void *object, int chart, const double *weights, const signed char *state,
                             double *value, int32_t *on, ptrdiff_t *count)
{
    gs_trees *trees = object;
    (void)state; /* the weights of arcs that are off, and of the conflicts of those that are on, are -inf */
    *value = trees->projective
        ? eisner_inside(trees->n, weights, trees->single_root, trees->work[chart], trees->heads)
        : arborescence_best(trees->n, weights, trees->single_root, trees->work[chart], trees->heads);
    if (!(*value > -(double)INFINITY))
        return GS_NOTHING;
    for (ptrdiff_t m = 1; m < trees->N; m++)
        on[m - 1] = trees->index[trees->heads[m] * trees->N + m];
    *count = trees->n;
    return GS_FOUND;
}

static int gs_trees_marginals(void *object, const double *weights, const signed char *state, double *with,
                              double *without)
{
    gs_trees *trees = object;
    (void)state;
    (void)without; /* every arc is in a group */
    if (trees->projective)
        eisner_outside(trees->n, weights, trees->single_root, trees->work[0], trees->slacks);
    else
        arborescence_slacks(trees->n, weights, trees->single_root, trees->work[0], trees->slacks);
    for (ptrdiff_t e = 0; e < trees->arcs; e++)
        with[e] = trees->slacks[trees->cell[e]];
    return GS_FOUND;
}

/* Whether no tree of this family has both arcs. */
static int gs_trees_exclude(void *object, int32_t e, int32_t f)
{
    const gs_trees *trees = object;
    const int32_t g = trees->head[e], m = trees->modifier[e], h = trees->head[f], w = trees->modifier[f];
    if ((g == w && h == m) || (trees->single_root && g == 0 && h == 0))
        return 1;
    if (!trees->projective)
        return 0;
    const int32_t a = g < m ? g : m, b = g < m ? m : g, c = h < w ? h : w, d = h < w ? w : h;
    return (a < c && c < b && b < d) || (c < a && a < d && d < b);
}

/* Internal score of a set of arcs, 0; GS_NOTHING if some word does not reach the root, or the set breaks
 * `single_root` or `projective`. */
static int gs_trees_internal_score(void *object, const int32_t *on, ptrdiff_t count, double *score)
{
    gs_trees *trees = object;
    int32_t *heads = trees->heads;
    ptrdiff_t roots = 0;
    *score = 0.0;
    if (count != trees->n)
        return GS_NOTHING;
    for (ptrdiff_t m = 1; m < trees->N; m++)
        heads[m] = -1;
    for (ptrdiff_t k = 0; k < count; k++)
        heads[trees->modifier[on[k]]] = trees->head[on[k]];
    for (ptrdiff_t m = 1; m < trees->N; m++) {
        int32_t above = heads[m];
        roots += above == 0;
        for (ptrdiff_t steps = 0; above != 0; above = heads[above])
            if (above < 0 || ++steps > trees->n)
                return GS_NOTHING;
    }
    if (roots == 0 || (trees->single_root && roots > 1))
        return GS_NOTHING;
    for (ptrdiff_t k = 1; trees->projective && k < count; k++)
        for (ptrdiff_t j = 0; j < k; j++)
            if (gs_trees_exclude(trees, on[k], on[j]))
                return GS_NOTHING;
    return GS_FOUND;
}

/* Reserve the arrays of a sentence. The caller fills `head` and `modifier` and calls gs_trees_number. 0
 * without memory. */
static int gs_trees_reserve(gs_trees *trees, ptrdiff_t n, ptrdiff_t arcs)
{
    const size_t N = (size_t)n + 1, count = (size_t)arcs + 1;
    const size_t work = (trees->projective ? eisner_workspace(n) : arborescence_workspace(n)) + 64;
    trees->n = n;
    trees->N = n + 1;
    trees->arcs = arcs;
    trees->head = calloc(count, sizeof(int32_t));
    trees->modifier = calloc(count, sizeof(int32_t));
    trees->conflict = calloc(count, sizeof(int32_t));
    trees->cell = calloc(count, sizeof(ptrdiff_t));
    trees->index = malloc(N * N * sizeof(int32_t));
    trees->heads = calloc(N, sizeof(int32_t));
    trees->slacks = calloc(N * N, sizeof(double));
    trees->work[0] = calloc(work, 1);
    trees->work[1] = calloc(work, 1);
    return trees->head && trees->modifier && trees->conflict && trees->cell && trees->index && trees->heads
        && trees->slacks && trees->work[0] && trees->work[1];
}

/* Number the arcs; the first one that is listed twice, or -1. */
static ptrdiff_t gs_trees_number(gs_trees *trees)
{
    for (ptrdiff_t k = 0; k < trees->N * trees->N; k++)
        trees->index[k] = -1;
    for (ptrdiff_t e = 0; e < trees->arcs; e++) {
        trees->cell[e] = trees->head[e] * trees->N + trees->modifier[e];
        if (trees->index[trees->cell[e]] >= 0)
            return e;
        trees->index[trees->cell[e]] = (int32_t)e;
    }
    for (ptrdiff_t e = 0; e < trees->arcs; e++)
        trees->conflict[e] = trees->index[trees->modifier[e] * trees->N + trees->head[e]];
    return -1;
}

static void gs_trees_free(gs_trees *trees)
{
    free(trees->head);
    free(trees->modifier);
    free(trees->conflict);
    free(trees->cell);
    free(trees->index);
    free(trees->heads);
    free(trees->slacks);
    free(trees->work[0]);
    free(trees->work[1]);
}

#endif
