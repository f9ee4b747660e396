/* Viterbi for many sentences, four at a time. Included by _chain_kernels.h for each version. */

#define BLOCK LANES(block)
#define SCORES TYPED(chain_scores)
#define BATCH gapless_batch

/* Float32 messages are brought back to about zero now and then, so that a long sentence loses no digits. */
#define RENORMALISE 16

TARGET static REAL NAMED(row_largest)(const REAL *row, ptrdiff_t stride)
{
    BLOCK best = LANES(all)(-(REAL)INFINITY);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK)
        best = LANES(max)(LANES(load)(row + x), best);
    return LANES(largest)(best);
}

/* The first label with the largest of first[x] + second[x]; in range whatever the values are. */
TARGET static GAPLESS_ALWAYS ptrdiff_t NAMED(best_sum)(const REAL *first, const REAL *second, ptrdiff_t stride,
                                                      REAL *largest)
{
    BLOCK best = LANES(all)(-(REAL)INFINITY);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK)
        best = LANES(max)(LANES(add)(LANES(load)(first + x), LANES(load)(second + x)), best);
    *largest = LANES(largest)(best);
    best = LANES(all)(*largest);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK) {
        const unsigned found =
            LANES(at_least)(LANES(add)(LANES(load)(first + x), LANES(load)(second + x)), best);
        if (found)
            return x + gapless_lowest(found);
    }
    return 0;
}

/* How many of first[x] + second[x] are at least `level`. */
TARGET static GAPLESS_ALWAYS int NAMED(count_sums)(const REAL *first, const REAL *second, ptrdiff_t stride, REAL level)
{
    const BLOCK least = LANES(all)(level);
    int found = 0;
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK) {
        unsigned bits = LANES(at_least)(LANES(add)(LANES(load)(first + x), LANES(load)(second + x)), least);
        for (; bits; bits &= bits - 1)
            found++;
    }
    return found;
}

/* The largest finite size of a message in a row. */
TARGET static REAL NAMED(row_extent)(const REAL *row, ptrdiff_t stride)
{
    BLOCK most = LANES(all)(0);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK)
        most = LANES(max)(LANES(extent)(LANES(load)(row + x)), most);
    return LANES(largest)(most);
}

/* Write the best path of a sentence whose messages are known, its value and what is sure of it. */
TARGET static void NAMED(trace)(const SCORES *scores, const BATCH *batch, ptrdiff_t sentence, const REAL *messages,
                                unsigned improper)
{
    const ptrdiff_t begin = batch->offsets[sentence], n = batch->offsets[sentence + 1] - begin;
    const ptrdiff_t stride = scores->stride;
    int64_t *labels = batch->labels + begin;
    REAL largest, sizes = 0;
    ptrdiff_t y = NAMED(best_sum)(messages + (n - 1) * stride, scores->last, stride, &largest);
    batch->values[sentence] = -INFINITY;
    if (!(largest > -(REAL)INFINITY) || improper) {
        /* A sum of huge float32 scores may have overflowed to what looks forbidden. */
        for (ptrdiff_t i = 0; i < n; i++) {
            labels[i] = -1;
            if (DOUBTS)
                sizes += NAMED(row_extent)(messages + i * stride, stride);
        }
        batch->status[sentence] = improper                                           ? GAPLESS_INVALID
                                  : DOUBTS && !(sizes + scores->largest < LIMIT) ? GAPLESS_DOUBTFUL
                                                                                 : GAPLESS_INFEASIBLE;
        return;
    }
    labels[n - 1] = y;
    for (ptrdiff_t i = n - 2; i >= 0; i--) {
        REAL unused;
        y = NAMED(best_sum)(messages + i * stride, scores->arrivals + y * stride, stride, &unused);
        labels[i] = y;
    }
    batch->values[sentence] = TYPED(path_value)(scores, (const REAL *)batch->unary + begin * scores->labels, labels, n);
    batch->status[sentence] = GAPLESS_DECIDED;
    if (!DOUBTS)
        return;
    /* Each message is at most the bound away from what exact sums would give, and what matters is no larger than
     * the path's own message and four transitions: a prefix that is lower loses to the best one at the next step.
     * Where transitions are forbidden that need not be, and every finite message counts. */
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL *row = messages + i * stride;
        sizes += scores->finite ? 4 * scores->largest + (row[labels[i]] < 0 ? -row[labels[i]] : row[labels[i]])
                                : NAMED(row_extent)(row, stride);
    }
    const REAL bound = 2 * ROUNDING * (4 * sizes + 12 * scores->largest * (REAL)(n + 1)) + TINY;
    int doubtful = !(bound < LIMIT) ||
                   NAMED(count_sums)(messages + (n - 1) * stride, scores->last, stride, largest - bound) != 1;
    for (ptrdiff_t i = 0; i + 1 < n && !doubtful; i++) {
        const REAL *row = messages + i * stride, *column = scores->arrivals + labels[i + 1] * stride;
        doubtful = NAMED(count_sums)(row, column, stride, (row[labels[i]] + column[labels[i]]) - bound) != 1;
    }
    if (doubtful)
        batch->status[sentence] = GAPLESS_DOUBTFUL;
}

