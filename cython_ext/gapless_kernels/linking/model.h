/* What is left to decide, with costs moved from pairs to members. Included once for each number type and
 * instruction set: REAL (costs), DIST (distances), WIDE (sums of costs), NAMED(f), TARGET.
 *
 * Sets stand one after another, each padded to GAPLESS_OCTET places. `sent[first[i] k + j w_i + a]` is what member a of set i
 * has taken over from its pair with set j; so a pair (a, b) still costs
 *     lift(dist[a][b]) - sent(a, j) - sent(b, i),
 * never less than nothing, and a member costs own[a], not less either: what it costs in the problem, all that it has
 * taken, and a number that is the same for its whole set and that `constant` makes up for. Whatever the numbers in
 * `sent`, whole choices cost what they did: `constant` and the least own cost of each set bound all of them. */

typedef struct {
    ptrdiff_t k, width;
    ptrdiff_t *first;  /* (k + 1) places, multiples of GAPLESS_OCTET */
    ptrdiff_t *count;  /* (k) members of each set */
    int32_t *set;      /* (k) its number in the problem */
    int32_t *member;   /* (width) its number in the problem; -1 for padding */
    DIST *dist;        /* see BLOCK; in the whole problem's model a plain (width, width) table */
    REAL *own;         /* (width) */
    REAL *sent;        /* (width * k) */
    WIDE constant;
    int shift;         /* whole distances are lifted by so many bits */
} NAMED(model);

TARGET static void NAMED(drop_model)(NAMED(model) *m)
{
    free(m->first);
    free(m->count);
    free(m->set);
    free(m->member);
    free(m->dist);
    free(m->own);
    free(m->sent);
    memset(m, 0, sizeof(*m));
}

TARGET static int NAMED(make_model)(NAMED(model) *m, ptrdiff_t k, ptrdiff_t width)
{
    memset(m, 0, sizeof(*m));
    m->k = k;
    m->width = width;
    m->first = malloc(((size_t)k + 1) * sizeof(ptrdiff_t));
    m->count = malloc(((size_t)k + 1) * sizeof(ptrdiff_t));
    m->set = malloc(((size_t)k + 1) * sizeof(int32_t));
    m->member = malloc(((size_t)width + 1) * sizeof(int32_t));
    m->dist = calloc((size_t)width * (size_t)width + 1, sizeof(DIST));
    m->own = calloc((size_t)width + 1, sizeof(REAL));
    m->sent = calloc((size_t)width * (size_t)k + 1, sizeof(REAL));
    if (m->first && m->count && m->set && m->member && m->dist && m->own && m->sent)
        return 1;
    NAMED(drop_model)(m);
    return 0;
}

/* The messages of set i for its pairs with set j. */
#define SENT(m, i, j) ((m)->sent + (m)->first[i] * (m)->k + (j) * ((m)->first[(i) + 1] - (m)->first[i]))

TARGET static inline REAL NAMED(least)(const REAL *values, ptrdiff_t count)
{
    REAL low = values[0];
    for (ptrdiff_t a = 1; a < count; a++)
        low = values[a] < low ? values[a] : low;
    return low;
}

/* Make the least own cost of a set nothing; how much that takes. */
TARGET static inline REAL NAMED(level_own)(REAL *own, ptrdiff_t count)
{
    const REAL low = NAMED(least)(own, count);
    for (ptrdiff_t a = 0; a < count; a++)
        own[a] -= low;
    return low;
}

/* Distances of the members of set i from those of set j: a table (count of i, places of j), so that neighbours in
 * a sweep are neighbours in memory. */
#define BLOCK(m, i, j) ((m)->dist + (m)->first[i] * (m)->width + (m)->count[i] * (m)->first[j])
#define APART(m, i, a, j, b) (BLOCK(m, i, j)[(a) * ((m)->first[(j) + 1] - (m)->first[j]) + (b)])

/* What no choice can go below, as long as no pair costs less than nothing. */
TARGET static WIDE NAMED(bound_of)(const NAMED(model) *m)
{
    WIDE sum = m->constant;
    for (ptrdiff_t i = 0; i < m->k; i++)
        sum += NAMED(least)(m->own + m->first[i], m->count[i]);
    return sum;
}

