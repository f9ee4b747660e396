/* The loops over labels, which the compiler must vectorise.
 *
 * First piece of column_generation/loops.h: rows.h, state.h, exact.h, pricing.h, search.h.
 *
 * Rows have `stride` entries, a multiple of GAPLESS_BLOCK; label scores are -inf past the labels. */

#define GAPLESS_WHOLE(stride) ((stride) & ~(ptrdiff_t)(GAPLESS_BLOCK - 1))

/* Flip all bits but the sign of a negative number; its own inverse. */
GAPLESS_INLINE INTEGER NAMED(mirrored)(INTEGER bits)
{
    const INTEGER all_but_sign = (INTEGER)(((uint64_t)-1 >> 1) >> (64 - sizeof(INTEGER) * 8));
    return bits ^ ((bits >> (sizeof(INTEGER) * 8 - 1)) & all_but_sign);
}

/* Order-preserving map to integers, and back: a maximum of integers may be taken in any order, so it
 * vectorises, which one of floats does not without -ffast-math. */
GAPLESS_INLINE INTEGER NAMED(ordered)(REAL value)
{
    INTEGER bits;
    memcpy(&bits, &value, sizeof bits);
    return NAMED(mirrored)(bits);
}

GAPLESS_INLINE REAL NAMED(unordered)(INTEGER bits)
{
    REAL value;
    bits = NAMED(mirrored)(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* row = unary + extra for each position; returns how many scores are NaN or +inf. extra[] is for the first, a
 * middle, the last, the only position; what rounding took from it is added last, as it matters where the
 * others cancel. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(cg_read),
                 (const REAL *unary, ptrdiff_t n, ptrdiff_t labels, ptrdiff_t stride,
                  const REAL *const *extra, const REAL *const *rest, REAL *restrict rows),
                 (unary, n, labels, stride, extra, rest, rows))
{
    INTEGER bad = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL *u = unary + i * labels;
        const int kind = n == 1 ? 3 : i == 0 ? 0 : i == n - 1 ? 2 : 1;
        const REAL *add = extra[kind], *correction = rest[kind];
        REAL *restrict row = rows + i * stride;
        const ptrdiff_t whole = GAPLESS_WHOLE(labels);
        GAPLESS_INDEPENDENT
        for (ptrdiff_t y = 0; y < whole; y++) {
            bad += !(u[y] < (REAL)INFINITY);
            row[y] = (u[y] + add[y]) + correction[y];
        }
        /* The last block overlaps the one before it; the padding stays as it was made. */
        if (labels > GAPLESS_BLOCK) {
            const ptrdiff_t from = labels - GAPLESS_BLOCK;
            GAPLESS_INDEPENDENT
            for (ptrdiff_t y = 0; y < GAPLESS_BLOCK; y++) {
                bad += !(u[from + y] < (REAL)INFINITY);
                row[from + y] = (u[from + y] + add[from + y]) + correction[from + y];
            }
        } else {
            for (ptrdiff_t y = whole; y < labels; y++) {
                bad += !(u[y] < (REAL)INFINITY);
                row[y] = (u[y] + add[y]) + correction[y];
            }
        }
    }
    return bad;
}

/* A first path, label by label: best own score plus, if `greedy`, the transition from the label before. The
 * label rides in the low bits of the score, so the choice is only nearly the best, which is enough to begin
 * with. */
GAPLESS_VERSIONS(void, NAMED(cg_first), (const REAL *rows, ptrdiff_t n, ptrdiff_t labels, ptrdiff_t stride,
                                         const REAL *forward, const REAL *zeros, int greedy, int32_t *path),
                 (rows, n, labels, stride, forward, zeros, greedy, path))
{
    const REAL *from = zeros;
    const INTEGER count = (INTEGER)GAPLESS_WHOLE(stride);
    INTEGER mask = 1;
    while (mask < count)
        mask <<= 1;
    mask -= 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL *row = rows + i * stride;
        INTEGER best = NAMED(ordered)(-(REAL)INFINITY) & ~mask;
        for (INTEGER y = 0; y < count; y++) {
            const INTEGER key = (NAMED(ordered)(row[y] + from[y]) & ~mask) | y;
            best = best > key ? best : key;
        }
        const ptrdiff_t x = (ptrdiff_t)(best & mask);
        path[i] = (int32_t)(x < labels ? x : 0);
        if (greedy)
            from = forward + path[i] * stride;
    }
}

