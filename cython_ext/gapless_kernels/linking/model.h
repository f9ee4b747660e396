/* The open problem: its sets and members, with costs moved from pairs to members (a reparametrisation).
 *
 * A template, included once for each number type and instruction set: REAL (costs), DIST (distances), WIDE
 * (sums of costs), NAMED(f), TARGET.
 *
 * Sets lie one after another, each padded to a multiple of GAPLESS_OCTET places. `message[first[i] k + j
 * w_i + a]` is the cost that member a of set i has taken from its pair with set j, so that a pair (a, b)
 * still costs
 *     lift(dist[a][b]) - message(a, j) - message(b, i) >= 0.
 * A member costs own[a] >= 0: its cost in the problem, plus all that it has taken, minus a number that is
 * the same for its whole set and that `constant` contains. Whatever the messages, the cost of a choice of
 * all sets is unchanged: so `constant` plus the least own cost of each set is a lower bound. */

typedef struct {
    ptrdiff_t k, width;
    ptrdiff_t *first; /* (k + 1) places, multiples of GAPLESS_OCTET */
    ptrdiff_t *count; /* (k) members of each set */
    int32_t *set;     /* (k) its number in the problem */
    int32_t *member;  /* (width) its number in the problem; -1 for padding */
    DIST *dist;       /* see BLOCK; in the model of the whole problem a plain (width, width) table: */
    int is_plain;
    REAL *own;        /* (width) unary costs */
    REAL *message;    /* (width * k) */
    WIDE constant;
    int shift; /* whole distances are shifted left by so many bits */
    array_owner owner;
} NAMED(model);

/* Allocate; `free_arrays` of the owner frees, also after a failure. 0 without memory. */
TARGET static int NAMED(make_model)(NAMED(model) *m, ptrdiff_t k, ptrdiff_t width)
{
    memset(m, 0, sizeof(*m));
    m->k = k;
    m->width = width;
    m->first = own_array(&m->owner, k + 1, sizeof *m->first);
    m->count = own_array(&m->owner, k, sizeof *m->count);
    m->set = own_array(&m->owner, k, sizeof *m->set);
    m->member = own_array(&m->owner, width, sizeof *m->member);
    m->dist = own_array(&m->owner, width * width, sizeof(DIST));
    m->own = own_array(&m->owner, width, sizeof(REAL));
    m->message = own_array(&m->owner, width * k, sizeof(REAL));
    return !m->owner.failed;
}

/* The messages of set i from its pairs with set j. */
#define MESSAGE(m, i, j) ((m)->message + (m)->first[i] * (m)->k + (j) * ((m)->first[(i) + 1] - (m)->first[i]))

TARGET static inline REAL NAMED(minimum)(const REAL *values, ptrdiff_t count)
{
    REAL low = values[0];
    for (ptrdiff_t a = 1; a < count; a++)
        low = values[a] < low ? values[a] : low;
    return low;
}

/* Subtract the least own cost of a set from its members; return it. */
TARGET static inline REAL NAMED(subtract_minimum)(REAL *own, ptrdiff_t count)
{
    const REAL low = NAMED(minimum)(own, count);
    for (ptrdiff_t a = 0; a < count; a++)
        own[a] -= low;
    return low;
}

/* Distances of the members of set i from those of set j: a table (count of i, places of j), so that
 * neighbours in a sweep are neighbours in memory. */
#define BLOCK(m, i, j) ((m)->dist + (m)->first[i] * (m)->width + (m)->count[i] * (m)->first[j])
#define DISTANCE(m, i, a, j, b) (BLOCK(m, i, j)[(a) * ((m)->first[(j) + 1] - (m)->first[j]) + (b)])
/* The distances of member a of set i from set j, in either layout. */
#define DISTANCES(m, i, a, j) \
    ((m)->is_plain ? (m)->dist + ((m)->first[i] + (a)) * (m)->width + (m)->first[j] \
                   : &DISTANCE(m, i, a, j, 0))

/* Compute the lower bound; it holds as long as no pair has a negative cost. */
TARGET static WIDE NAMED(bound_of)(const NAMED(model) *m)
{
    WIDE sum = m->constant;
    for (ptrdiff_t i = 0; i < m->k; i++)
        sum += NAMED(minimum)(m->own + m->first[i], m->count[i]);
    return sum;
}

