/* Column generation: a template of lanes/types.h, cut into pieces of one translation unit in this order. */
#if REAL_BITS == 32
#define HUGE_SCORE 1e30f
#else
#define HUGE_SCORE 1e200
#endif
#include "column_generation/rows.h"
#include "column_generation/state.h"
#include "column_generation/exact.h"
#include "column_generation/pricing.h"
#include "column_generation/search.h"
#undef HUGE_SCORE
