/* Included by chains/kernels.h for each type: the kernels for each instruction set, then a choice made at load. */

#include "chains/scores.h"

#define NAMED(f) GAPLESS_PASTE(f, TYPE, SET)
#define LANES(f) GAPLESS_PASTE(f, TYPE, SET)

#define SET plain
#define TARGET
#define WIDE 1
#include "chains/max_plus.h"
#include "chains/viterbi.h"
#include "chains/dominance.h"
#undef SET
#undef TARGET
#undef WIDE

#ifdef GAPLESS_X86
#define SET avx2
#define TARGET GAPLESS_AVX2
#define WIDE 1
#include "chains/max_plus.h"
#include "chains/viterbi.h"
#include "chains/dominance.h"
#undef SET
#undef TARGET
#undef WIDE

#define SET avx512
#define TARGET GAPLESS_AVX512
#define WIDE 3
#include "chains/max_plus.h"
#include "chains/viterbi.h"
#include "chains/dominance.h"
#undef SET
#undef TARGET
#undef WIDE
#define GAPLESS_CHOOSE(set, f, arguments)                                                                      \
    ((set) == GAPLESS_AVX512_SET ? GAPLESS_PASTE(f, TYPE, avx512) arguments                                    \
     : (set) == GAPLESS_AVX2_SET ? GAPLESS_PASTE(f, TYPE, avx2) arguments                                      \
                                 : GAPLESS_PASTE(f, TYPE, plain) arguments)
#else
#define GAPLESS_CHOOSE(set, f, arguments) GAPLESS_PASTE(f, TYPE, plain) arguments
#endif

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

static int TYPED(decode)(int set, int method, const gapless_chain *chain, const gapless_batch *batch)
{
    int failed = 0;
    REAL *ends = gapless_room((size_t)(2 * chain->stride) * sizeof(REAL));
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
        failed = GAPLESS_CHOOSE(set, viterbi_keeping_all, (&scores, batch, NULL, batch->sentences));
    } else if (method == GAPLESS_VITERBI) {
        failed = GAPLESS_CHOOSE(set, viterbi, (&scores, batch, NULL, batch->sentences));
    } else {
        failed = GAPLESS_CHOOSE(set, dominance, (&scores, batch));
    }
    free(ends);
    return failed;
}

/* out[k][x] = max_l (rows[k][l] + matrix[l][x]) for four rows. */
static void TYPED(max_plus4)(int set, const REAL *const *rows, const REAL *matrix, ptrdiff_t stride,
                             ptrdiff_t labels, REAL *const *out)
{
#ifdef GAPLESS_X86
    if (set == GAPLESS_AVX512_SET)
        GAPLESS_PASTE(product4, TYPE, avx512)(rows, matrix, stride, labels, labels, NULL, NULL, out);
    else if (set == GAPLESS_AVX2_SET)
        GAPLESS_PASTE(product4, TYPE, avx2)(rows, matrix, stride, labels, labels, NULL, NULL, out);
    else
#endif
        GAPLESS_PASTE(product4, TYPE, plain)(rows, matrix, stride, labels, labels, NULL, NULL, out);
    (void)set;
}

#undef GAPLESS_CHOOSE
#undef NAMED
#undef LANES
