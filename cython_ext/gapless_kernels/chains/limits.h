/* Bounds on rounding errors by number type; a template of lanes/types.h. Scores of float beyond LIMIT could
 * overflow and are left to double: they are in doubt. A sum is never denormal except by flushing, which TINY
 * covers. */
#undef ROUNDING
#undef TINY
#undef LIMIT
#undef DOUBTS
#define ROUNDING ((REAL)1.0625 * UNIT) /* a little more than one rounding of 1 */
#if REAL_BITS == 32
#define TINY 1e-30f
#define LIMIT 1e30f
#define DOUBTS 1
#else
#define TINY 1e-300
#define LIMIT 1e300
#define DOUBTS 0
#endif
