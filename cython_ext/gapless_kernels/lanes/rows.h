/* Rows of max-plus products that the compiler vectorises. Included by lanes/lanes.h once for each type. */

/* row[y] = max(row[y], s0 + t0[y], .., s3 + t3[y]): four sources for one load and one store of the row. */
GAPLESS_INLINE void NAMED(relax)(REAL *restrict row, const REAL *s, const REAL *t0, const REAL *t1,
                                 const REAL *t2, const REAL *t3, ptrdiff_t count)
{
    const REAL s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    GAPLESS_INDEPENDENT
    for (ptrdiff_t y = 0; y < count; y++) {
        const REAL a0 = s0 + t0[y], a1 = s1 + t1[y], a2 = s2 + t2[y], a3 = s3 + t3[y];
        const REAL b0 = GAPLESS_MAX(a0, a1), b1 = GAPLESS_MAX(a2, a3);
        const REAL best = GAPLESS_MAX(b0, b1), old = row[y];
        row[y] = GAPLESS_MAX(best, old);
    }
}

/* after[y] = unary[y] + max_x (before[x] + transition[x * stride + y]), x and y below labels.
 *
 * Maxima are idempotent, and both remainders use it: the sources are filled up to a multiple of four by
 * repeating the last, and the last block of destinations overlaps the one before it instead of being
 * short. */
GAPLESS_VERSIONS(void, NAMED(step), (const REAL *before, const REAL *transition, ptrdiff_t stride,
                                     ptrdiff_t labels, const REAL *unary, REAL *restrict after),
                 (before, transition, stride, labels, unary, after))
{
    const ptrdiff_t whole = labels - labels % GAPLESS_BLOCK;
    for (ptrdiff_t y = 0; y < labels; y++)
        after[y] = -(REAL)INFINITY;
    for (ptrdiff_t x = 0; x < labels; x += 4) {
        const REAL *t[4];
        REAL s[4];
        for (int i = 0; i < 4; i++) {
            const ptrdiff_t source = x + i < labels ? x + i : labels - 1;
            s[i] = before[source];
            t[i] = transition + source * stride;
        }
        NAMED(relax)(after, s, t[0], t[1], t[2], t[3], whole);
        if (whole == 0) {
            NAMED(relax)(after, s, t[0], t[1], t[2], t[3], labels);
        } else if (whole < labels) {
            const ptrdiff_t y = labels - GAPLESS_BLOCK;
            NAMED(relax)(after + y, s, t[0] + y, t[1] + y, t[2] + y, t[3] + y, GAPLESS_BLOCK);
        }
    }
    for (ptrdiff_t y = 0; y < labels; y++)
        after[y] = unary[y] + after[y];
}

/* The first position of the largest of `count` values. In range whatever the values are, NaN included.
 *
 * Two passes: a maximum in GAPLESS_BLOCK independent lanes, then a search for it that tests a block at once;
 * one pass that carries the position along would be a chain of dependent compares. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(argmax), (const REAL *values, ptrdiff_t count), (values, count))
{
    REAL lanes[GAPLESS_BLOCK], best = -(REAL)INFINITY;
    ptrdiff_t at = 0;
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        lanes[k] = -(REAL)INFINITY;
    for (; at + GAPLESS_BLOCK <= count; at += GAPLESS_BLOCK)
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            lanes[k] = GAPLESS_MAX(values[at + k], lanes[k]);
    for (int k = 0; at + k < count; k++)
        lanes[k] = GAPLESS_MAX(values[at + k], lanes[k]);
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        best = GAPLESS_MAX(lanes[k], best);
    for (at = 0; at + GAPLESS_BLOCK <= count; at += GAPLESS_BLOCK) {
        int found = 0;
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            found |= values[at + k] == best;
        if (found)
            break;
    }
    for (; at < count; at++)
        if (values[at] == best)
            return at;
    return 0;
}

/* sums[x] = before[x] + column[x * stride]: what each source offers to one destination. */
GAPLESS_VERSIONS(void, NAMED(offers), (const REAL *before, const REAL *column, ptrdiff_t stride,
                                       ptrdiff_t labels, REAL *restrict sums),
                 (before, column, stride, labels, sums))
{
    if (stride == 1) {
        for (ptrdiff_t x = 0; x < labels; x++)
            sums[x] = before[x] + column[x];
    } else {
        for (ptrdiff_t x = 0; x < labels; x++)
            sums[x] = before[x] + column[x * stride];
    }
}
