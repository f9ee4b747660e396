/* The loops of graphs/distances.h for rows of WORDS words; included once for each width. */

/* The row of a vertex: the sources that reached it, then those that are arriving. */
GAPLESS_INLINE uint64_t *NAMED(row)(const graph_waves *waves, size_t vertex)
{
    return waves->rows + vertex * 2 * WORDS;
}

/* Whether `available` covers all bits of `requested`. */
GAPLESS_INLINE int NAMED(covered)(const uint64_t *available, const uint64_t *requested)
{
    uint64_t missing = 0;
    for (int w = 0; w < WORDS; w++)
        missing |= requested[w] & ~available[w];
    return !missing;
}

/* Let bits arrive at vertex u, except those that have reached it. */
GAPLESS_INLINE void NAMED(arrive)(graph_waves *waves, int32_t u, const uint64_t *bits)
{
    uint64_t *reached = NAMED(row)(waves, u), *arriving = reached + WORDS;
    uint64_t any = 0, previous = 0;
    for (int w = 0; w < WORDS; w++) {
        const uint64_t add = bits[w] & ~reached[w];
        previous |= arriving[w];
        arriving[w] |= add;
        any |= add;
    }
    if (any && !previous)
        waves->next[waves->next_count++] = u;
}

/* Push the bits of the front to the neighbours, from entry `index` on until a chunk of edges is done;
 * return the next entry. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(push), (graph_waves *waves, ptrdiff_t index), (waves, index))
{
    int64_t edges = 0;
    for (; index < waves->front_count && edges < GRAPH_CHUNK; index++) {
        const int32_t v = waves->front[index];
        const int64_t end = waves->offsets[v + 1];
        uint64_t bits[WORDS];
        memcpy(bits, waves->front_bits + index * WORDS, sizeof bits);
        for (int64_t e = waves->offsets[v]; e < end; e++) {
            if (e + GRAPH_PREFETCH_DISTANCE < end)
                gapless_prefetch(NAMED(row)(waves, waves->neighbours[e + GRAPH_PREFETCH_DISTANCE]));
            NAMED(arrive)(waves, waves->neighbours[e], bits);
        }
        edges += end - waves->offsets[v] + 1;
    }
    return index;
}

/* Push from the other end, for a front of most vertices: each vertex reads the bits of its neighbours. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(pull), (graph_waves *waves, ptrdiff_t index), (waves, index))
{
    int64_t edges = 0;
    for (; index < waves->n && edges < GRAPH_CHUNK; index++) {
        const uint64_t *reached = waves->rows + (size_t)index * 2 * WORDS;
        const int64_t end = waves->offsets[index + 1];
        uint64_t requested[WORDS], arrived[WORDS] = {0};
        int64_t e = waves->offsets[index];
        for (int w = 0; w < WORDS; w++)
            requested[w] = waves->live[w] & ~reached[w];
        for (; e < end && !NAMED(covered)(arrived, requested); e++) {
            if (e + GRAPH_PREFETCH_DISTANCE < end)
                gapless_prefetch(NAMED(row)(waves, waves->neighbours[e + GRAPH_PREFETCH_DISTANCE]));
            const uint64_t *near = NAMED(row)(waves, waves->neighbours[e]);
            for (int w = 0; w < WORDS; w++)
                arrived[w] |= near[w];
        }
        edges += e - waves->offsets[index] + 1;
        for (int w = 0; w < WORDS; w++)
            arrived[w] &= requested[w];
        NAMED(arrive)(waves, (int32_t)index, arrived);
    }
    return index;
}

/* Let the sources of `go` that reached a member of a clique arrive at all members. */
static void NAMED(push_cliques)(graph_waves *waves, const uint64_t *go)
{
    for (ptrdiff_t c = 0; c < waves->clique_count; c++) {
        uint64_t bits[WORDS] = {0};
        for (int64_t i = waves->clique_first[c]; i < waves->clique_first[c + 1]; i++)
            for (int w = 0; w < WORDS; w++)
                bits[w] |= waves->rows[(size_t)waves->clique_members[i] * 2 * WORDS + w];
        for (int w = 0; w < WORDS; w++)
            bits[w] &= go[w];
        for (int64_t i = waves->clique_first[c]; i < waves->clique_first[c + 1]; i++)
            NAMED(arrive)(waves, waves->clique_members[i], bits);
    }
}

