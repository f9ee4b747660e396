/* Exact decoding in one pass by pairwise dominance (Goldstein 1994, eq. 3, applied to prefixes).
 *
 * Third of three pieces of one translation unit, chains/loops.h: max_plus.h, viterbi.h, dominance.h.
 *
 * Label x can be dropped at a position when row(x) + excess[y][x] <= row(y): whatever follows, y does as
 * well. Messages are stored for the survivors alone, relative to y's, so that a position with one survivor
 * starts afresh, without the error of any earlier sum. Labels of such positions are final at once; the others
 * get a record.
 *
 * Rounding. Write u for ROUNDING, M for scores->largest, A for the largest survivor message, and E for a
 * bound on how far the survivors' messages are (up to one constant) from what exact sums would give. A row
 * entry is then off by E + 4uM (the pair score) + u(A + M) (its sum with the message) + u|row(x)|. A label
 * near the threshold has |row(x)| <= |row(y)| + 2M because excess is at most 2M, and one below it only moves
 * further down. Hence both sides of the test and its own sums are safe with
 *
 *     2E + u(2A + 14M + 6|row(y)|)
 *
 * and the survivors' next messages, whose size is at most A', are good to E + u(A + 5M + |row(y)| +
 * 2A'). */

#define BLOCK LANES(block)
#define SCORES TYPED(chain_scores)
#define BATCH gapless_batch
#define LANE NAMED(dominance_lane)
#define RECORD NAMED(survivor_record)

/* A position with several survivors: those from `start` to `end` in the lane's lists. */
typedef struct {
    ptrdiff_t position, start, end, dominator;
    REAL error;
} RECORD;

/* One sentence in work. open_lanes and close_lanes own the memory, reserve enlarges it. */
typedef struct {
    ptrdiff_t sentence, n, next_position;      /* `next_position`: the next position to read */
    const REAL *theta;              /* its scores */
    const REAL *base;               /* what the survivors before it offer to each label */
    int64_t *labels;
    REAL error, size;               /* E and A above */
    REAL allowance;                 /* 2E + u(2A + 14M) */
    ptrdiff_t y;                    /* the label with the best score at `next_position`, */
    REAL best;                      /* and that score */
    ptrdiff_t work, survivors;
    ptrdiff_t record_count, used, record_capacity, capacity;
    RECORD *records;
    int32_t *members;               /* survivors of the positions in `records`, `used` of them */
    REAL *message;                  /* their messages */
    REAL *row, *offer, *peaks;      /* workspace: a row, `base`, maxima of groups */
    unsigned improper;
    int active;
} LANE;

/* Cycles, measured with AVX-512: a position with several survivors; each block of a survivor's row if the
 * tables are in the first-level cache, and if they are not; the excess of Viterbi's backtrace over a position
 * with one survivor. Viterbi needs one cycle for each block of each label. */
#ifndef STEP_COST
#define STEP_COST 220
#define NEAR_COST 3
#define FAR_COST 3
#define TRACE_COST 40
#endif

enum { NAMED(ONGOING) = 0, NAMED(DEAD) = 1, NAMED(DENSE) = 2, NAMED(TOO_MANY) = 3, NAMED(FAILED) = 4 };

TARGET static GAPLESS_ALWAYS ptrdiff_t NAMED(groups)(const SCORES *scores)
{
    return (scores->stride / GAPLESS_BLOCK + GAPLESS_GROUP - 1) / GAPLESS_GROUP;
}

TARGET static GAPLESS_ALWAYS REAL NAMED(fresh_allowance)(const SCORES *scores)
{
    return ROUNDING * 14 * scores->largest + TINY;
}

TARGET static GAPLESS_ALWAYS void NAMED(start_afresh)(const SCORES *scores, LANE *lane)
{
    lane->error = lane->size = 0;
    lane->allowance = NAMED(fresh_allowance)(scores);
}

TARGET static void NAMED(begin)(const SCORES *scores, const BATCH *batch, ptrdiff_t sentence, LANE *lane)
{
    const ptrdiff_t begin = batch->offsets[sentence];
    lane->sentence = sentence;
    lane->n = batch->offsets[sentence + 1] - begin;
    lane->next_position = 0;
    lane->theta = (const REAL *)batch->unary + begin * scores->labels;
    lane->base = scores->first;
    lane->labels = batch->labels + begin;
    lane->work = lane->survivors = lane->record_count = lane->used = 0;
    lane->improper = 0;
    lane->active = 1;
    NAMED(start_afresh)(scores, lane);
}

