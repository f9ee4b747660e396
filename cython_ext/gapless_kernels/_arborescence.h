/* Chu-Liu-Edmonds on dense weights; plain. */
#ifndef GAPLESS_KERNELS_ARBORESCENCE_H
#define GAPLESS_KERNELS_ARBORESCENCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline size_t arborescence_workspace(ptrdiff_t n)
{
    return (size_t)((n + 2) * (n + 2) * 2) * sizeof(double);
}

static inline double arborescence_plain(ptrdiff_t N, const double *w, int32_t *heads)
{
    int32_t *mark = (int32_t *)calloc(2 * N, sizeof *mark), *where = mark + N;
    ptrdiff_t at = 0;
    double value = 0.0;
    heads[0] = -1;
    for (ptrdiff_t m = 1; m < N; m++) {
        heads[m] = -1;
        for (ptrdiff_t h = 0; h < N; h++)
            if (h != m && w[h * N + m] > -INFINITY && (heads[m] < 0 || w[h * N + m] > w[heads[m] * N + m]))
                heads[m] = (int32_t)h;
        if (heads[m] < 0) { free(mark); return -INFINITY; }
        value += w[heads[m] * N + m];
    }
    for (ptrdiff_t m = 1; m < N && !at; m++) {
        ptrdiff_t x = m;
        while (x && !mark[x])
            mark[x] = (int32_t)m, x = heads[x];
        if (x && mark[x] == m)
            at = x;
    }
    if (!at) { free(mark); return value; }
    /* Contract the cycle through `at` into the last node of a smaller problem. */
    memset(mark, 0, N * sizeof *mark);
    ptrdiff_t size = 0, next = 0;
    for (ptrdiff_t x = at;;) {
        mark[x] = 1, size++, x = heads[x];
        if (x == at) break;
    }
    const ptrdiff_t S = N - size + 1;
    double *v = (double *)malloc(S * S * sizeof *v);
    int32_t *enter = (int32_t *)malloc(4 * N * sizeof *enter), *leave = enter + N, *sub = enter + 2 * N, *back = enter + 3 * N;
    for (ptrdiff_t k = 0; k < S * S; k++) v[k] = -INFINITY;
    for (ptrdiff_t x = 0; x < N; x++)
        if (!mark[x]) back[next] = (int32_t)x, where[x] = (int32_t)next++;
    for (ptrdiff_t h = 0; h < N; h++)
        for (ptrdiff_t m = 1; m < N; m++) {
            if (h == m || (mark[h] && mark[m])) continue;
            double *to, x = w[h * N + m];
            if (mark[m]) {
                x -= w[heads[m] * N + m], to = v + where[h] * S + S - 1;
                if (x > *to) *to = x, enter[where[h]] = (int32_t)m;
            } else if (mark[h]) {
                to = v + (S - 1) * S + where[m];
                if (x > *to) *to = x, leave[where[m]] = (int32_t)h;
            } else
                v[where[h] * S + where[m]] = x;
        }
    double result = arborescence_plain(S, v, sub);
    if (result > -INFINITY) {
        for (ptrdiff_t m = 1; m < S - 1; m++)
            heads[back[m]] = sub[m] == S - 1 ? leave[m] : back[sub[m]];
        heads[enter[sub[S - 1]]] = back[sub[S - 1]];
        result = 0.0;
        for (ptrdiff_t m = 1; m < N; m++) result += w[heads[m] * N + m];
    }
    free(v), free(enter), free(mark);
    return result;
}

static inline double arborescence_best(ptrdiff_t n, const double *weights, int single_root, void *work, int32_t *heads)
{
    const ptrdiff_t N = n + 1;
    if (!single_root) {
        double value = arborescence_plain(N, weights, heads);
        if (!(value > -INFINITY)) for (ptrdiff_t m = 0; m < N; m++) heads[m] = -1;
        return value;
    }
    double *w = (double *)work, best = -INFINITY;
    int32_t *found = (int32_t *)(w + N * N);
    for (ptrdiff_t m = 0; m < N; m++) heads[m] = -1;
    memcpy(w, weights, N * N * sizeof *w);
    for (ptrdiff_t r = 1; r < N; r++) {
        if (!(weights[r] > -INFINITY)) continue;
        for (ptrdiff_t m = 1; m < N; m++) w[m] = m == r ? weights[r] : -INFINITY;
        double value = arborescence_plain(N, w, found);
        if (value > best) best = value, memcpy(heads, found, N * sizeof *heads);
    }
    return best;
}

static inline void arborescence_slacks(ptrdiff_t n, const double *weights, int single_root, void *work, double *max_marginals)
{
    const ptrdiff_t N = n + 1;
    double *w = (double *)malloc(N * N * sizeof *w);
    int32_t *found = (int32_t *)malloc(N * sizeof *found);
    for (ptrdiff_t k = 0; k < N * N; k++) max_marginals[k] = -INFINITY;
    for (ptrdiff_t h = 0; h < N; h++)
        for (ptrdiff_t m = 1; m < N; m++) {
            if (h == m || !(weights[h * N + m] > -INFINITY)) continue;
            memcpy(w, weights, N * N * sizeof *w);
            for (ptrdiff_t g = 0; g < N; g++) if (g != h) w[g * N + m] = -INFINITY;
            max_marginals[h * N + m] = arborescence_best(n, w, single_root, work, found);
        }
    free(w), free(found);
}
#endif
