/* What all parts of the search share: the best choice so far, and what has been spent. */

/* Rounds of sweeps that are worth waiting for. */
#define PATIENCE 40

/* Kicks of local search between two looks at the limits. */
#define KICKS_AT_ONCE 64

typedef struct {
    lk_search *s;
    NAMED(model) whole; /* the problem, nothing moved */
    int32_t *at;      /* (members) place in `whole`, -1 if not allowed */
    int32_t *choice;  /* (k) members: the best choice so far */
    WIDE best, step;  /* its cost, and by how much another must be cheaper to count */
    WIDE limit;       /* costs from here on stand for what is impossible */
    REAL *spare;
    int64_t effort;   /* cells looked at, about */
    int64_t asked;
} NAMED(hunt);

TARGET static double NAMED(to_value)(const NAMED(hunt) *h, WIDE cost)
{
    return cost >= h->limit ? INFINITY : (double)cost * h->s->unit;
}

/* Ask whoever watches whether to stop, not too often. */
TARGET static int NAMED(stopped)(NAMED(hunt) *h)
{
    lk_search *s = h->s;
    if (s->stop || h->effort - h->asked < 1000000)
        return s->stop;
    h->asked = h->effort;
    return lk_ask(s);
}

/* Costs of a whole choice of members, from the problem alone. */
TARGET static WIDE NAMED(cost_of)(const NAMED(hunt) *h, const int32_t *choice)
{
    const NAMED(model) *m = &h->whole;
    WIDE cost = m->constant;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const DIST *row = m->dist + h->at[choice[i]] * m->width;
        cost += m->own[h->at[choice[i]]];
        for (ptrdiff_t j = 0; j < i; j++)
            cost += LIFT(row[h->at[choice[j]]], m->shift);
    }
    return cost;
}

TARGET static void NAMED(offer)(NAMED(hunt) *h, const int32_t *choice)
{
    const WIDE cost = NAMED(cost_of)(h, choice);
    if (cost >= h->best)
        return;
    h->best = cost;
    h->s->found = 1;
    h->s->value = NAMED(to_value)(h, cost); /* whoever asks to stop, from wherever, tells this one */
    memcpy(h->choice, choice, (size_t)h->whole.k * sizeof(int32_t));
}

/* Keep the members that are marked. */
TARGET static int NAMED(replace)(NAMED(model) *m, const uint8_t *keep, int32_t *settled)
{
    NAMED(model) less;
    if (!NAMED(compact)(m, keep, &less, settled))
        return LK_NO_MEMORY;
    NAMED(drop_model)(m);
    *m = less;
    return LK_OPEN;
}

/* About how many pairs of members there are. */
TARGET static int64_t NAMED(cells_of)(const NAMED(model) *m)
{
    int64_t members = 0;
    for (ptrdiff_t i = 0; i < m->k; i++)
        members += m->count[i];
    return members * m->width;
}

/* Local search over the whole problem, from a choice of members. */
TARGET static int NAMED(improve)(NAMED(hunt) *h, const int32_t *from, ptrdiff_t kicks, uint64_t seed)
{
    NAMED(climb) c;
    const NAMED(model) *m = &h->whole;
    if (!NAMED(make_climb)(&c, m, seed))
        return 0;
    for (ptrdiff_t i = 0; from && i < m->k; i++)
        c.choice[i] = h->at[from[i]];
    for (ptrdiff_t left = m->k > 1 ? kicks : 0;;) {
        const ptrdiff_t now = left < KICKS_AT_ONCE ? left : KICKS_AT_ONCE;
        NAMED(climb_down)(&c, now, LEAST_GAIN);
        h->effort += (int64_t)m->width * (m->k + 12 * now);
        for (ptrdiff_t i = 0; i < m->k; i++)
            c.choice[i] = m->member[c.best[i]];
        NAMED(offer)(h, c.choice);
        left -= now;
        if (!left || NAMED(stopped)(h))
            break;
        memcpy(c.choice, c.best, (size_t)m->k * sizeof(int32_t));
    }
    NAMED(drop_climb)(&c);
    return 1;
}

/* The choice that the least own costs suggest, descended from. */
TARGET static int NAMED(suggest)(NAMED(hunt) *h, const NAMED(model) *m, const int32_t *settled)
{
    int32_t *choice = malloc(((size_t)h->whole.k + 1) * sizeof(int32_t));
    if (!choice)
        return 0;
    memcpy(choice, settled, (size_t)h->whole.k * sizeof(int32_t));
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t least = m->first[i];
        for (ptrdiff_t a = least; a < m->first[i] + m->count[i]; a++)
            least = m->own[a] < m->own[least] ? a : least;
        choice[m->set[i]] = m->member[least];
    }
    const int done = NAMED(improve)(h, choice, 0, 1);
    free(choice);
    return done;
}