/* The test's right-hand side; NaN when `best` is infinite, so that nothing passes. */
TARGET static GAPLESS_ALWAYS REAL NAMED(threshold)(REAL best, REAL allowance)
{
    const REAL size = (REAL)fabs(best);
    return (best + 2 * ROUNDING * size) - (allowance + 12 * ROUNDING * size);
}

/* Enlarge the lists for another row of survivors and a block beyond it. -1 without memory. */
TARGET static int NAMED(reserve)(const SCORES *scores, LANE *lane)
{
    if (lane->used + scores->stride + GAPLESS_BLOCK > lane->capacity) {
        const ptrdiff_t capacity = 2 * lane->capacity + 4 * scores->stride;
        int32_t *members = realloc(lane->members, (size_t)capacity * sizeof *members);
        if (!members)
            return -1;
        lane->members = members;
        REAL *message = realloc(lane->message, (size_t)capacity * sizeof *message);
        if (!message)
            return -1;
        lane->message = message;
        lane->capacity = capacity;
    }
    if (lane->record_count == lane->record_capacity) {
        const ptrdiff_t capacity = 2 * lane->record_capacity + 16;
        RECORD *record = realloc(lane->records, (size_t)capacity * sizeof *record);
        if (!record)
            return -1;
        lane->records = record;
        lane->record_capacity = capacity;
    }
    return 0;
}

/* offer[x] = max over some survivors of message + moves, for `blocks` <= 4 blocks; a constant where
 * inlined. */
TARGET static GAPLESS_ALWAYS void NAMED(relax)(const int blocks, ptrdiff_t stride, const REAL *moves,
                                              const int32_t *members, const REAL *message, ptrdiff_t count,
                                              REAL *offer)
{
    BLOCK best[4];
    for (int b = 0; b < blocks; b++)
        best[b] = LANES(all)(-(REAL)INFINITY);
    for (ptrdiff_t s = 0; s < count; s++) {
        const REAL *row = moves + members[s] * stride;
        const BLOCK a = LANES(all)(message[s]);
        for (int b = 0; b < blocks; b++)
            best[b] = LANES(max)(LANES(add)(a, LANES(load)(row + b * GAPLESS_BLOCK)), best[b]);
    }
    for (int b = 0; b < blocks; b++)
        LANES(store)(offer + b * GAPLESS_BLOCK, best[b]);
}

/* offer[x] = max over the survivors from `start` on of message + moves. */
TARGET static GAPLESS_ALWAYS void NAMED(relax_survivors)(const SCORES *scores, LANE *lane, ptrdiff_t start)
{
    const ptrdiff_t stride = scores->stride, count = lane->used - start;
    const int32_t *members = lane->members + start;
    const REAL *message = lane->message + start;
    ptrdiff_t x = 0;
    for (; x + 4 * GAPLESS_BLOCK <= stride; x += 4 * GAPLESS_BLOCK)
        NAMED(relax)(4, stride, scores->moves + x, members, message, count, lane->offer + x);
    if (x + 3 * GAPLESS_BLOCK == stride)
        NAMED(relax)(3, stride, scores->moves + x, members, message, count, lane->offer + x);
    else if (x + 2 * GAPLESS_BLOCK == stride)
        NAMED(relax)(2, stride, scores->moves + x, members, message, count, lane->offer + x);
    else if (x < stride)
        NAMED(relax)(1, stride, scores->moves + x, members, message, count, lane->offer + x);
}

/* Go on from the survivors that have been listed from `start` on, with messages relative to `best`, y's
 * score. */
