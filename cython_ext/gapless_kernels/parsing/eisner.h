/* First-order projective parsing: the best tree and the best tree with each arc, for one sentence.
 *
 * Eisner (1996), "Three new probabilistic models for dependency parsing", section 3, in O(n^3) time and
 * O(n^2) memory. Weights are [head, modifier], (n+1) x (n+1), row after row; -inf means that there is no such
 * arc; column 0 and the diagonal are ignored. Whatever the weights are, nothing outside the arrays is read or
 * written, and every head is from 0 to n or -1; but with NaN, plus infinity or sums beyond the range of
 * double the answer means nothing. Nothing is allocated: the caller gives eisner_workspace(n) bytes, aligned
 * for double, which no two calls may share at a time.
 *
 * Only maxima are kept; the backtrace finds the splits again. With a single root the chart spans the words
 * and the root comes last; with several, the root is the chart's first word, which nothing is the head
 * of. */
#ifndef GAPLESS_KERNELS_EISNER_H
#define GAPLESS_KERNELS_EISNER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "lanes/lanes.h"

/* Charts of spans of `words` words, see parsing/spans.h; a span's head is its first word in the charts named
 * right, its last word in those named left. */
typedef struct {
    ptrdiff_t words;
    double *complete_right, *complete_left, *incomplete_right, *incomplete_left;
    double *outside_right, *outside_left, *outside_halves, *arcs_right, *arcs_left;
    int32_t *stack;
} eisner_charts;

enum { EISNER_CHARTS = 9 };

/* Where in a chart the spans of `length` + 1 words are. */
GAPLESS_INLINE ptrdiff_t eisner_row(ptrdiff_t words, ptrdiff_t length)
{
    return GAPLESS_OCTET + length * (words + GAPLESS_OCTET) - length * (length - 1) / 2;
}

#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "parsing/spans.h"
#include "lanes/versions.h"

static size_t eisner_workspace(ptrdiff_t n)
{
    return EISNER_CHARTS * (size_t)eisner_row(n + 1, n + 1) * sizeof(double)
           + 3 * (size_t)(n + 1) * sizeof(int32_t);
}

static eisner_charts eisner_charts_in(ptrdiff_t n, int single_root, void *work)
{
    eisner_charts charts;
    charts.words = single_root ? n : n + 1;
    const ptrdiff_t size = eisner_row(charts.words, charts.words);
    double *cursor = (double *)work;
    charts.complete_right = cursor;
    charts.complete_left = cursor += size;
    charts.incomplete_right = cursor += size;
    charts.incomplete_left = cursor += size;
    charts.outside_right = cursor += size;
    charts.outside_left = cursor += size;
    charts.outside_halves = cursor += size;
    charts.arcs_right = cursor += size;
    charts.arcs_left = cursor += size;
    charts.stack = (int32_t *)(cursor + size);
    return charts;
}

GAPLESS_INLINE void eisner_margins(ptrdiff_t words, double *chart)
{
    for (ptrdiff_t k = 0; k < GAPLESS_OCTET; k++)
        chart[k] = -(double)INFINITY;
    for (ptrdiff_t length = 0; length < words; length++) {
        double *const margin = chart + eisner_row(words, length) + words - length;
        for (ptrdiff_t k = 0; k < GAPLESS_OCTET; k++)
            margin[k] = -(double)INFINITY;
    }
}

/* Lay the weights of the arcs between the charts' words out as charts. */
static void eisner_lay_out(ptrdiff_t n, const double *weights, int single_root, double *right, double *left)
{
    const ptrdiff_t words = single_root ? n : n + 1, first = single_root ? 1 : 0;
    eisner_margins(words, right);
    eisner_margins(words, left);
    for (ptrdiff_t i = 0; i < words; i++) {
        const double *const row = weights + (i + first) * (n + 1) + first;
        const double *const column = weights + first * (n + 1) + i + first;
        ptrdiff_t cell = eisner_row(words, 0) + i;
        right[cell] = left[cell] = -(double)INFINITY;
        for (ptrdiff_t j = i + 1; j < words; j++) {
            cell += words - (j - i - 1) + GAPLESS_OCTET;
            right[cell] = row[j];
            left[cell] = i + first ? column[j * (n + 1)] : -(double)INFINITY;
        }
    }
}

