/* Projective parsing with grandchildren, adjacent siblings and grand-siblings: inside, outside and backtrace
 * in O(n^4) time and O(n^3) charts (Koo and Collins 2010, section 4.1, model 1).
 *
 * Positions are 0..n, size = n + 1, 0 the root. Rows run along the head g of the head h; entries whose g lies
 * inside their span mean nothing and are never used. The root has no head: its rows have the one entry 0.
 *   span[h][e][g]     h, headed by g, with its modifiers between h and e, whose subtrees reach e; 0 where e =
 * h arc[h][m][g]      the arc h -> m with all between them; m is the farthest modifier of h so far
 *   between[s][m][h]  what lies between two adjacent modifiers s < m of h
 * grandchildren[h][m][g] is the score of m below h below g, h >= 1; siblings[h][m][s] that of m as modifier
 * of h next to s, s = h where it is the first on its side; grand_siblings[h][m][s][g] that of both, and may
 * be NULL. Nothing is allocated here; work holds grand_charts(n) doubles for the inside pass alone, twice as
 * many with
 * outside. */
#ifndef GAPLESS_EISNER_GRAND_SIBLING_H
#define GAPLESS_EISNER_GRAND_SIBLING_H

#include "parsing/rows.h"

typedef struct {
    ptrdiff_t size;
    int single_root;
    const double *weights, *grandchildren, *siblings, *grand_siblings, *zeros;
    double *span, *arc, *between, *row;
    double *out_span, *out_arc, *out_between;
} grand_model;

static size_t grand_charts(ptrdiff_t n)
{
    const size_t size = (size_t)n + 1;
    return 3 * size * size * size + 2 * size;
}

static grand_model grand_open(ptrdiff_t n, const double *weights, const double *grandchildren,
                              const double *siblings, const double *grand_siblings, int single_root,
                              double *work)
{
    const ptrdiff_t size = n + 1, cube = size * size * size;
    double *zeros = work + 3 * cube + size, *out = zeros + size;
    grand_model model = {
        size, single_root, weights,         grandchildren,   siblings, grand_siblings, zeros,
        work, work + cube, work + 2 * cube, work + 3 * cube, out,      out + cube,     out + 2 * cube};
    eisner_fill(zeros, 0.0, size);
    return model;
}

GAPLESS_INLINE ptrdiff_t grand_row(const grand_model *model, ptrdiff_t a, ptrdiff_t b)
{
    return (a * model->size + b) * model->size;
}

GAPLESS_INLINE ptrdiff_t grand_pair(const grand_model *model, ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? grand_row(model, a, b) : grand_row(model, b, a);
}

/* The scores of m next to s below h, one for each g. */
GAPLESS_INLINE const double *grand_scores(const grand_model *model, ptrdiff_t h, ptrdiff_t m, ptrdiff_t s)
{
    return model->grand_siblings ? model->grand_siblings + (grand_row(model, h, m) + s) * model->size
                                 : model->zeros;
}

GAPLESS_INLINE ptrdiff_t grand_heads(const grand_model *model, ptrdiff_t h)
{
    return h == 0 ? 1 : model->size;
}

/* What lies between h and m, but for rows: m's inner span where m is the first modifier, or all since s. */
GAPLESS_INLINE double grand_first(const grand_model *model, ptrdiff_t h, ptrdiff_t m)
{
    return model->span[grand_row(model, m, eisner_next(h, m)) + h]
           + model->siblings[grand_row(model, h, m) + h];
}

GAPLESS_INLINE double grand_since(const grand_model *model, ptrdiff_t h, ptrdiff_t m, ptrdiff_t s)
{
    return model->between[grand_pair(model, s, m) + h] + model->siblings[grand_row(model, h, m) + s];
}

GAPLESS_INLINE void grand_inside_arc(grand_model *model, ptrdiff_t h, ptrdiff_t m)
{
    ptrdiff_t from;
    const ptrdiff_t count = eisner_nearer(h, m, model->single_root, &from), heads = grand_heads(model, h);
    const double weight = model->weights[h * model->size + m], first = grand_first(model, h, m);
    double *arc = model->arc + grand_row(model, h, m);
    if (!(weight > -INFINITY))
        return;
    if (first > -INFINITY)
        eisner_raise_1(arc, first, grand_scores(model, h, m, h), heads);
    for (ptrdiff_t s = from; s < from + count; s++) {
        const double since = grand_since(model, h, m, s);
        if (since > -INFINITY && model->weights[h * model->size + s] > -INFINITY)
            eisner_raise_2(
                arc, since, model->arc + grand_row(model, h, s), grand_scores(model, h, m, s), heads);
    }
    const double *grandchildren = h == 0 ? model->zeros : model->grandchildren + grand_row(model, h, m);
    for (ptrdiff_t g = 0; g < heads; g++)
        arc[g] += weight + grandchildren[g];
}