TARGET static GAPLESS_NEVER int NAMED(settle)(const SCORES *scores, LANE *lane, ptrdiff_t start,
                                              ptrdiff_t count, ptrdiff_t y, REAL best, int may_stop)
{
    const ptrdiff_t blocks = scores->stride / GAPLESS_BLOCK;
    const REAL level = best < 0 ? -best : best;
    lane->labels[lane->next_position] = -1;
    if (!(level < LIMIT) && best > -(REAL)INFINITY)
        return NAMED(TOO_MANY);
    if (count == 0) {
        /* Even y was dropped: no label has a successor. */
        if (best > -(REAL)INFINITY)
            lane->labels[lane->next_position] = y;
        return NAMED(DEAD);
    }
    lane->survivors += count;
    if (count == 1) {
        const ptrdiff_t x = lane->members[start];
        lane->labels[lane->next_position] = x;
        lane->base = scores->moves + x * scores->stride;
        NAMED(start_afresh)(scores, lane);
        return NAMED(ONGOING);
    }
    /* What follows the last survivor in its block is written over by the next position or never read. */
    BLOCK extents = LANES(all)(0);
    for (ptrdiff_t s = start; s < start + count; s += GAPLESS_BLOCK) {
        const ptrdiff_t remaining = start + count - s;
        const unsigned valid = remaining < GAPLESS_BLOCK ? (1u << remaining) - 1 : 0xFFFFu;
        extents = LANES(max)(LANES(extent)(LANES(load_some)(lane->message + s, valid)), extents);
    }
    const REAL size = LANES(largest)(extents);
    if (!(size < LIMIT))
        return NAMED(TOO_MANY);
    lane->error += ROUNDING * (lane->size + 5 * scores->largest + level + 2 * size) + TINY;
    lane->size = size;
    lane->allowance = 2 * lane->error + ROUNDING * (2 * size + 14 * scores->largest) + TINY;
    lane->records[lane->record_count++] = (RECORD){lane->next_position, start, start + count, y, lane->error};
    lane->used = start + count;
    lane->work += STEP_COST + count * blocks * (blocks <= 8 ? NEAR_COST : FAR_COST);
    if (may_stop && lane->work > (lane->next_position + 4) * (scores->labels * blocks + TRACE_COST))
        return NAMED(DENSE);
    NAMED(relax_survivors)(scores, lane, start);
    lane->base = lane->offer;
    return NAMED(ONGOING);
}

/* Add the scores of some blocks of labels to what they are offered; return the largest lane by lane. */
TARGET static GAPLESS_ALWAYS BLOCK NAMED(scan_group)(const int blocks, const REAL *theta, const REAL *base,
                                                    REAL *row, unsigned tail, unsigned *improper)
{
    BLOCK peak = LANES(all)(-(REAL)INFINITY);
    for (int b = 0; b < blocks; b++) {
        const int x = b * GAPLESS_BLOCK;
        const BLOCK local = b == blocks - 1 ? LANES(load_some)(theta + x, tail) : LANES(load)(theta + x);
        const BLOCK sum = LANES(add)(local, LANES(load)(base + x));
        *improper |= LANES(improper)(local);
        LANES(store)(row + x, sum);
        peak = LANES(max)(sum, peak);
    }
    return peak;
}

/* Read position lane->next_position, which is not the last, and choose y, for any number of labels. */
TARGET static void NAMED(scan)(const SCORES *scores, LANE *lane, gapless_ahead *ahead)
{
    const ptrdiff_t stride = scores->stride, groups = NAMED(groups)(scores), last = groups - 1;
    const ptrdiff_t width = GAPLESS_GROUP * GAPLESS_BLOCK;
    const unsigned tail = 0xFFFFu >> (stride - scores->labels);
    const ptrdiff_t rest = (stride - last * width) / GAPLESS_BLOCK;
    const REAL *theta = lane->theta, *base = lane->base;
    REAL *row = lane->row, *peaks = lane->peaks;
    BLOCK top = LANES(all)(-(REAL)INFINITY), peak;
    unsigned improper = lane->improper;
    gapless_fetch(ahead, (size_t)scores->labels * sizeof(REAL));
    for (ptrdiff_t g = 0; g < last; g++) {
        const ptrdiff_t x = g * width;
        peak = NAMED(scan_group)(4, theta + x, base + x, row + x, 0xFFFFu, &improper);
        LANES(store)(peaks + g * GAPLESS_BLOCK, peak);
        top = LANES(max)(LANES(tagged)(peak, LANES(all)(TYPED(gapless_tag_bits)((unsigned)g))), top);
    }
    const ptrdiff_t x = last * width;
    peak = rest == 4   ? NAMED(scan_group)(4, theta + x, base + x, row + x, tail, &improper)
           : rest == 3 ? NAMED(scan_group)(3, theta + x, base + x, row + x, tail, &improper)
           : rest == 2 ? NAMED(scan_group)(2, theta + x, base + x, row + x, tail, &improper)
                       : NAMED(scan_group)(1, theta + x, base + x, row + x, tail, &improper);
    LANES(store)(peaks + last * GAPLESS_BLOCK, peak);
    top = LANES(max)(LANES(tagged)(peak, LANES(all)(TYPED(gapless_tag_bits)((unsigned)last))), top);
    lane->improper = improper;
    const REAL largest = LANES(largest)(top);
    const ptrdiff_t group = TYPED(gapless_tag)(largest);
    const ptrdiff_t column = gapless_lowest(LANES(at_least)(top, LANES(all)(largest)));
    /* Which of the group's four blocks has it; a chain of compares would be mispredicted. */
    const REAL best = peaks[group * GAPLESS_BLOCK + column], *candidates = row + group * width + column;
    unsigned hits = 1u << (GAPLESS_GROUP - 1);
    for (int b = 0; b < GAPLESS_GROUP; b++)
        hits |= (unsigned)(candidates[b * GAPLESS_BLOCK] == best) << b;
    lane->y = group * width + gapless_lowest(hits) * GAPLESS_BLOCK + column;
    lane->best = best;
    lane->theta += scores->labels;
}

