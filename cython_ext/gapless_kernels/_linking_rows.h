/* Included for each number type and instruction set: the cells of Russian doll search. */

/* next = row + cost (row alone without a cost), for `count` places, a multiple of 8; the least of next. */
#if CELL_BITS == 16
#if defined(LINKING_SSE)
TARGET static inline CELL NAMED(add_least)(const CELL *row, const CELL *cost, CELL *next, ptrdiff_t count)
{
    __m128i low = _mm_set1_epi16(-1);
    for (ptrdiff_t a = 0; a < count; a += 8) {
        __m128i sum = _mm_loadu_si128((const __m128i *)(row + a));
        if (cost) {
            sum = _mm_adds_epu16(sum, _mm_loadu_si128((const __m128i *)(cost + a)));
            _mm_storeu_si128((__m128i *)(next + a), sum);
        }
        low = _mm_min_epu16(low, sum);
    }
    return (CELL)_mm_extract_epi16(_mm_minpos_epu16(low), 0);
}
#else
TARGET static inline CELL NAMED(add_least)(const CELL *row, const CELL *cost, CELL *next, ptrdiff_t count)
{
    CELL low = FULL;
    for (ptrdiff_t a = 0; a < count; a++) {
        CELL sum = row[a];
        if (cost) {
            const int32_t whole = (int32_t)sum + cost[a];
            next[a] = sum = (CELL)(whole < FULL ? whole : FULL);
        }
        low = sum < low ? sum : low;
    }
    return low;
}
#endif
#else
TARGET static inline CELL NAMED(add_least)(const CELL *row, const CELL *cost, CELL *next, ptrdiff_t count)
{
    CELL low = FULL;
    for (ptrdiff_t a = 0; a < count; a++) {
        CELL sum = row[a];
        if (cost)
            next[a] = sum += cost[a];
        low = sum < low ? sum : low;
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
