/* Local search: change the set that gains most until none gains, then kick and repeat. Whole costs are
 * summed exactly, doubles with rounding; so the caller computes the cost of the result again. */

typedef struct {
    const NAMED(model) *m;
    int32_t *choice, *best; /* (k) places */
    REAL *cost;             /* (width) of each place, given the choice in the other sets */
    REAL *workspace;        /* (widest set) */
    WIDE value, best_value;
    uint64_t state; /* of the random numbers */
    array_owner owner;
} NAMED(local_state);

TARGET static uint64_t NAMED(sample)(NAMED(local_state) *c, uint64_t below)
{
    c->state ^= c->state << 13;
    c->state ^= c->state >> 7;
    c->state ^= c->state << 17;
    return (c->state >> 11) % below;
}

/* Compute all costs from the members' own costs and the distances. */
TARGET static void NAMED(compute_costs)(NAMED(local_state) *c)
{
    const NAMED(model) *m = c->m;
    WIDE twice = 0, own = 0;
    memcpy(c->cost, m->own, (size_t)m->width * sizeof(REAL));
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const DIST *row = m->dist + c->choice[i] * m->width;
        for (ptrdiff_t a = 0; a < m->first[i]; a++)
            c->cost[a] += LIFT(row[a], m->shift);
        for (ptrdiff_t a = m->first[i + 1]; a < m->width; a++)
            c->cost[a] += LIFT(row[a], m->shift);
    }
    for (ptrdiff_t i = 0; i < m->k; i++) {
        own += m->own[c->choice[i]];
        twice += c->cost[c->choice[i]];
    }
    c->value = m->constant + (twice + own) / 2;
}

TARGET static void NAMED(move)(NAMED(local_state) *c, ptrdiff_t i, ptrdiff_t to)
{
    const NAMED(model) *m = c->m;
    const ptrdiff_t begin = m->first[i], w = m->first[i + 1] - begin;
    const DIST *old_row = m->dist + c->choice[i] * m->width, *new_row = m->dist + to * m->width;
    c->value += c->cost[to] - c->cost[c->choice[i]];
    memcpy(c->workspace, c->cost + begin, (size_t)w * sizeof(REAL));
    for (ptrdiff_t a = 0; a < m->width; a++)
        c->cost[a] += LIFT(new_row[a], m->shift) - LIFT(old_row[a], m->shift);
    memcpy(c->cost + begin, c->workspace, (size_t)w * sizeof(REAL));
    c->choice[i] = (int32_t)to;
}

/* Change the set that gains most until none gains more than `min_gain`. */
TARGET static void NAMED(descend)(NAMED(local_state) *c, REAL min_gain)
{
    const NAMED(model) *m = c->m;
    for (;;) {
        ptrdiff_t set = -1, to = -1;
        REAL largest_gain = min_gain;
        for (ptrdiff_t i = 0; i < m->k; i++) {
            const REAL *cost = c->cost + m->first[i];
            const REAL gain = c->cost[c->choice[i]] - NAMED(minimum)(cost, m->count[i]);
            if (gain > largest_gain) {
                largest_gain = gain;
                set = i;
            }
        }
        if (set < 0)
            return;
        const REAL low = NAMED(minimum)(c->cost + m->first[set], m->count[set]);
        for (to = m->first[set]; c->cost[to] != low; to++)
            ;
        NAMED(move)(c, set, to);
    }
}

TARGET static void NAMED(keep_best)(NAMED(local_state) *c)
{
    if (c->value < c->best_value) {
        c->best_value = c->value;
        memcpy(c->best, c->choice, (size_t)c->m->k * sizeof(int32_t));
    }
}

/* Descend from `choice`; then `kicks` times make a few random changes to the best choice, and descend. */
TARGET static void NAMED(local_search)(NAMED(local_state) *c, ptrdiff_t kicks, REAL min_gain)
{
    const NAMED(model) *m = c->m;
    NAMED(compute_costs)(c);
    NAMED(descend)(c, min_gain);
    NAMED(keep_best)(c);
    for (ptrdiff_t kick = 0; kick < kicks && m->k > 1; kick++) {
        for (ptrdiff_t i = 0; i < m->k; i++)
            if (c->choice[i] != c->best[i])
                NAMED(move)(c, i, c->best[i]);
        const ptrdiff_t changes = 2 + (ptrdiff_t)NAMED(sample)(c, m->k < 16 ? 2 : 5);
        for (ptrdiff_t change = 0; change < changes; change++) {
            const ptrdiff_t i = (ptrdiff_t)NAMED(sample)(c, (uint64_t)m->k);
            NAMED(move)(c, i, m->first[i] + (ptrdiff_t)NAMED(sample)(c, (uint64_t)m->count[i]));
        }
        NAMED(descend)(c, min_gain);
        NAMED(keep_best)(c);
    }
}

/* Allocate; the choice is the first member of each set. 0 without memory. */
TARGET static int NAMED(make_local_state)(NAMED(local_state) *c, const NAMED(model) *m, uint64_t seed)
{
    memset(c, 0, sizeof(*c));
    c->m = m;
    c->state = seed * 2 + 1;
    c->choice = own_array(&c->owner, m->k, sizeof *c->choice);
    c->best = own_array(&c->owner, m->k, sizeof *c->best);
    c->cost = own_array(&c->owner, m->width, sizeof(REAL));
    c->workspace = own_array(&c->owner, m->width, sizeof(REAL));
    if (c->owner.failed) {
        free_arrays(&c->owner);
        return 0;
    }
    for (ptrdiff_t i = 0; i < m->k; i++)
        c->choice[i] = c->best[i] = (int32_t)m->first[i];
    c->best_value = MOST;
    return 1;
}
