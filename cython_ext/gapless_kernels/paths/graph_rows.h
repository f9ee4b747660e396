/* Loops over whole rows of a graph: a template of lanes/versions.h, for double only. */
#include "lanes/select_rows.h"

/* Compute the largest of `count` values. */
TARGET static inline double NAMED(row_largest)(const double *row, ptrdiff_t count)
{
    LANES(block) best = LANES(all)(-INFINITY);
    ptrdiff_t u = 0;
    for (; u + GAPLESS_BLOCK <= count; u += GAPLESS_BLOCK)
        best = LANES(max)(LANES(load)(row + u), best);
    double largest = LANES(largest)(best);
    for (; u < count; u++)
        largest = row[u] > largest ? row[u] : largest;
    return largest;
}

/* List the vertices u with base + row[u] (+ end[u], if given) >= bound, and these scores; return their
 * number.
 *
 * Whole blocks are written, so `vertices` and `scores` need GAPLESS_BLOCK entries more than there are
 * vertices. */
TARGET static inline ptrdiff_t NAMED(row_offers)(double base, const double *row, const double *end,
                                                 ptrdiff_t count, double bound, int32_t *vertices,
                                                 double *scores)
{
    const LANES(block) score = LANES(all)(base), threshold = LANES(all)(bound);
    ptrdiff_t matches = 0;
    for (ptrdiff_t u = 0; u < count; u += GAPLESS_BLOCK) {
        const int is_full = u + GAPLESS_BLOCK <= count;
        const unsigned lanes = is_full ? 0xFFFFu : 0xFFFFu >> (GAPLESS_BLOCK - (count - u));
        LANES(block)
        offers = LANES(add)(score, is_full ? LANES(load)(row + u) : LANES(load_some)(row + u, lanes));
        if (end)
            offers = LANES(add)(offers, is_full ? LANES(load)(end + u) : LANES(load_some)(end + u, lanes));
        const unsigned bits = LANES(at_least)(offers, threshold) & lanes;
        if (bits)
            matches += LANES(collect)(offers, bits, 0, u, vertices + matches, scores + matches);
    }
    return matches;
}
