/* Sums over all projective trees: the inside-outside algorithm on logarithms, over the spans of
 * parsing/eisner.h.
 *
 * Alternatives are collected as terms and summed relative to their largest, so that nothing over- or
 * underflows. */
#ifndef GAPLESS_KERNELS_EISNER_SUMS_H
#define GAPLESS_KERNELS_EISNER_SUMS_H

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Number of doubles in the workspace of eisner_sums. */
static ptrdiff_t eisner_sums_workspace(ptrdiff_t n)
{
    return 7 * (n + 1) * (n + 1) + 2 * (n + 2);
}

static double eisner_log_sum(const double *terms, ptrdiff_t count)
{
    double largest = -(double)INFINITY, sum = 0;
    for (ptrdiff_t k = 0; k < count; k++)
        largest = terms[k] > largest ? terms[k] : largest;
    if (!(largest > -(double)INFINITY))
        return largest;
    for (ptrdiff_t k = 0; k < count; k++)
        sum += exp(terms[k] - largest);
    return largest + log(sum);
}

static double eisner_probability(double value, double total)
{
    return value < total ? exp(value - total) : value > -(double)INFINITY ? 1 : 0;
}

/* Write the arcs' probabilities, (n+1) x (n+1), and return the logarithm of the sum over all trees; -inf,
 * with all probabilities 0, where there is none. `work` holds eisner_sums_workspace(n) numbers. */
static double eisner_sums(ptrdiff_t n, const double *weights, int single_root, double *work,
                          double *marginals)
{
    const ptrdiff_t m = single_root ? n : n + 1, first = single_root ? 1 : 0, size = m * m;
    double *const complete_right = work, *const complete_left = complete_right + size,
                  *const incomplete_right = complete_left + size,
                  *const incomplete_left = incomplete_right + size,
                  *const outside_right = incomplete_left + size, *const outside_left = outside_right + size,
                  *const outside_halves = outside_left + size, *const terms = outside_halves + size;
    for (ptrdiff_t k = 0; k < 7 * size; k++)
        work[k] = -(double)INFINITY;
    memset(marginals, 0, (size_t)((n + 1) * (n + 1)) * sizeof(double));
    for (ptrdiff_t i = 0; i < m; i++)
        complete_right[i * m + i] = complete_left[i * m + i] = 0;
    for (ptrdiff_t length = 1; length < m; length++)
        for (ptrdiff_t i = 0; i < m - length; i++) {
            const ptrdiff_t j = i + length, span = i * m + j;
            for (ptrdiff_t s = i; s < j; s++)
                terms[s - i] = complete_right[i * m + s] + complete_left[(s + 1) * m + j];
            const double halves = eisner_log_sum(terms, length);
            incomplete_right[span] = halves + weights[(i + first) * (n + 1) + j + first];
            if (i + first)
                incomplete_left[span] = halves + weights[(j + first) * (n + 1) + i + first];
            for (ptrdiff_t s = i + 1; s <= j; s++)
                terms[s - i - 1] = incomplete_right[i * m + s] + complete_right[s * m + j];
            complete_right[span] = eisner_log_sum(terms, length);
            for (ptrdiff_t s = i; s < j; s++)
                terms[s - i] = complete_left[i * m + s] + incomplete_left[s * m + j];
            complete_left[span] = eisner_log_sum(terms, length);
        }

    double total = complete_right[m - 1];
    if (single_root) {
        for (ptrdiff_t r = 0; r < m; r++)
            terms[r] = weights[r + 1] + (complete_left[r] + complete_right[r * m + m - 1]);
        total = eisner_log_sum(terms, m);
    }
    if (!(total > -(double)INFINITY))
        return -(double)INFINITY;
    if (single_root)
        for (ptrdiff_t r = 0; r < m; r++) {
            marginals[r + 1] = eisner_probability(terms[r], total);
            outside_right[r * m + m - 1] = weights[r + 1] + complete_left[r];
            outside_left[r] = weights[r + 1] + complete_right[r * m + m - 1];
        }
    else
        outside_right[m - 1] = 0;

    for (ptrdiff_t length = m - 1; length > 0; length--)
        for (ptrdiff_t i = 0; i < m - length; i++) {
            const ptrdiff_t j = i + length, span = i * m + j;
            ptrdiff_t count = 0;
            terms[count++] = outside_right[span];
            for (ptrdiff_t e = j + 1; e < m; e++)
                terms[count++] = outside_halves[i * m + e] + complete_left[(j + 1) * m + e];
            for (ptrdiff_t b = 0; b < i; b++)
                terms[count++] = outside_right[b * m + j] + incomplete_right[b * m + i];
            outside_right[span] = eisner_log_sum(terms, count);
            count = 0;
            terms[count++] = outside_left[span];
            for (ptrdiff_t b = 0; b < i; b++)
                terms[count++] = outside_halves[b * m + j] + complete_right[b * m + i - 1];
            for (ptrdiff_t e = j + 1; e < m; e++)
                terms[count++] = outside_left[i * m + e] + incomplete_left[j * m + e];
            outside_left[span] = eisner_log_sum(terms, count);

            for (ptrdiff_t e = j; e < m; e++)
                terms[e - j] = outside_right[i * m + e] + complete_right[j * m + e];
            const double arc_right = eisner_log_sum(terms, m - j);
            for (ptrdiff_t b = 0; b <= i; b++)
                terms[b] = outside_left[b * m + j] + complete_left[b * m + i];
            const double arc_left = eisner_log_sum(terms, i + 1);
            const ptrdiff_t to_right = (i + first) * (n + 1) + j + first,
                            to_left = (j + first) * (n + 1) + i + first;
            marginals[to_right] = eisner_probability(arc_right + incomplete_right[span], total);
            terms[0] = arc_right + weights[to_right];
            terms[1] = -(double)INFINITY;
            if (i + first) {
                marginals[to_left] = eisner_probability(arc_left + incomplete_left[span], total);
                terms[1] = arc_left + weights[to_left];
            }
            outside_halves[span] = eisner_log_sum(terms, 2);
        }
    return total;
}

#endif
