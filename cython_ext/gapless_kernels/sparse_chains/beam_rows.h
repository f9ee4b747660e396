/* Beam search: a template of lanes/versions.h. */
#include "lanes/select_rows.h"
#include "sparse_chains/sparse_step.h"

/* Workspace of a sentence. Four sentences step in turn: their dependent chains overlap in the processor. */
typedef struct {
    REAL *row;         /* stride entries: the row at hand */
    int32_t *candidates;    /* stride entries: labels that may be in the beam */
    REAL *ranking;     /* stride entries, overwritten when the beam is wider than a block */
    REAL *scores;      /* max_length * width: the beam at each position */
    int32_t *labels;   /* max_length * width, rising at each position */
    int32_t *counts;   /* max_length */
} NAMED(beam_workspace);

/* The rank-th largest of a few values, rank <= GAPLESS_BLOCK. */
TARGET static inline REAL NAMED(select_few)(const REAL *row, const int32_t *candidates, ptrdiff_t count,
                                            ptrdiff_t rank)
{
    REAL top[GAPLESS_BLOCK];
    ptrdiff_t filled = 0;
    for (ptrdiff_t c = 0; c < count; c++) {
        const REAL value = row[candidates[c]];
        ptrdiff_t index;
        if (filled == rank) {
            if (!(value > top[rank - 1]))
                continue;
            index = rank - 1;
        } else {
            index = filled++;
        }
        for (; index > 0 && value > top[index - 1]; index--)
            top[index] = top[index - 1];
        top[index] = value;
    }
    return top[rank - 1];
}

/* A value that at least `rank` of the row's entries reach: the rank-th largest of the maxima in each lane. */
TARGET static inline REAL NAMED(floor_of)(const REAL *row, ptrdiff_t stride, ptrdiff_t rank, REAL lowest)
{
    REAL lanes[GAPLESS_BLOCK];
    REAL floor_value = lowest;
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        lanes[k] = row[k];
    for (ptrdiff_t y = GAPLESS_BLOCK; y < stride; y += GAPLESS_BLOCK)
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            lanes[k] = GAPLESS_MAX(row[y + k], lanes[k]);
    if (rank == 1) {
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            floor_value = GAPLESS_MAX(lanes[k], floor_value);
        return floor_value;
    }
    for (int k = 0; k < GAPLESS_BLOCK; k++) {
        int reach = 0;
        for (int l = 0; l < GAPLESS_BLOCK; l++)
            reach += lanes[l] >= lanes[k];
        if (reach >= rank && lanes[k] > floor_value)
            floor_value = lanes[k];
    }
    return floor_value;
}

/* Keep the `width` best finite labels of the row, the lower label first among equals; return their number. */
TARGET static inline ptrdiff_t NAMED(keep_best)(const NAMED(beam_workspace) * work, ptrdiff_t stride,
                                                ptrdiff_t width, REAL *scores, int32_t *labels)
{
    const REAL lowest = -LARGEST;
    const REAL *row = work->row;
    const REAL bound = width <= GAPLESS_BLOCK ? NAMED(floor_of)(row, stride, width, lowest) : lowest;
    ptrdiff_t count = 0;
    for (ptrdiff_t y = 0; y < stride; y += GAPLESS_BLOCK) {
        unsigned mask = LANES(reaching)(row + y, bound);
        for (; mask; mask &= mask - 1)
            work->candidates[count++] = (int32_t)y + gapless_lowest(mask);
    }
    if (count <= width) {
        for (ptrdiff_t c = 0; c < count; c++) {
            labels[c] = work->candidates[c];
            scores[c] = row[labels[c]];
        }
        return count;
    }
    REAL last;
    if (width <= GAPLESS_BLOCK) {
        last = NAMED(select_few)(row, work->candidates, count, width);
    } else {
        for (ptrdiff_t c = 0; c < count; c++)
            work->ranking[c] = row[work->candidates[c]];
        last = NAMED(select)(work->ranking, count, width);
    }
    ptrdiff_t equals = width, retained = 0;
    for (ptrdiff_t c = 0; c < count; c++)
        equals -= row[work->candidates[c]] > last;
    for (ptrdiff_t c = 0; c < count; c++) {
        const REAL score = row[work->candidates[c]];
        if (score > last || (score == last && equals-- > 0)) {
            labels[retained] = work->candidates[c];
            scores[retained++] = score;
        }
    }
    return retained;
}

