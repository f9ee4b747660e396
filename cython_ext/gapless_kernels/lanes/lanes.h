/* Sixteen scores at a time, for each instruction set: what the chain kernels are written in.
 *
 * A "block" is GAPLESS_BLOCK neighbouring labels whatever the type and the processor: one AVX-512 register of
 * floats, two of doubles, two or four of AVX2, an array elsewhere. So tables are laid out once and every version
 * of a kernel reads the same ones. A file of kernels is included once for each type and instruction set, with
 *
 *     REAL           float or double
 *     NAMED(f)       the function's name for that type and instruction set
 *     LANES(f)       the block operation's name for them
 *     TARGET         the attribute that lets the compiler use the instruction set
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

#ifndef GAPLESS_BLOCK
#define GAPLESS_BLOCK 16
#endif

#if defined(__GNUC__)
#define GAPLESS_ALWAYS inline __attribute__((always_inline))
#define GAPLESS_NEVER __attribute__((noinline))
#define GAPLESS_RARE(condition) __builtin_expect(!!(condition), 0)
#else
#define GAPLESS_ALWAYS inline
#define GAPLESS_NEVER
#define GAPLESS_RARE(condition) (condition)
#endif

/* The low bits of a score that may be replaced by a label's or a group's number; see tagged(). */
#define GAPLESS_TAGS 1024

static GAPLESS_ALWAYS int gapless_lowest(uint64_t bits)
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

static GAPLESS_ALWAYS int gapless_count(unsigned bits)
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

static inline unsigned gapless_tag_f32(float score)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    return bits & (GAPLESS_TAGS - 1);
}

static inline unsigned gapless_tag_f64(double score)
{
    uint64_t bits;
    memcpy(&bits, &score, sizeof bits);
    return (unsigned)(bits & (GAPLESS_TAGS - 1));
}

static inline float gapless_tag_bits_f32(unsigned tag)
{
    uint32_t bits = tag;
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static inline double gapless_tag_bits_f64(unsigned tag)
{
    uint64_t bits = tag;
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* Scores are read once, in order of sentences but from several at a time, too short for the processor to see where
 * they go on. `next` runs ahead of the reading at its speed, so that rows are in the cache when they are needed. */
typedef struct {
    const char *next, *end;
} gapless_ahead;

static GAPLESS_ALWAYS void gapless_fetch(gapless_ahead *ahead, size_t bytes)
{
#if defined(__GNUC__)
    const char *stop = (size_t)(ahead->end - ahead->next) < bytes ? ahead->end : ahead->next + bytes;
    for (; ahead->next < stop; ahead->next += 64)
        __builtin_prefetch(ahead->next, 0, 3);
    if (ahead->next > ahead->end)
        ahead->next = ahead->end;
#else
    (void)ahead;
    (void)bytes;
#endif
}

#include "lanes/lanes_plain.h"
#ifdef GAPLESS_X86
#include "lanes/lanes_avx2.h"
#include "lanes/lanes_avx512.h"
#endif

#endif
