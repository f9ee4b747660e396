/* Viterbi for many sentences, four at a time.
 *
 * Second of three pieces of one translation unit, chains/loops.h: max_plus.h, viterbi.h, dominance.h. */

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

/* best_sum() for rows of `blocks` <= 4 blocks, without an unpredictable branch on the block of the
 * maximum. */
TARGET static GAPLESS_ALWAYS ptrdiff_t NAMED(best_of_few)(const int blocks, const REAL *first,
                                                          const REAL *second, REAL *largest)
{
    BLOCK sums[4], best = LANES(all)(-(REAL)INFINITY);
    uint64_t hits = 0;
    for (int b = 0; b < blocks; b++) {
        sums[b] = LANES(add)(LANES(load)(first + b * GAPLESS_BLOCK), LANES(load)(second + b * GAPLESS_BLOCK));
        best = LANES(max)(sums[b], best);
    }
    *largest = LANES(largest)(best);
    best = LANES(all)(*largest);
    for (int b = 0; b < blocks; b++)
        hits |= (uint64_t)LANES(at_least)(sums[b], best) << b * GAPLESS_BLOCK;
    return hits ? gapless_lowest(hits) : 0;
}

/* The first label with the largest of first[x] + second[x]; in range whatever the values are. */
TARGET static GAPLESS_ALWAYS ptrdiff_t NAMED(best_sum)(const REAL *first, const REAL *second,
                                                       ptrdiff_t stride, REAL *largest)
{
    switch (stride / GAPLESS_BLOCK) {
    case 1:
        return NAMED(best_of_few)(1, first, second, largest);
    case 2:
        return NAMED(best_of_few)(2, first, second, largest);
    case 3:
        return NAMED(best_of_few)(3, first, second, largest);
    case 4:
        return NAMED(best_of_few)(4, first, second, largest);
    }
    BLOCK best = LANES(all)(-(REAL)INFINITY);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK)
        best = LANES(max)(LANES(add)(LANES(load)(first + x), LANES(load)(second + x)), best);
    *largest = LANES(largest)(best);
    best = LANES(all)(*largest);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK) {
        const unsigned hits =
            LANES(at_least)(LANES(add)(LANES(load)(first + x), LANES(load)(second + x)), best);
        if (hits)
            return x + gapless_lowest(hits);
    }
    return 0;
}

/* How many of first[x] + second[x] are at least `level`. */
TARGET static GAPLESS_ALWAYS int NAMED(count_sums)(const REAL *first, const REAL *second, ptrdiff_t stride,
                                                  REAL level)
{
    const BLOCK lower_limit = LANES(all)(level);
    int hits = 0;
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK)
        hits += gapless_count(
            LANES(at_least)(LANES(add)(LANES(load)(first + x), LANES(load)(second + x)), lower_limit));
    return hits;
}

/* The largest finite size of a message in a row. */
TARGET static REAL NAMED(row_extent)(const REAL *row, ptrdiff_t stride)
{
    BLOCK extents = LANES(all)(0);
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK)
        extents = LANES(max)(LANES(extent)(LANES(load)(row + x)), extents);
    return LANES(largest)(extents);
}

typedef struct {
    ptrdiff_t sentence, position, last, capacity;
    REAL *messages;
    REAL largest;       /* the best score, after `follow` */
    unsigned improper;
} NAMED(viterbi_lane);

/* Follow the best paths of up to four sentences back at once: each step waits for the one before it, those of
 * other sentences fill the time. Labels are -1 where there is no path. */
TARGET static void NAMED(follow)(const SCORES *scores, const BATCH *batch, NAMED(viterbi_lane) *const *lanes,
                                 int count)
{
    const ptrdiff_t stride = scores->stride;
    ptrdiff_t positions[4] = {-1, -1, -1, -1}, y[4] = {0, 0, 0, 0}, longest = -1;
    int64_t *labels[4];
    const REAL *messages[4];
    for (int k = 0; k < count; k++) {
        NAMED(viterbi_lane) *lane = lanes[k];
        messages[k] = lane->messages;
        labels[k] = batch->labels + batch->offsets[lane->sentence];
        y[k] = NAMED(best_sum)(messages[k] + lane->last * stride, scores->last, stride, &lane->largest);
        if (!(lane->largest > -(REAL)INFINITY) || lane->improper) {
            for (ptrdiff_t i = 0; i <= lane->last; i++)
                labels[k][i] = -1;
            continue;
        }
        labels[k][lane->last] = y[k];
        positions[k] = lane->last - 1;
        longest = positions[k] > longest ? positions[k] : longest;
    }
    for (; longest >= 0; longest--)
        for (int k = 0; k < count; k++)
            if (positions[k] >= 0) {
                REAL unused;
                const REAL *column = scores->arrivals + y[k] * stride;
                y[k] = NAMED(best_sum)(messages[k] + positions[k] * stride, column, stride, &unused);
                labels[k][positions[k]--] = y[k];
            }
}

