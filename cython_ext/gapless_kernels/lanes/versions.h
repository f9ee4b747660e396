/* Includes the file that GAPLESS_TEMPLATE names once for each instruction set and number type; see README.md.
 *
 *     SET                 plain, avx2 or avx512: how the names of its functions end
 *     TARGET              the attribute that lets the compiler use the set; stands before every function
 *     VECTOR_BITS         the width of a register: 0, 256 or 512
 *
 * and all that lanes/types.h defines, or the file that GAPLESS_TYPES names instead of it.
 */
#ifndef GAPLESS_KERNELS_LANES_H
#error "include lanes/lanes.h first"
#endif

#ifndef GAPLESS_TYPES
#define GAPLESS_TYPES "lanes/types.h"
#endif

#define SET plain
#define TARGET
#define VECTOR_BITS 0
#include GAPLESS_TYPES
#undef SET
#undef TARGET
#undef VECTOR_BITS

#ifdef GAPLESS_X86
#define SET avx2
#define TARGET GAPLESS_AVX2
#define VECTOR_BITS 256
#include GAPLESS_TYPES
#undef SET
#undef TARGET
#undef VECTOR_BITS

#define SET avx512
#define TARGET GAPLESS_AVX512
#define VECTOR_BITS 512
#include GAPLESS_TYPES
#undef SET
#undef TARGET
#undef VECTOR_BITS
#endif

#undef GAPLESS_TEMPLATE
#undef GAPLESS_TYPES
#undef GAPLESS_DOUBLE_ONLY