/* Find the survivors at the position that has been scanned, and go on from them. */
TARGET static int NAMED(prune)(const SCORES *scores, LANE *lane, int may_stop)
{
    const ptrdiff_t stride = scores->stride, blocks = stride / GAPLESS_BLOCK, groups = NAMED(groups)(scores);
    const ptrdiff_t y = lane->y, start = lane->used;
    const REAL *row = lane->row, *peaks = lane->peaks;
    const REAL best = lane->best;
    if (!(best > -(REAL)INFINITY && best < (REAL)INFINITY))
        return NAMED(DEAD);
    const BLOCK lower_limit = LANES(all)(NAMED(threshold)(best, lane->allowance));
    const REAL *excess = scores->excess + y * stride,
               *group_excess = scores->group_excess + y * groups * GAPLESS_BLOCK;
    if (groups <= 64 && blocks >= GAPLESS_GROUP) {
        /* Nearly always y is alone. Then no branch on where it is: those cannot be predicted. */
        const ptrdiff_t group_of_y = y / (GAPLESS_GROUP * GAPLESS_BLOCK);
        const ptrdiff_t first = group_of_y * GAPLESS_GROUP, last = blocks - GAPLESS_GROUP;
        const ptrdiff_t x = (first < last ? first : last) * GAPLESS_BLOCK;
        uint64_t open = 0, bits = 0;
        for (ptrdiff_t g = 0; g < groups; g++) {
            const BLOCK ahead = LANES(add)(LANES(load)(peaks + g * GAPLESS_BLOCK),
                                           LANES(load)(group_excess + g * GAPLESS_BLOCK));
            open |= (uint64_t)(LANES(at_least)(ahead, lower_limit) != 0) << g;
        }
        for (int j = 0; j < GAPLESS_GROUP; j++)
            bits |= (uint64_t)LANES(at_least)(LANES(add)(LANES(load)(row + x + j * GAPLESS_BLOCK),
                                                         LANES(load)(excess + x + j * GAPLESS_BLOCK)),
                                              lower_limit)
                    << j * GAPLESS_BLOCK;
        if (open == (uint64_t)1 << group_of_y && bits == (uint64_t)1 << (y - x)) {
            lane->labels[lane->next_position++] = y;
            lane->base = scores->moves + y * stride;
            lane->survivors++;
            NAMED(start_afresh)(scores, lane);
            return NAMED(ONGOING);
        }
    }
    if (NAMED(reserve)(scores, lane))
        return NAMED(FAILED);
    ptrdiff_t count = 0;
    for (ptrdiff_t g = 0; g < groups; g++) {
        if (!LANES(at_least)(LANES(add)(LANES(load)(peaks + g * GAPLESS_BLOCK),
                                        LANES(load)(group_excess + g * GAPLESS_BLOCK)), lower_limit))
            continue;
        const ptrdiff_t end = (g + 1) * GAPLESS_GROUP < blocks ? (g + 1) * GAPLESS_GROUP : blocks;
        for (ptrdiff_t b = g * GAPLESS_GROUP; b < end; b++) {
            const ptrdiff_t x = b * GAPLESS_BLOCK;
            const BLOCK sums = LANES(load)(row + x);
            const unsigned bits = LANES(at_least)(LANES(add)(sums, LANES(load)(excess + x)), lower_limit);
            if (bits)
                count += LANES(collect)(sums, bits, best, x, lane->members + start + count,
                                        lane->message + start + count);
        }
    }
    const int state = NAMED(settle)(scores, lane, start, count, y, best, may_stop);
    lane->next_position++;
    return state;
}

