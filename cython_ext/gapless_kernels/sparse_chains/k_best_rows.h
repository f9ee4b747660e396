/* The k best paths; a template of lanes/versions.h, for double only.
 *
 * Jimenez and Marzal, Computing the k shortest paths: a new algorithm and an experimental comparison, 1999:
 * with the best prefix of every label known, the next best prefix of a label is found by asking one
 * predecessor for its next best. So k paths cost little more than one, and the forward pass needs only what
 * one path needs: with pruning, its rows still hold the exact messages of all labels, dropped ones
 * included. */
#include "sparse_chains/pruned_rows.h"

TARGET static inline double NAMED(local)(const TYPED(chain_model) * m, const double *unary, ptrdiff_t n,
                                         ptrdiff_t i, ptrdiff_t label)
{
    double local = unary[i * m->labels + label];
    if (i == 0 && m->initial)
        local += m->initial[label];
    if (i == n - 1 && m->final)
        local += m->final[label];
    return local;
}

TARGET static inline double NAMED(pair)(const TYPED(chain_model) * m, ptrdiff_t edge, ptrdiff_t source,
                                        ptrdiff_t label)
{
    return m->transition[edge * m->varying + source * m->stride + label];
}

/* The first index of the largest value, a block at a time. */
TARGET static inline ptrdiff_t NAMED(first_largest)(const double *values, ptrdiff_t stride)
{
    double lanes[GAPLESS_BLOCK], best = -(double)INFINITY;
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        lanes[k] = values[k];
    for (ptrdiff_t y = GAPLESS_BLOCK; y < stride; y += GAPLESS_BLOCK)
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            lanes[k] = GAPLESS_MAX(values[y + k], lanes[k]);
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        best = GAPLESS_MAX(lanes[k], best);
    for (ptrdiff_t y = 0; y < stride; y += GAPLESS_BLOCK) {
        const unsigned mask = LANES(reaching)(values + y, best);
        if (mask)
            return y + gapless_lowest(mask);
    }
    return 0;
}

/* Moves the best offer to the known prefixes. Returns 0, or -1 without memory. */
TARGET static inline int NAMED(take_best)(k_best_node *node, double local, ptrdiff_t stride)
{
    const ptrdiff_t source = NAMED(first_largest)(node->offers, stride);
    const double best = node->offers[source];
    if (!(best > -(double)INFINITY)) {
        node->exhausted = 1;
        return 0;
    }
    if (!array_grow(&node->prefixes, &node->capacity, node->prefix_count + 1, sizeof(k_best_prefix)))
        return -1;
    node->prefixes[node->prefix_count++]
        = (k_best_prefix){local + best, (int32_t)source, node->ranks[source]};
    node->offers[source] = -(double)INFINITY;
    return 0;
}

/* The node of a label at position 1 or later, or of the end (position n); with its best prefix. -1 without
 * memory. */
TARGET static ptrdiff_t NAMED(node_at)(k_best_workspace *r, const TYPED(chain_model) *m, const double *rows,
                                       const double *unary, ptrdiff_t n, ptrdiff_t i, ptrdiff_t label)
{
    if (i < n && r->number[i * m->labels + label] >= 0)
        return r->number[i * m->labels + label];
    if (r->count == r->capacity) {
        const ptrdiff_t before = r->capacity;
        if (!array_grow(&r->nodes, &r->capacity, before + 64, sizeof(k_best_node)))
            return -1;
        memset(r->nodes + before, 0, (size_t)(r->capacity - before) * sizeof(k_best_node));
    }
    k_best_node *node = r->nodes + r->count;
    if (!node->offers) {
        node->offers = (double *)malloc((size_t)m->stride * (sizeof(double) + sizeof(int32_t)));
        if (!node->offers)
            return -1;
        node->ranks = (int32_t *)(node->offers + m->stride);
    }
    node->position = (int32_t)i;
    node->label = (int32_t)label;
    node->prefix_count = node->exhausted = 0;
    const double *previous = rows + (i - 1) * m->stride;
    for (ptrdiff_t x = 0; x < m->stride; x++)
        node->ranks[x] = 0;
    if (i == n) {
        for (ptrdiff_t x = 0; x < m->stride; x++)
            node->offers[x] = previous[x];
    } else if (r->columns) {
        const double *column = r->columns + label * m->stride;
        GAPLESS_INDEPENDENT
        for (ptrdiff_t x = 0; x < m->stride; x++)
            node->offers[x] = previous[x] + column[x];
    } else {
        for (ptrdiff_t x = 0; x < m->labels; x++)
            node->offers[x] = previous[x] + NAMED(pair)(m, i - 1, x, label);
        for (ptrdiff_t x = m->labels; x < m->stride; x++)
            node->offers[x] = -(double)INFINITY;
    }
    if (NAMED(take_best)(node, i == n ? 0.0 : NAMED(local)(m, unary, n, i, label), m->stride))
        return -1;
    if (i < n)
        r->number[i * m->labels + label] = (int32_t)r->count;
    return r->count++;
}