GAPLESS_INLINE void grand_inside_span(grand_model *model, ptrdiff_t h, ptrdiff_t e)
{
    ptrdiff_t from;
    const ptrdiff_t count = eisner_modifiers(h, e, &from);
    for (ptrdiff_t m = from; m < from + count; m++) {
        const double rest = model->span[grand_row(model, m, e) + h];
        if (rest > -INFINITY && model->weights[h * model->size + m] > -INFINITY)
            eisner_raise_1(model->span + grand_row(model, h, e), rest, model->arc + grand_row(model, h, m),
                grand_heads(model, h));
    }
}

/* The best value; -inf when there is no tree. */
GAPLESS_VERSIONS(double, grand_inside, (grand_model *model), (model))
{
    const ptrdiff_t size = model->size;
    eisner_fill(model->span, -INFINITY, 3 * size * size * size);
    for (ptrdiff_t i = 0; i < size; i++)
        eisner_fill(model->span + grand_row(model, i, i), 0.0, size);
    for (ptrdiff_t d = 1; d < size; d++)
        for (ptrdiff_t i = 0; i + d < size; i++) {
            const ptrdiff_t j = i + d;
            grand_inside_arc(model, i, j);
            if (i > 0) {
                for (ptrdiff_t r = i; r < j; r++)
                    eisner_raise_2(model->between + grand_row(model, i, j), 0.0,
                        model->span + grand_row(model, i, r), model->span + grand_row(model, j, r + 1), size);
                grand_inside_arc(model, j, i);
                grand_inside_span(model, j, i);
            }
            grand_inside_span(model, i, j);
        }
    return model->span[grand_row(model, 0, size - 1)];
}

GAPLESS_INLINE void grand_outside_span(grand_model *model, ptrdiff_t h, ptrdiff_t e)
{
    ptrdiff_t from;
    const ptrdiff_t count = eisner_modifiers(h, e, &from), heads = grand_heads(model, h);
    const double *out = model->out_span + grand_row(model, h, e);
    for (ptrdiff_t m = from; m < from + count; m++) {
        const double rest = model->span[grand_row(model, m, e) + h];
        if (!(rest > -INFINITY && model->weights[h * model->size + m] > -INFINITY))
            continue;
        double *below = model->out_span + grand_row(model, m, e) + h;
        const double best = eisner_best_2(out, model->arc + grand_row(model, h, m), heads);
        *below = GAPLESS_MAX(best, *below);
        eisner_raise_1(model->out_arc + grand_row(model, h, m), rest, out, heads);
    }
}

GAPLESS_INLINE void grand_outside_arc(grand_model *model, ptrdiff_t h, ptrdiff_t m)
{
    ptrdiff_t from;
    const ptrdiff_t count = eisner_nearer(h, m, model->single_root, &from), heads = grand_heads(model, h);
    const double weight = model->weights[h * model->size + m];
    const double *grandchildren = h == 0 ? model->zeros : model->grandchildren + grand_row(model, h, m);
    const double *siblings = model->siblings + grand_row(model, h, m);
    const double *outside = model->out_arc + grand_row(model, h, m);
    double *out = model->row;
    if (!(weight > -INFINITY))
        return;
    for (ptrdiff_t g = 0; g < heads; g++)
        out[g] = outside[g] + (weight + grandchildren[g]);
    double *inner = model->out_span + grand_row(model, m, eisner_next(h, m)) + h;
    const double first = eisner_best_2(out, grand_scores(model, h, m, h), heads) + siblings[h];
    *inner = GAPLESS_MAX(first, *inner);
    for (ptrdiff_t s = from; s < from + count; s++) {
        const double since = grand_since(model, h, m, s);
        if (!(since > -INFINITY && model->weights[h * model->size + s] > -INFINITY))
            continue;
        const double *scores = grand_scores(model, h, m, s);
        double *gap = model->out_between + grand_pair(model, s, m) + h;
        const double best =
            eisner_best_3(out, model->arc + grand_row(model, h, s), scores, heads) + siblings[s];
        *gap = GAPLESS_MAX(best, *gap);
        eisner_raise_2(model->out_arc + grand_row(model, h, s), since, out, scores, heads);
    }
}

