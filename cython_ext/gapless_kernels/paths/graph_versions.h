/* paths/graph_rows.h for each instruction set, with functions named ..._plain, ..._avx2, ..._avx512; choose by
 * GRAPH_CHOOSE, which looks at a variable `set`. */
#ifndef GAPLESS_KERNELS_GRAPH_VERSIONS_H
#define GAPLESS_KERNELS_GRAPH_VERSIONS_H

#include "lanes/lanes.h"

#define REAL double

#define NAMED(f) f##_plain
#define LANES(f) f##_f64_plain
#define TARGET
#include "paths/graph_rows.h"
#include "lanes/select_rows.h"
#undef NAMED
#undef LANES
#undef TARGET

#ifdef GAPLESS_X86
#define NAMED(f) f##_avx2
#define LANES(f) f##_f64_avx2
#define TARGET GAPLESS_AVX2
#include "paths/graph_rows.h"
#include "lanes/select_rows.h"
#undef NAMED
#undef LANES
#undef TARGET

#define NAMED(f) f##_avx512
#define LANES(f) f##_f64_avx512
#define TARGET GAPLESS_AVX512
#include "paths/graph_rows.h"
#include "lanes/select_rows.h"
#undef NAMED
#undef LANES
#undef TARGET
#define GRAPH_CHOOSE(f) (set == GAPLESS_AVX512_SET ? f##_avx512 : set == GAPLESS_AVX2_SET ? f##_avx2 : f##_plain)
#else
#define GRAPH_CHOOSE(f) ((void)set, f##_plain)
#endif

#undef REAL

#endif