/* Fetch the scores of sentences before number `upcoming`, as far as that has not been done. */
TARGET static void NAMED(look_ahead)(const SCORES *scores, const BATCH *batch, ptrdiff_t upcoming,
                                     gapless_ahead *ahead)
{
    const char *stop = (const char *)((const REAL *)batch->unary + batch->offsets[upcoming] * scores->labels);
    if (ahead->next < stop) {
        /* No more than a long sentence's beginning: the rest is fetched while it is read. */
        const size_t bytes = (size_t)(stop - ahead->next), most = 8192;
        gapless_fetch(ahead, bytes < most ? bytes : most);
    }
}

typedef struct {
    ptrdiff_t sentence, at, last, capacity;
    REAL *messages;
    unsigned improper;
} NAMED(viterbi_lane);

/* Take sentence number `sentence` into a lane; -1 when there is no memory. */
TARGET static int NAMED(enter)(const SCORES *scores, const BATCH *batch, ptrdiff_t sentence, NAMED(viterbi_lane) *lane)
{
    const ptrdiff_t begin = batch->offsets[sentence], n = batch->offsets[sentence + 1] - begin;
    const ptrdiff_t k = scores->labels, stride = scores->stride;
    const REAL *unary = (const REAL *)batch->unary + begin * k;
    if (n > lane->capacity) {
        free(lane->messages);
        lane->messages = gapless_room((size_t)n * (size_t)stride * sizeof(REAL));
        lane->capacity = lane->messages ? n : 0;
        if (!lane->messages)
            return -1;
    }
    lane->sentence = sentence;
    lane->at = 0;
    lane->last = n - 1;
    lane->improper = 0;
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK) {
        const BLOCK local = LANES(load_some)(unary + x, k - x < GAPLESS_BLOCK ? (1u << (k - x)) - 1 : 0xFFFFu);
        lane->improper |= LANES(improper)(local);
        LANES(store)(lane->messages + x, LANES(add)(local, LANES(load)(scores->first + x)));
    }
    return 0;
}

/* Decode `count` sentences: those that `which` lists, or all from 0 when it is NULL. Returns -1 without memory. */
TARGET static int NAMED(viterbi)(const SCORES *scores, const BATCH *batch, const int64_t *which, ptrdiff_t count)
{
    const ptrdiff_t k = scores->labels, stride = scores->stride;
    NAMED(viterbi_lane) lanes[4];
    ptrdiff_t upcoming = 0;
    gapless_ahead ahead = {batch->unary, (const char *)((const REAL *)batch->unary +
                                                        batch->offsets[batch->sentences] * scores->labels)};
    int failed = 0;
    memset(lanes, 0, sizeof lanes);
    for (int i = 0; i < 4; i++)
        lanes[i].sentence = -1;
    for (;;) {
        const REAL *before[4], *unary[4];
        REAL *after[4];
        unsigned improper[4] = {0, 0, 0, 0};
        int busy[4], filled = 0;
        for (int i = 0; i < 4; i++) {
            NAMED(viterbi_lane) *lane = lanes + i;
            while (!failed && (lane->sentence < 0 || lane->at == lane->last)) {
                if (lane->sentence >= 0)
                    NAMED(trace)(scores, batch, lane->sentence, lane->messages, lane->improper);
                lane->sentence = -1;
                if (upcoming == count)
                    break;
                failed = NAMED(enter)(scores, batch, which ? which[upcoming] : upcoming, lane);
                upcoming++;
                if (!which)
                    NAMED(look_ahead)(scores, batch, upcoming, &ahead);
            }
            if (failed)
                break;
            if (lane->sentence < 0)
                continue;
            before[filled] = lane->messages + lane->at * stride;
            lane->at++;
            after[filled] = lane->messages + lane->at * stride;
            unary[filled] = (const REAL *)batch->unary + (batch->offsets[lane->sentence] + lane->at) * k;
            busy[filled++] = i;
        }
        if (failed || filled == 0)
            break;
        if (!which)
            gapless_fetch(&ahead, (size_t)(filled * k) * sizeof(REAL));
        if (filled == 4)
            NAMED(product4)(before, scores->moves, stride, k, k, unary, improper, after);
        else
            for (int i = 0; i < filled; i++)
                NAMED(product1)(before + i, scores->moves, stride, k, k, unary + i, improper + i, after + i);
        for (int i = 0; i < filled; i++) {
            NAMED(viterbi_lane) *lane = lanes + busy[i];
            lane->improper |= improper[i];
            if (DOUBTS && lane->at % RENORMALISE == 0) {
                const REAL level = NAMED(row_largest)(after[i], stride);
                if (level > -(REAL)INFINITY && level < (REAL)INFINITY)
                    for (ptrdiff_t x = 0; x < stride; x++)
                        after[i][x] -= level;
            }
        }
    }
    for (int i = 0; i < 4; i++)
        free(lanes[i].messages);
    return failed;
}

#undef RENORMALISE
#undef BLOCK
#undef SCORES
#undef BATCH
