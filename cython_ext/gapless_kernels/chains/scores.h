/* What the chain kernels are given. Included by chains/kernels.h for each type: REAL, TYPED(f). */

/* Scores that all sentences share. Rows of `stride` entries, whole blocks, -inf past the labels. */
typedef struct {
    ptrdiff_t labels, stride;
    const REAL *moves;          /* (K, stride): pair scores, source first */
    const REAL *arrivals;       /* (K, stride): the same, destination first */
    const REAL *excess;         /* (K, stride): how much more a label may gain later than the row's label */
    const REAL *group_excess;   /* (K, groups of GAPLESS_GROUP blocks): maxima of `excess` lane by lane */
    const REAL *first, *last;   /* (stride): added to the first and the last position */
    const double *transition;   /* (K, K): the scores themselves; and of starting and ending, or NULL */
    const double *initial, *final;
    REAL largest;               /* no finite number above, and no score they were made from, is larger */
    int finite;                 /* whether no pair is forbidden */
} TYPED(chain_scores);

/* The score of a path in float64, from the left: local + (sum + transition). */
static double TYPED(path_value)(const TYPED(chain_scores) *scores, const REAL *unary, const int64_t *labels,
                                ptrdiff_t n)
{
    const ptrdiff_t k = scores->labels;
    const double *transition = scores->transition;
    double total = 0;
    ptrdiff_t x = labels[0];
    for (ptrdiff_t i = 0; i < n; i++, unary += k) {
        const ptrdiff_t y = labels[i];
        double local = unary[y];
        if (i == 0 && scores->initial)
            local += scores->initial[y];
        if (i == n - 1 && scores->final)
            local += scores->final[y];
        total = i == 0 ? local : local + (total + transition[x * k + y]);
        x = y;
    }
    return total;
}
