/* Eight neighbouring doubles for each instruction set, as parsing/spans.h wants them.
 *
 * max(a, b) is b where a is NaN, in every version: this is what MAXPD does. */
#ifndef GAPLESS_KERNELS_EISNER_LANES_H
#define GAPLESS_KERNELS_EISNER_LANES_H

#include "lanes/processor.h"

#define EISNER_LANES 8

typedef struct {
    double lane[EISNER_LANES];
} eisner_lanes_plain;

GAPLESS_INLINE eisner_lanes_plain eisner_load_plain(const double *from)
{
    eisner_lanes_plain to;
    for (int k = 0; k < EISNER_LANES; k++)
        to.lane[k] = from[k];
    return to;
}

GAPLESS_INLINE void eisner_store_plain(double *to, eisner_lanes_plain from)
{
    for (int k = 0; k < EISNER_LANES; k++)
        to[k] = from.lane[k];
}

GAPLESS_INLINE eisner_lanes_plain eisner_all_plain(double value)
{
    eisner_lanes_plain to;
    for (int k = 0; k < EISNER_LANES; k++)
        to.lane[k] = value;
    return to;
}

GAPLESS_INLINE eisner_lanes_plain eisner_add_plain(eisner_lanes_plain a, eisner_lanes_plain b)
{
    for (int k = 0; k < EISNER_LANES; k++)
        a.lane[k] += b.lane[k];
    return a;
}

GAPLESS_INLINE eisner_lanes_plain eisner_max_plain(eisner_lanes_plain a, eisner_lanes_plain b)
{
    for (int k = 0; k < EISNER_LANES; k++)
        a.lane[k] = a.lane[k] > b.lane[k] ? a.lane[k] : b.lane[k];
    return a;
}

#ifdef GAPLESS_X86
typedef struct {
    __m256d low, high;
} eisner_lanes_avx2;

GAPLESS_INLINE GAPLESS_AVX2 eisner_lanes_avx2 eisner_load_avx2(const double *from)
{
    const eisner_lanes_avx2 to = {_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
    return to;
}

GAPLESS_INLINE GAPLESS_AVX2 void eisner_store_avx2(double *to, eisner_lanes_avx2 from)
{
    _mm256_storeu_pd(to, from.low);
    _mm256_storeu_pd(to + 4, from.high);
}

GAPLESS_INLINE GAPLESS_AVX2 eisner_lanes_avx2 eisner_all_avx2(double value)
{
    const eisner_lanes_avx2 to = {_mm256_set1_pd(value), _mm256_set1_pd(value)};
    return to;
}

GAPLESS_INLINE GAPLESS_AVX2 eisner_lanes_avx2 eisner_add_avx2(eisner_lanes_avx2 a, eisner_lanes_avx2 b)
{
    const eisner_lanes_avx2 sum = {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
    return sum;
}

GAPLESS_INLINE GAPLESS_AVX2 eisner_lanes_avx2 eisner_max_avx2(eisner_lanes_avx2 a, eisner_lanes_avx2 b)
{
    const eisner_lanes_avx2 largest = {_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)};
    return largest;
}

typedef __m512d eisner_lanes_avx512;

GAPLESS_INLINE GAPLESS_AVX512 __m512d eisner_load_avx512(const double *from)
{
    return _mm512_loadu_pd(from);
}

GAPLESS_INLINE GAPLESS_AVX512 void eisner_store_avx512(double *to, __m512d from)
{
    _mm512_storeu_pd(to, from);
}

GAPLESS_INLINE GAPLESS_AVX512 __m512d eisner_all_avx512(double value)
{
    return _mm512_set1_pd(value);
}

GAPLESS_INLINE GAPLESS_AVX512 __m512d eisner_add_avx512(__m512d a, __m512d b)
{
    return _mm512_add_pd(a, b);
}

GAPLESS_INLINE GAPLESS_AVX512 __m512d eisner_max_avx512(__m512d a, __m512d b)
{
    return _mm512_max_pd(a, b);
}
#endif

#endif
