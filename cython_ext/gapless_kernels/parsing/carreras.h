/* Projective parsing with adjacent siblings and outermost grandchildren: inside, outside and backtrace in
 * O(n^4) time and one O(n^3) chart (Carreras 2007).
 *
 * Positions are 0..n, size = n + 1, 0 the root.
 *   span[h][e][c]  h with its modifiers between h and e, whose subtrees reach e, c the farthest; [h][h][h] is
 * 0 arc[h][m]      the arc h -> m with all between them; m is the farthest modifier of h so far
 * siblings[h][m][s] is the score of m as modifier of h next to s, s = h where it is the first on its side;
 * grandchildren[h][m][c] that of c as m's farthest modifier on a side, c = m where there is none, m being one
 * of h's. Nothing is allocated here; work holds carreras_charts(n) doubles for the inside pass alone, twice
 * as many with
 * outside. */
#ifndef GAPLESS_EISNER_CARRERAS_H
#define GAPLESS_EISNER_CARRERAS_H

#include "parsing/rows.h"

typedef struct {
    ptrdiff_t size;
    int single_root;
    const double *weights, *siblings, *grandchildren;
    double *span, *arc, *out_span, *out_arc;
} carreras_model;

static size_t carreras_charts(ptrdiff_t n)
{
    return (size_t)(n + 1) * (size_t)(n + 1) * (size_t)(n + 2);
}

static carreras_model carreras_open(ptrdiff_t n, const double *weights, const double *siblings,
    const double *grandchildren, int single_root, double *work)
{
    const ptrdiff_t size = n + 1, square = size * size;
    carreras_model model = {size, single_root, weights, siblings, grandchildren, work, work + square * size,
        work + square * size + square, work + 2 * square * size + square};
    return model;
}

/* The row of a cube over its last position. */
GAPLESS_INLINE ptrdiff_t carreras_row(const carreras_model *model, ptrdiff_t a, ptrdiff_t b)
{
    return (a * model->size + b) * model->size;
}

/* Which positions may be h's farthest modifier in its span to e: [*from, *from + count); h itself where e =
 * h. */
GAPLESS_INLINE ptrdiff_t carreras_farthest(ptrdiff_t h, ptrdiff_t e, ptrdiff_t *from)
{
    const ptrdiff_t count = eisner_modifiers(h, e, from);
    return h == e ? 1 : count;
}

/* The best span of h to e, with the score that `scores`, a row, has for its farthest modifier. */
GAPLESS_INLINE double carreras_reach(const carreras_model *model, ptrdiff_t h, ptrdiff_t e,
                                     const double *scores)
{
    ptrdiff_t from;
    const ptrdiff_t count = carreras_farthest(h, e, &from);
    return eisner_best_2(model->span + carreras_row(model, h, e) + from, scores + from, count);
}

/* How many ways there are to split what lies between h and m. */
GAPLESS_INLINE ptrdiff_t carreras_splits(const carreras_model *model, ptrdiff_t h, ptrdiff_t m)
{
    return h == 0 && model->single_root ? 1 : h < m ? m - h : h - m;
}

GAPLESS_INLINE void carreras_inside_arc(carreras_model *model, ptrdiff_t h, ptrdiff_t m)
{
    const ptrdiff_t step = h < m ? 1 : -1, splits = carreras_splits(model, h, m);
    const double weight = model->weights[h * model->size + m];
    double best = -INFINITY;
    if (weight > -INFINITY) {
        const double *siblings = model->siblings + carreras_row(model, h, m);
        const double *grandchildren = model->grandchildren + carreras_row(model, h, m);
        for (ptrdiff_t k = 0; k < splits; k++) {
            const double near = carreras_reach(model, h, h + k * step, siblings);
            if (near > -INFINITY) {
                const double sum = near + carreras_reach(model, m, h + (k + 1) * step, grandchildren);
                best = GAPLESS_MAX(sum, best);
            }
        }
        best += weight;
    }
    model->arc[h * model->size + m] = best;
}

GAPLESS_INLINE void carreras_inside_span(carreras_model *model, ptrdiff_t h, ptrdiff_t e)
{
    ptrdiff_t from;
    const ptrdiff_t count = carreras_farthest(h, e, &from);
    double *span = model->span + carreras_row(model, h, e);
    for (ptrdiff_t m = from; m < from + count; m++) {
        const double arc = model->arc[h * model->size + m];
        if (arc > -INFINITY)
            span[m] = arc + carreras_reach(model, m, e, model->grandchildren + carreras_row(model, h, m));
    }
}

/* The best value; -inf when there is no tree. */
GAPLESS_VERSIONS(double, carreras_inside, (carreras_model *model), (model))
{
    const ptrdiff_t size = model->size;
    double best = -INFINITY;
    eisner_fill(model->span, -INFINITY, size * size * (size + 1));
    for (ptrdiff_t i = 0; i < size; i++)
        model->span[carreras_row(model, i, i) + i] = 0.0;
    for (ptrdiff_t d = 1; d < size; d++)
        for (ptrdiff_t i = 0; i + d < size; i++) {
            carreras_inside_arc(model, i, i + d);
            carreras_inside_span(model, i, i + d);
            if (i > 0) {
                carreras_inside_arc(model, i + d, i);
                carreras_inside_span(model, i + d, i);
            }
        }
    for (ptrdiff_t c = 1; c < size; c++)
        best = GAPLESS_MAX(model->span[carreras_row(model, 0, size - 1) + c], best);
    return best;
}

