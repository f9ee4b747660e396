/* The templates of the linking search for whole and for real costs, and for each instruction set. */
#ifndef GAPLESS_KERNELS_LINKING_VERSIONS_H
#define GAPLESS_KERNELS_LINKING_VERSIONS_H

#define LANES 8

/* Whole costs: distances in bytes, costs as 32-bit numbers lifted by some bits so that halves stay whole. */
#define REAL int32_t
#define DIST uint8_t
#define WIDE int64_t
#define SUM int32_t
#define CELL uint16_t
#define CELL_BITS 16
#define FULL 65535
#define MOST INT64_MAX
#define HALF(x) ((x) >> 1)
#define LIFT(d, shift) ((int32_t)((uint32_t)(int32_t)(d) << (shift)))

#define NAMED(f) lk_##f##_whole
#define TARGET
#include "linking/version.h"
#undef NAMED
#undef TARGET
#ifdef GAPLESS_X86
#define LINKING_SSE
#define NAMED(f) lk_##f##_whole_avx2
#define TARGET GAPLESS_AVX2
#include "linking/version.h"
#undef NAMED
#undef TARGET
#define NAMED(f) lk_##f##_whole_avx512
#define TARGET GAPLESS_AVX512
#include "linking/version.h"
#undef NAMED
#undef TARGET
#undef LINKING_SSE
#endif

#undef REAL
#undef DIST
#undef WIDE
#undef SUM
#undef CELL
#undef CELL_BITS
#undef FULL
#undef MOST
#undef HALF
#undef LIFT

/* Real costs: doubles throughout. */
#define REAL double
#define DIST double
#define WIDE double
#define SUM double
#define CELL double
#define CELL_BITS 64
#define FULL INFINITY
#define MOST INFINITY
#define HALF(x) ((x) * 0.5)
#define LIFT(d, shift) (d)

#define NAMED(f) lk_##f##_real
#define TARGET
#include "linking/version.h"
#undef NAMED
#undef TARGET
#ifdef GAPLESS_X86
#define NAMED(f) lk_##f##_real_avx2
#define TARGET GAPLESS_AVX2
#include "linking/version.h"
#undef NAMED
#undef TARGET
#define NAMED(f) lk_##f##_real_avx512
#define TARGET GAPLESS_AVX512
#include "linking/version.h"
#undef NAMED
#undef TARGET
#endif

#undef REAL
#undef DIST
#undef WIDE
#undef SUM
#undef CELL
#undef CELL_BITS
#undef FULL
#undef MOST
#undef HALF
#undef LIFT
#undef LANES

#endif
