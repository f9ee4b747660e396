/* Scores of the higher orders beyond the arcs. */
#ifndef GAPLESS_PARSING_INTERNAL_SCORES_H
#define GAPLESS_PARSING_INTERNAL_SCORES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The modifier of m's head nearest to m on its own side, between the two; the head itself where there is
 * none. */
static ptrdiff_t nearer_sibling(const int64_t *heads, ptrdiff_t m)
{
    const ptrdiff_t h = (ptrdiff_t)heads[m], step = h < m ? -1 : 1;
    for (ptrdiff_t s = m + step; s != h; s += step)
        if (heads[s] == h)
            return s;
    return h;
}

/* The farthest modifier of m to the right (`side` 1) or to the left (-1); m itself where there is none. */
static ptrdiff_t outermost_modifier(const int64_t *heads, ptrdiff_t n, ptrdiff_t m, int side)
{
    for (ptrdiff_t c = side > 0 ? n : 1; c != m; c -= side)
        if (heads[c] == m)
            return c;
    return m;
}

/* Internal score of a tree, from the arrays that the dynamic programs read; NULL arrays score nothing. */
static double sibling_internal_score(const int64_t *heads, ptrdiff_t n, const double **parts)
{
    const ptrdiff_t N = n + 1;
    double score = 0.0;
    for (ptrdiff_t m = 1; parts[0] && m <= n; m++)
        score += parts[0][(heads[m] * N + m) * N + nearer_sibling(heads, m)];
    return score;
}

static double carreras_internal_score(const int64_t *heads, ptrdiff_t n, const double **parts)
{
    const ptrdiff_t N = n + 1;
    double score = sibling_internal_score(heads, n, parts);
    for (ptrdiff_t m = 1; m <= n; m++) {
        const double *row = parts[1] + (heads[m] * N + m) * N;
        score += row[outermost_modifier(heads, n, m, -1)] + row[outermost_modifier(heads, n, m, 1)];
    }
    return score;
}

static double grand_internal_score(const int64_t *heads, ptrdiff_t n, const double **parts)
{
    const ptrdiff_t N = n + 1;
    double score = sibling_internal_score(heads, n, parts + 1);
    for (ptrdiff_t m = 1; m <= n; m++) {
        const ptrdiff_t h = (ptrdiff_t)heads[m], g = h ? (ptrdiff_t)heads[h] : 0;
        if (h)
            score += parts[0][(h * N + m) * N + g];
        if (parts[2])
            score += parts[2][((h * N + m) * N + nearer_sibling(heads, m)) * N + g];
    }
    return score;
}

#endif
