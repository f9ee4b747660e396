/* Scores of the higher orders beyond the arcs, and whether given heads are a projective tree. */
#ifndef GAPLESS_PARSING_INTERNAL_SCORES_H
#define GAPLESS_PARSING_INTERNAL_SCORES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Whether two arcs cross, or are each other's reverse, or are two from a single root. */
static inline int arcs_exclude(int32_t g, int32_t m, int32_t h, int32_t w, int single_root)
{
    const int32_t a = g < m ? g : m, b = g < m ? m : g, c = h < w ? h : w, d = h < w ? w : h;
    return (g == w && h == m) || (single_root && g == 0 && h == 0) || (a < c && c < b && b < d)
           || (c < a && a < d && d < b);
}

/* Whether every word has a head and reaches the root, no arcs cross, and a single root is single. */
static inline int projective_tree(const int64_t *heads, ptrdiff_t n, int single_root)
{
    ptrdiff_t roots = 0;
    for (ptrdiff_t m = 1; m <= n; m++) {
        int64_t above = heads[m];
        roots += above == 0;
        for (ptrdiff_t steps = 0; above != 0; above = heads[above])
            if (above < 0 || ++steps > n)
                return 0;
    }
    for (ptrdiff_t m = 2; m <= n; m++)
        for (ptrdiff_t w = 1; w < m; w++)
            if (arcs_exclude((int32_t)heads[m], (int32_t)m, (int32_t)heads[w], (int32_t)w, 0))
                return 0;
    return roots == 1 || (roots > 1 && !single_root);
}

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
