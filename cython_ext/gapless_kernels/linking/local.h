/* Local search over whole choices: the best change of one set, again and again, then kicks. Whole costs are summed
 * exactly; doubles with rounding, so what it returns is evaluated anew by whoever wants to know. */

typedef struct {
    const NAMED(model) *m;
    int32_t *choice, *best;  /* (k) places */
    REAL *cost;              /* (width) of each place with the other sets as chosen */
    REAL *spare;             /* (widest set) */
    WIDE value, best_value;
    uint64_t state;
} NAMED(climb);

TARGET static uint64_t NAMED(draw)(NAMED(climb) *c, uint64_t below)
{
    c->state ^= c->state << 13;
    c->state ^= c->state >> 7;
    c->state ^= c->state << 17;
    return (c->state >> 11) % below;
}

/* All costs anew, from the members' own and the distances alone. */
TARGET static void NAMED(price_choice)(NAMED(climb) *c)
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

TARGET static void NAMED(move)(NAMED(climb) *c, ptrdiff_t i, ptrdiff_t to)
{
    const NAMED(model) *m = c->m;
    const ptrdiff_t begin = m->first[i], w = m->first[i + 1] - begin;
    const DIST *less = m->dist + c->choice[i] * m->width, *more = m->dist + to * m->width;
    c->value += c->cost[to] - c->cost[c->choice[i]];
    memcpy(c->spare, c->cost + begin, (size_t)w * sizeof(REAL));
    for (ptrdiff_t a = 0; a < m->width; a++)
        c->cost[a] += LIFT(more[a], m->shift) - LIFT(less[a], m->shift);
    memcpy(c->cost + begin, c->spare, (size_t)w * sizeof(REAL));
    c->choice[i] = (int32_t)to;
}

/* Change the set where that gains most until nothing is gained. */
TARGET static void NAMED(descend)(NAMED(climb) *c, REAL least_gain)
{
    const NAMED(model) *m = c->m;
    for (;;) {
        ptrdiff_t set = -1, to = -1;
        REAL most = least_gain;
        for (ptrdiff_t i = 0; i < m->k; i++) {
            const REAL *cost = c->cost + m->first[i];
            const REAL gain = c->cost[c->choice[i]] - NAMED(least)(cost, m->count[i]);
            if (gain > most) {
                most = gain;
                set = i;
            }
        }
        if (set < 0)
            return;
        const REAL low = NAMED(least)(c->cost + m->first[set], m->count[set]);
        for (to = m->first[set]; c->cost[to] != low; to++)
            ;
        NAMED(move)(c, set, to);
    }
}

TARGET static void NAMED(keep_best)(NAMED(climb) *c)
{
    if (c->value < c->best_value) {
        c->best_value = c->value;
        memcpy(c->best, c->choice, (size_t)c->m->k * sizeof(int32_t));
    }
}

/* From `choice`: a descent, then `kicks` times a few random changes to the best so far and a descent. */
TARGET static void NAMED(climb_down)(NAMED(climb) *c, ptrdiff_t kicks, REAL least_gain)
{
    const NAMED(model) *m = c->m;
    NAMED(price_choice)(c);
    NAMED(descend)(c, least_gain);
    NAMED(keep_best)(c);
    for (ptrdiff_t kick = 0; kick < kicks && m->k > 1; kick++) {
        for (ptrdiff_t i = 0; i < m->k; i++)
            if (c->choice[i] != c->best[i])
                NAMED(move)(c, i, c->best[i]);
        const ptrdiff_t changes = 2 + (ptrdiff_t)NAMED(draw)(c, m->k < 16 ? 2 : 5);
        for (ptrdiff_t change = 0; change < changes; change++) {
            const ptrdiff_t i = (ptrdiff_t)NAMED(draw)(c, (uint64_t)m->k);
            NAMED(move)(c, i, m->first[i] + (ptrdiff_t)NAMED(draw)(c, (uint64_t)m->count[i]));
        }
        NAMED(descend)(c, least_gain);
        NAMED(keep_best)(c);
    }
}

TARGET static void NAMED(drop_climb)(NAMED(climb) *c)
{
    free(c->choice);
    free(c->best);
    free(c->cost);
    free(c->spare);
    memset(c, 0, sizeof(*c));
}

/* Starts with the first member of each set. 0 without memory. */
TARGET static int NAMED(make_climb)(NAMED(climb) *c, const NAMED(model) *m, uint64_t seed)
{
    memset(c, 0, sizeof(*c));
    c->m = m;
    c->state = seed * 2 + 1;
    c->choice = malloc(((size_t)m->k + 1) * sizeof(int32_t));
    c->best = malloc(((size_t)m->k + 1) * sizeof(int32_t));
    c->cost = malloc(((size_t)m->width + 1) * sizeof(REAL));
    c->spare = malloc(((size_t)m->width + 1) * sizeof(REAL));
    if (!c->choice || !c->best || !c->cost || !c->spare) {
        NAMED(drop_climb)(c);
        return 0;
    }
    for (ptrdiff_t i = 0; i < m->k; i++)
        c->choice[i] = c->best[i] = (int32_t)m->first[i];
    c->best_value = MOST;
    return 1;
}