/* The number d, from 0 on, of the first split whose two parts have the best sum. In `first_part` the step
 * to the next row falls by one each time, in `second_part` it rises. */
GAPLESS_INLINE ptrdiff_t eisner_split(const double *first_part, ptrdiff_t forward, const double *second_part,
                                      ptrdiff_t back, ptrdiff_t splits)
{
    ptrdiff_t best = 0;
    double largest = *first_part + *second_part;
    for (ptrdiff_t d = 1; d < splits; d++) {
        first_part += forward--;
        second_part -= back++;
        const double sum = *first_part + *second_part;
        if (sum > largest) {
            largest = sum;
            best = d;
        }
    }
    return best;
}

/* Write the heads of the words of the complete span [i, j] that `right` says, with the charts' words numbered
 * from `first` on. Spans on the stack never overlap in a gap between words, so there are never more than
 * gaps. */
static void eisner_trace(const eisner_charts *charts, ptrdiff_t first, ptrdiff_t i, ptrdiff_t j, int right,
                         int32_t *heads)
{
    const ptrdiff_t m = charts->words;
    int32_t *stack = charts->stack, *top = stack;
    for (;;) {
        /* The complete span [i, j] is an incomplete one, from its head to its outermost modifier, and a
         * complete one beside it, which waits; the incomplete one is two complete ones, of which the second
         * waits. */
        const ptrdiff_t length = j - i;
        if (length == 0) {
            if (top == stack)
                return;
            top -= 3;
            i = top[0];
            j = top[1];
            right = top[2];
            continue;
        }
        ptrdiff_t begin = i, end = j;
        if (right) {
            end = i + 1 + eisner_split(charts->incomplete_right + eisner_row(m, 1) + i, m - 1 + GAPLESS_OCTET,
                                       charts->complete_right + eisner_row(m, length - 1) + i + 1,
                                       m - length + 1 + GAPLESS_OCTET, length);
            heads[end + first] = (int32_t)(i + first);
            if (end < j) {
                top[0] = (int32_t)end;
                top[1] = (int32_t)j;
                top[2] = 1;
                top += 3;
            }
        } else {
            begin = i + eisner_split(charts->complete_left + eisner_row(m, 0) + i, m + GAPLESS_OCTET,
                                     charts->incomplete_left + eisner_row(m, length) + i,
                                     m - length + GAPLESS_OCTET, length);
            heads[begin + first] = (int32_t)(j + first);
            if (begin > i) {
                top[0] = (int32_t)i;
                top[1] = (int32_t)begin;
                top[2] = 0;
                top += 3;
            }
        }
        const ptrdiff_t gap = end - begin;
        const ptrdiff_t middle =
            begin
            + eisner_split(charts->complete_right + eisner_row(m, 0) + begin, m + GAPLESS_OCTET,
                           charts->complete_left + eisner_row(m, gap - 1) + begin + 1,
                           m - gap + 1 + GAPLESS_OCTET, gap);
        if (middle + 1 < end) {
            top[0] = (int32_t)(middle + 1);
            top[1] = (int32_t)end;
            top[2] = 0;
            top += 3;
        }
        i = begin;
        j = middle;
        right = 1;
    }
}

/* The best tree: writes its heads (n + 1 of them, heads[0] = -1) and returns the sum of its weights in the
 * order of its words; or -inf, and all heads -1, where there is none. Leaves its charts in `work`. */