/* Write the score and the status of a path that `follow` has traced. */
TARGET static void NAMED(appraise)(const SCORES *scores, const BATCH *batch, const NAMED(viterbi_lane) *lane)
{
    const ptrdiff_t sentence = lane->sentence, begin = batch->offsets[sentence], n = lane->last + 1;
    const ptrdiff_t stride = scores->stride;
    const int64_t *labels = batch->labels + begin;
    const REAL *messages = lane->messages;
    REAL sizes = 0;
    if (labels[0] < 0) {
        batch->values[sentence] = -INFINITY;
        /* A sum of huge float32 scores may have overflowed to what looks forbidden. */
        for (ptrdiff_t i = 0; i < n && DOUBTS; i++)
            sizes += NAMED(row_extent)(messages + i * stride, stride);
        batch->status[sentence] = lane->improper                                     ? GAPLESS_INVALID
                                  : DOUBTS && !(sizes + scores->largest < LIMIT) ? GAPLESS_DOUBTFUL
                                                                                 : GAPLESS_INFEASIBLE;
        return;
    }
    batch->values[sentence] =
        TYPED(path_value)((const REAL *)batch->unary + begin * scores->labels, n, scores->labels,
                          scores->transition, scores->initial, scores->final, labels);
    batch->status[sentence] = GAPLESS_DECIDED;
    if (!DOUBTS)
        return;
    /* Each message is at most the bound away from what exact sums would give, and what matters is no larger
     * than the path's own message and four transitions: a prefix that is lower loses to the best one at the
     * next step. Where transitions are forbidden that need not be, and every finite message counts. */
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL *row = messages + i * stride;
        sizes += scores->finite
                     ? 4 * scores->largest + (row[labels[i]] < 0 ? -row[labels[i]] : row[labels[i]])
                     : NAMED(row_extent)(row, stride);
    }
    const REAL bound = 2 * ROUNDING * (4 * sizes + 12 * scores->largest * (REAL)(n + 1)) + TINY;
    int doubtful = !(bound < LIMIT) || NAMED(count_sums)(messages + (n - 1) * stride, scores->last, stride,
                                                         lane->largest - bound) != 1;
    for (ptrdiff_t i = 0; i + 1 < n && !doubtful; i++) {
        const REAL *row = messages + i * stride, *column = scores->arrivals + labels[i + 1] * stride;
        doubtful = NAMED(count_sums)(row, column, stride, (row[labels[i]] + column[labels[i]]) - bound) != 1;
    }
    if (doubtful)
        batch->status[sentence] = GAPLESS_DOUBTFUL;
}

/* Fetch the scores of the sentence before number `upcoming`, as far as that has not been done. */
TARGET static void NAMED(look_ahead)(const SCORES *scores, const BATCH *batch, ptrdiff_t upcoming,
                                     gapless_ahead *ahead)
{
    const char *stop = (const char *)((const REAL *)batch->unary + batch->offsets[upcoming] * scores->labels);
    const char *start =
        (const char *)((const REAL *)batch->unary + batch->offsets[upcoming - 1] * scores->labels);
    if (ahead->next < start)
        ahead->next = start;
    if (ahead->next < stop) {
        /* No more than a long sentence's beginning: the rest is fetched while it is read. */
        const size_t bytes = (size_t)(stop - ahead->next), most = 8192;
        gapless_fetch(ahead, bytes < most ? bytes : most);
    }
}

