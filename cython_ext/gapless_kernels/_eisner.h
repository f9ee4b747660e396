/* Eisner's algorithm on dense weights; plain. */
#ifndef GAPLESS_KERNELS_EISNER_H
#define GAPLESS_KERNELS_EISNER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t eisner_workspace(ptrdiff_t n)
{
    return (size_t)((n + 1) * (n + 1) * 12) * sizeof(double);
}

typedef struct {
    ptrdiff_t N, lo;
    double *cr, *cl, *ir, *il, *crt, *clt, *ilt, *ocr, *ocl, *oir, *oil;
} eisner_charts;

static inline eisner_charts eisner_lay_out(ptrdiff_t n, int single_root, void *work)
{
    eisner_charts c;
    const ptrdiff_t size = (n + 1) * (n + 1);
    double *p = (double *)work;
    c.N = n + 1, c.lo = single_root ? 1 : 0;
    c.cr = p, c.cl = p + size, c.ir = p + 2 * size, c.il = p + 3 * size, c.crt = p + 4 * size;
    c.clt = p + 5 * size, c.ilt = p + 6 * size;
    c.ocr = p + 7 * size, c.ocl = p + 8 * size, c.oir = p + 9 * size, c.oil = p + 10 * size;
    return c;
}

static inline void eisner_read(const eisner_charts *c, int kind, ptrdiff_t i, ptrdiff_t j, int32_t *heads)
{
    const ptrdiff_t N = c->N;
    ptrdiff_t best = i;
    if (i == j)
        return;
    if (kind == 0) { /* complete, head i */
        for (ptrdiff_t k = i + 1; k <= j; k++)
            if (c->ir[i * N + k] + c->cr[k * N + j] == c->cr[i * N + j]) { best = k; break; }
        if (best == i) best = j;
        eisner_read(c, 2, i, best, heads);
        eisner_read(c, 0, best, j, heads);
    } else if (kind == 1) {
        for (ptrdiff_t k = i; k < j; k++)
            if (c->cl[i * N + k] + c->il[k * N + j] == c->cl[i * N + j]) { best = k; break; }
        eisner_read(c, 1, i, best, heads);
        eisner_read(c, 3, best, j, heads);
    } else {
        double top = -INFINITY;
        for (ptrdiff_t k = i; k < j; k++)
            if (c->cr[i * N + k] + c->cl[(k + 1) * N + j] > top) top = c->cr[i * N + k] + c->cl[(k + 1) * N + j], best = k;
        if (kind == 2) heads[j] = (int32_t)i;
        else heads[i] = (int32_t)j;
        eisner_read(c, 0, i, best, heads);
        eisner_read(c, 1, best + 1, j, heads);
    }
}

static inline double eisner_inside(ptrdiff_t n, const double *weights, int single_root, void *work, int32_t *heads)
{
    eisner_charts c = eisner_lay_out(n, single_root, work);
    const ptrdiff_t N = c.N;
    for (ptrdiff_t i = c.lo; i < N; i++)
        c.cr[i * N + i] = c.cl[i * N + i] = c.crt[i * N + i] = c.clt[i * N + i] = 0.0;
    for (ptrdiff_t j = c.lo + 1; j < N; j++)
        for (ptrdiff_t i = j - 1; i >= c.lo; i--) {
            double top = -INFINITY;
            const double *a = c.cr + i * N, *b = c.clt + j * N + 1;
            for (ptrdiff_t k = i; k < j; k++)
                top = a[k] + b[k] > top ? a[k] + b[k] : top;
            c.ir[i * N + j] = top + weights[i * N + j];
            c.il[i * N + j] = c.ilt[j * N + i] = i ? top + weights[j * N + i] : -INFINITY;
            top = -INFINITY;
            a = c.ir + i * N, b = c.crt + j * N;
            for (ptrdiff_t k = i + 1; k <= j; k++)
                top = a[k] + b[k] > top ? a[k] + b[k] : top;
            c.cr[i * N + j] = c.crt[j * N + i] = top;
            top = -INFINITY;
            a = c.cl + i * N, b = c.ilt + j * N;
            for (ptrdiff_t k = i; k < j; k++)
                top = a[k] + b[k] > top ? a[k] + b[k] : top;
            c.cl[i * N + j] = c.clt[j * N + i] = top;
        }
    for (ptrdiff_t m = 0; m < N; m++)
        heads[m] = -1;
    double value = -INFINITY;
    if (single_root) {
        ptrdiff_t root = 0;
        for (ptrdiff_t r = 1; r < N; r++) {
            const double v = weights[r] + c.cl[1 * N + r] + c.cr[r * N + n];
            if (v > value) value = v, root = r;
        }
        if (root == 0)
            return value;
        heads[root] = 0;
        eisner_read(&c, 1, 1, root, heads);
        eisner_read(&c, 0, root, n, heads);
    } else {
        value = c.cr[n];
        if (!(value > -INFINITY))
            return -INFINITY;
        eisner_read(&c, 0, 0, n, heads);
    }
    return value;
}

#define EISNER_RAISE(x, y) ((x) = (y) > (x) ? (y) : (x))
static inline void eisner_outside(ptrdiff_t n, const double *weights, int single_root, void *work, double *max_marginals)
{
    eisner_charts c = eisner_lay_out(n, single_root, work);
    const ptrdiff_t N = c.N;
    for (ptrdiff_t k = 0; k < N * N; k++)
        c.ocr[k] = c.ocl[k] = c.oir[k] = c.oil[k] = max_marginals[k] = -INFINITY;
    if (single_root)
        for (ptrdiff_t r = 1; r < N; r++) {
            EISNER_RAISE(c.ocl[1 * N + r], weights[r] + c.cr[r * N + n]);
            EISNER_RAISE(c.ocr[r * N + n], weights[r] + c.cl[1 * N + r]);
            max_marginals[r] = weights[r] + c.cl[1 * N + r] + c.cr[r * N + n];
        }
    else
        c.ocr[n] = 0.0;
    for (ptrdiff_t length = n; length >= 1; length--)
        for (ptrdiff_t i = c.lo; i + length < N; i++) {
            const ptrdiff_t j = i + length;
            double o = c.ocr[i * N + j];
            if (o > -INFINITY)
                for (ptrdiff_t k = i + 1; k <= j; k++) {
                    EISNER_RAISE(c.oir[i * N + k], o + c.cr[k * N + j]);
                    EISNER_RAISE(c.ocr[k * N + j], o + c.ir[i * N + k]);
                }
            o = c.ocl[i * N + j];
            if (o > -INFINITY)
                for (ptrdiff_t k = i; k < j; k++) {
                    EISNER_RAISE(c.ocl[i * N + k], o + c.il[k * N + j]);
                    EISNER_RAISE(c.oil[k * N + j], o + c.cl[i * N + k]);
                }
            double up = c.oir[i * N + j] + weights[i * N + j];
            max_marginals[i * N + j] = c.oir[i * N + j] + c.ir[i * N + j];
            if (i) {
                EISNER_RAISE(up, c.oil[i * N + j] + weights[j * N + i]);
                max_marginals[j * N + i] = c.oil[i * N + j] + c.il[i * N + j];
            }
            if (up > -INFINITY)
                for (ptrdiff_t k = i; k < j; k++) {
                    EISNER_RAISE(c.ocr[i * N + k], up + c.cl[(k + 1) * N + j]);
                    EISNER_RAISE(c.ocl[(k + 1) * N + j], up + c.cr[i * N + k]);
                }
        }
}
#endif
