/* The instruction sets, and which of them the kernels use.
 *
 * A wheel is built for the oldest x86-64 and still runs AVX-512 where there is some: lanes/_sets.pyx looks at
 * the processor once, and every kernel takes the version for the set that it chose. The environment variable
 * GAPLESS_SIMD (plain, avx2, avx512) makes that set no better than it says. All versions give the same bits:
 * each vectorises the same sums, and the compiler may not contract products (-ffp-contract=off).
 *
 * Compiled with -DGAPLESS_NO_SIMD there is plain C alone, as on other processors.
 */
#ifndef GAPLESS_KERNELS_PROCESSOR_H
#define GAPLESS_KERNELS_PROCESSOR_H

#include <stdlib.h>
#include <string.h>

/* Best last. */
enum { GAPLESS_PLAIN_SET = 0, GAPLESS_AVX2_SET = 1, GAPLESS_AVX512_SET = 2 };

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GAPLESS_NO_SIMD)
#define GAPLESS_X86 1
#include <immintrin.h>
#define GAPLESS_AVX2 __attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt")))
#define GAPLESS_AVX512                                                                                      \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")))

/* Whether the processor has all that GAPLESS_AVX2 lets the compiler use; clang cannot be asked for LZCNT,
 * which came with AVX2 in every processor so far. */
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

/* The set in use. Each module points this at the variable of lanes/_sets.pyx when it is loaded. */
static const int gapless_unchosen = GAPLESS_PLAIN_SET;
static const int *gapless_chosen = &gapless_unchosen;
#define gapless_set (*gapless_chosen)

#define GAPLESS_JOIN_(a, b) a##_##b
#define GAPLESS_JOIN(a, b) GAPLESS_JOIN_(a, b)

/* GAPLESS_CALL(name, (arguments)): a call of the version of a function for the set in use. */
#ifdef GAPLESS_X86
#define GAPLESS_CALL(NAME, ARGUMENTS)                                       \
    (gapless_set == GAPLESS_AVX512_SET ? GAPLESS_JOIN(NAME, avx512) ARGUMENTS \
     : gapless_set == GAPLESS_AVX2_SET ? GAPLESS_JOIN(NAME, avx2) ARGUMENTS   \
                                       : GAPLESS_JOIN(NAME, plain) ARGUMENTS)
#else
#define GAPLESS_CALL(NAME, ARGUMENTS) GAPLESS_JOIN(NAME, plain) ARGUMENTS
#endif

#endif