/* Keep the members that `keep` marks (by place), and fold sets of one member into the costs of the others: `into` gets
 * the rest, and `choice` (by set of the problem) the members that were settled. 0 without memory. Each set must keep
 * a member. */
TARGET static int NAMED(compact)(const NAMED(model) *m, const uint8_t *keep, NAMED(model) *into, int32_t *choice)
{
    ptrdiff_t k = 0, width = 0;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t left = 0;
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            left += keep[m->first[i] + a];
        if (left > 1) {
            k++;
            width += (left + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
        }
    }
    int32_t *from = malloc(((size_t)width + 1) * sizeof(int32_t)); /* where a place was, within its set */
    ptrdiff_t *was = malloc(((size_t)k + 1) * sizeof(ptrdiff_t));
    ptrdiff_t *single = malloc(((size_t)m->k + 1) * 2 * sizeof(ptrdiff_t));
    if (!from || !was || !single || !NAMED(make_model)(into, k, width)) {
        free(from);
        free(was);
        free(single);
        return 0;
    }
    into->shift = m->shift;
    into->constant = m->constant;
    ptrdiff_t singles = 0, place = 0, at = 0;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t left = 0, only = -1;
        for (ptrdiff_t a = m->first[i]; a < m->first[i] + m->count[i]; a++) {
            left += keep[a];
            only = keep[a] ? a : only;
        }
        if (left == 1) {
            single[2 * singles] = i;
            single[2 * singles++ + 1] = only;
            choice[m->set[i]] = m->member[only];
            into->constant += m->own[only];
            continue;
        }
        into->first[at] = place;
        into->count[at] = left;
        into->set[at] = m->set[i];
        was[at++] = i;
        const ptrdiff_t end = place + (left + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
        for (ptrdiff_t a = m->first[i]; a < m->first[i] + m->count[i]; a++)
            if (keep[a]) {
                into->member[place] = m->member[a];
                from[place++] = (int32_t)(a - m->first[i]);
            }
        for (; place < end; place++) {
            into->member[place] = -1;
            from[place] = -1;
        }
    }
    into->first[k] = place;
    for (ptrdiff_t i = 0; i < k; i++) {
        const ptrdiff_t begin = into->first[i], count = into->count[i], w = m->first[was[i] + 1] - m->first[was[i]];
        for (ptrdiff_t a = begin; a < begin + count; a++) {
            const ptrdiff_t x = from[a];
            const REAL *heard = m->sent + m->first[was[i]] * m->k + x;
            for (ptrdiff_t j = 0; j < k; j++) {
                const DIST *old = BLOCK(m, was[i], was[j]) + x * (m->first[was[j] + 1] - m->first[was[j]]);
                DIST *row = BLOCK(into, i, j) + (a - begin) * (into->first[j + 1] - into->first[j]);
                const int32_t *place = from + into->first[j];
                if (into->count[j] == m->count[was[j]])
                    memcpy(row, old, (size_t)into->count[j] * sizeof(DIST));
                else
                    for (ptrdiff_t b = 0; b < into->count[j]; b++)
                        row[b] = old[place[b]];
                SENT(into, i, j)[a - begin] = heard[was[j] * w];
            }
            WIDE cost = m->own[m->first[was[i]] + x];
            for (ptrdiff_t s = 0; s < singles; s++) {
                const ptrdiff_t j = single[2 * s], b = single[2 * s + 1];
                cost += LIFT(APART(m, was[i], x, j, b - m->first[j]), m->shift) - heard[j * w] - SENT(m, j, was[i])[b - m->first[j]];
            }
            into->own[a] = (REAL)cost;
        }
    }
    for (ptrdiff_t s = 0; s < singles; s++)
        for (ptrdiff_t t = 0; t < s; t++) {
            const ptrdiff_t i = single[2 * s], a = single[2 * s + 1], j = single[2 * t], b = single[2 * t + 1];
            into->constant += LIFT(APART(m, i, a - m->first[i], j, b - m->first[j]), m->shift) - SENT(m, i, j)[a - m->first[i]]
                              - SENT(m, j, i)[b - m->first[j]];
        }
    for (ptrdiff_t i = 0; i < k; i++)
        into->constant += NAMED(level_own)(into->own + into->first[i], into->count[i]);
    free(from);
    free(was);
    free(single);
    return 1;
}
