/* The loops of graphs/distances.h for rows of WORDS words; included once for each width. */

/* Whether `have` covers all bits of `want`. */
GAPLESS_INLINE int NAMED(covered)(const uint64_t *have, const uint64_t *want)
{
    uint64_t missing = 0;
    for (int w = 0; w < WORDS; w++)
        missing |= want[w] & ~have[w];
    return !missing;
}

/* Bits arrive at vertex u: those that it has not had yet. */
GAPLESS_INLINE void NAMED(arrive)(graph_waves *waves, int32_t u, const uint64_t *bits)
{
    uint64_t *reached = waves->rows + (size_t)u * 2 * WORDS, *arriving = reached + WORDS;
    uint64_t any = 0, before = 0;
    for (int w = 0; w < WORDS; w++) {
        const uint64_t add = bits[w] & ~reached[w];
        before |= arriving[w];
        arriving[w] |= add;
        any |= add;
    }
    if (any && !before)
        waves->next[waves->next_count++] = u;
}

/* Carry the bits of the front from entry `at` on to the neighbours, until some edges are done; where to go on. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(push), (graph_waves *waves, ptrdiff_t at), (waves, at))
{
    int64_t edges = 0;
    for (; at < waves->front_count && edges < GRAPH_CHUNK; at++) {
        const int32_t v = waves->front[at];
        const int64_t end = waves->offsets[v + 1];
        uint64_t bits[WORDS];
        memcpy(bits, waves->front_bits + at * WORDS, sizeof bits);
        for (int64_t e = waves->offsets[v]; e < end; e++) {
            if (e + GRAPH_AHEAD < end)
                gapless_prefetch(waves->rows + (size_t)waves->neighbours[e + GRAPH_AHEAD] * 2 * WORDS);
            NAMED(arrive)(waves, waves->neighbours[e], bits);
        }
        edges += end - waves->offsets[v] + 1;
    }
    return at;
}

/* The same from the other end, where most vertices are in the front: each vertex looks what its neighbours have. */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(pull), (graph_waves *waves, ptrdiff_t at), (waves, at))
{
    int64_t edges = 0;
    for (; at < waves->n && edges < GRAPH_CHUNK; at++) {
        const uint64_t *reached = waves->rows + (size_t)at * 2 * WORDS;
        const int64_t end = waves->offsets[at + 1];
        uint64_t want[WORDS], found[WORDS] = {0};
        int64_t e = waves->offsets[at];
        for (int w = 0; w < WORDS; w++)
            want[w] = waves->live[w] & ~reached[w];
        for (; e < end && !NAMED(covered)(found, want); e++) {
            if (e + GRAPH_AHEAD < end)
                gapless_prefetch(waves->rows + (size_t)waves->neighbours[e + GRAPH_AHEAD] * 2 * WORDS);
            const uint64_t *near = waves->rows + (size_t)waves->neighbours[e] * 2 * WORDS;
            for (int w = 0; w < WORDS; w++)
                found[w] |= near[w];
        }
        edges += e - waves->offsets[at] + 1;
        for (int w = 0; w < WORDS; w++)
            found[w] &= want[w];
        NAMED(arrive)(waves, (int32_t)at, found);
    }
    return at;
}

/* Whoever of `go` reached a member of a clique reaches all members. */
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

/* What arrived has been reached, and is the next front. */
static void NAMED(settle)(graph_waves *waves)
{
    ptrdiff_t count = 0;
    waves->front_edges = 0;
    for (ptrdiff_t i = 0; i < waves->next_count; i++) {
        const int32_t u = waves->next[i];
        uint64_t *reached = waves->rows + (size_t)u * 2 * WORDS, *arriving = reached + WORDS;
        uint64_t *bits = waves->front_bits + count * WORDS, before = 0, any = 0;
        for (int w = 0; w < WORDS; w++) {
            before |= reached[w];
            reached[w] |= arriving[w];
            bits[w] = arriving[w] & waves->live[w];
            arriving[w] = 0;
            any |= bits[w];
        }
        if (!before)
            waves->touched[waves->touched_count++] = u;
        if (any) {
            waves->front[count++] = u;
            waves->front_edges += waves->offsets[u + 1] - waves->offsets[u];
        }
    }
    waves->front_count = count;
    waves->next_count = 0;
}

/* One level closer to the targets: what the first `count` vertices of the need list find at their neighbours.
 *
 * The first step reads the rows, later ones read `from`, by place in the need list. The last step ends at the
 * targets, which ask for their open sources only.
 */
GAPLESS_VERSIONS(ptrdiff_t, NAMED(gather), (graph_waves *waves, ptrdiff_t at, ptrdiff_t count, int last,
                                            const uint64_t *from, uint64_t *to), (waves, at, count, last, from, to))
{
    int64_t edges = 0;
    for (; at < count && edges < GRAPH_CHUNK; at++) {
        const int32_t v = waves->need[at];
        const int64_t end = waves->offsets[v + 1];
        const uint64_t *want = last ? waves->open + at * WORDS : waves->live;
        uint64_t found[WORDS];
        int64_t e = waves->offsets[v];
        memcpy(found, from ? from + at * WORDS : waves->rows + (size_t)v * 2 * WORDS, sizeof found);
        if (from)
            for (; e < end && !NAMED(covered)(found, want); e++) {
                const uint64_t *near = from + (size_t)waves->place[waves->neighbours[e]] * WORDS;
                for (int w = 0; w < WORDS; w++)
                    found[w] |= near[w];
            }
        else
            for (; e < end && !NAMED(covered)(found, want); e++) {
                if (e + GRAPH_AHEAD < end)
                    gapless_prefetch(waves->rows + (size_t)waves->neighbours[e + GRAPH_AHEAD] * 2 * WORDS);
                const uint64_t *near = waves->rows + (size_t)waves->neighbours[e] * 2 * WORDS;
                for (int w = 0; w < WORDS; w++)
                    found[w] |= near[w];
            }
        memcpy(to + at * WORDS, found, sizeof found);
        edges += e - waves->offsets[v] + 1;
    }
    return at;
}

static void NAMED(gather_cliques)(graph_waves *waves, ptrdiff_t count, const uint64_t *from, uint64_t *to)
{
    for (ptrdiff_t c = 0; c < waves->clique_count; c++) {
        const int64_t begin = waves->clique_first[c], end = waves->clique_first[c + 1];
        uint64_t bits[WORDS] = {0};
        int asked = 0;
        for (int64_t i = begin; i < end && !asked; i++)
            asked = graph_needed(waves, waves->clique_members[i], count);
        if (!asked)
            continue;
        for (int64_t i = begin; i < end; i++) {
            const size_t m = waves->clique_members[i];
            const uint64_t *near = from ? from + (size_t)waves->place[m] * WORDS : waves->rows + m * 2 * WORDS;
            for (int w = 0; w < WORDS; w++)
                bits[w] |= near[w];
        }
        for (int64_t i = begin; i < end; i++)
            if (graph_needed(waves, waves->clique_members[i], count))
                for (int w = 0; w < WORDS; w++)
                    to[(size_t)waves->place[waves->clique_members[i]] * WORDS + w] |= bits[w];
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

/* Forget a search: only what it touched, if that is little. */
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
