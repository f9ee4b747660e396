/* Scores of the chain kernels, prepared. A template of lanes/types.h. */

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
