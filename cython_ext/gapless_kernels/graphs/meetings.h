/* Growth of the balls around all points until they meet; included once for each width, after
 * graphs/waves.h. */

/* Grow the balls of the sources in `grow` by a step, from entry `index` of the front on; the others wait. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(grow), (graph_waves *waves, ptrdiff_t index), (waves, index))
{
    int64_t edges = 0;
    for (; index < waves->front_count && edges < GRAPH_CHUNK; index++) {
        const int32_t v = waves->front[index];
        const int64_t end = waves->offsets[v + 1];
        uint64_t *pending = waves->front_bits + (size_t)v * WORDS;
        uint64_t bits[WORDS], growing = 0, waiting = 0;
        for (int w = 0; w < WORDS; w++) {
            bits[w] = pending[w] & waves->grow[w];
            pending[w] &= waves->live[w] & ~waves->grow[w];
            growing |= bits[w];
            waiting |= pending[w];
        }
        if (growing)
            for (int64_t e = waves->offsets[v]; e < end; e++)
                NAMED(arrive)(waves, waves->neighbours[e], bits);
        if (waiting)
            waves->front[waves->front_kept++] = v;
        edges += growing ? end - waves->offsets[v] + 1 : 1;
    }
    return index;
}

/* Record the meetings of arriving sources with others at the same vertex; `fresh`: with those that arrive
 * there, too. */
static ptrdiff_t NAMED(meet)(graph_waves *waves, ptrdiff_t index, int fresh)
{
    int64_t work = 0;
    for (; index < waves->next_count && work < GRAPH_CHUNK && waves->open_pairs; index++) {
        const uint64_t *reached = NAMED(row)(waves, waves->next[index]), *arriving = reached + WORDS;
        uint64_t others[WORDS], any = 0, several = 0;
        for (int w = 0; w < WORDS; w++) {
            others[w] = (fresh ? arriving[w] : reached[w]) & waves->live[w];
            several |= (others[w] & (others[w] - 1)) | (any ? others[w] : 0);
            any |= others[w];
        }
        work++;
        if (!(fresh ? several : any)) /* no other source is here */
            continue;
        for (int w = 0; w < WORDS; w++)
            for (uint64_t bits = arriving[w]; bits; bits &= bits - 1) {
                const int s = 64 * w + gapless_lowest(bits);
                for (int x = 0; x < WORDS; x++) {
                    uint64_t hits = others[x] & waves->open[s * WORDS + x];
                    for (; hits; hits &= hits - 1)
                        graph_record_meeting(waves, WORDS, s, 64 * x + gapless_lowest(hits), 1 + fresh);
                }
                work += WORDS;
            }
    }
    return index;
}

/* Mark the arriving bits as reached, and as waiting for their next step. */
static void NAMED(rest)(graph_waves *waves)
{
    for (ptrdiff_t i = 0; i < waves->next_count; i++) {
        const int32_t v = waves->next[i];
        const int64_t degree = waves->offsets[v + 1] - waves->offsets[v];
        uint64_t *reached = NAMED(row)(waves, v), *arriving = reached + WORDS;
        uint64_t *pending = waves->front_bits + (size_t)v * WORDS, previous = 0, waiting = 0, any = 0;
        for (int w = 0; w < WORDS; w++)
            previous |= reached[w];
        if (!previous) {
            waves->touched[waves->touched_count++] = v;
            memset(pending, 0, WORDS * sizeof *pending);
        }
        for (int w = 0; w < WORDS; w++) {
            for (uint64_t bits = arriving[w]; bits; bits &= bits - 1) {
                const int s = 64 * w + gapless_lowest(bits);
                waves->cost[s] += degree;
                waves->waiting[s]++;
            }
            reached[w] |= arriving[w];
            waiting |= pending[w];
            pending[w] |= arriving[w] & waves->live[w];
            any |= pending[w];
            arriving[w] = 0;
        }
        if (any && !waiting)
            waves->front[waves->front_kept++] = v;
    }
    waves->front_count = waves->front_kept;
    waves->next_count = 0;
}
