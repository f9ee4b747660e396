/* Projective parsing with adjacent siblings: inside, outside and backtrace in O(n^3) time and O(n^2) charts
 * (McDonald and Pereira 2006, section 2.2; Eisner 1996).
 *
 * Charts are indexed [head][other end] for either direction; positions are 0..n, size = n + 1, 0 the root.
 *   span[h][e]     h with all its modifiers between h and e, whose subtrees reach e; 0 where e = h
 *   span_t[e][h]   the same, transposed, so that every loop runs along rows
 *   arc[h][m]      the arc h -> m with all between them; m is the farthest modifier of h so far
 *   between[s][m]  what lies between two adjacent modifiers of one head outside; symmetric
 * parts[h][m][s] is the score of m as modifier of h next to s, s = h where it is the first on its side; may
 * be NULL. Nothing is allocated here; work holds sibling_charts(n) doubles for the inside pass alone, twice
 * as many with
 * outside. */
#ifndef GAPLESS_EISNER_SIBLING_H
#define GAPLESS_EISNER_SIBLING_H

#include "parsing/rows.h"

typedef struct {
    ptrdiff_t size;
    int single_root;
    const double *weights, *parts;
    double *span, *span_t, *arc, *between;
    double *out_span, *out_span_t, *out_arc, *out_between;
} sibling_model;

static size_t sibling_charts(ptrdiff_t n)
{
    return 4 * (size_t)(n + 1) * (size_t)(n + 1);
}

static sibling_model sibling_open(ptrdiff_t n, const double *weights, const double *parts, int single_root,
                                  double *work)
{
    const ptrdiff_t size = n + 1, square = size * size;
    sibling_model model = {size, single_root, weights, parts, work, work + square, work + 2 * square,
        work + 3 * square, work + 4 * square, work + 5 * square, work + 6 * square, work + 7 * square};
    return model;
}

GAPLESS_INLINE double sibling_part(const sibling_model *model, ptrdiff_t h, ptrdiff_t m, ptrdiff_t s)
{
    return model->parts ? model->parts[(h * model->size + m) * model->size + s] : 0.0;
}

GAPLESS_INLINE void sibling_inside_arc(sibling_model *model, ptrdiff_t h, ptrdiff_t m)
{
    const ptrdiff_t size = model->size;
    double best = -INFINITY;
    if (model->weights[h * size + m] > -INFINITY) {
        ptrdiff_t from;
        const ptrdiff_t count = eisner_nearer(h, m, model->single_root, &from);
        const double *arc = model->arc + h * size + from, *between = model->between + m * size + from;
        const double first = model->span[m * size + eisner_next(h, m)] + sibling_part(model, h, m, h);
        best = model->parts ? eisner_best_3(arc, between, model->parts + (h * size + m) * size + from, count)
                            : eisner_best_2(arc, between, count);
        best = GAPLESS_MAX(first, best) + model->weights[h * size + m];
    }
    model->arc[h * size + m] = best;
}

GAPLESS_INLINE void sibling_inside_span(sibling_model *model, ptrdiff_t h, ptrdiff_t e)
{
    ptrdiff_t from;
    const ptrdiff_t size = model->size, count = eisner_modifiers(h, e, &from);
    const double best = eisner_best_2(model->arc + h * size + from, model->span_t + e * size + from, count);
    model->span[h * size + e] = best;
    model->span_t[e * size + h] = best;
}

/* The best value; -inf when there is no tree. */
GAPLESS_VERSIONS(double, sibling_inside, (sibling_model *model), (model))
{
    const ptrdiff_t size = model->size;
    eisner_fill(model->span, -INFINITY, 4 * size * size);
    for (ptrdiff_t i = 0; i < size; i++)
        model->span[i * size + i] = model->span_t[i * size + i] = 0.0;
    for (ptrdiff_t d = 1; d < size; d++)
        for (ptrdiff_t i = 0; i + d < size; i++) {
            const ptrdiff_t j = i + d;
            sibling_inside_arc(model, i, j);
            if (i > 0) {
                const double best =
                    eisner_best_2(model->span + i * size + i, model->span + j * size + i + 1, d);
                model->between[i * size + j] = model->between[j * size + i] = best;
                sibling_inside_arc(model, j, i);
                sibling_inside_span(model, j, i);
            }
            sibling_inside_span(model, i, j);
        }
    return model->span[size - 1];
}

GAPLESS_INLINE void sibling_outside_span(sibling_model *model, ptrdiff_t h, ptrdiff_t e)
{
    ptrdiff_t from;
    const ptrdiff_t size = model->size, count = eisner_modifiers(h, e, &from);
    const double out = GAPLESS_MAX(model->out_span[h * size + e], model->out_span_t[e * size + h]);
    if (!(out > -INFINITY))
        return;
    eisner_raise_1(model->out_arc + h * size + from, out, model->span_t + e * size + from, count);
    eisner_raise_1(model->out_span_t + e * size + from, out, model->arc + h * size + from, count);
}