/* Write the survivors and dominators of all positions, which a certificate stores. */
TARGET static void NAMED(write_survivors)(const SCORES *scores, const BATCH *batch, const LANE *lane)
{
    const ptrdiff_t begin = batch->offsets[lane->sentence];
    uint8_t *keep_mask = batch->keep_mask + begin * scores->labels;
    int64_t *dominators = batch->dominators + begin;
    memset(keep_mask, 0, (size_t)(lane->n * scores->labels));
    for (ptrdiff_t i = 0; i < lane->n; i++) {
        dominators[i] = lane->labels[i] < 0 ? 0 : lane->labels[i];
        if (lane->labels[i] >= 0)
            keep_mask[i * scores->labels + lane->labels[i]] = 1;
    }
    for (ptrdiff_t p = 0; p < lane->record_count; p++) {
        const RECORD *record = lane->records + p;
        ptrdiff_t best = record->start;
        for (ptrdiff_t s = record->start; s < record->end; s++) {
            keep_mask[record->position * scores->labels + lane->members[s]] = 1;
            if (lane->message[s] > lane->message[best])
                best = s;
        }
        /* A dominator without successors does not survive, and drops nothing but what no path can use. */
        dominators[record->position] = keep_mask[record->position * scores->labels + record->dominator]
                                          ? record->dominator
                                          : lane->members[best];
    }
}

/* End a sentence without a path, at position lane->next_position. */
TARGET static void NAMED(abandon)(const SCORES *scores, const BATCH *batch, LANE *lane, uint8_t status)
{
    const ptrdiff_t s = lane->sentence;
    for (ptrdiff_t i = lane->next_position; i < lane->n; i++)
        lane->labels[i] = -1;
    if (batch->keep_mask)
        NAMED(write_survivors)(scores, batch, lane);
    for (ptrdiff_t i = 0; i < lane->n; i++)
        lane->labels[i] = -1;
    if (batch->survivors)
        batch->survivors[s] = lane->survivors;
    batch->values[s] = -INFINITY;
    batch->status[s] = lane->improper ? GAPLESS_INVALID : status;
    lane->active = 0;
}

/* Read the last position, choose a best label and follow it back. */
TARGET static void NAMED(finish)(const SCORES *scores, const BATCH *batch, LANE *lane)
{
    const ptrdiff_t labels = scores->labels, stride = scores->stride, s = lane->sentence, n = lane->n;
    const unsigned tail = 0xFFFFu >> (stride - labels);
    REAL *row = lane->row;
    BLOCK top = LANES(all)(-(REAL)INFINITY);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK) {
        const BLOCK local = LANES(load_some)(lane->theta + x, x + GAPLESS_BLOCK == stride ? tail : 0xFFFFu);
        const BLOCK sum =
            LANES(add)(LANES(add)(local, LANES(load)(lane->base + x)), LANES(load)(scores->last + x));
        lane->improper |= LANES(improper)(local);
        LANES(store)(row + x, sum);
        top = LANES(max)(sum, top);
    }
    const REAL best = LANES(largest)(top), level = best < 0 ? -best : best;
    if (!(best > -(REAL)INFINITY && best < (REAL)INFINITY) || lane->improper) {
        NAMED(abandon)(scores, batch, lane, GAPLESS_INFEASIBLE);
        return;
    }
    const REAL bound = lane->allowance + ROUNDING * (14 * scores->largest + 8 * level) + TINY;
    const BLOCK lower_limit = LANES(all)(best), near = LANES(all)(best - bound);
    ptrdiff_t y = -1;
    ptrdiff_t near_count = 0;
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK) {
        const BLOCK sum = LANES(load)(row + x);
        const unsigned hits = LANES(at_least)(sum, lower_limit), close = LANES(at_least)(sum, near);
        if (hits && y < 0)
            y = x + gapless_lowest(hits);
        near_count += close != 0 ? 1 + ((close & (close - 1)) != 0) : 0;
    }
    int doubtful = near_count != 1;
    lane->labels[n - 1] = y;
    if (batch->keep_mask)
        NAMED(write_survivors)(scores, batch, lane);
    for (ptrdiff_t p = lane->record_count - 1; p >= 0; p--) {
        const RECORD *record = lane->records + p;
        const REAL *column = scores->moves + lane->labels[record->position + 1];
        REAL first = -(REAL)INFINITY, second = first;
        ptrdiff_t selected = record->start;
        for (ptrdiff_t l = record->start; l < record->end; l++) {
            const REAL sum = lane->message[l] + column[lane->members[l] * stride];
            if (sum > first) {
                second = first;
                first = sum;
                selected = l;
            } else if (sum > second) {
                second = sum;
            }
        }
        lane->labels[record->position] = lane->members[selected];
        if (DOUBTS) {
            const REAL size = first < 0 ? -first : first;
            doubtful |=
                !(first - second > 2 * record->error + ROUNDING * (8 * scores->largest + 4 * size) + TINY);
        }
    }
    batch->values[s] = TYPED(path_value)((const REAL *)batch->unary + batch->offsets[s] * labels, n, labels,
                                         scores->transition, scores->initial, scores->final, lane->labels);
    batch->status[s] = DOUBTS && doubtful ? GAPLESS_DOUBTFUL : GAPLESS_DECIDED;
    if (batch->survivors)
        batch->survivors[s] = lane->survivors + 1;
    lane->active = 0;
}

