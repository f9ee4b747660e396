/* A max-plus step from a few listed sources to all labels; part of templates of lanes/versions.h.
 *
 * Rows have `stride` entries, a multiple of GAPLESS_BLOCK; those of the transitions hold -inf past the
 * labels. */

/* row[y] = max over j of scores[j] + transition[labels[j] * stride + y]; -inf where nothing is listed. */
TARGET static inline void NAMED(sparse_step)(const REAL *scores, const int32_t *labels, ptrdiff_t count,
                                             const REAL *transition, ptrdiff_t stride, REAL *restrict row)
{
    if (count <= 0) {
        for (ptrdiff_t y = 0; y < stride; y++)
            row[y] = -(REAL)INFINITY;
        return;
    }
    if (count == 1) {
        const REAL s0 = scores[0], *t0 = transition + labels[0] * stride;
        GAPLESS_INDEPENDENT
        for (ptrdiff_t y = 0; y < stride; y++)
            row[y] = s0 + t0[y];
        return;
    }
    if (count == 2) {
        const REAL s0 = scores[0], s1 = scores[1];
        const REAL *t0 = transition + labels[0] * stride, *t1 = transition + labels[1] * stride;
        GAPLESS_INDEPENDENT
        for (ptrdiff_t y = 0; y < stride; y++) {
            const REAL a0 = s0 + t0[y], a1 = s1 + t1[y];
            row[y] = GAPLESS_MAX(a0, a1);
        }
        return;
    }
    for (ptrdiff_t j = 0; j < count; j += 4) {
        /* Maxima are idempotent: the last source fills the group up. */
        const ptrdiff_t j1 = j + 1 < count ? j + 1 : count - 1, j2 = j + 2 < count ? j + 2 : count - 1;
        const ptrdiff_t j3 = j + 3 < count ? j + 3 : count - 1;
        const REAL s0 = scores[j], s1 = scores[j1], s2 = scores[j2], s3 = scores[j3];
        const REAL *t0 = transition + labels[j] * stride, *t1 = transition + labels[j1] * stride;
        const REAL *t2 = transition + labels[j2] * stride, *t3 = transition + labels[j3] * stride;
        if (j == 0) {
            GAPLESS_INDEPENDENT
            for (ptrdiff_t y = 0; y < stride; y++) {
                const REAL a0 = s0 + t0[y], a1 = s1 + t1[y], a2 = s2 + t2[y], a3 = s3 + t3[y];
                const REAL b0 = GAPLESS_MAX(a0, a1), b1 = GAPLESS_MAX(a2, a3);
                row[y] = GAPLESS_MAX(b0, b1);
            }
        } else {
            GAPLESS_INDEPENDENT
            for (ptrdiff_t y = 0; y < stride; y++) {
                const REAL a0 = s0 + t0[y], a1 = s1 + t1[y], a2 = s2 + t2[y], a3 = s3 + t3[y];
                const REAL b0 = GAPLESS_MAX(a0, a1), b1 = GAPLESS_MAX(a2, a3);
                const REAL best = GAPLESS_MAX(b0, b1), old = row[y];
                row[y] = GAPLESS_MAX(best, old);
            }
        }
    }
}

/* The row of a position: label scores on top of what the sources offer (nothing comes before the first
 * position). The scores of starting and ending are added to the label scores first, as ChainProblem.local
 * adds them. Returns whether a label score is NaN or plus infinity. */
TARGET static inline int NAMED(finish_row)(const REAL *unary, const REAL *initial, const REAL *final,
                                           int first, int last, ptrdiff_t labels, ptrdiff_t stride,
                                           REAL *restrict row)
{
    int bad = 0;
    if (first) {
        for (ptrdiff_t y = 0; y < labels; y++) {
            bad |= !(unary[y] < (REAL)INFINITY);
            row[y] = initial ? unary[y] + initial[y] : unary[y];
            if (last && final)
                row[y] += final[y];
        }
        for (ptrdiff_t y = labels; y < stride; y++)
            row[y] = -(REAL)INFINITY;
    } else if (last && final) {
        GAPLESS_INDEPENDENT
        for (ptrdiff_t y = 0; y < labels; y++) {
            bad |= !(unary[y] < (REAL)INFINITY);
            row[y] = (unary[y] + final[y]) + row[y];
        }
    } else {
        GAPLESS_INDEPENDENT
        for (ptrdiff_t y = 0; y < labels; y++) {
            bad |= !(unary[y] < (REAL)INFINITY);
            row[y] = unary[y] + row[y];
        }
    }
    return bad;
}