/* Mark the arriving bits as reached; they are the next front. */
static void NAMED(settle)(graph_waves *waves)
{
    ptrdiff_t count = 0;
    waves->front_edges = 0;
    for (ptrdiff_t i = 0; i < waves->next_count; i++) {
        const int32_t u = waves->next[i];
        uint64_t *reached = NAMED(row)(waves, u), *arriving = reached + WORDS;
        uint64_t *bits = waves->front_bits + count * WORDS, previous = 0, any = 0;
        for (int w = 0; w < WORDS; w++) {
            previous |= reached[w];
            reached[w] |= arriving[w];
            bits[w] = arriving[w] & waves->live[w];
            arriving[w] = 0;
            any |= bits[w];
        }
        if (!previous)
            waves->touched[waves->touched_count++] = u;
        if (any) {
            waves->front[count++] = u;
            waves->front_edges += waves->offsets[u + 1] - waves->offsets[u];
        }
    }
    waves->front_count = count;
    waves->next_count = 0;
}

/* Gather one level closer to the targets: the first `count` listed vertices collect the bits of their
 * neighbours.
 *
 * The first step reads the rows, later ones read `from`, by index in the list. The last step ends at the
 * targets, which collect their open sources only. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(gather),
                 (graph_waves *waves, ptrdiff_t index, ptrdiff_t count, int last, const uint64_t *from,
                  uint64_t *to),
                 (waves, index, count, last, from, to))
{
    int64_t edges = 0;
    for (; index < count && edges < GRAPH_CHUNK; index++) {
        const int32_t v = waves->listed[index];
        const int64_t end = waves->offsets[v + 1];
        const uint64_t *requested = last ? waves->open + index * WORDS : waves->live;
        uint64_t arrived[WORDS];
        int64_t e = waves->offsets[v];
        memcpy(arrived, from ? from + index * WORDS : waves->rows + (size_t)v * 2 * WORDS, sizeof arrived);
        if (from)
            for (; e < end && !NAMED(covered)(arrived, requested); e++) {
                const uint64_t *near = from + (size_t)waves->list_index[waves->neighbours[e]] * WORDS;
                for (int w = 0; w < WORDS; w++)
                    arrived[w] |= near[w];
            }
        else
            for (; e < end && !NAMED(covered)(arrived, requested); e++) {
                if (e + GRAPH_PREFETCH_DISTANCE < end)
                    gapless_prefetch(NAMED(row)(waves, waves->neighbours[e + GRAPH_PREFETCH_DISTANCE]));
                const uint64_t *near = NAMED(row)(waves, waves->neighbours[e]);
                for (int w = 0; w < WORDS; w++)
                    arrived[w] |= near[w];
            }
        memcpy(to + index * WORDS, arrived, sizeof arrived);
        edges += e - waves->offsets[v] + 1;
    }
    return index;
}

static void NAMED(gather_cliques)(graph_waves *waves, ptrdiff_t count, const uint64_t *from, uint64_t *to)
{
    for (ptrdiff_t c = 0; c < waves->clique_count; c++) {
        const int64_t begin = waves->clique_first[c], end = waves->clique_first[c + 1];
        uint64_t bits[WORDS] = {0};
        int is_listed = 0;
        for (int64_t i = begin; i < end && !is_listed; i++)
            is_listed = graph_is_listed(waves, waves->clique_members[i], count);
        if (!is_listed)
            continue;
        for (int64_t i = begin; i < end; i++) {
            const size_t m = waves->clique_members[i];
            const uint64_t *near = from ? from + (size_t)waves->list_index[m] * WORDS : NAMED(row)(waves, m);
            for (int w = 0; w < WORDS; w++)
                bits[w] |= near[w];
        }
        for (int64_t i = begin; i < end; i++)
            if (graph_is_listed(waves, waves->clique_members[i], count))
                for (int w = 0; w < WORDS; w++)
                    to[(size_t)waves->list_index[waves->clique_members[i]] * WORDS + w] |= bits[w];
    }
}

static void NAMED(start)(graph_waves *waves, const int32_t *sources, ptrdiff_t count)
{
    for (ptrdiff_t s = 0; s < count; s++) {
        uint64_t bits[WORDS] = {0};
        bits[s / 64] = (uint64_t)1 << s % 64;
        NAMED(arrive)(waves, sources[s], bits);
    }
}

/* Clear a search: only the touched rows, if these are few. */
static void NAMED(clear)(graph_waves *waves)
{
    if (waves->touched_count > waves->n / 4)
        memset(waves->rows, 0, (size_t)waves->n * 2 * WORDS * sizeof *waves->rows);
    else
        for (ptrdiff_t i = 0; i < waves->touched_count; i++)
            memset(waves->rows + (size_t)waves->touched[i] * 2 * WORDS, 0, 2 * WORDS * sizeof *waves->rows);
    /* An interrupted search leaves bits that were still arriving. */
    for (ptrdiff_t i = 0; i < waves->next_count; i++)
        memset(waves->rows + (size_t)waves->next[i] * 2 * WORDS, 0, 2 * WORDS * sizeof *waves->rows);
    waves->touched_count = waves->next_count = waves->front_count = 0;
}