/* Four sentences whose labels fit in `blocks` <= 4 blocks, step by step together, until one of them needs
 * more than stepping. `blocks` is a constant where this is inlined.
 *
 * What changes at every step is kept in local variables: a vector may be stored over anything, for all that
 * the compiler knows, so it would load the members of a lane again after each. */
TARGET static GAPLESS_ALWAYS void NAMED(march)(const int blocks, const SCORES *scores, LANE *lanes,
                                               const REAL *tags, ptrdiff_t steps, int *state, int may_stop,
                                               gapless_ahead *ahead)
{
    const ptrdiff_t labels = scores->labels, stride = blocks * GAPLESS_BLOCK;
    const unsigned tail = 0xFFFFu >> (stride - labels);
    const REAL *const moves = scores->moves, *const all_excess = scores->excess;
    const REAL *theta[4], *base[4];
    const REAL fresh = NAMED(fresh_allowance)(scores);
    REAL allowance[4], rows[4][4 * GAPLESS_BLOCK], tops[4];
    int64_t *out[4];
    unsigned improper[4];
    ptrdiff_t step = 0, several[4] = {0, 0, 0, 0};
    int stopped = 0;
    for (int k = 0; k < 4; k++) {
        theta[k] = lanes[k].theta;
        base[k] = lanes[k].base;
        allowance[k] = lanes[k].allowance;
        out[k] = lanes[k].labels + lanes[k].next_position;
        improper[k] = lanes[k].improper;
    }
    for (; step < steps && !stopped; step++) {
        BLOCK top[4];
        for (int k = 0; k < 4; k++) {
            top[k] = LANES(all)(-(REAL)INFINITY);
            for (int b = 0; b < blocks; b++) {
                const int x = b * GAPLESS_BLOCK;
                const BLOCK local =
                    b == blocks - 1 ? LANES(load_some)(theta[k] + x, tail) : LANES(load)(theta[k] + x);
                const BLOCK sum = LANES(add)(local, LANES(load)(base[k] + x));
                improper[k] |= LANES(improper)(local);
                LANES(store)(rows[k] + x, sum);
                top[k] = LANES(max)(LANES(tagged)(sum, LANES(load)(tags + x)), top[k]);
            }
            theta[k] += labels;
        }
        gapless_fetch(ahead, (size_t)(4 * labels) * sizeof(REAL));
        LANES(largest4)(top[0], top[1], top[2], top[3], tops);
        for (int k = 0; k < 4; k++) {
            const ptrdiff_t y = TYPED(gapless_tag)(tops[k]);
            const REAL best = rows[k][y];
            const REAL *excess = all_excess + y * stride;
            const BLOCK lower_limit = LANES(all)(NAMED(threshold)(best, allowance[k]));
            uint64_t bits = 0;
            for (int b = 0; b < blocks; b++) {
                const int x = b * GAPLESS_BLOCK;
                const BLOCK forward = LANES(add)(LANES(load)(rows[k] + x), LANES(load)(excess + x));
                bits |= (uint64_t)LANES(at_least)(forward, lower_limit) << x;
            }
            if (GAPLESS_RARE(bits != (uint64_t)1 << y)) {
                LANE *lane = lanes + k;
                const ptrdiff_t start = lane->used;
                ptrdiff_t count = 0;
                if (base[k] != lane->offer)
                    NAMED(start_afresh)(scores, lane);
                lane->next_position = out[k] - lane->labels;
                several[k]++;
                if (NAMED(reserve)(scores, lane)) {
                    state[k] = NAMED(FAILED);
                } else {
                    for (int b = 0; b < blocks; b++) {
                        const int x = b * GAPLESS_BLOCK;
                        count +=
                            LANES(collect)(LANES(load)(rows[k] + x), (unsigned)(bits >> x) & 0xFFFFu, best, x,
                                           lane->members + start + count, lane->message + start + count);
                    }
                    state[k] = NAMED(settle)(scores, lane, start, count, y, best, may_stop);
                }
                stopped |= state[k];
                base[k] = lane->base;
                allowance[k] = lane->allowance;
            } else {
                *out[k] = y;
                base[k] = moves + y * stride;
                allowance[k] = fresh;
            }
            out[k]++;
        }
    }
    for (int k = 0; k < 4; k++) {
        LANE *lane = lanes + k;
        lane->theta = theta[k];
        lane->base = base[k];
        lane->next_position = out[k] - lane->labels;
        lane->improper = improper[k];
        lane->survivors += step - several[k];
        if (base[k] != lane->offer)
            NAMED(start_afresh)(scores, lane);
    }
}

