/* The loops over whole rows of a graph: a template of lanes/versions.h, for double only. */
#include "lanes/select_rows.h"

/* The largest of `count` values. */
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

/* Which vertices u have base + row[u] (+ end[u], if given) >= bound, and what they score; their number.
 *
 * Whole blocks are written: `who` and `scores` have room for GAPLESS_BLOCK more than there are vertices. */
TARGET static inline ptrdiff_t NAMED(row_offers)(double base, const double *row, const double *end, ptrdiff_t count,
                                                 double bound, int32_t *who, double *scores)
{
    const LANES(block) score = LANES(all)(base), least = LANES(all)(bound);
    ptrdiff_t found = 0;
    for (ptrdiff_t u = 0; u < count; u += GAPLESS_BLOCK) {
        const int whole = u + GAPLESS_BLOCK <= count;
        const unsigned lanes = whole ? 0xFFFFu : 0xFFFFu >> (GAPLESS_BLOCK - (count - u));
        LANES(block) offers = LANES(add)(score, whole ? LANES(load)(row + u) : LANES(load_some)(row + u, lanes));
        if (end)
            offers = LANES(add)(offers, whole ? LANES(load)(end + u) : LANES(load_some)(end + u, lanes));
        const unsigned bits = LANES(at_least)(offers, least) & lanes;
        if (bits)
            found += LANES(collect)(offers, bits, 0, u, who + found, scores + found);
    }
    return found;
}
