/* Maximum arborescences of dense graphs by contraction of cycles (Chu-Liu-Edmonds in O(n^2), after Tarjan 1977).
 *
 * Node 0 is the root and nodes 1 to n are the words; weights are (n+1, n+1) row-major, [head, modifier], -inf where
 * there is no arc. Column 0 and the diagonal are not looked at. Every word takes its best head; a cycle of best arcs
 * becomes one node, whose arcs are those of its members less what each member's own best arc is worth. What is left
 * is a forest of nodes (words and contracted cycles), each with a dual u, the worth of its best arc, and
 *
 *     reduced(h, m) = weights[h, m] - sum of u over the nodes that hold m and not h  <=  0:
 *
 * every tree is worth the sum of all u plus the reduced weights of its arcs, plus u for every arc but one that
 * enters a cycle (there u <= 0). So the sum of all u bounds every tree, and the tree found attains it.
 *
 * With a single root, an arc out of 0 is taken only where there is no other: first without that rule, and if the tree
 * has several roots, the nodes that took 0 look for another head and contraction goes on. In the end one node
 * alone, the terminal, has no other head; its arc out of 0 is the only one. No large penalty is needed.
 */
#ifndef GAPLESS_KERNELS_ARBORESCENCE_H
#define GAPLESS_KERNELS_ARBORESCENCE_H

#include <string.h>

#include "lanes/lanes.h"

/* Rows are padded to this many doubles, so that loops over them have no remainder. */

typedef struct {
    ptrdiff_t n, stride;
    double *dual;        /* u of each node, 2 n; the first `stride` are written by whole blocks */
    double *below;       /* of each node, the sum of u over it and all nodes around it */
    double *rows;        /* row x: what the node that owns it would get from each head; -inf inside and in the pad */
    double *around;      /* `below` of the smallest node around two words, see gather_around() */
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
    int32_t *cycle;      /* room for the members of one cycle */
    double *value;       /* value[0]: of the tree found; what follows is kept between calls, too */
    int32_t *state;      /* number of nodes; terminal node or 0; whether contraction was without arcs out of 0;
                            without a tree, a node that no arc is left to enter; then room for a list of words */
} arborescence_room;

