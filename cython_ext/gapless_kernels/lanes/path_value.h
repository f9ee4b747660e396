/* The score of a label path in float64, summed as ChainProblem.value sums it: local_i + (sum + transition). */
#ifndef GAPLESS_KERNELS_PATH_VALUE_H
#define GAPLESS_KERNELS_PATH_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* Of a position's label scores, initial and final count only at the ends; either may be NULL. */
#define GAPLESS_PATH_VALUE(NAME, REAL)                                                                       \
    static double NAME(const REAL *unary, ptrdiff_t n, ptrdiff_t labels, const double *transition,          \
                       const double *initial, const double *final, const int64_t *path)                     \
    {                                                                                                        \
        double value = 0.0;                                                                                  \
        for (ptrdiff_t i = 0; i < n; i++) {                                                                  \
            double local = (double)unary[i * labels + path[i]];                                              \
            if (i == 0 && initial)                                                                           \
                local += initial[path[i]];                                                                   \
            if (i == n - 1 && final)                                                                         \
                local += final[path[i]];                                                                     \
            value = i == 0 ? local : local + (value + transition[path[i - 1] * labels + path[i]]);          \
        }                                                                                                    \
        return value;                                                                                        \
    }

GAPLESS_PATH_VALUE(gapless_path_value_f32, float)
GAPLESS_PATH_VALUE(gapless_path_value_f64, double)

#endif
