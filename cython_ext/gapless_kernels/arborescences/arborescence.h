/* Maximum arborescences of dense graphs by contraction of cycles (Chu-Liu-Edmonds in O(n^2), after Tarjan
 * 1977).
 *
 * Node 0 is the root and nodes 1 to n are the words; weights are (n+1, n+1) row-major, [head, modifier], -inf
 * where there is no arc. Column 0 and the diagonal are not looked at. Every word takes its best head; a cycle
 * of best arcs becomes one node, whose arcs are those of its members less what each member's own best arc is
 * worth. What is left is a forest of nodes (words and contracted cycles), each with a dual u, the worth of
 * its best arc, and
 *
 *     reduced(h, m) = weights[h, m] - sum of u over the nodes that hold m and not h  <=  0:
 *
 * every tree is worth the sum of all u plus the reduced weights of its arcs, plus u for every arc but one
 * that enters a cycle (there u <= 0). So the sum of all u bounds every tree, and the tree found attains it.
 *
 * With a single root, an arc out of 0 is taken only where there is no other: first without that rule, and if
 * the tree has several roots, the nodes that took 0 look for another head and contraction goes on. In the end
 * one node alone, the terminal, has no other head; its arc out of 0 is the only one. No large penalty is
 * needed.
 */
#ifndef GAPLESS_KERNELS_ARBORESCENCE_H
#define GAPLESS_KERNELS_ARBORESCENCE_H

#include <string.h>

#include "lanes/lanes.h"

/* The arrays of one call, which the caller's workspace holds: rows are padded to whole octets, so that loops
 * over them have no remainder. */
typedef struct {
    ptrdiff_t n, stride;
    double *dual;        /* u of each node, 2 n; the first `stride` are written by whole blocks */
    double *below;       /* of each node, the sum of u over it and all nodes around it */
    double *rows; /* row x: what the node that owns it would get from each head; -inf inside and in the pad */
    double *around;      /* `below` of the smallest node around two words, see arborescence_gather() */
    double *transposed;  /* reduced weights, modifier first */
    double *losses;      /* one row */
    int64_t *origins;    /* row x: the modifier of that arc */
    int64_t *best;       /* best head of each word */
    int32_t *parent;     /* the node around each node, or -1 */
    int32_t *head;       /* the best arc of each node: its head, or -1 */
    int32_t *modifier;
    int32_t *tree_head;  /* the arc of the tree that enters each node */
    int32_t *tree_modifier;
    int32_t *slot;       /* the row of each node, -1 if not laid out yet */
    int32_t *mark;       /* from where each node was reached, 0 if not yet */
    int32_t *first;      /* the words in each node, as a list through `next` */
    int32_t *last;
    int32_t *next;
    int32_t *top;        /* the outermost node around each word */
    int32_t *cycle;      /* workspace: the members of one cycle */
    double *value;       /* value[0]: of the tree found; what follows is kept between calls, too */
    int32_t *state; /* number of nodes; terminal node or 0; whether contraction was without arcs out of 0;
                       then workspace for a list of words */
} arborescence_arrays;