/* Lay the room out in `work`; the bytes it takes. */
static size_t arborescence_layout(ptrdiff_t n, void *work, arborescence_room *room)
{
    const size_t words = (size_t)n + 1;
    const size_t stride = (words + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
    const size_t nodes = 2 * stride;
    char *at = (char *)work;
    room->n = n;
    room->stride = (ptrdiff_t)stride;
#define ARBORESCENCE_TAKE(field, count)      \
    do {                                     \
        room->field = (void *)at;            \
        at += (count) * sizeof *room->field; \
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
    ARBORESCENCE_TAKE(state, 4 + stride);
#undef ARBORESCENCE_TAKE
    return (size_t)(at - (char *)work);
}

static inline size_t arborescence_workspace(ptrdiff_t n)
{
    arborescence_room room;
    char nothing;
    return arborescence_layout(n, &nothing, &room);
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

/* best[m] = the first head of the largest weight > -inf, -1 if none; dual[m] = that weight. */
GAPLESS_VERSIONS(void, arborescence_greedy, (ptrdiff_t n, const double *weights, double *restrict dual,
                                             int64_t *restrict best), (n, weights, dual, best))
{
    const ptrdiff_t words = n + 1, whole = words - words % GAPLESS_OCTET;
    for (ptrdiff_t m = 0; m < words; m++) {
        dual[m] = -(double)INFINITY;
        best[m] = -1;
    }
    for (ptrdiff_t h = 0; h < words; h++) {
        const double *row = weights + h * words;
        const double kept = dual[h];
        const int64_t kept_head = best[h];
        for (ptrdiff_t m = 0; m < whole; m++) {
            const int better = row[m] > dual[m];
            dual[m] = better ? row[m] : dual[m];
            best[m] = better ? h : best[m];
        }
        for (ptrdiff_t m = whole; m < words; m++) {
            const int better = row[m] > dual[m];
            dual[m] = better ? row[m] : dual[m];
            best[m] = better ? h : best[m];
        }
        /* The diagonal may hold anything. */
        dual[h] = kept;
        best[h] = kept_head;
    }
}

/* row[h] = max(row[h], other[h] - dual), and the modifier with it. */
GAPLESS_VERSIONS(void, arborescence_merge, (double *restrict row, int64_t *restrict origin,
                                            const double *restrict other, const int64_t *restrict other_origin,
                                            double dual, ptrdiff_t stride),
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

/* --- contraction ----------------------------------------------------------------------------------------------- */

/* The row of a top node, laid out from the weights if it is a word's and not there yet. */
static int32_t arborescence_row(const arborescence_room *room, const double *weights, int32_t node)
{
    if (room->slot[node] < 0) {
        const ptrdiff_t words = room->n + 1;
        double *row = room->rows + node * room->stride;
        int64_t *origin = room->origins + node * room->stride;
        for (ptrdiff_t h = 0; h < words; h++)
            row[h] = weights[h * words + node];
        for (ptrdiff_t h = words; h < room->stride; h++)
            row[h] = -(double)INFINITY;
        row[node] = -(double)INFINITY;
        for (ptrdiff_t h = 0; h < room->stride; h++)
            origin[h] = node;
        room->slot[node] = node;
    }
    return room->slot[node];
}

/* Give a node with a row its best arc, among the heads from `least` on. */
static void arborescence_choose(const arborescence_room *room, int32_t node, ptrdiff_t least)
{
    const double *row = room->rows + room->slot[node] * room->stride;
    const ptrdiff_t h = least + argmax_f64(row + least, room->n + 1 - least);
    const int found = row[h] > -(double)INFINITY;
    room->dual[node] = row[h];
    room->head[node] = found ? (int32_t)h : -1;
    room->modifier[node] = (int32_t)room->origins[room->slot[node] * room->stride + h];
}

/* Make one node of the cycle of best arcs through `node`, and give it its best arc. */
static int32_t arborescence_contract(const arborescence_room *room, const double *weights, int32_t node,
                                     ptrdiff_t least)
{
    const ptrdiff_t stride = room->stride;
    const int32_t made = room->state[0]++;
    int32_t size = 0, member = node;
    do {
        room->cycle[size++] = member;
        member = room->top[room->head[member]];
    } while (member != node);
    const int32_t slot = arborescence_row(room, weights, node);
    double *row = room->rows + slot * stride;
    int64_t *origin = room->origins + slot * stride;
    arborescence_subtract(row, room->dual[node], stride);
    for (int32_t i = 1; i < size; i++) {
        const ptrdiff_t other = arborescence_row(room, weights, room->cycle[i]) * stride;
        arborescence_merge(row, origin, room->rows + other, room->origins + other, room->dual[room->cycle[i]], stride);
    }
    for (int32_t i = 0; i < size; i++) {
        member = room->cycle[i];
        room->parent[member] = made;
        for (int32_t word = room->first[member]; word > 0; word = room->next[word]) {
            room->top[word] = made;
            row[word] = -(double)INFINITY;
        }
        if (i > 0)
            room->next[room->last[room->cycle[i - 1]]] = room->first[member];
    }
    room->first[made] = room->first[node];
    room->last[made] = room->last[room->cycle[size - 1]];
    room->slot[made] = slot;
    room->parent[made] = -1;
    arborescence_choose(room, made, least);
    return made;
}

/* Contract every cycle of best arcs with heads from `least` on (1: no arcs out of 0); whether a tree can be left.
 *
 * A walk up best arcs ends in the root, in a node of an earlier walk, or closes a cycle. With least = 1 one node may
 * be without a head: the terminal. */
static int arborescence_contract_all(const arborescence_room *room, const double *weights, ptrdiff_t least)
{
    for (int32_t start = 1; start <= room->n; start++) {
        int32_t node = room->top[start];
        while (node != 0 && room->mark[node] == 0) {
            room->mark[node] = start;
            if (room->head[node] < 0) {
                if (least == 0 || room->state[1] != 0) {
                    room->state[3] = node;
                    return 0;
                }
                room->state[1] = node;
                break;
            }
            const int32_t above = room->top[room->head[node]];
            /* What was made is not marked yet: the walk goes on from there. */
            node = above != 0 && room->mark[above] == start ? arborescence_contract(room, weights, above, least)
                                                            : above;
        }
    }
    return 1;
}

/* Go on from a contraction with arcs out of 0 to one without; whether a tree with a single root is left. */
static int arborescence_close(const arborescence_room *room, const double *weights)
{
    for (int32_t word = 1; word <= room->n; word++) {
        const int32_t node = room->top[word];
        room->mark[node] = 0;
        if (room->head[node] == 0) {
            arborescence_row(room, weights, node);
            arborescence_choose(room, node, 1);
        }
    }
    room->state[2] = 1;
    if (!arborescence_contract_all(room, weights, 1))
        return 0;
    const int32_t terminal = room->state[1];
    const ptrdiff_t at = arborescence_row(room, weights, terminal) * room->stride;
    room->dual[terminal] = room->rows[at];
    room->head[terminal] = 0;
    room->modifier[terminal] = (int32_t)room->origins[at];
    room->state[3] = terminal;
    return room->rows[at] > -(double)INFINITY;
}

/* Open the cycles from the outermost on: the member that an arc enters takes it, the others keep their own. */
static void arborescence_expand(const arborescence_room *room)
{
    const int32_t nodes = room->state[0];
    memcpy(room->tree_head, room->head, (size_t)nodes * sizeof *room->head);
    memcpy(room->tree_modifier, room->modifier, (size_t)nodes * sizeof *room->modifier);
    for (int32_t node = nodes - 1; node > room->n; node--) {
        int32_t member = room->tree_modifier[node];
        while (room->parent[member] != node)
            member = room->parent[member];
        room->tree_head[member] = room->tree_head[node];
        room->tree_modifier[member] = room->tree_modifier[node];
    }
}

static double arborescence_infeasible(const arborescence_room *room, int32_t *heads)
{
    for (ptrdiff_t m = 0; m <= room->n; m++)
        heads[m] = -1;
    *room->value = -(double)INFINITY;
    return -(double)INFINITY;
}

/* A best arborescence; its value, -inf (and heads -1) if there is none. heads[0] = -1. */
static double arborescence_best(ptrdiff_t n, const double *weights, int single_root, void *work, int32_t *heads)
{
    arborescence_room room;
    arborescence_layout(n, work, &room);
    arborescence_greedy(n, weights, room.dual, room.best);
    for (int32_t m = 0; m <= n; m++) {
        room.head[m] = (int32_t)room.best[m];
        room.modifier[m] = m;
        room.parent[m] = -1;
        room.slot[m] = -1;
        room.first[m] = room.last[m] = room.top[m] = m;
        room.next[m] = 0;
    }
    memset(room.mark, 0, 2 * (size_t)room.stride * sizeof *room.mark);
    room.state[0] = (int32_t)n + 1;
    room.state[1] = room.state[2] = room.state[3] = 0;
    if (!arborescence_contract_all(&room, weights, 0))
        return arborescence_infeasible(&room, heads);
    arborescence_expand(&room);
    if (single_root) {
        ptrdiff_t roots = 0;
        for (ptrdiff_t m = 1; m <= n; m++)
            roots += room.tree_head[m] == 0;
        if (roots > 1) {
            if (!arborescence_close(&room, weights))
                return arborescence_infeasible(&room, heads);
            arborescence_expand(&room);
        }
    }
    double value = 0.0;
    heads[0] = -1;
    for (ptrdiff_t m = 1; m <= n; m++) {
        heads[m] = room.tree_head[m];
        value += weights[room.tree_head[m] * (n + 1) + m];
    }
    *room.value = value;
    return value;
}

/* --- reduced weights and max-marginals ------------------------------------------------------------------------- */

GAPLESS_VERSIONS(void, arborescence_reduce, (double *restrict reduced, const double *weights, const double *below,
                                             const double *around, ptrdiff_t words),
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

/* For each word m of a node's row: `below` of the smallest node around the row's node and m; NULL if never any.
 *
 * Rows of contracted nodes are copied from the outside inwards, and a word's row is its parent's. */
static const double *arborescence_around(const arborescence_room *room, int32_t word)
{
    const int32_t around = room->parent[word];
    return around < 0 ? NULL : room->around + (around - room->n - 1) * room->stride;
}

static void arborescence_gather(const arborescence_room *room)
{
    for (int32_t node = room->state[0] - 1; node >= 1; node--) {
        const int32_t parent = room->parent[node];
        room->below[node] = room->dual[node] + (parent < 0 ? 0.0 : room->below[parent]);
        if (node <= room->n)
            continue;
        double *row = room->around + (node - room->n - 1) * room->stride;
        if (parent < 0)
            memset(row, 0, (size_t)room->stride * sizeof *row);
        else
            memcpy(row, room->around + (parent - room->n - 1) * room->stride, (size_t)room->stride * sizeof *row);
        int32_t word = room->first[node];
        for (;; word = room->next[word]) {
            row[word] = room->below[node];
            if (word == room->last[node])
                break;
        }
    }
    room->below[0] = 0.0;
}

/* The best of reduced[h] less what leaving nodes around the modifier costs, over the heads that `closed` lets pass. */
GAPLESS_VERSIONS(double, arborescence_entry, (const double *restrict reduced, const double *restrict around,
                                              const double *restrict closed, double here, ptrdiff_t stride),
                 (reduced, around, closed, here, stride))
{
    double lanes[GAPLESS_OCTET], best;
    for (int k = 0; k < GAPLESS_OCTET; k++)
        lanes[k] = -(double)INFINITY;
    for (ptrdiff_t h = 0; h < stride; h += GAPLESS_OCTET)
        for (int k = 0; k < GAPLESS_OCTET; k++) {
            const double left = around[h + k] < here ? here - around[h + k] : 0.0;
            const double offer = reduced[h + k] - left + closed[h + k];
            lanes[k] = GAPLESS_MAX(offer, lanes[k]);
        }
    best = lanes[0];
    for (int k = 1; k < GAPLESS_OCTET; k++)
        best = GAPLESS_MAX(lanes[k], best);
    return best;
}

/* What a tree must lose, beyond reduced weights, so that each head in `candidates` is no descendant of `word`.
 *
 * A tree with the arc h -> word holds a path from 0 to h that avoids `word`; given the path, arcs of reduced weight 0
 * complete it, and every node that holds the path's end is entered once more for each time the path left it before. So
 * the loss is a shortest path: an arc costs its reduced weight, and `around` says what leaving costs. Heads that the
 * tree found reaches for nothing are closed[h] = 0; the others are settled as Dijkstra does, the tree's descendants of
 * a head with it, and get closed[h] = -losses[h]. Losses above `cap` are not told apart: they get the least of them. */
static void arborescence_detour(const arborescence_room *room, const double *around, double *closed,
                                int32_t *candidates, ptrdiff_t count, double cap)
{
    const ptrdiff_t stride = room->stride;
    double *losses = room->losses;
    for (ptrdiff_t i = 0; i < count; i++) {
        const double *reduced = room->transposed + candidates[i] * stride;
        const double entry = arborescence_entry(reduced, around, closed, around[candidates[i]], stride);
        /* Nothing is left by an arc out of 0. */
        losses[candidates[i]] = -GAPLESS_MAX(reduced[0], entry);
    }
    while (count > 1) {
        int32_t nearest = candidates[0], *settled = room->state + 4;
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
            const int32_t g = candidates[i], h = room->tree_head[g];
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
            const double *reduced = room->transposed + to * stride;
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

/* Words in an order in which the tree's heads come before their modifiers, in room->cycle. */
static void arborescence_order(const arborescence_room *room)
{
    int32_t *order = room->cycle, *child = room->slot, *sibling = room->mark;
    ptrdiff_t count = 0;
    for (ptrdiff_t m = 0; m <= room->n; m++)
        child[m] = 0;
    for (int32_t m = 1; m <= room->n; m++) {
        sibling[m] = child[room->tree_head[m]];
        child[room->tree_head[m]] = m;
    }
    for (int32_t m = child[0]; m > 0; m = sibling[m])
        order[count++] = m;
    for (ptrdiff_t at = 0; at < count; at++)
        for (int32_t m = child[order[at]]; m > 0; m = sibling[m])
            order[count++] = m;
}

/* Subtract from the reduced weights of the arcs into `word` what else a tree with them must lose. */
static void arborescence_lose(const arborescence_room *room, int32_t word, double threshold, double *marginals)
{
    const ptrdiff_t words = room->n + 1;
    const double *around = arborescence_around(room, word);
    int32_t *candidates = room->first;
    double *closed = room->dual;
    ptrdiff_t count = 0;
    double cap = -(double)INFINITY;
    if (around == NULL) {
        if (room->slot[word] == 0)
            return;
        around = room->below + room->stride;
    }
    closed[0] = closed[word] = -(double)INFINITY;
    for (ptrdiff_t i = 0; i < room->n; i++) {
        const int32_t g = room->cycle[i], h = room->tree_head[g];
        if (g == word)
            continue;
        if (h == 0 || (closed[h] == 0.0 && !(around[h] < around[g]))) {
            closed[g] = 0.0;
        } else {
            closed[g] = -(double)INFINITY;
            candidates[count++] = g;
            const double bound = *room->value + marginals[g * words + word];
            /* Not NaN where both are -inf, nor where the difference is. */
            if (bound > -(double)INFINITY && bound >= threshold)
                cap = GAPLESS_MAX(bound - threshold, cap);
        }
    }
    if (!(cap >= 0.0))
        return;
    /* Differences are rounded; the losses told apart are rather too many. */
    cap += 1e-12 * (fabs(*room->value) + cap);
    arborescence_detour(room, around, closed, candidates, count, cap);
    for (ptrdiff_t g = 1; g <= room->n; g++)
        if (closed[g] < 0.0 && g != word)
            marginals[g * words + word] -= room->losses[g];
}

/* The best value with each arc forced in, after arborescence_best with the same work; column 0 and the diagonal -inf.
 *
 * Exact wherever it is at least `threshold`; elsewhere what is written is below the threshold and not below the
 * truth. So a threshold of -inf asks for all, in O(n^3) at worst, and +inf for reduced weights alone, in O(n^2). Can be
 * called once after each arborescence_best. */
static void arborescence_slacks_above(ptrdiff_t n, const double *weights, int single_root, void *work,
                                      double threshold, double *max_marginals)
{
    const ptrdiff_t words = n + 1;
    arborescence_room room;
    arborescence_layout(n, work, &room);
    const double value = *room.value;
    if (!(value > -(double)INFINITY)
        || (single_root && !room.state[2] && !arborescence_close(&room, weights))) {
        for (ptrdiff_t i = 0; i < words * words; i++)
            max_marginals[i] = -(double)INFINITY;
        return;
    }
    arborescence_expand(&room);
    arborescence_gather(&room);
    for (int32_t h = 0; h <= n; h++) {
        double *row = max_marginals + h * words;
        arborescence_reduce(row, weights + h * words, room.below, h ? arborescence_around(&room, h) : NULL, words);
        row[0] = row[h] = -(double)INFINITY;
        /* The single arc out of 0 enters the terminal, which no other arc does. */
        if (h == 0 && single_root)
            for (int32_t m = 1; m <= n; m++)
                if (room.top[m] != room.state[1])
                    row[m] = -(double)INFINITY;
    }
    for (ptrdiff_t m = 1; m <= n; m++) {
        double *row = room.transposed + m * room.stride;
        max_marginals[room.tree_head[m] * words + m] = 0.0;
        for (ptrdiff_t h = 0; h < words; h++) {
            /* Never above 0 but by rounding. */
            const double reduced = max_marginals[h * words + m];
            row[h] = reduced < 0.0 ? reduced : (reduced >= 0.0 ? 0.0 : -(double)INFINITY);
            max_marginals[h * words + m] = row[h];
        }
        for (ptrdiff_t h = words; h < room.stride; h++)
            row[h] = -(double)INFINITY;
    }
    if (threshold < (double)INFINITY) {
        arborescence_order(&room);
        memset(room.below + room.stride, 0, (size_t)room.stride * sizeof *room.below);
        for (ptrdiff_t h = 0; h < room.stride; h++)
            room.dual[h] = -(double)INFINITY;
        for (int32_t m = 1; m <= n; m++)
            arborescence_lose(&room, m, threshold, max_marginals);
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