/* Keep the members that `keep` marks (by place), and fold sets of one member into the costs of the others.
 * `into` becomes the reduced model; `choice` (by set of the problem) gets the members of the folded sets.
 * Each set must keep a member. 0 without memory. */
TARGET static int NAMED(compact)(const NAMED(model) * m, const uint8_t *keep, NAMED(model) * into,
                                 int32_t *choice)
{
    ptrdiff_t k = 0, width = 0;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t remaining = 0;
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            remaining += keep[m->first[i] + a];
        if (remaining > 1) {
            k++;
            width += (remaining + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
        }
    }
    array_owner workspace = {0};
    int32_t *from = own_array(&workspace, width, sizeof *from); /* where a place was in its old set */
    ptrdiff_t *old_set = own_array(&workspace, k, sizeof *old_set);
    ptrdiff_t *single = own_array(&workspace, 2 * m->k, sizeof *single);
    if (!NAMED(make_model)(into, k, width) || workspace.failed) {
        free_arrays(&workspace);
        free_arrays(&into->owner);
        return 0;
    }
    into->shift = m->shift;
    into->constant = m->constant;
    ptrdiff_t singles = 0, place = 0, index = 0;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t remaining = 0, last_kept = -1;
        for (ptrdiff_t a = m->first[i]; a < m->first[i] + m->count[i]; a++) {
            remaining += keep[a];
            last_kept = keep[a] ? a : last_kept;
        }
        if (remaining == 1) {
            single[2 * singles] = i;
            single[2 * singles++ + 1] = last_kept;
            choice[m->set[i]] = m->member[last_kept];
            into->constant += m->own[last_kept];
            continue;
        }
        into->first[index] = place;
        into->count[index] = remaining;
        into->set[index] = m->set[i];
        old_set[index++] = i;
        const ptrdiff_t end = place + (remaining + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
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
        const ptrdiff_t begin = into->first[i], count = into->count[i],
                        w = m->first[old_set[i] + 1] - m->first[old_set[i]];
        for (ptrdiff_t a = begin; a < begin + count; a++) {
            const ptrdiff_t x = from[a];
            const REAL *received = m->message + m->first[old_set[i]] * m->k + x;
            for (ptrdiff_t j = 0; j < k; j++) {
                const DIST *old_row = DISTANCES(m, old_set[i], x, old_set[j]);
                DIST *row = BLOCK(into, i, j) + (a - begin) * (into->first[j + 1] - into->first[j]);
                const int32_t *old_places = from + into->first[j];
                if (into->count[j] == m->count[old_set[j]])
                    memcpy(row, old_row, (size_t)into->count[j] * sizeof(DIST));
                else
                    for (ptrdiff_t b = 0; b < into->count[j]; b++)
                        row[b] = old_row[old_places[b]];
                MESSAGE(into, i, j)[a - begin] = received[old_set[j] * w];
            }
            WIDE cost = m->own[m->first[old_set[i]] + x];
            for (ptrdiff_t s = 0; s < singles; s++) {
                const ptrdiff_t j = single[2 * s], b = single[2 * s + 1];
                cost += LIFT(DISTANCES(m, old_set[i], x, j)[b - m->first[j]], m->shift) - received[j * w]
                        - MESSAGE(m, j, old_set[i])[b - m->first[j]];
            }
            into->own[a] = (REAL)cost;
        }
    }
    for (ptrdiff_t s = 0; s < singles; s++)
        for (ptrdiff_t t = 0; t < s; t++) {
            const ptrdiff_t i = single[2 * s], a = single[2 * s + 1], j = single[2 * t],
                            b = single[2 * t + 1];
            into->constant += LIFT(DISTANCES(m, i, a - m->first[i], j)[b - m->first[j]], m->shift)
                              - MESSAGE(m, i, j)[a - m->first[i]] - MESSAGE(m, j, i)[b - m->first[j]];
        }
    for (ptrdiff_t i = 0; i < k; i++)
        into->constant += NAMED(subtract_minimum)(into->own + into->first[i], into->count[i]);
    free_arrays(&workspace);
    return 1;
}
