/* Beam search: a template of lanes/versions.h. */
#include "lanes/select_rows.h"
#include "sparse_chains/sparse_step.h"

/* What four sentences that step in turn need of room: their dependent chains overlap in the processor. */
typedef struct {
    REAL *row;         /* stride entries: the row at hand */
    int32_t *found;    /* stride entries: labels that may be in the beam */
    REAL *ranking;     /* stride entries, overwritten when the beam is wider than a block */
    REAL *scores;      /* max_length * width: the beam at each position */
    int32_t *labels;   /* max_length * width, rising at each position */
    int32_t *counts;   /* max_length */
} NAMED(beam_room);

/* The rank-th largest of a few values, rank <= GAPLESS_BLOCK. */
TARGET static inline REAL NAMED(select_few)(const REAL *row, const int32_t *found, ptrdiff_t count, ptrdiff_t rank)
{
    REAL top[GAPLESS_BLOCK];
    ptrdiff_t held = 0;
    for (ptrdiff_t c = 0; c < count; c++) {
        const REAL value = row[found[c]];
        ptrdiff_t at;
        if (held == rank) {
            if (!(value > top[rank - 1]))
                continue;
            at = rank - 1;
        } else {
            at = held++;
        }
        for (; at > 0 && value > top[at - 1]; at--)
            top[at] = top[at - 1];
        top[at] = value;
    }
    return top[rank - 1];
}

/* A value that at least `rank` of the row's entries reach: the rank-th largest of the maxima in each lane. */
TARGET static inline REAL NAMED(floor_of)(const REAL *row, ptrdiff_t stride, ptrdiff_t rank, REAL lowest)
{
    REAL lanes[GAPLESS_BLOCK];
    REAL found = lowest;
    for (int k = 0; k < GAPLESS_BLOCK; k++)
        lanes[k] = row[k];
    for (ptrdiff_t y = GAPLESS_BLOCK; y < stride; y += GAPLESS_BLOCK)
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            lanes[k] = GAPLESS_MAX(row[y + k], lanes[k]);
    if (rank == 1) {
        for (int k = 0; k < GAPLESS_BLOCK; k++)
            found = GAPLESS_MAX(lanes[k], found);
        return found;
    }
    for (int k = 0; k < GAPLESS_BLOCK; k++) {
        int reach = 0;
        for (int l = 0; l < GAPLESS_BLOCK; l++)
            reach += lanes[l] >= lanes[k];
        if (reach >= rank && lanes[k] > found)
            found = lanes[k];
    }
    return found;
}

/* Keeps the `width` best finite labels of the row, the lower label first among equals. Returns how many. */
TARGET static inline ptrdiff_t NAMED(keep_best)(const NAMED(beam_room) *room, ptrdiff_t stride, ptrdiff_t width,
                                                REAL *scores, int32_t *labels)
{
    const REAL lowest = -LARGEST;
    const REAL *row = room->row;
    const REAL bound = width <= GAPLESS_BLOCK ? NAMED(floor_of)(row, stride, width, lowest) : lowest;
    ptrdiff_t count = 0;
    for (ptrdiff_t y = 0; y < stride; y += GAPLESS_BLOCK) {
        unsigned mask = LANES(reaching)(row + y, bound);
        for (; mask; mask &= mask - 1)
            room->found[count++] = (int32_t)y + gapless_lowest(mask);
    }
    if (count <= width) {
        for (ptrdiff_t c = 0; c < count; c++) {
            labels[c] = room->found[c];
            scores[c] = row[labels[c]];
        }
        return count;
    }
    REAL last;
    if (width <= GAPLESS_BLOCK) {
        last = NAMED(select_few)(row, room->found, count, width);
    } else {
        for (ptrdiff_t c = 0; c < count; c++)
            room->ranking[c] = row[room->found[c]];
        last = NAMED(select)(room->ranking, count, width);
    }
    ptrdiff_t equals = width, kept = 0;
    for (ptrdiff_t c = 0; c < count; c++)
        equals -= row[room->found[c]] > last;
    for (ptrdiff_t c = 0; c < count; c++) {
        const REAL score = row[room->found[c]];
        if (score > last || (score == last && equals-- > 0)) {
            labels[kept] = room->found[c];
            scores[kept++] = score;
        }
    }
    return kept;
}

