/* Which arcs no tree has together, and whether given heads are a tree. */
#ifndef GAPLESS_PARSING_TREE_CHECKS_H
#define GAPLESS_PARSING_TREE_CHECKS_H

#include <stddef.h>
#include <stdint.h>

/* Whether two arcs are each other's reverse, or two from a single root. */
static inline int arcs_conflict(int32_t g, int32_t m, int32_t h, int32_t w, int single_root)
{
    return (g == w && h == m) || (single_root && g == 0 && h == 0);
}

/* Whether two arcs conflict, or cross. */
static inline int arcs_exclude(int32_t g, int32_t m, int32_t h, int32_t w, int single_root)
{
    const int32_t a = g < m ? g : m, b = g < m ? m : g, c = h < w ? h : w, d = h < w ? w : h;
    return arcs_conflict(g, m, h, w, single_root) || (a < c && c < b && b < d) || (c < a && a < d && d < b);
}

/* Whether every word has a head and reaches the root, and a single root is single. */
static inline int is_tree(const int64_t *heads, ptrdiff_t n, int single_root)
{
    ptrdiff_t roots = 0;
    for (ptrdiff_t m = 1; m <= n; m++) {
        int64_t above = heads[m];
        roots += above == 0;
        for (ptrdiff_t steps = 0; above != 0; above = heads[above])
            if (above < 0 || ++steps > n)
                return 0;
    }
    return roots == 1 || (roots > 1 && !single_root);
}

/* Whether the heads are a tree in which no arcs cross. */
static inline int projective_tree(const int64_t *heads, ptrdiff_t n, int single_root)
{
    for (ptrdiff_t m = 2; m <= n; m++)
        for (ptrdiff_t w = 1; w < m; w++)
            if (arcs_exclude((int32_t)heads[m], (int32_t)m, (int32_t)heads[w], (int32_t)w, 0))
                return 0;
    return is_tree(heads, n, single_root);
}

#endif
