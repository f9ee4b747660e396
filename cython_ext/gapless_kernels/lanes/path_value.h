/* The score of a label path in float64, from the left, as ChainProblem.value sums it:
 * local + (sum + transition). Included once for each type. */

/* Of a position's label scores, initial and final count only at the ends; either may be NULL. */
static double TYPED(path_value)(const REAL *unary, ptrdiff_t n, ptrdiff_t labels, const double *transition,
                                const double *initial, const double *final, const int64_t *path)
{
    double value = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double local = (double)unary[i * labels + path[i]];
        if (i == 0 && initial)
            local += initial[path[i]];
        if (i == n - 1 && final)
            local += final[path[i]];
        value = i == 0 ? local : local + (value + transition[path[i - 1] * labels + path[i]]);
    }
    return value;
}
