/* Viterbi with pruning: a template of lanes/versions.h. */
#include "sparse_chains/pruned_rows.h"

/* Decodes the sentences one after another; messages, if asked for, are those of Viterbi's forward pass
 * (float64). */
TARGET static void NAMED(viterbi_pruned)(ptrdiff_t labels, ptrdiff_t stride, double largest,
                                         ptrdiff_t sentences, const REAL *unary, const int64_t *offsets,
                                         const REAL *padded, const REAL *start, const REAL *end,
                                         const REAL *lower, const REAL *upper, const double *transition,
                                         const double *initial, const double *final, REAL *rows,
                                         int32_t *members, int32_t *counts, REAL *shifts, double *errors,
                                         REAL *vectors, int64_t *path, double *values, uint8_t *status,
                                         int64_t *survivors, double *messages)
{
    const TYPED(chain_model) model = {labels, stride, 0, padded, start, end, 1, lower, upper, NULL, largest},
                             *m = &model;
    const TYPED(chain_workspace)
        workspace = {rows, members, counts, shifts, errors, vectors, vectors + stride},
        *work = &workspace;
    for (ptrdiff_t s = 0; s < sentences; s++) {
        const ptrdiff_t n = offsets[s + 1] - offsets[s];
        const REAL *scores = unary + offsets[s] * m->labels;
        int64_t *out = path + offsets[s];
        int code = NAMED(forward)(m, work, scores, n);
        int64_t total = 0;
        if (code == GAPLESS_DECIDED) {
            for (ptrdiff_t i = 0; i < n; i++)
                total += work->counts[i];
            /* In float64 the choice is Viterbi's own; float32 must be sure. */
            if (NAMED(backtrace)(m, work, n, out) && sizeof(REAL) == 4)
                code = GAPLESS_DOUBTFUL;
            values[s] = TYPED(path_value)(scores, n, m->labels, transition, initial, final, out);
        } else {
            for (ptrdiff_t i = 0; i < n; i++)
                out[i] = -1;
            values[s] = code == GAPLESS_INVALID ? (double)NAN : -(double)INFINITY;
        }
        status[s] = (uint8_t)code;
        if (survivors)
            survivors[s] = total;
        if (messages && (code == GAPLESS_DECIDED || code == GAPLESS_INFEASIBLE))
            for (ptrdiff_t i = 0; i < n; i++)
                for (ptrdiff_t y = 0; y < m->labels; y++)
                    messages[(offsets[s] + i) * m->labels + y] = (double)work->rows[i * m->stride + y];
    }
}