/* What one pass over the labels of a position says. */
typedef struct {
    REAL top;          /* largest S+ */
    INTEGER targets;   /* labels with S- + 2 * into above the first threshold */
    INTEGER better;    /* labels with own score + both messages above the second */
} NAMED(node);

/* S+ = p + a - b and S- = p - a + b of a position, priced against two thresholds. */
GAPLESS_INLINE NAMED(node) NAMED(cg_node)(const REAL *p, const REAL *a, const REAL *b, const REAL *into,
                                          ptrdiff_t stride, REAL target, REAL better)
{
    const ptrdiff_t count = GAPLESS_WHOLE(stride);
    NAMED(node) counts = {0, 0, 0};
    INTEGER top = NAMED(ordered)(-(REAL)INFINITY), targets = 0, good = 0;
    for (ptrdiff_t y = 0; y < count; y++) {
        const REAL prefix = p[y] + a[y], plus = prefix - b[y], minus = (p[y] - a[y]) + b[y];
        const INTEGER key = NAMED(ordered)(plus);
        top = top > key ? top : key;
        targets += minus + 2 * into[y] > target;
        good += prefix + b[y] > better;
    }
    counts.top = NAMED(unordered)(top);
    counts.targets = targets;
    counts.better = good;
    return counts;
}

/* out = p + u * a + v * b, u and v being 1 or -1. */
GAPLESS_VERSIONS(void, NAMED(cg_combine),
                 (const REAL *p, const REAL *a, const REAL *b, REAL u, REAL v, ptrdiff_t stride,
                  REAL *restrict out),
                 (p, a, b, u, v, stride, out))
{
    const ptrdiff_t count = GAPLESS_WHOLE(stride);
    for (ptrdiff_t y = 0; y < count; y++)
        out[y] = (p[y] + u * a[y]) + v * b[y];
}

/* The labels with s + 2 t above a threshold, in order; returns how many. Mostly there are none: so they are
 * counted first, which takes no branch, and looked for after. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(cg_above), (const REAL *s, const REAL *t, REAL threshold, ptrdiff_t stride,
                                              int32_t *restrict out), (s, t, threshold, stride, out))
{
    const ptrdiff_t count = GAPLESS_WHOLE(stride);
    ptrdiff_t written = 0;
    INTEGER hits = 0;
    for (ptrdiff_t y = 0; y < count; y++)
        hits += s[y] + 2 * t[y] > threshold;
    for (ptrdiff_t start = 0; written < (ptrdiff_t)hits && start < count; start += GAPLESS_BLOCK) {
        INTEGER block_hits = 0;
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            block_hits += s[start + k] + 2 * t[start + k] > threshold;
        if (block_hits)
            for (int k = 0; k < GAPLESS_BLOCK; k++)
                if (s[start + k] + 2 * t[start + k] > threshold)
                    out[written++] = (int32_t)(start + k);
    }
    return written;
}

/* out[y] = max over the given sources of offer + table[source][y]. */
GAPLESS_VERSIONS(void, NAMED(cg_message), (const REAL *table, ptrdiff_t stride, const int32_t *sources,
                                           const REAL *offers, ptrdiff_t count, REAL *restrict out),
                 (table, stride, sources, offers, count, out))
{
    const ptrdiff_t whole = GAPLESS_WHOLE(stride);
    for (ptrdiff_t y = 0; y < whole; y++)
        out[y] = -(REAL)INFINITY;
    for (ptrdiff_t c = 0; c < count; c += 4) {
        const REAL *t[4];
        REAL s[4];
        for (int k = 0; k < 4; k++) {
            const ptrdiff_t index = c + k < count ? c + k : count - 1;
            s[k] = offers[index];
            t[k] = table + sources[index] * stride;
        }
        NAMED(relax)(out, s, t[0], t[1], t[2], t[3], whole);
    }
}
