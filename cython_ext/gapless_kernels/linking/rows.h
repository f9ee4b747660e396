/* Rows of cells of Russian doll search. */

/* Set next = row + cost for `count` places, a multiple of 8; return the minimum of next. */
#if CELL_BITS == 16
#if VECTOR_BITS
TARGET static inline CELL NAMED(add_and_minimum)(const CELL *row, const CELL *cost, CELL *next,
                                                 ptrdiff_t count)
{
    __m128i low = _mm_set1_epi16(-1);
    for (ptrdiff_t a = 0; a < count; a += 8) {
        const __m128i sum = _mm_adds_epu16(_mm_loadu_si128((const __m128i *)(row + a)),
                                           _mm_loadu_si128((const __m128i *)(cost + a)));
        _mm_storeu_si128((__m128i *)(next + a), sum);
        low = _mm_min_epu16(low, sum);
    }
    return (CELL)_mm_extract_epi16(_mm_minpos_epu16(low), 0);
}
#else
TARGET static inline CELL NAMED(add_and_minimum)(const CELL *row, const CELL *cost, CELL *next,
                                                 ptrdiff_t count)
{
    CELL low = FULL;
    for (ptrdiff_t a = 0; a < count; a++) {
        const int32_t sum = (int32_t)row[a] + cost[a];
        next[a] = (CELL)(sum < FULL ? sum : FULL);
        low = next[a] < low ? next[a] : low;
    }
    return low;
}
#endif
#else
TARGET static inline CELL NAMED(add_and_minimum)(const CELL *row, const CELL *cost, CELL *next,
                                                 ptrdiff_t count)
{
    CELL low = FULL;
    for (ptrdiff_t a = 0; a < count; a++) {
        next[a] = row[a] + cost[a];
        low = next[a] < low ? next[a] : low;
    }
    return low;
}
#endif

TARGET static inline CELL NAMED(cell)(WIDE cost, int coarse)
{
#if CELL_BITS == 16
    cost >>= coarse;
    return (CELL)(cost < FULL ? cost : FULL);
#else
    (void)coarse;
    return cost;
#endif
}