/* Lay the arrays out in `work`; return their size in bytes. */
static size_t arborescence_layout(ptrdiff_t n, void *work, arborescence_arrays *arrays)
{
    const size_t words = (size_t)n + 1;
    const size_t stride = (words + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
    const size_t nodes = 2 * stride;
    char *cursor = (char *)work;
    arrays->n = n;
    arrays->stride = (ptrdiff_t)stride;
#define ARBORESCENCE_TAKE(field, count)      \
    do {                                     \
        arrays->field = (void *)cursor;            \
        cursor += (count) * sizeof *arrays->field; \
    } while (0)
    ARBORESCENCE_TAKE(dual, nodes);
    ARBORESCENCE_TAKE(below, nodes);
    ARBORESCENCE_TAKE(rows, stride * words);
    ARBORESCENCE_TAKE(around, stride * words);
    ARBORESCENCE_TAKE(transposed, stride * words);
    ARBORESCENCE_TAKE(losses, stride);
    ARBORESCENCE_TAKE(value, 1);
    ARBORESCENCE_TAKE(origins, stride * words);
    ARBORESCENCE_TAKE(best, stride);
    ARBORESCENCE_TAKE(parent, nodes);
    ARBORESCENCE_TAKE(head, nodes);
    ARBORESCENCE_TAKE(modifier, nodes);
    ARBORESCENCE_TAKE(tree_head, nodes);
    ARBORESCENCE_TAKE(tree_modifier, nodes);
    ARBORESCENCE_TAKE(slot, nodes);
    ARBORESCENCE_TAKE(mark, nodes);
    ARBORESCENCE_TAKE(first, nodes);
    ARBORESCENCE_TAKE(last, nodes);
    ARBORESCENCE_TAKE(next, stride);
    ARBORESCENCE_TAKE(top, stride);
    ARBORESCENCE_TAKE(cycle, stride);
    ARBORESCENCE_TAKE(state, 3 + stride);
#undef ARBORESCENCE_TAKE
    return (size_t)(cursor - (char *)work);
}

static inline size_t arborescence_workspace(ptrdiff_t n)
{
    arborescence_arrays arrays;
    char nothing;
    return arborescence_layout(n, &nothing, &arrays);
}

/* --- rows
 * ------------------------------------------------------------------------------------------------------ */

/* best[m] = the first head of the largest weight > -inf, -1 if none; dual[m] = that weight. */
GAPLESS_VERSIONS(void, arborescence_greedy, (ptrdiff_t n, const double *weights, double *restrict dual,
                                             int64_t *restrict best), (n, weights, dual, best))
{
    const ptrdiff_t words = n + 1, in_octets = words - words % GAPLESS_OCTET;
    for (ptrdiff_t m = 0; m < words; m++) {
        dual[m] = -(double)INFINITY;
        best[m] = -1;
    }
    for (ptrdiff_t h = 0; h < words; h++) {
        const double *row = weights + h * words;
        const double dual_of_head = dual[h];
        const int64_t kept_head = best[h];
        for (ptrdiff_t m = 0; m < in_octets; m++) {
            const int better = row[m] > dual[m];
            dual[m] = better ? row[m] : dual[m];
            best[m] = better ? h : best[m];
        }
        for (ptrdiff_t m = in_octets; m < words; m++) {
            const int better = row[m] > dual[m];
            dual[m] = better ? row[m] : dual[m];
            best[m] = better ? h : best[m];
        }
        /* The diagonal may hold anything. */
        dual[h] = dual_of_head;
        best[h] = kept_head;
    }
}

/* row[h] = max(row[h], other[h] - dual), and the modifier with it. */
GAPLESS_VERSIONS(void, arborescence_merge,
                 (double *restrict row, int64_t *restrict origin, const double *restrict other,
                  const int64_t *restrict other_origin, double dual, ptrdiff_t stride),
                 (row, origin, other, other_origin, dual, stride))
{
    for (ptrdiff_t h = 0; h < stride; h++) {
        const double offer = other[h] - dual;
        const int better = offer > row[h];
        row[h] = better ? offer : row[h];
        origin[h] = better ? other_origin[h] : origin[h];
    }
}

GAPLESS_VERSIONS(void, arborescence_subtract, (double *restrict row, double dual, ptrdiff_t stride),
                 (row, dual, stride))
{
    for (ptrdiff_t h = 0; h < stride; h++)
        row[h] -= dual;
}

/* --- contraction
 * ----------------------------------------------------------------------------------------------- */

/* The row of a top node, laid out from the weights if it is a word's and not there yet. */
static int32_t arborescence_row(const arborescence_arrays *arrays, const double *weights, int32_t node)
{
    if (arrays->slot[node] < 0) {
        const ptrdiff_t words = arrays->n + 1;
        double *row = arrays->rows + node * arrays->stride;
        int64_t *origin = arrays->origins + node * arrays->stride;
        for (ptrdiff_t h = 0; h < words; h++)
            row[h] = weights[h * words + node];
        for (ptrdiff_t h = words; h < arrays->stride; h++)
            row[h] = -(double)INFINITY;
        row[node] = -(double)INFINITY;
        for (ptrdiff_t h = 0; h < arrays->stride; h++)
            origin[h] = node;
        arrays->slot[node] = node;
    }
    return arrays->slot[node];
}

/* Give a node with a row its best arc, among the heads from `first_head` on. */
static void arborescence_choose(const arborescence_arrays *arrays, int32_t node, ptrdiff_t first_head)
{
    const double *row = arrays->rows + arrays->slot[node] * arrays->stride;
    const ptrdiff_t h = first_head + argmax_f64(row + first_head, arrays->n + 1 - first_head);
    const int exists = row[h] > -(double)INFINITY;
    arrays->dual[node] = row[h];
    arrays->head[node] = exists ? (int32_t)h : -1;
    arrays->modifier[node] = (int32_t)arrays->origins[arrays->slot[node] * arrays->stride + h];
}

/* Make one node of the cycle of best arcs through `node`, and give it its best arc. */
static int32_t arborescence_contract(const arborescence_arrays *arrays, const double *weights, int32_t node,
                                     ptrdiff_t first_head)
{
    const ptrdiff_t stride = arrays->stride;
    const int32_t made = arrays->state[0]++;
    int32_t size = 0, member = node;
    do {
        arrays->cycle[size++] = member;
        member = arrays->top[arrays->head[member]];
    } while (member != node);
    const int32_t slot = arborescence_row(arrays, weights, node);
    double *row = arrays->rows + slot * stride;
    int64_t *origin = arrays->origins + slot * stride;
    arborescence_subtract(row, arrays->dual[node], stride);
    for (int32_t i = 1; i < size; i++) {
        const ptrdiff_t other = arborescence_row(arrays, weights, arrays->cycle[i]) * stride;
        arborescence_merge(row, origin, arrays->rows + other, arrays->origins + other,
                           arrays->dual[arrays->cycle[i]], stride);
    }
    for (int32_t i = 0; i < size; i++) {
        member = arrays->cycle[i];
        arrays->parent[member] = made;
        for (int32_t word = arrays->first[member]; word > 0; word = arrays->next[word]) {
            arrays->top[word] = made;
            row[word] = -(double)INFINITY;
        }
        if (i > 0)
            arrays->next[arrays->last[arrays->cycle[i - 1]]] = arrays->first[member];
    }
    arrays->first[made] = arrays->first[node];
    arrays->last[made] = arrays->last[arrays->cycle[size - 1]];
    arrays->slot[made] = slot;
    arrays->parent[made] = -1;
    arborescence_choose(arrays, made, first_head);
    return made;
}

/* Contract every cycle of best arcs with heads from `first_head` on (1: no arcs out of 0); return whether a
 * tree is still possible.
 *
 * A walk up best arcs ends in the root, in a node of an earlier walk, or closes a cycle. With `first_head` 1
 * one node may be without a head: the terminal. */
static int arborescence_contract_all(const arborescence_arrays *arrays, const double *weights,
                                     ptrdiff_t first_head)
{
    for (int32_t start = 1; start <= arrays->n; start++) {
        int32_t node = arrays->top[start];
        while (node != 0 && arrays->mark[node] == 0) {
            arrays->mark[node] = start;
            if (arrays->head[node] < 0) {
                if (first_head == 0 || arrays->state[1] != 0)
                    return 0;
                arrays->state[1] = node;
                break;
            }
            const int32_t above = arrays->top[arrays->head[node]];
            /* What was made is not marked yet: the walk goes on from there. */
            node = above != 0 && arrays->mark[above] == start
                       ? arborescence_contract(arrays, weights, above, first_head)
                       : above;
        }
    }
    return 1;
}

/* Go on from a contraction with arcs out of 0 to one without; whether a tree with a single root is left. */
static int arborescence_close(const arborescence_arrays *arrays, const double *weights)
{
    for (int32_t word = 1; word <= arrays->n; word++) {
        const int32_t node = arrays->top[word];
        arrays->mark[node] = 0;
        if (arrays->head[node] == 0) {
            arborescence_row(arrays, weights, node);
            arborescence_choose(arrays, node, 1);
        }
    }
    arrays->state[2] = 1;
    if (!arborescence_contract_all(arrays, weights, 1))
        return 0;
    const int32_t terminal = arrays->state[1];
    const ptrdiff_t row = arborescence_row(arrays, weights, terminal) * arrays->stride;
    arrays->dual[terminal] = arrays->rows[row];
    arrays->head[terminal] = 0;
    arrays->modifier[terminal] = (int32_t)arrays->origins[row];
    return arrays->rows[row] > -(double)INFINITY;
}

/* Open the cycles from the outermost on: the member that an arc enters takes it, the others keep their
 * own. */
static void arborescence_expand(const arborescence_arrays *arrays)
{
    const int32_t nodes = arrays->state[0];
    memcpy(arrays->tree_head, arrays->head, (size_t)nodes * sizeof *arrays->head);
    memcpy(arrays->tree_modifier, arrays->modifier, (size_t)nodes * sizeof *arrays->modifier);
    for (int32_t node = nodes - 1; node > arrays->n; node--) {
        int32_t member = arrays->tree_modifier[node];
        while (arrays->parent[member] != node)
            member = arrays->parent[member];
        arrays->tree_head[member] = arrays->tree_head[node];
        arrays->tree_modifier[member] = arrays->tree_modifier[node];
    }
}

static double arborescence_infeasible(const arborescence_arrays *arrays, int32_t *heads)
{
    for (ptrdiff_t m = 0; m <= arrays->n; m++)
        heads[m] = -1;
    *arrays->value = -(double)INFINITY;
    return -(double)INFINITY;
}

/* A best arborescence; its value, -inf (and heads -1) if there is none. heads[0] = -1. */
static double arborescence_best(ptrdiff_t n, const double *weights, int single_root, void *work,
                                int32_t *heads)
{
    arborescence_arrays arrays;
    arborescence_layout(n, work, &arrays);
    arborescence_greedy(n, weights, arrays.dual, arrays.best);
    for (int32_t m = 0; m <= n; m++) {
        arrays.head[m] = (int32_t)arrays.best[m];
        arrays.modifier[m] = m;
        arrays.parent[m] = -1;
        arrays.slot[m] = -1;
        arrays.first[m] = arrays.last[m] = arrays.top[m] = m;
        arrays.next[m] = 0;
    }
    memset(arrays.mark, 0, 2 * (size_t)arrays.stride * sizeof *arrays.mark);
    arrays.state[0] = (int32_t)n + 1;
    arrays.state[1] = arrays.state[2] = 0;
    if (!arborescence_contract_all(&arrays, weights, 0))
        return arborescence_infeasible(&arrays, heads);
    arborescence_expand(&arrays);
    if (single_root) {
        ptrdiff_t roots = 0;
        for (ptrdiff_t m = 1; m <= n; m++)
            roots += arrays.tree_head[m] == 0;
        if (roots > 1) {
            if (!arborescence_close(&arrays, weights))
                return arborescence_infeasible(&arrays, heads);
            arborescence_expand(&arrays);
        }
    }
    double value = 0.0;
    heads[0] = -1;
    for (ptrdiff_t m = 1; m <= n; m++) {
        heads[m] = arrays.tree_head[m];
        value += weights[arrays.tree_head[m] * (n + 1) + m];
    }
    *arrays.value = value;
    return value;
}

/* --- reduced weights and max-marginals
 * ------------------------------------------------------------------------- */

GAPLESS_VERSIONS(void, arborescence_reduce,
                 (double *restrict reduced, const double *weights, const double *below, const double *around,
                  ptrdiff_t words),
                 (reduced, weights, below, around, words))
{
    if (around == NULL) {
        for (ptrdiff_t m = 0; m < words; m++)
            reduced[m] = weights[m] - below[m];
    } else {
        for (ptrdiff_t m = 0; m < words; m++)
            reduced[m] = weights[m] - (below[m] - around[m]);
    }
}

/* For each word m of a node's row: `below` of the smallest node around the row's node and m; NULL if never
 * any.
 *
 * Rows of contracted nodes are copied from the outside inwards, and a word's row is its parent's. */
static const double *arborescence_around(const arborescence_arrays *arrays, int32_t word)
{
    const int32_t around = arrays->parent[word];
    return around < 0 ? NULL : arrays->around + (around - arrays->n - 1) * arrays->stride;
}

static void arborescence_gather(const arborescence_arrays *arrays)
{
    for (int32_t node = arrays->state[0] - 1; node >= 1; node--) {
        const int32_t parent = arrays->parent[node];
        arrays->below[node] = arrays->dual[node] + (parent < 0 ? 0.0 : arrays->below[parent]);
        if (node <= arrays->n)
            continue;
        double *row = arrays->around + (node - arrays->n - 1) * arrays->stride;
        if (parent < 0)
            memset(row, 0, (size_t)arrays->stride * sizeof *row);
        else
            memcpy(row, arrays->around + (parent - arrays->n - 1) * arrays->stride,
                   (size_t)arrays->stride * sizeof *row);
        int32_t word = arrays->first[node];
        for (;; word = arrays->next[word]) {
            row[word] = arrays->below[node];
            if (word == arrays->last[node])
                break;
        }
    }
    arrays->below[0] = 0.0;
}

/* The best of reduced[h] less what leaving nodes around the modifier costs, over the heads that `closed` lets
 * pass. */
GAPLESS_VERSIONS(double, arborescence_entry, (const double *restrict reduced, const double *restrict around,
                                              const double *restrict closed, double level, ptrdiff_t stride),
                 (reduced, around, closed, level, stride))
{
    double lanes[GAPLESS_OCTET], best;
    for (int k = 0; k < GAPLESS_OCTET; k++)
        lanes[k] = -(double)INFINITY;
    for (ptrdiff_t h = 0; h < stride; h += GAPLESS_OCTET)
        for (int k = 0; k < GAPLESS_OCTET; k++) {
            const double excess = around[h + k] < level ? level - around[h + k] : 0.0;
            const double offer = reduced[h + k] - excess + closed[h + k];
            lanes[k] = GAPLESS_MAX(offer, lanes[k]);
        }
    best = lanes[0];
    for (int k = 1; k < GAPLESS_OCTET; k++)
        best = GAPLESS_MAX(lanes[k], best);
    return best;
}

/* What a tree must lose, beyond reduced weights, so that each head in `candidates` is no descendant of
 * `word`.
 *
 * A tree with the arc h -> word holds a path from 0 to h that avoids `word`; given the path, arcs of reduced
 * weight 0 complete it, and every node that holds the path's end is entered once more for each time the path
 * left it before. So the loss is a shortest path: an arc costs its reduced weight, and `around` says what
 * leaving costs. Heads that the tree found reaches for nothing are closed[h] = 0; the others are settled as
 * Dijkstra does, the tree's descendants of a head with it, and get closed[h] = -losses[h]. Losses above `cap`
 * are not distinguished: they get the smallest of them. */
static void arborescence_detour(const arborescence_arrays *arrays, const double *around, double *closed,
                                int32_t *candidates, ptrdiff_t count, double cap)
{
    const ptrdiff_t stride = arrays->stride;
    double *losses = arrays->losses;
    for (ptrdiff_t i = 0; i < count; i++) {
        const double *reduced = arrays->transposed + candidates[i] * stride;
        const double entry = arborescence_entry(reduced, around, closed, around[candidates[i]], stride);
        /* Nothing is left by an arc out of 0. */
        losses[candidates[i]] = -GAPLESS_MAX(reduced[0], entry);
    }
    while (count > 1) {
        int32_t nearest = candidates[0], *settled = arrays->state + 3;
        ptrdiff_t left = 0, fresh = 0;
        for (ptrdiff_t i = 1; i < count; i++)
            nearest = losses[candidates[i]] < losses[nearest] ? candidates[i] : nearest;
        const double loss = losses[nearest];
        if (!(loss <= cap)) {
            for (ptrdiff_t i = 0; i < count; i++)
                losses[candidates[i]] = loss;
            return;
        }
        /* Candidates keep the tree's order, heads before modifiers. */
        for (ptrdiff_t i = 0; i < count; i++) {
            const int32_t g = candidates[i], h = arrays->tree_head[g];
            if (g == nearest || (closed[h] > -(double)INFINITY && !(around[h] < around[g]))) {
                losses[g] = loss;
                closed[g] = -loss;
                settled[fresh++] = g;
            } else {
                candidates[left++] = g;
            }
        }
        count = left;
        for (ptrdiff_t i = 0; i < count; i++) {
            const int32_t to = candidates[i];
            const double *reduced = arrays->transposed + to * stride;
            double best = -losses[to];
            if (fresh > GAPLESS_OCTET) {
                const double entry = arborescence_entry(reduced, around, closed, around[to], stride);
                best = GAPLESS_MAX(entry, best);
            } else {
                for (ptrdiff_t j = 0; j < fresh; j++) {
                    const int32_t from = settled[j];
                    const double leaving = around[from] < around[to] ? around[to] - around[from] : 0.0;
                    const double offer = reduced[from] - leaving - loss;
                    best = GAPLESS_MAX(offer, best);
                }
            }
            losses[to] = -best;
        }
    }
}

/* Words in an order in which the tree's heads come before their modifiers, in arrays->cycle. */
static void arborescence_order(const arborescence_arrays *arrays)
{
    int32_t *order = arrays->cycle, *child = arrays->slot, *sibling = arrays->mark;
    ptrdiff_t count = 0;
    for (ptrdiff_t m = 0; m <= arrays->n; m++)
        child[m] = 0;
    for (int32_t m = 1; m <= arrays->n; m++) {
        sibling[m] = child[arrays->tree_head[m]];
        child[arrays->tree_head[m]] = m;
    }
    for (int32_t m = child[0]; m > 0; m = sibling[m])
        order[count++] = m;
    for (ptrdiff_t index = 0; index < count; index++)
        for (int32_t m = child[order[index]]; m > 0; m = sibling[m])
            order[count++] = m;
}

/* Subtract from the reduced weights of the arcs into `word` what else a tree with them must lose. */
static void arborescence_lose(const arborescence_arrays *arrays, int32_t word, double threshold,
                              double *marginals)
{
    const ptrdiff_t words = arrays->n + 1;
    const double *around = arborescence_around(arrays, word);
    int32_t *candidates = arrays->first;
    double *closed = arrays->dual;
    ptrdiff_t count = 0;
    double cap = -(double)INFINITY;
    if (around == NULL) {
        if (arrays->slot[word] == 0)
            return;
        around = arrays->below + arrays->stride;
    }
    closed[0] = closed[word] = -(double)INFINITY;
    for (ptrdiff_t i = 0; i < arrays->n; i++) {
        const int32_t g = arrays->cycle[i], h = arrays->tree_head[g];
        if (g == word)
            continue;
        if (h == 0 || (closed[h] == 0.0 && !(around[h] < around[g]))) {
            closed[g] = 0.0;
        } else {
            closed[g] = -(double)INFINITY;
            candidates[count++] = g;
            const double bound = *arrays->value + marginals[g * words + word];
            /* Not NaN where both are -inf, nor where the difference is. */
            if (bound > -(double)INFINITY && bound >= threshold)
                cap = GAPLESS_MAX(bound - threshold, cap);
        }
    }
    if (!(cap >= 0.0))
        return;
    /* Differences are rounded; so rather too many losses are distinguished. */
    cap += 1e-12 * (fabs(*arrays->value) + cap);
    arborescence_detour(arrays, around, closed, candidates, count, cap);
    for (ptrdiff_t g = 1; g <= arrays->n; g++)
        if (closed[g] < 0.0 && g != word)
            marginals[g * words + word] -= arrays->losses[g];
}

/* The best value with each arc forced in, after arborescence_best with the same work; column 0 and the
 * diagonal -inf.
 *
 * Exact wherever it is at least `threshold`; elsewhere what is written is below the threshold and not below
 * the truth. So a threshold of -inf asks for all, in O(n^3) at worst, and +inf for reduced weights alone, in
 * O(n^2). Can be called once after each arborescence_best. */
static void arborescence_slacks_above(ptrdiff_t n, const double *weights, int single_root, void *work,
                                      double threshold, double *max_marginals)
{
    const ptrdiff_t words = n + 1;
    arborescence_arrays arrays;
    arborescence_layout(n, work, &arrays);
    const double value = *arrays.value;
    if (!(value > -(double)INFINITY)
        || (single_root && !arrays.state[2] && !arborescence_close(&arrays, weights))) {
        for (ptrdiff_t i = 0; i < words * words; i++)
            max_marginals[i] = -(double)INFINITY;
        return;
    }
    arborescence_expand(&arrays);
    arborescence_gather(&arrays);
    for (int32_t h = 0; h <= n; h++) {
        double *row = max_marginals + h * words;
        arborescence_reduce(row, weights + h * words, arrays.below,
                            h ? arborescence_around(&arrays, h) : NULL, words);
        row[0] = row[h] = -(double)INFINITY;
        /* The single arc out of 0 enters the terminal, which no other arc does. */
        if (h == 0 && single_root)
            for (int32_t m = 1; m <= n; m++)
                if (arrays.top[m] != arrays.state[1])
                    row[m] = -(double)INFINITY;
    }
    for (ptrdiff_t m = 1; m <= n; m++) {
        double *row = arrays.transposed + m * arrays.stride;
        max_marginals[arrays.tree_head[m] * words + m] = 0.0;
        for (ptrdiff_t h = 0; h < words; h++) {
            /* Never above 0 but by rounding. */
            const double reduced = max_marginals[h * words + m];
            row[h] = reduced < 0.0 ? reduced : (reduced >= 0.0 ? 0.0 : -(double)INFINITY);
            max_marginals[h * words + m] = row[h];
        }
        for (ptrdiff_t h = words; h < arrays.stride; h++)
            row[h] = -(double)INFINITY;
    }
    if (threshold < (double)INFINITY) {
        arborescence_order(&arrays);
        memset(arrays.below + arrays.stride, 0, (size_t)arrays.stride * sizeof *arrays.below);
        for (ptrdiff_t h = 0; h < arrays.stride; h++)
            arrays.dual[h] = -(double)INFINITY;
        for (int32_t m = 1; m <= n; m++)
            arborescence_lose(&arrays, m, threshold, max_marginals);
    }
    for (ptrdiff_t i = 0; i < words * words; i++)
        max_marginals[i] += value;
}

static inline void arborescence_slacks(ptrdiff_t n, const double *weights, int single_root, void *work,
                                       double *max_marginals)
{
    arborescence_slacks_above(n, weights, single_root, work, -(double)INFINITY, max_marginals);
}

#endif