TARGET static GAPLESS_NEVER void NAMED(march_some)(const SCORES *scores, LANE *lanes, const REAL *tags,
                                                   ptrdiff_t steps, int *state, int may_stop,
                                                   gapless_ahead *ahead)
{
    const ptrdiff_t blocks = scores->stride / GAPLESS_BLOCK;
    GAPLESS_ASSERT(1 <= blocks && blocks <= 4);
    if (blocks == 1)
        NAMED(march)(1, scores, lanes, tags, steps, state, may_stop, ahead);
    else if (blocks == 2)
        NAMED(march)(2, scores, lanes, tags, steps, state, may_stop, ahead);
    else if (blocks == 3)
        NAMED(march)(3, scores, lanes, tags, steps, state, may_stop, ahead);
    else
        NAMED(march)(4, scores, lanes, tags, steps, state, may_stop, ahead);
}

/* The same for any number of labels and of active lanes. */
TARGET static void NAMED(walk)(const SCORES *scores, LANE *lanes, ptrdiff_t steps, int *state, int may_stop,
                               gapless_ahead *ahead)
{
    int stopped = 0;
    for (ptrdiff_t step = 0; step < steps && !stopped; step++) {
        for (int k = 0; k < 4; k++)
            if (lanes[k].active)
                NAMED(scan)(scores, lanes + k, ahead);
        for (int k = 0; k < 4; k++)
            if (lanes[k].active)
                stopped |= state[k] = NAMED(prune)(scores, lanes + k, may_stop);
    }
}

/* Decode some sentences by Viterbi, where all labels survive. Returns -1 without memory. */
TARGET static int NAMED(viterbi_keeping_all)(const SCORES *scores, const BATCH *batch, const int64_t *which,
                                             ptrdiff_t count)
{
    if (NAMED(viterbi)(scores, batch, which, count))
        return -1;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t s = which ? which[i] : i, begin = batch->offsets[s],
                        n = batch->offsets[s + 1] - begin;
        if (batch->survivors)
            batch->survivors[s] = n * scores->labels;
        if (batch->keep_mask) {
            memset(batch->keep_mask + begin * scores->labels, 1, (size_t)(n * scores->labels));
            for (ptrdiff_t t = begin; t < begin + n; t++)
                batch->dominators[t] = batch->labels[t] < 0 ? 0 : batch->labels[t];
        }
    }
    return 0;
}

