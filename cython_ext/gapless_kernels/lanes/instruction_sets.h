/* Includes the file that GAPLESS_TEMPLATE names once for each type and instruction set.
 *
 * For loops that need a mask of a block's comparisons, which compilers do not make from a plain loop: so
 * GAPLESS_VERSIONS of lanes/processor.h, which only compiles one text several times, is not enough. The template sees
 *   REAL                the type, float or double
 *   NAMED(f)            the function's name for that type and instruction set
 *   TYPED(t)            the type's name for that type, whatever the instruction set
 *   TARGET              what to write before a function
 *   PATH_VALUE          the function of lanes/path_value.h for that type
 *   ABS(x)              the magnitude, in the type
 *   AT_LEAST(v, bound)  a bit for each of GAPLESS_BLOCK values, set where v[k] >= bound (never for NaN)
 * With GAPLESS_DOUBLE_ONLY, float is left out. GAPLESS_CALL takes the version for a set, such as gapless_set.
 */
#include "lanes/path_value.h"
#include "lanes/simd.h"

#ifndef GAPLESS_INSTRUCTION_SETS_H
#define GAPLESS_INSTRUCTION_SETS_H

/* The number of the lowest bit set; `mask` is not 0. */
GAPLESS_INLINE int gapless_lowest_bit(uint32_t mask)
{
#if defined(__GNUC__)
    return __builtin_ctz(mask);
#else
    int at = 0;
    while (!(mask >> at & 1))
        at++;
    return at;
#endif
}

GAPLESS_INLINE uint32_t gapless_at_least_f32(const float *values, float bound)
{
    uint32_t mask = 0;
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        mask |= (uint32_t)(values[k] >= bound) << k;
    return mask;
}

GAPLESS_INLINE uint32_t gapless_at_least_f64(const double *values, double bound)
{
    uint32_t mask = 0;
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        mask |= (uint32_t)(values[k] >= bound) << k;
    return mask;
}

#ifdef GAPLESS_X86
GAPLESS_AVX2 static inline uint32_t gapless_at_least_f32_avx2(const float *values, float bound)
{
    const __m256 b = _mm256_set1_ps(bound);
    const int low = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(values), b, _CMP_GE_OQ));
    const int high = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(values + 8), b, _CMP_GE_OQ));
    return (uint32_t)low | (uint32_t)high << 8;
}

GAPLESS_AVX2 static inline uint32_t gapless_at_least_f64_avx2(const double *values, double bound)
{
    const __m256d b = _mm256_set1_pd(bound);
    uint32_t mask = 0;
    for (int k = 0; k < GAPLESS_BLOCK; k += 4)
        mask |= (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + k), b, _CMP_GE_OQ)) << k;
    return mask;
}

GAPLESS_AVX512 static inline uint32_t gapless_at_least_f32_avx512(const float *values, float bound)
{
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(values), _mm512_set1_ps(bound), _CMP_GE_OQ);
}

GAPLESS_AVX512 static inline uint32_t gapless_at_least_f64_avx512(const double *values, double bound)
{
    const __m512d b = _mm512_set1_pd(bound);
    const uint32_t low = _mm512_cmp_pd_mask(_mm512_loadu_pd(values), b, _CMP_GE_OQ);
    const uint32_t high = _mm512_cmp_pd_mask(_mm512_loadu_pd(values + 8), b, _CMP_GE_OQ);
    return low | high << 8;
}
#endif

#endif

#define TARGET
#ifndef GAPLESS_DOUBLE_ONLY
#define REAL float
#define NAMED(name) name##_f32
#define PATH_VALUE gapless_path_value_f32
#define TYPED(name) name##_f32
#define ABS fabsf
#define AT_LEAST gapless_at_least_f32
#include GAPLESS_TEMPLATE
#undef REAL
#undef NAMED
#undef PATH_VALUE
#undef TYPED
#undef ABS
#undef AT_LEAST
#endif
#define REAL double
#define NAMED(name) name##_f64
#define PATH_VALUE gapless_path_value_f64
#define TYPED(name) name##_f64
#define ABS fabs
#define AT_LEAST gapless_at_least_f64
#include GAPLESS_TEMPLATE
#undef REAL
#undef NAMED
#undef PATH_VALUE
#undef TYPED
#undef ABS
#undef AT_LEAST
#undef TARGET

#ifdef GAPLESS_X86
#define TARGET GAPLESS_AVX2
#ifndef GAPLESS_DOUBLE_ONLY
#define REAL float
#define NAMED(name) name##_f32_avx2
#define PATH_VALUE gapless_path_value_f32
#define TYPED(name) name##_f32
#define ABS fabsf
#define AT_LEAST gapless_at_least_f32_avx2
#include GAPLESS_TEMPLATE
#undef REAL
#undef NAMED
#undef PATH_VALUE
#undef TYPED
#undef ABS
#undef AT_LEAST
#endif
#define REAL double
#define NAMED(name) name##_f64_avx2
#define PATH_VALUE gapless_path_value_f64
#define TYPED(name) name##_f64
#define ABS fabs
#define AT_LEAST gapless_at_least_f64_avx2
#include GAPLESS_TEMPLATE
#undef REAL
#undef NAMED
#undef PATH_VALUE
#undef TYPED
#undef ABS
#undef AT_LEAST
#undef TARGET

#define TARGET GAPLESS_AVX512
#ifndef GAPLESS_DOUBLE_ONLY
#define REAL float
#define NAMED(name) name##_f32_avx512
#define PATH_VALUE gapless_path_value_f32
#define TYPED(name) name##_f32
#define ABS fabsf
#define AT_LEAST gapless_at_least_f32_avx512
#include GAPLESS_TEMPLATE
#undef REAL
#undef NAMED
#undef PATH_VALUE
#undef TYPED
#undef ABS
#undef AT_LEAST
#endif
#define REAL double
#define NAMED(name) name##_f64_avx512
#define PATH_VALUE gapless_path_value_f64
#define TYPED(name) name##_f64
#define ABS fabs
#define AT_LEAST gapless_at_least_f64_avx512
#include GAPLESS_TEMPLATE
#undef REAL
#undef NAMED
#undef PATH_VALUE
#undef TYPED
#undef ABS
#undef AT_LEAST
#undef TARGET
#endif

#undef GAPLESS_TEMPLATE
#undef GAPLESS_DOUBLE_ONLY

/* Calls the version of `name` (with _f32 or _f64) for this processor. */
#ifdef GAPLESS_X86
#define GAPLESS_CALL(set, name, ...)                                                               \
    ((set) == GAPLESS_AVX512_SET ? name##_avx512(__VA_ARGS__)                                      \
     : (set) == GAPLESS_AVX2_SET ? name##_avx2(__VA_ARGS__)                                        \
                                 : name(__VA_ARGS__))
#else
#define GAPLESS_CALL(set, name, ...) name(__VA_ARGS__)
#endif