/* The first of the sources that offers most; in range whatever the values are. */
TARGET static inline ptrdiff_t NAMED(best_source)(const REAL *scores, const int32_t *labels, ptrdiff_t count,
                                                  const REAL *transition, ptrdiff_t stride, ptrdiff_t label)
{
    ptrdiff_t best = 0;
    REAL most = -(REAL)INFINITY;
    for (ptrdiff_t j = 0; j < count; j++) {
        const REAL offer = transition ? scores[j] + transition[labels[j] * stride + label] : scores[j];
        if (offer > most) {
            most = offer;
            best = j;
        }
    }
    return best;
}

TARGET static void NAMED(beam_batch)(const REAL *unary, const int64_t *offsets, ptrdiff_t sentences,
                                     ptrdiff_t labels, const REAL *transition, ptrdiff_t stride,
                                     const REAL *initial, const REAL *final, const double *exact_transition,
                                     const double *exact_initial, const double *exact_final, ptrdiff_t width,
                                     REAL *rows, int32_t *found, REAL *ranking, REAL *scores,
                                     int32_t *members, int32_t *counts, ptrdiff_t longest, int64_t *path,
                                     double *values, uint8_t *status)
{
    NAMED(beam_room) rooms[4];
    ptrdiff_t sentence[4], at[4], upcoming = 0;
    for (int lane = 0; lane < 4; lane++) {
        rooms[lane] = (NAMED(beam_room)){rows + lane * stride,
                                         found + lane * stride,
                                         ranking + lane * stride,
                                         scores + lane * longest * width,
                                         members + lane * longest * width,
                                         counts + lane * longest};
        sentence[lane] = upcoming < sentences ? upcoming++ : -1;
        at[lane] = 0;
    }
    for (int busy = 1; busy;) {
        busy = 0;
        for (int lane = 0; lane < 4; lane++) {
            const ptrdiff_t s = sentence[lane];
            if (s < 0)
                continue;
            busy = 1;
            const NAMED(beam_room) *room = rooms + lane;
            const ptrdiff_t i = at[lane]++, n = offsets[s + 1] - offsets[s];
            const REAL *here = unary + (offsets[s] + i) * labels;
            const int last = i == n - 1;
            if (i > 0)
                NAMED(sparse_step)(room->scores + (i - 1) * width, room->labels + (i - 1) * width,
                                   room->counts[i - 1], transition, stride, room->row);
            const int bad = NAMED(finish_row)(here, initial, final, i == 0, last, labels, stride, room->row);
            room->counts[i] = (int32_t)NAMED(keep_best)(room, stride, last ? 1 : width, room->scores + i * width,
                                                        room->labels + i * width);
            if (!last && !bad && room->counts[i] > 0)
                continue;
            int64_t *out = path + offsets[s];
            if (bad || room->counts[i] == 0) {
                for (ptrdiff_t p = 0; p < n; p++)
                    out[p] = -1;
                values[s] = bad ? (double)NAN : -(double)INFINITY;
                status[s] = bad ? GAPLESS_INVALID : GAPLESS_INFEASIBLE;
                /* What was not read may still be no number. */
                for (ptrdiff_t p = (i + 1) * labels; !bad && p < n * labels; p++)
                    if (!(unary[offsets[s] * labels + p] < (REAL)INFINITY))
                        values[s] = (double)NAN, status[s] = GAPLESS_INVALID;
            } else {
                ptrdiff_t label = room->labels[i * width];
                out[i] = label;
                for (ptrdiff_t p = i - 1; p >= 0; p--) {
                    label = room->labels[p * width
                                         + NAMED(best_source)(room->scores + p * width, room->labels + p * width,
                                                              room->counts[p], transition, stride, label)];
                    out[p] = label;
                }
                values[s] = TYPED(path_value)(unary + offsets[s] * labels, n, labels, exact_transition,
                                              exact_initial, exact_final, out);
                status[s] = GAPLESS_DECIDED;
            }
            sentence[lane] = upcoming < sentences ? upcoming++ : -1;
            at[lane] = 0;
        }
    }
}
