/* Max-plus products of rows with a matrix, blocked in registers.
 *
 * First of three pieces of one translation unit, chains/loops.h: max_plus.h, viterbi.h, dominance.h. */

#define BLOCK LANES(block)

/* How many blocks of four rows fit into the registers. */
#define WIDE (VECTOR_BITS == 512 ? 3 : 1)

/* out[k][x] = max_l (rows[k][l] + matrix[l][x]) [+ addend[k][x]], for `count` rows at once and `width` blocks
 * of x.
 *
 * The accumulators stay in registers over all sources, and each load of the matrix serves all rows. A sum
 * that is NaN (an infinity less itself) counts as nothing. `count` and `width` are constants where this is
 * inlined. */
TARGET static GAPLESS_ALWAYS void NAMED(panel)(const int count, const int width, const REAL *const *rows,
                                              const REAL *matrix, ptrdiff_t stride, ptrdiff_t sources,
                                              const REAL *const *addend, unsigned tail, unsigned *improper,
                                              REAL *const *out, ptrdiff_t start)
{
    BLOCK best[4][3];
    for (int k = 0; k < count; k++)
        for (int b = 0; b < width; b++)
            best[k][b] = LANES(all)(-(REAL)INFINITY);
    for (ptrdiff_t l = 0; l < sources; l++) {
        BLOCK scores[3];
        for (int b = 0; b < width; b++)
            scores[b] = LANES(load)(matrix + l * stride + start + b * GAPLESS_BLOCK);
        for (int k = 0; k < count; k++) {
            const BLOCK source = LANES(all)(rows[k][l]);
            for (int b = 0; b < width; b++)
                best[k][b] = LANES(max)(LANES(add)(source, scores[b]), best[k][b]);
        }
    }
    for (int k = 0; k < count; k++)
        for (int b = 0; b < width; b++) {
            BLOCK row = best[k][b];
            if (addend) {
                const BLOCK more = b == width - 1
                                       ? LANES(load_some)(addend[k] + start + b * GAPLESS_BLOCK, tail)
                                       : LANES(load)(addend[k] + start + b * GAPLESS_BLOCK);
                improper[k] |= LANES(improper)(more);
                row = LANES(add)(more, row);
            }
            LANES(store)(out[k] + start + b * GAPLESS_BLOCK, row);
        }
}

/* The same over all blocks of a row of `labels` entries; the rows of `matrix` and `out` are whole blocks. */
TARGET static GAPLESS_ALWAYS void NAMED(product)(const int count, const REAL *const *rows, const REAL *matrix,
                                                 ptrdiff_t stride, ptrdiff_t sources, ptrdiff_t labels,
                                                 const REAL *const *addend, unsigned *improper,
                                                 REAL *const *out)
{
    const ptrdiff_t blocks = (labels + GAPLESS_BLOCK - 1) / GAPLESS_BLOCK;
    const unsigned tail = 0xFFFFu >> (blocks * GAPLESS_BLOCK - labels);
    ptrdiff_t b = 0;
    for (; b + WIDE <= blocks; b += WIDE)
        NAMED(panel)(count, WIDE, rows, matrix, stride, sources, addend,
                     b + WIDE == blocks ? tail : 0xFFFFu, improper, out, b * GAPLESS_BLOCK);
    if (WIDE > 2 && b + 2 == blocks)
        NAMED(panel)(count, 2, rows, matrix, stride, sources, addend, tail, improper, out, b * GAPLESS_BLOCK);
    else if (b + 1 == blocks)
        NAMED(panel)(count, 1, rows, matrix, stride, sources, addend, tail, improper, out, b * GAPLESS_BLOCK);
}

TARGET static GAPLESS_NEVER void NAMED(product4)(const REAL *const *rows, const REAL *matrix,
                                                 ptrdiff_t stride, ptrdiff_t sources, ptrdiff_t labels,
                                                 const REAL *const *addend, unsigned *improper,
                                                 REAL *const *out)
{
    if (addend)
        NAMED(product)(4, rows, matrix, stride, sources, labels, addend, improper, out);
    else
        NAMED(product)(4, rows, matrix, stride, sources, labels, NULL, improper, out);
}

TARGET static GAPLESS_NEVER void NAMED(product1)(const REAL *const *rows, const REAL *matrix,
                                                 ptrdiff_t stride, ptrdiff_t sources, ptrdiff_t labels,
                                                 const REAL *const *addend, unsigned *improper,
                                                 REAL *const *out)
{
    NAMED(product)(1, rows, matrix, stride, sources, labels, addend, improper, out);
}

#undef BLOCK
#undef WIDE
