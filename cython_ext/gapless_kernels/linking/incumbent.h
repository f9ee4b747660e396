/* State shared by all steps of the search: incumbent and effort. */

/* The bound must gain so much per round that it closes the gap within this number of rounds. */
#define PATIENCE 40

/* Kicks of local search between two checks of the limits. */
#define KICKS_AT_ONCE 64

typedef struct {
    lk_search *s;
    NAMED(model) problem; /* nothing moved */
    int32_t *place_of;    /* (members) place in `problem`, -1 if not allowed */
    int32_t *choice;      /* (k) members: the best choice so far */
    WIDE best_cost, step; /* its cost, and by how much a better one must be cheaper */
    WIDE limit;           /* costs from here on stand for forbidden pairs */
    REAL *workspace;      /* (widest set) */
    int64_t effort;       /* about the number of cells read */
    int64_t effort_at_pulse;
} NAMED(incumbent);

TARGET static double NAMED(to_value)(const NAMED(incumbent) *h, WIDE cost)
{
    return cost >= h->limit ? INFINITY : (double)cost * h->s->unit;
}

/* Whether to stop; calls the pulse every million cells. */
TARGET static int NAMED(must_stop)(NAMED(incumbent) *h)
{
    lk_search *s = h->s;
    if (s->stop || h->effort - h->effort_at_pulse < 1000000)
        return s->stop;
    h->effort_at_pulse = h->effort;
    return lk_call_pulse(s);
}

/* Compute the cost of a choice of members, from the problem alone. */
TARGET static WIDE NAMED(cost_of)(const NAMED(incumbent) *h, const int32_t *choice)
{
    const NAMED(model) *m = &h->problem;
    WIDE cost = m->constant;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const DIST *row = m->dist + h->place_of[choice[i]] * m->width;
        cost += m->own[h->place_of[choice[i]]];
        for (ptrdiff_t j = 0; j < i; j++)
            cost += LIFT(row[h->place_of[choice[j]]], m->shift);
    }
    return cost;
}

/* Make a choice of members the incumbent if it costs less. */
TARGET static void NAMED(offer)(NAMED(incumbent) *h, const int32_t *choice)
{
    const WIDE cost = NAMED(cost_of)(h, choice);
    if (cost >= h->best_cost)
        return;
    h->best_cost = cost;
    h->s->has_choice = 1;
    h->s->value = NAMED(to_value)(h, cost); /* the next pulse reports it */
    memcpy(h->choice, choice, (size_t)h->problem.k * sizeof(int32_t));
}

/* Reduce the model to the members marked in `keep`. */
TARGET static int NAMED(reduce_model)(NAMED(model) *m, const uint8_t *keep, int32_t *settled)
{
    NAMED(model) reduced;
    if (!NAMED(compact)(m, keep, &reduced, settled))
        return LK_NO_MEMORY;
    free_arrays(&m->owner);
    *m = reduced;
    return LK_OPEN;
}

/* Estimate the number of pairs of members. */
TARGET static int64_t NAMED(cells_of)(const NAMED(model) *m)
{
    int64_t members = 0;
    for (ptrdiff_t i = 0; i < m->k; i++)
        members += m->count[i];
    return members * m->width;
}

/* Run local search on the whole problem, from a choice of members, or from the first members if `from` is
 * NULL. 0 without memory. */
TARGET static int NAMED(improve)(NAMED(incumbent) *h, const int32_t *from, ptrdiff_t kicks, uint64_t seed)
{
    NAMED(local_state) c;
    const NAMED(model) *m = &h->problem;
    if (!NAMED(make_local_state)(&c, m, seed))
        return 0;
    for (ptrdiff_t i = 0; from && i < m->k; i++)
        c.choice[i] = h->place_of[from[i]];
    for (ptrdiff_t remaining = m->k > 1 ? kicks : 0;;) {
        const ptrdiff_t batch = remaining < KICKS_AT_ONCE ? remaining : KICKS_AT_ONCE;
        NAMED(local_search)(&c, batch, MIN_GAIN);
        h->effort += (int64_t)m->width * (m->k + 12 * batch);
        for (ptrdiff_t i = 0; i < m->k; i++)
            c.choice[i] = m->member[c.best[i]];
        NAMED(offer)(h, c.choice);
        remaining -= batch;
        if (!remaining || NAMED(must_stop)(h))
            break;
        memcpy(c.choice, c.best, (size_t)m->k * sizeof(int32_t));
    }
    free_arrays(&c.owner);
    return 1;
}

/* Run local search from the choice of the least own costs. 0 without memory. */
TARGET static int NAMED(improve_from_bound)(NAMED(incumbent) * h, const NAMED(model) * m,
                                            const int32_t *settled)
{
    int32_t *choice = malloc(((size_t)h->problem.k + 1) * sizeof(int32_t));
    if (!choice)
        return 0;
    memcpy(choice, settled, (size_t)h->problem.k * sizeof(int32_t));
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t cheapest = m->first[i];
        for (ptrdiff_t a = cheapest; a < m->first[i] + m->count[i]; a++)
            cheapest = m->own[a] < m->own[cheapest] ? a : cheapest;
        choice[m->set[i]] = m->member[cheapest];
    }
    const int has_memory = NAMED(improve)(h, choice, 0, 1);
    free(choice);
    return has_memory;
}

