/* What all kernels are written in: see README.md.
 *
 * A "block" is GAPLESS_BLOCK neighbouring numbers whatever the type and the processor: one AVX-512 register
 * of floats, two of doubles, two or four of AVX2, an array elsewhere. So tables are laid out once and every
 * version of a kernel reads the same ones. An "octet" is GAPLESS_OCTET doubles, for rows too short for
 * blocks.
 *
 * Maxima take a NaN in their first argument as "nothing": max(NaN, b) = b. This is what MAXPS does.
 */
#ifndef GAPLESS_KERNELS_LANES_H
#define GAPLESS_KERNELS_LANES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lanes/processor.h"

#define GAPLESS_BLOCK 16
#define GAPLESS_OCTET 8

#if defined(__GNUC__)
#define GAPLESS_ALWAYS inline __attribute__((always_inline))
#define GAPLESS_NEVER __attribute__((noinline))
#define GAPLESS_RARE(condition) __builtin_expect(!!(condition), 0)
#else
#define GAPLESS_ALWAYS inline
#define GAPLESS_NEVER
#define GAPLESS_RARE(condition) (condition)
#endif
#define GAPLESS_INLINE static GAPLESS_ALWAYS

#if defined(__clang__)
#define GAPLESS_INDEPENDENT _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define GAPLESS_INDEPENDENT _Pragma("GCC ivdep")
#else
#define GAPLESS_INDEPENDENT
#endif

/* In this operand order the ternary is exactly what the MAXPS instruction computes (NaN and signed zero
 * included), so it vectorises without -ffast-math, which would let the compiler assume that -inf never
 * occurs. */
#define GAPLESS_MAX(a, b) ((a) > (b) ? (a) : (b))

/* GAPLESS_VERSIONS(TYPE, NAME, (parameters), (arguments)) { body }
 *
 * The static function NAME, whose body is compiled for each instruction set as NAME_plain, NAME_avx2,
 * NAME_avx512; a call takes the version for the set in use. For loops that the compiler vectorises by
 * itself. */
#ifdef GAPLESS_X86
#define GAPLESS_VERSIONS(TYPE, NAME, PARAMETERS, ARGUMENTS)                                                 \
    GAPLESS_VERSIONS_OF(TYPE, NAME, PARAMETERS, ARGUMENTS)
#define GAPLESS_VERSIONS_OF(TYPE, NAME, PARAMETERS, ARGUMENTS)                                             \
    GAPLESS_INLINE TYPE NAME##_body PARAMETERS;                                                            \
    __attribute__((noinline, unused)) static TYPE NAME##_plain PARAMETERS { return NAME##_body ARGUMENTS; } \
    GAPLESS_AVX2 __attribute__((noinline, unused)) static TYPE NAME##_avx2 PARAMETERS                      \
    {                                                                                                      \
        return NAME##_body ARGUMENTS;                                                                      \
    }                                                                                                      \
    GAPLESS_AVX512 __attribute__((noinline, unused)) static TYPE NAME##_avx512 PARAMETERS                  \
    {                                                                                                      \
        return NAME##_body ARGUMENTS;                                                                      \
    }                                                                                                      \
    __attribute__((unused)) static inline TYPE NAME PARAMETERS { return GAPLESS_CALL(NAME, ARGUMENTS); }   \
    GAPLESS_INLINE TYPE NAME##_body PARAMETERS
#else
#define GAPLESS_VERSIONS(TYPE, NAME, PARAMETERS, ARGUMENTS) static TYPE NAME PARAMETERS
#endif

/* The number of the lowest bit set; there is one. */
GAPLESS_INLINE int gapless_lowest(uint64_t bits)
{
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int at = 0;
    for (; !(bits & 1); bits >>= 1)
        at++;
    return at;
#endif
}

GAPLESS_INLINE int gapless_count(unsigned bits)
{
#if defined(__GNUC__)
    return __builtin_popcount(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
#endif
}

/* The low bits of a score that may be replaced by a label's or a group's number; see tagged(). */
#define GAPLESS_TAGS 1024

#define SET plain
#define GAPLESS_TEMPLATE "lanes/lanes_plain.h"
#include "lanes/types.h"
#undef SET
#undef GAPLESS_TEMPLATE
#ifdef GAPLESS_X86
#include "lanes/lanes_avx2.h"
#include "lanes/lanes_avx512.h"
#endif

#define GAPLESS_TEMPLATE "lanes/rows.h"
#include "lanes/types.h"

#endif
