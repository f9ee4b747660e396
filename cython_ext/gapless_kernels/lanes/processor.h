/* Which instruction set the kernels use, and functions that exist in a version for each.
 *
 * A wheel is built for the oldest x86-64 and still runs AVX-512 where there is some: a module looks at the processor
 * when it is loaded and calls the version that fits. The environment variable GAPLESS_SIMD (plain, avx2, avx512) makes
 * that version no better than it says, so that every version can be run on one machine. All versions give the same
 * bits: each vectorises the same sums, and the compiler may not contract products (-ffp-contract=off).
 *
 * Compiled with -DGAPLESS_NO_SIMD there is plain C alone, as on other processors.
 */
#ifndef GAPLESS_KERNELS_PROCESSOR_H
#define GAPLESS_KERNELS_PROCESSOR_H

#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define GAPLESS_INLINE static inline __attribute__((always_inline))
#else
#define GAPLESS_INLINE static inline
#endif

/* The instruction sets, best last. */
enum { GAPLESS_PLAIN_SET = 0, GAPLESS_AVX2_SET = 1, GAPLESS_AVX512_SET = 2 };

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GAPLESS_NO_SIMD)
#define GAPLESS_X86 1
#include <immintrin.h>
#define GAPLESS_AVX2 __attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt")))
#define GAPLESS_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")))

/* Whether the processor has all that GAPLESS_AVX2 lets the compiler use; clang cannot be asked for LZCNT, which came
 * with AVX2 in every processor so far. */
static inline int gapless_has_avx2(void)
{
#if !defined(__clang__) && __GNUC__ >= 11
    if (!__builtin_cpu_supports("lzcnt"))
        return 0;
#endif
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi")
        && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static inline int gapless_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

/* The best instruction set that the processor has and GAPLESS_SIMD allows. */
static inline int gapless_best_set(void)
{
#ifdef GAPLESS_X86
    const char *allowed = getenv("GAPLESS_SIMD");
    const int most = !allowed                    ? GAPLESS_AVX512_SET
                     : !strcmp(allowed, "plain") ? GAPLESS_PLAIN_SET
                     : !strcmp(allowed, "avx2")  ? GAPLESS_AVX2_SET
                                                 : GAPLESS_AVX512_SET;
    __builtin_cpu_init();
    if (most >= GAPLESS_AVX2_SET && gapless_has_avx2())
        return most >= GAPLESS_AVX512_SET && gapless_has_avx512() ? GAPLESS_AVX512_SET : GAPLESS_AVX2_SET;
#endif
    return GAPLESS_PLAIN_SET;
}

/* The set in use. */
static int gapless_set = GAPLESS_PLAIN_SET;

#ifdef GAPLESS_X86
__attribute__((constructor)) static void gapless_choose_set(void)
{
    gapless_set = gapless_best_set();
}

/* GAPLESS_VERSIONS(TYPE, NAME, (parameters), (arguments)) { body }
 *
 * The static function NAME, whose body is compiled for each instruction set; a call takes the version of `gapless_set`.
 * For loops that the compiler vectorises by itself; kernels written in intrinsics are templates instead. */
#define GAPLESS_VERSIONS(TYPE, NAME, PARAMETERS, ARGUMENTS) GAPLESS_VERSIONS_OF(TYPE, NAME, PARAMETERS, ARGUMENTS)
#define GAPLESS_VERSIONS_OF(TYPE, NAME, PARAMETERS, ARGUMENTS)                                                     \
    GAPLESS_INLINE TYPE NAME##_body PARAMETERS;                                                                    \
    __attribute__((noinline, unused)) static TYPE NAME##_plain PARAMETERS { return NAME##_body ARGUMENTS; }         \
    GAPLESS_AVX2 __attribute__((noinline, unused)) static TYPE NAME##_avx2 PARAMETERS                              \
    {                                                                                                              \
        return NAME##_body ARGUMENTS;                                                                              \
    }                                                                                                              \
    GAPLESS_AVX512 __attribute__((noinline, unused)) static TYPE NAME##_avx512 PARAMETERS                          \
    {                                                                                                              \
        return NAME##_body ARGUMENTS;                                                                              \
    }                                                                                                              \
    __attribute__((unused)) static inline TYPE NAME PARAMETERS                                                     \
    {                                                                                                              \
        return gapless_set == GAPLESS_AVX512_SET ? NAME##_avx512 ARGUMENTS                                         \
               : gapless_set == GAPLESS_AVX2_SET ? NAME##_avx2 ARGUMENTS                                           \
                                                 : NAME##_plain ARGUMENTS;                                         \
    }                                                                                                              \
    GAPLESS_INLINE TYPE NAME##_body PARAMETERS
#else
#define GAPLESS_VERSIONS(TYPE, NAME, PARAMETERS, ARGUMENTS) static TYPE NAME PARAMETERS
#endif

#endif
