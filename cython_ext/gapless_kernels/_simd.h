/* Max-plus rows for float and double: the only loops of the package that the compiler must vectorise.
 *
 * A function here works on rows that the caller has already sliced out of typed memoryviews; it allocates
 * nothing and knows no policy. Written as plain loops so that any C compiler accepts them. With gcc on
 * x86-64 glibc each is compiled three times and the loader picks one for the processor, so that a wheel
 * built for the oldest x86-64 still runs with AVX-512 where there is some.
 */
#ifndef GAPLESS_KERNELS_SIMD_H
#define GAPLESS_KERNELS_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* target_clones needs ifunc, hence a GNU C library (<features.h>, pulled in above, defines __GLIBC__). */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define GAPLESS_CLONES __attribute__((noinline, target_clones("avx512f", "avx2", "default")))
#else
#define GAPLESS_CLONES
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define GAPLESS_INLINE static inline __attribute__((always_inline))
#define GAPLESS_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(__clang__)
#define GAPLESS_INLINE static inline __attribute__((always_inline))
#define GAPLESS_INDEPENDENT _Pragma("clang loop vectorize(enable)")
#else
#define GAPLESS_INLINE static inline
#define GAPLESS_INDEPENDENT
#endif

/* Destinations are taken in blocks of this many labels: one AVX-512 register of floats, two of doubles. */
#define GAPLESS_BLOCK 16

/* In this operand order the ternary is exactly what the MAXPS instruction computes (NaN and signed zero
 * included), so it vectorises without -ffast-math, which would let the compiler assume that -inf never occurs. */
#define GAPLESS_MAX(a, b) ((a) > (b) ? (a) : (b))

#define REAL float
#define NAMED(name) name##_f32
#include "_simd_rows.h"
#undef REAL
#undef NAMED

#define REAL double
#define NAMED(name) name##_f64
#include "_simd_rows.h"
#undef REAL
#undef NAMED

#endif
