/* Decodes a batch with the kernels for the set in use; a template of lanes/types.h. */
#include "chains/limits.h"

/* Fill a row with what one end of a sentence gets added, and return the largest finite entry. */
static double TYPED(end_row)(const gapless_chain *chain, const double *end, double sign, REAL *row)
{
    double largest = 0;
    for (ptrdiff_t x = 0; x < chain->stride; x++) {
        double score = -INFINITY;
        if (x < chain->labels) {
            score = (end ? end[x] : 0) + (chain->gauge ? sign * chain->gauge[x] : 0);
            if (score > -INFINITY) {
                largest = fabs(score) > largest ? fabs(score) : largest;
                largest = end && fabs(end[x]) > largest ? fabs(end[x]) : largest;
            }
        }
        row[x] = (REAL)score;
    }
    return largest;
}

static int TYPED(decode)(int method, const gapless_chain *chain, const gapless_batch *batch)
{
    int failed = 0;
    REAL *ends = gapless_aligned_rows((size_t)(2 * chain->stride) * sizeof(REAL));
    if (!ends)
        return -1;
    const double first = TYPED(end_row)(chain, chain->initial, 1, ends),
                 last = TYPED(end_row)(chain, chain->final, -1, ends + chain->stride);
    double largest = first > last ? first : last;
    largest = chain->largest > largest ? chain->largest : largest;
    const TYPED(chain_scores) scores = {
        chain->labels, chain->stride, chain->moves, chain->arrivals, chain->excess, chain->group_excess,
        ends, ends + chain->stride, chain->transition, chain->initial, chain->final,
        (REAL)(1.0001 * largest), chain->finite};
    if (DOUBTS && !(1.0001 * largest < LIMIT)) {
        /* Their sums might overflow. */
        for (ptrdiff_t i = 0; i < batch->offsets[batch->sentences]; i++)
            batch->labels[i] = -1;
        for (ptrdiff_t s = 0; s < batch->sentences; s++) {
            batch->values[s] = -INFINITY;
            batch->status[s] = GAPLESS_DOUBTFUL;
            if (batch->survivors)
                batch->survivors[s] = 0;
        }
    } else if (!(1.0001 * largest < LIMIT)) {
        failed = GAPLESS_CALL(TYPED(viterbi_keeping_all), (&scores, batch, NULL, batch->sentences));
    } else if (method == GAPLESS_VITERBI) {
        failed = GAPLESS_CALL(TYPED(viterbi), (&scores, batch, NULL, batch->sentences));
    } else {
        failed = GAPLESS_CALL(TYPED(dominance), (&scores, batch));
    }
    free(ends);
    return failed;
}

/* out[k][x] = max_l (rows[k][l] + matrix[l][x]) for four rows. */
static void TYPED(max_plus4)(const REAL *const *rows, const REAL *matrix, ptrdiff_t stride, ptrdiff_t labels,
                             REAL *const *out)
{
    GAPLESS_CALL(TYPED(product4), (rows, matrix, stride, labels, labels, NULL, NULL, out));
}