/* Finds one more prefix of the end's node, if there is one. Returns 0, or -1 without memory. */
TARGET static int NAMED(extend)(k_best_workspace *r, const TYPED(chain_model) *m, const double *rows,
                                const double *unary, ptrdiff_t n, ptrdiff_t end)
{
    ptrdiff_t depth = 0;
    r->stack[depth++] = (int32_t)end;
    int down = 1; /* On the way down to what is known already; then up again. */
    while (depth > 0) {
        const ptrdiff_t node_index = r->stack[depth - 1];
        const ptrdiff_t last = r->nodes[node_index].prefix_count - 1, i = r->nodes[node_index].position;
        const ptrdiff_t source = r->nodes[node_index].prefixes[last].from,
                        next = r->nodes[node_index].prefixes[last].rank + 1;
        double offer = -(double)INFINITY;
        if (i > 1) {
            const ptrdiff_t child = NAMED(node_at)(r, m, rows, unary, n, i - 1, source);
            if (child < 0)
                return -1;
            const k_best_node *predecessor = r->nodes + child;
            if (predecessor->prefix_count > next) {
                offer = predecessor->prefixes[next].value;
                if (i < n)
                    offer += NAMED(pair)(m, i - 1, source, r->nodes[node_index].label);
            } else if (!predecessor->exhausted && down) {
                r->stack[depth++] = (int32_t)child;
                continue;
            }
        }
        down = 0;
        k_best_node *node = r->nodes + node_index;
        node->offers[source] = offer;
        node->ranks[source] = (int32_t)next;
        if (NAMED(take_best)(node, i == n ? 0.0 : NAMED(local)(m, unary, n, i, node->label), m->stride))
            return -1;
        depth--;
    }
    return 0;
}

/* Writes the path that is the end's prefix of a rank. Returns 0, or -1 without memory. */
TARGET static int NAMED(write_path)(k_best_workspace *r, const TYPED(chain_model) * m, const double *rows,
                                    const double *unary, ptrdiff_t n, ptrdiff_t end, ptrdiff_t rank,
                                    int64_t *path)
{
    ptrdiff_t node_index = end;
    for (ptrdiff_t i = n; i > 0; i--) {
        const k_best_prefix prefix = r->nodes[node_index].prefixes[rank];
        const ptrdiff_t source = prefix.from;
        rank = prefix.rank;
        path[i - 1] = source;
        if (i > 1 && (node_index = NAMED(node_at)(r, m, rows, unary, n, i - 1, source)) < 0)
            return -1;
    }
    return 0;
}

/* The best paths of each sentence, as many as reach its threshold and at most k. Returns 0, or -1 without
 * memory.
 *
 * narrow, if given, is what unary would be: label scores in float32, converted a sentence at a time. */
TARGET static int NAMED(k_best)(const TYPED(chain_model) * m, const TYPED(chain_workspace) * work,
                                k_best_workspace *r, const double *unary, const float *narrow,
                                double *widened, const int64_t *offsets, ptrdiff_t sentences,
                                const double *thresholds, int64_t *paths, double *values, int64_t *counts,
                                uint8_t *status)
{
    const ptrdiff_t tokens = offsets[sentences];
    for (ptrdiff_t s = 0; s < sentences; s++) {
        const ptrdiff_t n = offsets[s + 1] - offsets[s];
        const double *scores = unary ? unary + offsets[s] * m->labels : widened;
        if (!unary) {
            const float *from = narrow + offsets[s] * m->labels;
            for (ptrdiff_t p = 0; p < n * m->labels; p++)
                widened[p] = from[p];
        }
        const double threshold = thresholds ? thresholds[s] : -(double)INFINITY;
        const int code = NAMED(forward)(m, work, scores, n);
        ptrdiff_t written = 0;
        status[s] = (uint8_t)code;
        if (code == GAPLESS_DECIDED) {
            r->count = 0;
            for (ptrdiff_t p = 0; p < n * m->labels; p++)
                r->number[p] = -1;
            const ptrdiff_t end = NAMED(node_at)(r, m, work->rows, scores, n, n, 0);
            if (end < 0)
                return -1;
            while (written < r->nodes[end].prefix_count
                   && r->nodes[end].prefixes[written].value >= threshold) {
                values[s * r->k + written] = r->nodes[end].prefixes[written].value;
                if (NAMED(write_path)(r, m, work->rows, scores, n, end, written,
                                      paths + written * tokens + offsets[s]))
                    return -1;
                if (++written == r->k)
                    break;
                if (NAMED(extend)(r, m, work->rows, scores, n, end))
                    return -1;
            }
        }
        counts[s] = written;
        for (ptrdiff_t j = written; j < r->k; j++) {
            values[s * r->k + j] = code == GAPLESS_INVALID ? (double)NAN : -(double)INFINITY;
            for (ptrdiff_t i = 0; i < n; i++)
                paths[j * tokens + offsets[s] + i] = -1;
        }
    }
    return 0;
}