/* max_marginals[h][m]: the best value of a tree with that arc. Needs the charts of the inside pass. */
GAPLESS_VERSIONS(void, grand_outside, (grand_model *model, double *max_marginals), (model, max_marginals))
{
    const ptrdiff_t size = model->size;
    eisner_fill(model->out_span, -INFINITY, 3 * size * size * size);
    model->out_span[grand_row(model, 0, size - 1)] = 0.0;
    for (ptrdiff_t d = size - 1; d > 0; d--)
        for (ptrdiff_t i = 0; i + d < size; i++) {
            const ptrdiff_t j = i + d;
            grand_outside_span(model, i, j);
            grand_outside_arc(model, i, j);
            if (i == 0)
                continue;
            grand_outside_span(model, j, i);
            grand_outside_arc(model, j, i);
            const double *out = model->out_between + grand_row(model, i, j);
            for (ptrdiff_t r = i; r < j; r++) {
                const ptrdiff_t left = grand_row(model, i, r), right = grand_row(model, j, r + 1);
                eisner_raise_2(model->out_span + left, 0.0, out, model->span + right, size);
                eisner_raise_2(model->out_span + right, 0.0, out, model->span + left, size);
            }
        }
    for (ptrdiff_t h = 0; h < size; h++)
        for (ptrdiff_t m = 0; m < size; m++)
            max_marginals[h * size + m] =
                eisner_best_2(model->arc + grand_row(model, h, m), model->out_arc + grand_row(model, h, m),
                              grand_heads(model, h));
}

static void grand_trace_span(const grand_model *model, ptrdiff_t g, ptrdiff_t h, ptrdiff_t e, int64_t *heads);

/* Everything between h, headed by g, and its modifier m. */
static void grand_trace_arc(const grand_model *model, ptrdiff_t g, ptrdiff_t h, ptrdiff_t m, int64_t *heads)
{
    for (;;) {
        ptrdiff_t from, nearest = -1;
        const ptrdiff_t count = eisner_nearer(h, m, model->single_root, &from);
        double best = grand_first(model, h, m) + grand_scores(model, h, m, h)[g];
        heads[m] = h;
        for (ptrdiff_t s = from; s < from + count; s++) {
            const double sum = grand_since(model, h, m, s) + model->arc[grand_row(model, h, s) + g]
                + grand_scores(model, h, m, s)[g];
            if (sum > best) {
                best = sum;
                nearest = s;
            }
        }
        if (nearest < 0) {
            grand_trace_span(model, h, m, eisner_next(h, m), heads);
            return;
        }
        const ptrdiff_t low = m < nearest ? m : nearest, high = m < nearest ? nearest : m;
        ptrdiff_t split = low;
        best = -INFINITY;
        for (ptrdiff_t r = low; r < high; r++) {
            const double sum =
                model->span[grand_row(model, low, r) + h] + model->span[grand_row(model, high, r + 1) + h];
            if (sum > best) {
                best = sum;
                split = r;
            }
        }
        grand_trace_span(model, h, low, split, heads);
        grand_trace_span(model, h, high, split + 1, heads);
        m = nearest;
    }
}

static void grand_trace_span(const grand_model *model, ptrdiff_t g, ptrdiff_t h, ptrdiff_t e, int64_t *heads)
{
    if (h == e)
        return;
    ptrdiff_t from;
    const ptrdiff_t count = eisner_modifiers(h, e, &from);
    ptrdiff_t farthest = from;
    double best = -INFINITY;
    for (ptrdiff_t m = from; m < from + count; m++) {
        const double sum = model->arc[grand_row(model, h, m) + g] + model->span[grand_row(model, m, e) + h];
        if (sum > best) {
            best = sum;
            farthest = m;
        }
    }
    grand_trace_arc(model, g, h, farthest, heads);
    grand_trace_span(model, h, farthest, e, heads);
}

/* The heads of a best tree. Needs the charts of the inside pass, whose value must not be -inf. */
static void grand_trace(const grand_model *model, int64_t *heads)
{
    heads[0] = -1;
    grand_trace_span(model, 0, 0, model->size - 1, heads);
}

EISNER_ORDER(grand, parts[0], parts[1], parts[2])

#endif