/* The first of the sources that offers most; in range whatever the values are. */
TARGET static inline ptrdiff_t NAMED(best_source)(const REAL *scores, const int32_t *labels, ptrdiff_t count,
                                                  const REAL *transition, ptrdiff_t stride, ptrdiff_t label)
{
    ptrdiff_t best = 0;
    REAL largest = -(REAL)INFINITY;
    for (ptrdiff_t j = 0; j < count; j++) {
        const REAL offer = transition ? scores[j] + transition[labels[j] * stride + label] : scores[j];
        if (offer > largest) {
            largest = offer;
            best = j;
        }
    }
    return best;
}

TARGET static void NAMED(beam_batch)(const REAL *unary, const int64_t *offsets, ptrdiff_t sentences,
                                     ptrdiff_t labels, const REAL *transition, ptrdiff_t stride,
                                     const REAL *initial, const REAL *final, const double *exact_transition,
                                     const double *exact_initial, const double *exact_final, ptrdiff_t width,
                                     REAL *rows, int32_t *candidates, REAL *ranking, REAL *scores,
                                     int32_t *members, int32_t *counts, ptrdiff_t longest, int64_t *path,
                                     double *values, uint8_t *status)
{
    NAMED(beam_workspace) lanes[4];
    ptrdiff_t sentence[4], position[4], upcoming = 0;
    for (int lane = 0; lane < 4; lane++) {
        lanes[lane] = (NAMED(beam_workspace)){rows + lane * stride,
                                         candidates + lane * stride,
                                         ranking + lane * stride,
                                         scores + lane * longest * width,
                                         members + lane * longest * width,
                                         counts + lane * longest};
        sentence[lane] = upcoming < sentences ? upcoming++ : -1;
        position[lane] = 0;
    }
    for (int busy = 1; busy;) {
        busy = 0;
        for (int lane = 0; lane < 4; lane++) {
            const ptrdiff_t s = sentence[lane];
            if (s < 0)
                continue;
            busy = 1;
            const NAMED(beam_workspace) *work = lanes + lane;
            const ptrdiff_t i = position[lane]++, n = offsets[s + 1] - offsets[s];
            const REAL *local = unary + (offsets[s] + i) * labels;
            const int last = i == n - 1;
            if (i > 0)
                NAMED(sparse_step)(work->scores + (i - 1) * width, work->labels + (i - 1) * width,
                                   work->counts[i - 1], transition, stride, work->row);
            int bad = NAMED(finish_row)(local, initial, final, i == 0, last, labels, stride, work->row);
            work->counts[i] = (int32_t)NAMED(keep_best)(work, stride, last ? 1 : width,
                                                        work->scores + i * width, work->labels + i * width);
            if (!last && !bad && work->counts[i] > 0)
                continue;
            int64_t *out = path + offsets[s];
            if (bad || work->counts[i] == 0) {
                for (ptrdiff_t p = 0; p < n; p++)
                    out[p] = -1;
                /* What was not read may still be no number. */
                for (ptrdiff_t p = (i + 1) * labels; !bad && p < n * labels; p++)
                    bad |= !(unary[offsets[s] * labels + p] < (REAL)INFINITY);
                values[s] = bad ? (double)NAN : -(double)INFINITY;
                status[s] = bad ? GAPLESS_INVALID : GAPLESS_INFEASIBLE;
            } else {
                ptrdiff_t label = work->labels[i * width];
                out[i] = label;
                for (ptrdiff_t p = i - 1; p >= 0; p--) {
                    label =
                        work->labels[p * width
                                     + NAMED(best_source)(work->scores + p * width, work->labels + p * width,
                                                          work->counts[p], transition, stride, label)];
                    out[p] = label;
                }
                values[s] = TYPED(path_value)(unary + offsets[s] * labels, n, labels, exact_transition,
                                              exact_initial, exact_final, out);
                status[s] = GAPLESS_DECIDED;
            }
            sentence[lane] = upcoming < sentences ? upcoming++ : -1;
            position[lane] = 0;
        }
    }
}
