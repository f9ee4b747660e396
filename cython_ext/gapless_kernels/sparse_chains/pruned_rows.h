/* Forward messages with pruning; part of templates of lanes/versions.h.
 *
 * Every row holds the exact messages of all labels, although only the survivors of the row before offer
 * anything: a label is dropped only where another offers more to every successor, so it never wins. Rounding
 * is counted: what it could turn round is kept. */
#include "sparse_chains/sparse_step.h"

/* The survivors of a finished row; returns how many. Plain C: GAPLESS_MAX(x, y) is y where x is NaN. */
TARGET static inline ptrdiff_t NAMED(survivors)(const TYPED(chain_model) *m, int rule, const REAL *row,
                                                const REAL *unary, double error, REAL *restrict bounds,
                                                int32_t *members)
{
    const REAL lowest = -LARGEST;
    const REAL slack = (REAL)(8.0 * UNIT), common = (REAL)(2.0 * error + 32.0 * UNIT * m->largest);
    const ptrdiff_t in_blocks = m->labels - m->labels % GAPLESS_BLOCK;
    REAL bar = lowest;
    ptrdiff_t count = 0;
    if (rule != 0) {
        REAL lanes[GAPLESS_BLOCK];
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            lanes[k] = lowest;
        for (ptrdiff_t y = 0; y < m->labels; y++) {
            const REAL doubt = slack * (ABS(row[y]) + ABS(unary[y]));
            bounds[y] = row[y] + m->lower[y] - doubt;
        }
        for (ptrdiff_t y = 0; y < in_blocks; y += GAPLESS_BLOCK)
            for (int k = 0; k < GAPLESS_BLOCK; k++)
                lanes[k] = GAPLESS_MAX(bounds[y + k], lanes[k]);
        for (ptrdiff_t y = in_blocks; y < m->labels; y++)
            lanes[0] = GAPLESS_MAX(bounds[y], lanes[0]);
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            bar = GAPLESS_MAX(lanes[k], bar);
        if (bar > lowest && rule == 2) {
            ptrdiff_t dominator = 0;
            while (dominator < m->labels - 1 && bounds[dominator] != bar)
                dominator++;
            /* In double: table entries are differences of scores. */
            const double *beats = m->table + dominator * m->stride;
            const double score = row[dominator],
                         doubt = 8.0 * UNIT * (fabs(score) + fabs((double)unary[dominator]));
            bar = (REAL)(score - doubt);
            for (ptrdiff_t y = 0; y < m->labels; y++)
                bounds[y] = (REAL)(row[y] + beats[y]) + slack * (ABS(row[y]) + ABS(unary[y]));
        }
    }
    if (rule == 0 || bar == lowest) {
        for (ptrdiff_t y = 0; y < m->labels; y++)
            bounds[y] = row[y];
        bar = lowest;
    } else {
        if (rule == 1)
            for (ptrdiff_t y = 0; y < m->labels; y++)
                bounds[y] = row[y] + m->upper[y] + slack * (ABS(row[y]) + ABS(unary[y]));
        bar -= common + slack * ABS(bar);
    }
    for (ptrdiff_t y = m->labels; y < m->stride; y++)
        bounds[y] = -(REAL)INFINITY;
    for (ptrdiff_t y = 0; y < m->stride; y += GAPLESS_BLOCK) {
        unsigned mask = LANES(reaching)(bounds + y, bar);
        for (; mask; mask &= mask - 1) {
            const int32_t label = (int32_t)y + gapless_lowest(mask);
            members[count] = label;
            count += row[label] >= lowest;
        }
    }
    return count;
}

/* Fills rows, members, counts, shifts and errors. Returns GAPLESS_DECIDED, GAPLESS_INVALID or
 * GAPLESS_INFEASIBLE.
 *
 * In float32 the survivors' messages are shifted to keep them small, in float64 they stay what Viterbi's
 * are. */
TARGET static int NAMED(forward)(const TYPED(chain_model) * m, const TYPED(chain_workspace) * work,
                                 const REAL *unary, ptrdiff_t n)
{
    double error = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL *scores = unary + i * m->labels;
        REAL *row = work->rows + i * m->stride;
        int32_t *members = work->members + i * m->stride;
        if (i > 0) {
            const int32_t *sources = members - m->stride;
            const ptrdiff_t count = work->counts[i - 1];
            for (ptrdiff_t j = 0; j < count; j++)
                work->offers[j] = (row - m->stride)[sources[j]] - work->shifts[i - 1];
            NAMED(sparse_step)(work->offers, sources, count, m->transition + (i - 1) * m->varying, m->stride,
                               row);
        }
        if (NAMED(finish_row)(scores, m->initial, m->final, i == 0, i == n - 1, m->labels, m->stride, row))
            return GAPLESS_INVALID;
        /* Nothing follows the last position that could tell its labels apart. */
        const ptrdiff_t count
            = NAMED(survivors)(m, i < n - 1 ? m->rule : 0, row, scores, error, work->bounds, members);
        work->counts[i] = (int32_t)count;
        if (count == 0) {
            /* What was not read may still be no number. */
            for (ptrdiff_t p = (i + 1) * m->labels; p < n * m->labels; p++)
                if (!(unary[p] < (REAL)INFINITY))
                    return GAPLESS_INVALID;
            for (ptrdiff_t p = (i + 1) * m->stride; p < n * m->stride; p++)
                work->rows[p] = -(REAL)INFINITY;
            return GAPLESS_INFEASIBLE;
        }
        double widest = 0.0;
        REAL best = row[members[0]];
        for (ptrdiff_t j = 0; j < count; j++) {
            const REAL value = row[members[j]];
            const double size = fabs((double)value) + fabs((double)scores[members[j]]);
            widest = size > widest ? size : widest;
            best = value > best ? value : best;
        }
        work->shifts[i] = sizeof(REAL) == 4 ? best : (REAL)0;
        /* A single survivor's error is the same for all that follows. */
        error = count == 1 ? 0.0 : error + 8.0 * UNIT * (widest + m->largest);
        work->errors[i] = error;
    }
    return GAPLESS_DECIDED;
}

/* The best path from the rows; returns whether rounding could have chosen another. */
TARGET static int NAMED(backtrace)(const TYPED(chain_model) * m, const TYPED(chain_workspace) * work,
                                   ptrdiff_t n, int64_t *path)
{
    int doubtful = 0;
    ptrdiff_t label = 0;
    for (ptrdiff_t i = n - 1; i >= 0; i--) {
        const int32_t *members = work->members + i * m->stride;
        const REAL *row = work->rows + i * m->stride;
        REAL best = -(REAL)INFINITY, second = -(REAL)INFINITY;
        ptrdiff_t selected = members[0];
        for (ptrdiff_t j = 0; j < work->counts[i]; j++) {
            const REAL message = row[members[j]] - work->shifts[i];
            const REAL *pairs = m->transition + i * m->varying + members[j] * m->stride;
            const REAL offer = i == n - 1 ? message : message + pairs[label];
            if (offer > best) {
                second = best;
                best = offer;
                selected = members[j];
            } else if (offer > second) {
                second = offer;
            }
        }
        const double doubt = 2.0 * work->errors[i] + 8.0 * UNIT * (fabs((double)best) + m->largest);
        doubtful |= (double)second >= (double)best - doubt;
        label = selected;
        path[i] = label;
    }
    return doubtful;
}
