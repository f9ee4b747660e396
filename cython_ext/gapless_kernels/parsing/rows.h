/* Rows of doubles for the higher-order parsing charts: maxima of sums, and raising a row to a sum.
 *
 * Maxima are kept in a few lanes, for compilers do not reorder a maximum by themselves; a maximum is the same in any
 * order, so results do not depend on the lanes. Every sum is made from left to right, as it is written here.
 */
#ifndef GAPLESS_EISNER_ROWS_H
#define GAPLESS_EISNER_ROWS_H

#include "lanes/lanes.h"

/* The largest a[k] + b[k]; -inf when count is 0 or less. */
GAPLESS_INLINE double eisner_best_2(const double *a, const double *b, ptrdiff_t count)
{
    double lanes[GAPLESS_OCTET], best = -INFINITY;
    ptrdiff_t k = 0;
    for (int l = 0; l < GAPLESS_OCTET; l++)
        lanes[l] = -INFINITY;
    for (; k + GAPLESS_OCTET <= count; k += GAPLESS_OCTET)
        for (int l = 0; l < GAPLESS_OCTET; l++)
            lanes[l] = GAPLESS_MAX(a[k + l] + b[k + l], lanes[l]);
    for (; k < count; k++)
        best = GAPLESS_MAX(a[k] + b[k], best);
    for (int l = 0; l < GAPLESS_OCTET; l++)
        best = GAPLESS_MAX(lanes[l], best);
    return best;
}

/* The largest (a[k] + b[k]) + c[k]; -inf when count is 0 or less. */
GAPLESS_INLINE double eisner_best_3(const double *a, const double *b, const double *c, ptrdiff_t count)
{
    double lanes[GAPLESS_OCTET], best = -INFINITY;
    ptrdiff_t k = 0;
    for (int l = 0; l < GAPLESS_OCTET; l++)
        lanes[l] = -INFINITY;
    for (; k + GAPLESS_OCTET <= count; k += GAPLESS_OCTET)
        for (int l = 0; l < GAPLESS_OCTET; l++)
            lanes[l] = GAPLESS_MAX(a[k + l] + b[k + l] + c[k + l], lanes[l]);
    for (; k < count; k++)
        best = GAPLESS_MAX(a[k] + b[k] + c[k], best);
    for (int l = 0; l < GAPLESS_OCTET; l++)
        best = GAPLESS_MAX(lanes[l], best);
    return best;
}

/* The first k with the largest a[k] + b[k]; 0 when all are -inf or NaN. */
GAPLESS_INLINE ptrdiff_t eisner_argbest_2(const double *a, const double *b, ptrdiff_t count)
{
    ptrdiff_t at = 0;
    double best = -INFINITY;
    for (ptrdiff_t k = 0; k < count; k++)
        if (a[k] + b[k] > best) {
            best = a[k] + b[k];
            at = k;
        }
    return at;
}

/* to[k] = max(to[k], a + b[k]). The rows do not overlap. */
GAPLESS_INLINE void eisner_raise_1(double *to, double a, const double *b, ptrdiff_t count)
{
    GAPLESS_INDEPENDENT
    for (ptrdiff_t k = 0; k < count; k++)
        to[k] = GAPLESS_MAX(a + b[k], to[k]);
}

/* to[k] = max(to[k], a + b[k] + c[k]). The rows do not overlap. */
GAPLESS_INLINE void eisner_raise_2(double *to, double a, const double *b, const double *c, ptrdiff_t count)
{
    GAPLESS_INDEPENDENT
    for (ptrdiff_t k = 0; k < count; k++)
        to[k] = GAPLESS_MAX(a + b[k] + c[k], to[k]);
}

GAPLESS_INLINE void eisner_fill(double *to, double value, ptrdiff_t count)
{
    for (ptrdiff_t k = 0; k < count; k++)
        to[k] = value;
}

/* The passes of one order after each other, given how to read its arrays of scores from `parts`:
 *   name_best     the best value and the heads of its tree, all -1 next to -inf
 *   name_rest     after it, in the same room: the best value with each arc
 *   name_solve    both; the second unless `max_marginals` is NULL */
#define EISNER_SOLVE(name, ...)                                                                                          \
    static double name##_best(ptrdiff_t n, const double *weights, const double **parts, int single_root, double *work,   \
                              int64_t *heads)                                                                            \
    {                                                                                                                    \
        name##_model model = name##_open(n, weights, __VA_ARGS__, single_root, work);                                    \
        const double value = name##_inside(&model);                                                                      \
        for (ptrdiff_t m = 0; m <= n; m++)                                                                               \
            heads[m] = -1;                                                                                               \
        if (value > -INFINITY)                                                                                           \
            name##_trace(&model, heads);                                                                                 \
        return value;                                                                                                    \
    }                                                                                                                    \
    static void name##_rest(ptrdiff_t n, const double *weights, const double **parts, int single_root, double *work,     \
                            double *max_marginals)                                                                       \
    {                                                                                                                    \
        name##_model model = name##_open(n, weights, __VA_ARGS__, single_root, work);                                    \
        name##_outside(&model, max_marginals);                                                                           \
    }                                                                                                                    \
    static inline double name##_solve(                                                                                   \
        ptrdiff_t n, const double *weights, const double **parts, int single_root, double *work, int64_t *heads,         \
        double *max_marginals)                                                                                           \
    {                                                                                                                    \
        const double value = name##_best(n, weights, parts, single_root, work, heads);                                   \
        if (max_marginals)                                                                                               \
            name##_rest(n, weights, parts, single_root, work, max_marginals);                                            \
        return value;                                                                                                    \
    }

#endif