/* Take sentence number `sentence` into a lane; -1 when there is no memory. */
TARGET static int NAMED(enter)(const SCORES *scores, const BATCH *batch, ptrdiff_t sentence,
                               NAMED(viterbi_lane) *lane)
{
    const ptrdiff_t begin = batch->offsets[sentence], n = batch->offsets[sentence + 1] - begin;
    const ptrdiff_t k = scores->labels, stride = scores->stride;
    const REAL *unary = (const REAL *)batch->unary + begin * k;
    if (n > lane->capacity) {
        free(lane->messages);
        lane->messages = gapless_aligned_rows((size_t)n * (size_t)stride * sizeof(REAL));
        lane->capacity = lane->messages ? n : 0;
        if (!lane->messages)
            return -1;
    }
    lane->sentence = sentence;
    lane->position = 0;
    lane->last = n - 1;
    lane->improper = 0;
    for (ptrdiff_t x = 0; x < stride; x += GAPLESS_BLOCK) {
        const BLOCK local =
            LANES(load_some)(unary + x, k - x < GAPLESS_BLOCK ? (1u << (k - x)) - 1 : 0xFFFFu);
        lane->improper |= LANES(improper)(local);
        LANES(store)(lane->messages + x, LANES(add)(local, LANES(load)(scores->first + x)));
    }
    return 0;
}

/* Decode `count` sentences: those that `which` lists, or all from 0 when it is NULL. Returns -1 without
 * memory.
 *
 * Four lanes step together; one that has read its sentence hands it over and takes the next, so no sorting by
 * length is needed. What is left in the end, at most three sentences, is finished one by one. */
TARGET static int NAMED(viterbi)(const SCORES *scores, const BATCH *batch, const int64_t *which,
                                 ptrdiff_t count)
{
    const ptrdiff_t k = scores->labels, stride = scores->stride;
    NAMED(viterbi_lane) pool[8], *lanes[4], *idle[8], *read[4];
    ptrdiff_t upcoming = 0;
    gapless_ahead ahead = {batch->unary, (const char *)((const REAL *)batch->unary +
                                                        batch->offsets[batch->sentences] * scores->labels)};
    int failed = 0, idles = 8, reads = 0;
    memset(pool, 0, sizeof pool);
    for (int i = 0; i < 8; i++)
        idle[i] = pool + 7 - i;
    for (int i = 0; i < 4; i++)
        lanes[i] = NULL;
    while (!failed) {
        const REAL *previous[4], *unary[4];
        REAL *current[4];
        unsigned improper[4] = {0, 0, 0, 0};
        NAMED(viterbi_lane) *busy[4];
        int filled = 0;
        for (int i = 0; i < 4; i++) {
            while (!lanes[i] || lanes[i]->position == lanes[i]->last) {
                if (lanes[i])
                    read[reads++] = lanes[i];
                lanes[i] = NULL;
                if (reads == 4 || (reads && upcoming == count)) {
                    NAMED(follow)(scores, batch, read, reads);
                    for (; reads; idle[idles++] = read[reads])
                        NAMED(appraise)(scores, batch, read[--reads]);
                }
                if (upcoming == count)
                    break;
                lanes[i] = idle[--idles];
                failed = NAMED(enter)(scores, batch, which ? which[upcoming] : upcoming, lanes[i]);
                if (failed)
                    break;
                upcoming++;
                NAMED(look_ahead)(scores, batch, lanes[i]->sentence + 1, &ahead);
            }
            if (failed)
                break;
            if (!lanes[i])
                continue;
            previous[filled] = lanes[i]->messages + lanes[i]->position * stride;
            lanes[i]->position++;
            current[filled] = lanes[i]->messages + lanes[i]->position * stride;
            unary[filled] =
                (const REAL *)batch->unary + (batch->offsets[lanes[i]->sentence] + lanes[i]->position) * k;
            busy[filled++] = lanes[i];
        }
        if (failed || filled == 0)
            break;
        gapless_fetch(&ahead, (size_t)(filled * k) * sizeof(REAL));
        if (filled == 4)
            NAMED(product4)(previous, scores->moves, stride, k, k, unary, improper, current);
        else
            for (int i = 0; i < filled; i++)
                NAMED(product1)(previous + i, scores->moves, stride, k, k, unary + i, improper + i,
                                current + i);
        for (int i = 0; i < filled; i++) {
            busy[i]->improper |= improper[i];
            if (DOUBTS && busy[i]->position % RENORMALISE == 0) {
                const REAL level = NAMED(row_largest)(current[i], stride);
                if (level > -(REAL)INFINITY && level < (REAL)INFINITY)
                    for (ptrdiff_t x = 0; x < stride; x++)
                        current[i][x] -= level;
            }
        }
    }
    for (int i = 0; i < 8; i++)
        free(pool[i].messages);
    return failed;
}

#undef RENORMALISE
#undef BLOCK
#undef SCORES
#undef BATCH
