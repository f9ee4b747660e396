/* What sibling.h, carreras.h and grand_sibling.h share: maxima of sums, raising a row to a sum, ranges of
 * positions.
 *
 * Maxima are kept in a few lanes, for compilers do not reorder a maximum by themselves; a maximum is the same
 * in any order, so results do not depend on the lanes. Every sum is made from left to right, as it is written
 * here.
 */
#ifndef GAPLESS_EISNER_ROWS_H
#define GAPLESS_EISNER_ROWS_H

#include "lanes/lanes.h"
#include "parsing/internal_scores.h"

/* Define name(..., count), which returns the largest `term`, -inf if count is 0 or less; the rest are its
 * rows. */
#define EISNER_BEST(name, term, ...)                                        \
    GAPLESS_INLINE double name(__VA_ARGS__, ptrdiff_t count)                \
    {                                                                       \
        double lanes[GAPLESS_OCTET], best = -INFINITY;                      \
        ptrdiff_t k = 0;                                                    \
        for (int l = 0; l < GAPLESS_OCTET; l++)                             \
            lanes[l] = -INFINITY;                                           \
        for (; k + GAPLESS_OCTET <= count; k += GAPLESS_OCTET)              \
            for (int l = 0; l < GAPLESS_OCTET; l++)                         \
                lanes[l] = GAPLESS_MAX(term(k + l), lanes[l]);              \
        for (; k < count; k++)                                              \
            best = GAPLESS_MAX(term(k), best);                              \
        for (int l = 0; l < GAPLESS_OCTET; l++)                             \
            best = GAPLESS_MAX(lanes[l], best);                             \
        return best;                                                        \
    }
#define EISNER_SUM_2(k) (a[k] + b[k])
#define EISNER_SUM_3(k) (a[k] + b[k] + c[k])
EISNER_BEST(eisner_best_2, EISNER_SUM_2, const double *a, const double *b)
EISNER_BEST(eisner_best_3, EISNER_SUM_3, const double *a, const double *b, const double *c)

/* The first k with the largest a[k] + b[k]; 0 when all are -inf or NaN. */
GAPLESS_INLINE ptrdiff_t eisner_argbest_2(const double *a, const double *b, ptrdiff_t count)
{
    ptrdiff_t best_index = 0;
    double best = -INFINITY;
    for (ptrdiff_t k = 0; k < count; k++)
        if (a[k] + b[k] > best) {
            best = a[k] + b[k];
            best_index = k;
        }
    return best_index;
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

/* The modifiers of h that a span of h to e may hold: [*from, *from + count). */
GAPLESS_INLINE ptrdiff_t eisner_modifiers(ptrdiff_t h, ptrdiff_t e, ptrdiff_t *from)
{
    *from = h < e ? h + 1 : e;
    return h < e ? e - h : h - e;
}

/* The modifiers of h that may be nearer to h than m: [*from, *from + count); none for a single root. */
GAPLESS_INLINE ptrdiff_t eisner_nearer(ptrdiff_t h, ptrdiff_t m, int single_root, ptrdiff_t *from)
{
    *from = (h < m ? h : m) + 1;
    return h == 0 && single_root ? 0 : (h < m ? m - h : h - m) - 1;
}

/* The position that m's inner span reaches if m is the first modifier of h on its side. */
GAPLESS_INLINE ptrdiff_t eisner_next(ptrdiff_t h, ptrdiff_t m)
{
    return h < m ? h + 1 : h - 1;
}

/* One order of parses. The caller passes workspace of `charts(n)` doubles for `best` alone, of twice as many
 * if `max_marginals` follows on the same workspace. Without a tree, `best` returns -inf, and all heads are
 * -1. */
typedef struct {
    size_t (*charts)(ptrdiff_t n);
    double (*best)(ptrdiff_t n, const double *weights, const double **parts, int single_root, double *work,
                   int64_t *heads);
    void (*max_marginals)(ptrdiff_t n, const double *weights, const double **parts, int single_root,
                          double *work, double *max_marginals);
    double (*internal_score)(const int64_t *heads, ptrdiff_t n, const double **parts);
} eisner_order;

/* Define name_order from the passes of one order; the other arguments are its score arrays among `parts`. */
#define EISNER_ORDER(name, ...)                                                                              \
    static double name##_best(ptrdiff_t n, const double *weights, const double **parts, int single_root,     \
                              double *work, int64_t *heads)                                                  \
    {                                                                                                        \
        name##_model model = name##_open(n, weights, __VA_ARGS__, single_root, work);                        \
        const double value = name##_inside(&model);                                                          \
        for (ptrdiff_t m = 0; m <= n; m++)                                                                   \
            heads[m] = -1;                                                                                   \
        if (value > -INFINITY)                                                                               \
            name##_trace(&model, heads);                                                                     \
        return value;                                                                                        \
    }                                                                                                        \
    static void name##_max_marginals(ptrdiff_t n, const double *weights, const double **parts,               \
                                     int single_root, double *work, double *max_marginals)                   \
    {                                                                                                        \
        name##_model model = name##_open(n, weights, __VA_ARGS__, single_root, work);                        \
        name##_outside(&model, max_marginals);                                                               \
    }                                                                                                        \
    static const eisner_order name##_order = {name##_charts, name##_best, name##_max_marginals,              \
                                              name##_internal_score};

#endif