GAPLESS_INLINE void sibling_outside_arc(sibling_model *model, ptrdiff_t h, ptrdiff_t m)
{
    const ptrdiff_t size = model->size;
    ptrdiff_t from;
    const ptrdiff_t count = eisner_nearer(h, m, model->single_root, &from);
    const double out = model->out_arc[h * size + m] + model->weights[h * size + m];
    if (!(out > -INFINITY))
        return;
    double *inner = model->out_span + m * size + eisner_next(h, m);
    const double first = out + sibling_part(model, h, m, h);
    *inner = GAPLESS_MAX(first, *inner);
    const double *arc = model->arc + h * size + from, *between = model->between + m * size + from;
    double *out_arc = model->out_arc + h * size + from, *out_between = model->out_between + m * size + from;
    if (model->parts) {
        const double *parts = model->parts + (h * size + m) * size + from;
        eisner_raise_2(out_arc, out, between, parts, count);
        eisner_raise_2(out_between, out, arc, parts, count);
    } else {
        eisner_raise_1(out_arc, out, between, count);
        eisner_raise_1(out_between, out, arc, count);
    }
}

/* max_marginals[h][m]: the best value of a tree with that arc. Needs the charts of the inside pass. */
GAPLESS_VERSIONS(void, sibling_outside, (sibling_model *model, double *max_marginals), (model, max_marginals))
{
    const ptrdiff_t size = model->size;
    eisner_fill(model->out_span, -INFINITY, 4 * size * size);
    model->out_span[size - 1] = 0.0;
    for (ptrdiff_t d = size - 1; d > 0; d--)
        for (ptrdiff_t i = 0; i + d < size; i++) {
            const ptrdiff_t j = i + d;
            sibling_outside_span(model, i, j);
            sibling_outside_arc(model, i, j);
            if (i == 0)
                continue;
            sibling_outside_span(model, j, i);
            sibling_outside_arc(model, j, i);
            const double out =
                GAPLESS_MAX(model->out_between[i * size + j], model->out_between[j * size + i]);
            if (out > -INFINITY) {
                eisner_raise_1(model->out_span + i * size + i, out, model->span + j * size + i + 1, d);
                eisner_raise_1(model->out_span + j * size + i + 1, out, model->span + i * size + i, d);
            }
        }
    for (ptrdiff_t k = 0; k < size * size; k++)
        max_marginals[k] = model->arc[k] + model->out_arc[k];
}

static void sibling_trace_span(const sibling_model *model, ptrdiff_t h, ptrdiff_t e, int64_t *heads);

/* Everything between h and its modifier m. */
static void sibling_trace_arc(const sibling_model *model, ptrdiff_t h, ptrdiff_t m, int64_t *heads)
{
    const ptrdiff_t size = model->size;
    for (;;) {
        ptrdiff_t from, nearest = -1;
        const ptrdiff_t count = eisner_nearer(h, m, model->single_root, &from);
        double best = model->span[m * size + eisner_next(h, m)] + sibling_part(model, h, m, h);
        heads[m] = h;
        for (ptrdiff_t s = from; s < from + count; s++) {
            double sum = model->arc[h * size + s] + model->between[m * size + s];
            if (model->parts)
                sum += sibling_part(model, h, m, s);
            if (sum > best) {
                best = sum;
                nearest = s;
            }
        }
        if (nearest < 0) {
            sibling_trace_span(model, m, eisner_next(h, m), heads);
            return;
        }
        const ptrdiff_t low = m < nearest ? m : nearest, high = m < nearest ? nearest : m;
        const ptrdiff_t split = low
                                + eisner_argbest_2(model->span + low * size + low,
                                                   model->span + high * size + low + 1, high - low);
        sibling_trace_span(model, low, split, heads);
        sibling_trace_span(model, high, split + 1, heads);
        m = nearest;
    }
}

static void sibling_trace_span(const sibling_model *model, ptrdiff_t h, ptrdiff_t e, int64_t *heads)
{
    const ptrdiff_t size = model->size;
    if (h == e)
        return;
    ptrdiff_t from;
    const ptrdiff_t count = eisner_modifiers(h, e, &from);
    const ptrdiff_t m
        = from + eisner_argbest_2(model->arc + h * size + from, model->span_t + e * size + from, count);
    sibling_trace_arc(model, h, m, heads);
    sibling_trace_span(model, m, e, heads);
}

/* The heads of a best tree. Needs the charts of the inside pass, whose value must not be -inf. */
static void sibling_trace(const sibling_model *model, int64_t *heads)
{
    heads[0] = -1;
    sibling_trace_span(model, 0, model->size - 1, heads);
}

EISNER_ORDER(sibling, parts[0])

#endif