/* Raise what is outside all spans of h to e, each with its score. */
GAPLESS_INLINE void carreras_outside_reach(
    carreras_model *model, ptrdiff_t h, ptrdiff_t e, double out, const double *scores)
{
    ptrdiff_t from;
    const ptrdiff_t count = carreras_farthest(h, e, &from);
    eisner_raise_1(model->out_span + carreras_row(model, h, e) + from, out, scores + from, count);
}

GAPLESS_INLINE void carreras_outside_span(carreras_model *model, ptrdiff_t h, ptrdiff_t e)
{
    ptrdiff_t from;
    const ptrdiff_t size = model->size, count = carreras_farthest(h, e, &from);
    const double *outs = model->out_span + carreras_row(model, h, e);
    for (ptrdiff_t m = from; m < from + count; m++) {
        const double arc = model->arc[h * size + m], out = outs[m];
        if (!(arc > -INFINITY && out > -INFINITY))
            continue;
        const double *grandchildren = model->grandchildren + carreras_row(model, h, m);
        const double below = out + carreras_reach(model, m, e, grandchildren);
        model->out_arc[h * size + m] = GAPLESS_MAX(below, model->out_arc[h * size + m]);
        carreras_outside_reach(model, m, e, out + arc, grandchildren);
    }
}

GAPLESS_INLINE void carreras_outside_arc(carreras_model *model, ptrdiff_t h, ptrdiff_t m)
{
    const ptrdiff_t step = h < m ? 1 : -1, splits = carreras_splits(model, h, m);
    const double out = model->out_arc[h * model->size + m] + model->weights[h * model->size + m];
    if (!(out > -INFINITY))
        return;
    const double *siblings = model->siblings + carreras_row(model, h, m);
    const double *grandchildren = model->grandchildren + carreras_row(model, h, m);
    for (ptrdiff_t k = 0; k < splits; k++) {
        const ptrdiff_t near_end = h + k * step, far_end = near_end + step;
        const double near = carreras_reach(model, h, near_end, siblings);
        const double far = carreras_reach(model, m, far_end, grandchildren);
        if (near > -INFINITY && far > -INFINITY) {
            carreras_outside_reach(model, h, near_end, out + far, siblings);
            carreras_outside_reach(model, m, far_end, out + near, grandchildren);
        }
    }
}

/* max_marginals[h][m]: the best value of a tree with that arc. Needs the charts of the inside pass. */
GAPLESS_VERSIONS(void, carreras_outside, (carreras_model * model, double *max_marginals),
                 (model, max_marginals))
{
    const ptrdiff_t size = model->size;
    eisner_fill(model->out_span, -INFINITY, size * size * (size + 1));
    eisner_fill(model->out_span + carreras_row(model, 0, size - 1), 0.0, size);
    for (ptrdiff_t d = size - 1; d > 0; d--)
        for (ptrdiff_t i = 0; i + d < size; i++) {
            carreras_outside_span(model, i, i + d);
            carreras_outside_arc(model, i, i + d);
            if (i > 0) {
                carreras_outside_span(model, i + d, i);
                carreras_outside_arc(model, i + d, i);
            }
        }
    for (ptrdiff_t k = 0; k < size * size; k++)
        max_marginals[k] = model->arc[k] + model->out_arc[k];
}

static void carreras_trace_span(const carreras_model *model, ptrdiff_t h, ptrdiff_t e, ptrdiff_t c,
                                int64_t *heads);

/* The span of h to e that carreras_reach found. */
static void carreras_trace_reach(
    const carreras_model *model, ptrdiff_t h, ptrdiff_t e, const double *scores, int64_t *heads)
{
    ptrdiff_t from;
    const ptrdiff_t count = carreras_farthest(h, e, &from);
    const double *span = model->span + carreras_row(model, h, e);
    carreras_trace_span(model, h, e, from + eisner_argbest_2(span + from, scores + from, count), heads);
}

/* The span of h to e with the farthest modifier m, and all in it. */
static void carreras_trace_span(const carreras_model *model, ptrdiff_t h, ptrdiff_t e, ptrdiff_t m,
                                int64_t *heads)
{
    if (h == e)
        return;
    const ptrdiff_t step = h < m ? 1 : -1, splits = carreras_splits(model, h, m);
    const double *siblings = model->siblings + carreras_row(model, h, m);
    const double *grandchildren = model->grandchildren + carreras_row(model, h, m);
    ptrdiff_t split = 0;
    double best = -INFINITY;
    for (ptrdiff_t k = 0; k < splits; k++) {
        const double sum = carreras_reach(model, h, h + k * step, siblings)
            + carreras_reach(model, m, h + (k + 1) * step, grandchildren);
        if (sum > best) {
            best = sum;
            split = k;
        }
    }
    heads[m] = h;
    carreras_trace_reach(model, m, e, grandchildren, heads);
    carreras_trace_reach(model, h, h + split * step, siblings, heads);
    carreras_trace_reach(model, m, h + (split + 1) * step, grandchildren, heads);
}

/* The heads of a best tree. Needs the charts of the inside pass, whose value must not be -inf. */
static void carreras_trace(const carreras_model *model, int64_t *heads)
{
    const ptrdiff_t last = model->size - 1;
    const double *span = model->span + carreras_row(model, 0, last);
    ptrdiff_t best = 1;
    for (ptrdiff_t c = 2; c <= last; c++)
        if (span[c] > span[best])
            best = c;
    heads[0] = -1;
    carreras_trace_span(model, 0, last, best, heads);
}

EISNER_ORDER(carreras, parts[0], parts[1])

#endif
