/* The number types of the linking search for lanes/versions.h, in place of lanes/types.h; loops.h, the
 * template, takes back what is defined for one type. */
#define TYPED(f) GAPLESS_JOIN(lk_##f, TYPE)
#define NAMED(f) GAPLESS_JOIN(TYPED(f), SET)

/* Whole costs: distances in bytes; costs are 32-bit numbers, shifted left so that halves stay whole. */
#define TYPE whole
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
#include GAPLESS_TEMPLATE

/* Real costs: doubles throughout. */
#define TYPE real
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
#include GAPLESS_TEMPLATE

#undef TYPED
#undef NAMED
