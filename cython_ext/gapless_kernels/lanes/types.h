/* Includes the file that GAPLESS_TEMPLATE names once for each number type; see README.md.
 *
 *     REAL, TYPE          float and f32, then double and f64 (alone, with GAPLESS_DOUBLE_ONLY)
 *     TYPED(name)         name_f32
 *     NAMED(name)         name_f32_avx2 inside lanes/versions.h, otherwise the same as TYPED(name)
 *     LANES(name)         a block operation of lanes/lanes.h
 *     REAL_BITS, BITS, INTEGER    32 or 64; the unsigned and the signed integer of that size
 *     LARGEST, UNIT, ABS(x)       the largest finite number; half a unit in the last place of 1; the
 *                                 magnitude
 */
#define TYPED(name) GAPLESS_JOIN(name, TYPE)
#ifdef SET
#define NAMED(name) GAPLESS_JOIN(TYPED(name), SET)
#else
#define NAMED(name) TYPED(name)
#define TARGET
#endif
#define LANES(name) NAMED(name)

#ifndef GAPLESS_DOUBLE_ONLY
#define REAL float
#define TYPE f32
#define REAL_BITS 32
#define BITS uint32_t
#define INTEGER int32_t
#define LARGEST FLT_MAX
#define UNIT 0x1p-24f
#define ABS fabsf
#include GAPLESS_TEMPLATE
#undef REAL
#undef TYPE
#undef REAL_BITS
#undef BITS
#undef INTEGER
#undef LARGEST
#undef UNIT
#undef ABS
#endif

#define REAL double
#define TYPE f64
#define REAL_BITS 64
#define BITS uint64_t
#define INTEGER int64_t
#define LARGEST DBL_MAX
#define UNIT 0x1p-53
#define ABS fabs
#include GAPLESS_TEMPLATE
#undef REAL
#undef TYPE
#undef REAL_BITS
#undef BITS
#undef INTEGER
#undef LARGEST
#undef UNIT
#undef ABS

#undef TYPED
#undef NAMED
#undef LANES
#ifndef SET
#undef TARGET
#undef GAPLESS_TEMPLATE
#undef GAPLESS_DOUBLE_ONLY
#endif