static double eisner_inside(ptrdiff_t n, const double *weights, int single_root, void *work,
                                int32_t *heads)
{
    const eisner_charts charts = eisner_charts_in(n, single_root, work);
    const ptrdiff_t m = charts.words, start = eisner_row(m, 0);
    eisner_lay_out(n, weights, single_root, charts.incomplete_right, charts.incomplete_left);
    eisner_margins(m, charts.complete_right);
    eisner_margins(m, charts.complete_left);
    for (ptrdiff_t i = 0; i < m; i++)
        charts.complete_right[start + i] = charts.complete_left[start + i] = 0;
    GAPLESS_CALL(eisner_fill_f64, (&charts));

    ptrdiff_t root = 0;
    double best = charts.complete_right[eisner_row(m, m - 1)];
    if (single_root) {
        best = -(double)INFINITY;
        for (ptrdiff_t r = 0; r < n; r++) {
            const double value = weights[r + 1] + (charts.complete_left[eisner_row(m, r)]
                                                   + charts.complete_right[eisner_row(m, n - 1 - r) + r]);
            if (value > best) {
                best = value;
                root = r;
            }
        }
    }
    for (ptrdiff_t word = 0; word <= n; word++)
        heads[word] = -1;
    if (!(best > -(double)INFINITY))
        return -(double)INFINITY;
    if (single_root) {
        heads[root + 1] = 0;
        eisner_trace(&charts, 1, 0, root, 0, heads);
        eisner_trace(&charts, 1, root, n - 1, 1, heads);
    } else {
        eisner_trace(&charts, 0, 0, n, 1, heads);
    }
    double value = 0;
    for (ptrdiff_t word = 1; word <= n; word++)
        value += weights[heads[word] * (n + 1) + word];
    return value;
}

/* The best value of a tree with each arc, as an (n+1) x (n+1) matrix; -inf where there is none. `weights`,
 * `single_root` and `work` are those of an eisner_inside, with nothing done to them since; the charts stay as
 * they are, so that it may be asked twice. */
static void eisner_outside(ptrdiff_t n, const double *weights, int single_root, void *work,
                               double *max_marginals)
{
    const eisner_charts charts = eisner_charts_in(n, single_root, work);
    const ptrdiff_t m = charts.words, first = single_root ? 1 : 0, size = eisner_row(m, m);
    for (ptrdiff_t k = 0; k < size; k++)
        charts.outside_right[k] = charts.outside_left[k] = -(double)INFINITY;
    eisner_margins(m, charts.outside_halves);
    eisner_lay_out(n, weights, single_root, charts.arcs_right, charts.arcs_left);
    for (ptrdiff_t k = 0; k < n + 1; k++)
        max_marginals[k] = -(double)INFINITY;
    if (single_root) {
        for (ptrdiff_t r = 0; r < n; r++) {
            const ptrdiff_t to_left = eisner_row(m, r), to_right = eisner_row(m, n - 1 - r) + r;
            const double left = charts.complete_left[to_left], right = charts.complete_right[to_right];
            charts.outside_left[to_left] = weights[r + 1] + right;
            charts.outside_right[to_right] = weights[r + 1] + left;
            max_marginals[r + 1] = weights[r + 1] + (left + right);
        }
    } else {
        charts.outside_right[eisner_row(m, m - 1)] = 0;
    }
    GAPLESS_CALL(eisner_fill_outside_f64, (&charts));

    for (ptrdiff_t i = 0; i < m; i++) {
        double *const row = max_marginals + (i + first) * (n + 1) + first;
        double *const column = max_marginals + first * (n + 1) + i + first;
        ptrdiff_t cell = eisner_row(m, 0) + i;
        if (first)
            row[-1] = -(double)INFINITY;
        row[i] = -(double)INFINITY;
        for (ptrdiff_t j = i + 1; j < m; j++) {
            cell += m - (j - i - 1) + GAPLESS_OCTET;
            row[j] = charts.arcs_right[cell];
            column[j * (n + 1)] = charts.arcs_left[cell];
        }
    }
}

#endif
