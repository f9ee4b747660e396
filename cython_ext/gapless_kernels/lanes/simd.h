/* Max-plus rows for float and double: the only loops of the package that the compiler must vectorise.
 *
 * A function here works on rows that the caller has already sliced out of typed memoryviews; it allocates
 * nothing and knows no policy. Written as plain loops so that any C compiler accepts them; lanes/processor.h has
 * each compiled for several instruction sets.
 */
#ifndef GAPLESS_KERNELS_SIMD_H
#define GAPLESS_KERNELS_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "lanes/processor.h"

#if defined(__clang__)
#define GAPLESS_INDEPENDENT _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define GAPLESS_INDEPENDENT _Pragma("GCC ivdep")
#else
#define GAPLESS_INDEPENDENT
#endif

/* Destinations are taken in blocks of this many labels: one AVX-512 register of floats, two of doubles. */
#define GAPLESS_BLOCK 16

/* In this operand order the ternary is exactly what the MAXPS instruction computes (NaN and signed zero
 * included), so it vectorises without -ffast-math, which would let the compiler assume that -inf never occurs. */
#define GAPLESS_MAX(a, b) ((a) > (b) ? (a) : (b))

#define REAL float
#define NAMED(name) name##_f32
#include "lanes/simd_rows.h"
#undef REAL
#undef NAMED

#define REAL double
#define NAMED(name) name##_f64
#include "lanes/simd_rows.h"
#undef REAL
#undef NAMED

#endif