/* Prepare four idle lanes, which close_lanes frees in any case. -1 without memory. */
TARGET static int NAMED(open_lanes)(ptrdiff_t stride, LANE *lanes)
{
    /* `row` may be read as far as its last group would go. */
    const size_t size = (size_t)(3 * stride + GAPLESS_GROUP * GAPLESS_BLOCK);
    REAL *rows = gapless_aligned_rows(4 * size * sizeof(REAL));
    memset(lanes, 0, 4 * sizeof *lanes);
    if (!rows)
        return -1;
    memset(rows, 0, 4 * size * sizeof(REAL));
    for (int k = 0; k < 4; k++) {
        lanes[k].offer = rows + k * size;
        lanes[k].peaks = lanes[k].offer + stride;
        lanes[k].row = lanes[k].peaks + stride;
    }
    return 0;
}

TARGET static void NAMED(close_lanes)(LANE *lanes)
{
    free(lanes[0].offer);
    for (int k = 0; k < 4; k++) {
        free(lanes[k].records);
        free(lanes[k].members);
        free(lanes[k].message);
    }
}

/* Decode all sentences. Returns -1 without memory.
 *
 * A sentence in which so many labels survive that `viterbi` is faster is left to it as soon as that shows.
 * After such a sentence some of the next go there unread: twice as many after each, half as many after one
 * that was finished. */
TARGET static int NAMED(dominance)(const SCORES *scores, const BATCH *batch)
{
    const ptrdiff_t stride = scores->stride, blocks = stride / GAPLESS_BLOCK;
    const int together = blocks <= 4 ? 4 : 1, may_stop = !batch->keep_mask;
    ptrdiff_t upcoming = 0, dense_count = 0, skip = 0, skipped = 4;
    REAL tags[4 * GAPLESS_BLOCK];
    LANE lanes[4];
    gapless_ahead ahead = {batch->unary, (const char *)((const REAL *)batch->unary +
                                                        batch->offsets[batch->sentences] * scores->labels)};
    int failed = 0;
    for (int x = 0; x < 4 * GAPLESS_BLOCK; x++)
        tags[x] = TYPED(gapless_tag_bits)((unsigned)x);
    int64_t *dense = malloc((size_t)batch->sentences * sizeof *dense); /* sentences left to Viterbi */
    failed = NAMED(open_lanes)(stride, lanes) || !dense;
    while (!failed) {
        ptrdiff_t steps = PTRDIFF_MAX;
        int busy = 0, state[4] = {0, 0, 0, 0};
        for (int k = 0; k < together; k++) {
            LANE *lane = lanes + k;
            while (!lane->active && upcoming < batch->sentences) {
                if (skip > 0) {
                    skip--;
                    dense[dense_count++] = upcoming++;
                    continue;
                }
                NAMED(begin)(scores, batch, upcoming++, lane);
                NAMED(look_ahead)(scores, batch, upcoming, &ahead);
                if (lane->n == 1)
                    NAMED(finish)(scores, batch, lane);
            }
            if (lane->active) {
                const ptrdiff_t remaining = lane->n - 1 - lane->next_position;
                steps = remaining < steps ? remaining : steps;
                busy++;
            }
        }
        if (busy == 0)
            break;
        if (busy == 4 && blocks <= 4)
            NAMED(march_some)(scores, lanes, tags, steps, state, may_stop, &ahead);
        else
            NAMED(walk)(scores, lanes, steps, state, may_stop, &ahead);
        for (int k = 0; k < 4; k++) {
            LANE *lane = lanes + k;
            if (!lane->active)
                continue;
            if (state[k] == NAMED(FAILED)) {
                failed = 1;
            } else if (state[k] == NAMED(DEAD)) {
                NAMED(abandon)(scores, batch, lane, GAPLESS_INFEASIBLE);
            } else if (DOUBTS && state[k] == NAMED(TOO_MANY)) {
                NAMED(abandon)(scores, batch, lane, GAPLESS_DOUBTFUL);
            } else if (state[k] == NAMED(DENSE) || state[k] == NAMED(TOO_MANY)) {
                dense[dense_count++] = lane->sentence;
                lane->active = 0;
                skip = skipped;
                skipped = skipped < 64 ? 2 * skipped : skipped;
            } else if (lane->next_position == lane->n - 1) {
                NAMED(finish)(scores, batch, lane);
                skipped = skipped > 4 ? skipped / 2 : skipped;
            }
        }
    }
    if (!failed && dense_count)
        failed = NAMED(viterbi_keeping_all)(scores, batch, dense, dense_count);
    NAMED(close_lanes)(lanes);
    free(dense);
    return failed ? -1 : 0;
}

#undef BLOCK
#undef SCORES
#undef BATCH
#undef LANE
#undef RECORD
