/* Russian dolls over moved costs. The problem's own model has all members and nothing moved; what a smaller model has
 * moved is rounded down to `coarse` bits, so that the cells are exact. */

typedef struct {
    const NAMED(model) *whole;   /* the problem */
    const int32_t *at;           /* (members) where a member stands in it */
    int32_t *settled;            /* (k) members of sets that are folded, -1 for the others */
} NAMED(moved);

TARGET static inline REAL NAMED(coarsened)(REAL cost, int coarse)
{
#if CELL_BITS == 16
    return cost >> coarse << coarse;
#else
    (void)coarse;
    return cost;
#endif
}

/* The dolls of `m`, sets in the given order; `base` is what all choices cost at least. 0 without memory. */
TARGET static int NAMED(fill_dolls)(
    NAMED(dolls) *d, const NAMED(model) *m, const NAMED(moved) *o, const ptrdiff_t *order, int coarse, int move, WIDE *base)
{
    const NAMED(model) *whole = o->whole;
    ptrdiff_t width = 0, widest = 0;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        width += (m->count[i] + 7) / 8 * 8;
        widest = m->count[i] > widest ? m->count[i] : widest;
    }
    if (!NAMED(make_dolls)(d, m->k, width, widest))
        return 0;
    ptrdiff_t place = 0;
    for (ptrdiff_t t = 0; t < m->k; t++) {
        const ptrdiff_t i = order[t];
        d->first[t] = place;
        d->count[t] = m->count[i];
        for (ptrdiff_t a = 0; a < (m->count[i] + 7) / 8 * 8; a++)
            d->place[place++] = a < m->count[i] ? (int32_t)(m->first[i] + a) : -1;
    }
    d->first[m->k] = width;
    /* The constant: settled sets among themselves. */
    WIDE constant = whole->constant;
    for (ptrdiff_t s = 0; s < whole->k; s++) {
        if (o->settled[s] < 0)
            continue;
        const ptrdiff_t a = o->at[o->settled[s]];
        constant += whole->own[a];
        for (ptrdiff_t t = 0; t < s; t++)
            if (o->settled[t] >= 0)
                constant += LIFT(whole->dist[a * whole->width + o->at[o->settled[t]]], whole->shift);
    }
    for (ptrdiff_t t = 0; t < m->k; t++) {
        const ptrdiff_t i = order[t];
        REAL own[1];
        WIDE low = MOST;
        for (int pass = 0; pass < 2; pass++)
            for (ptrdiff_t p = d->first[t]; p < d->first[t + 1]; p++) {
                if (d->place[p] < 0) {
                    d->own[p] = FULL;
                    continue;
                }
                const ptrdiff_t a = d->place[p], r = o->at[m->member[a]];
                WIDE cost = whole->own[r];
                for (ptrdiff_t s = 0; s < whole->k; s++)
                    if (o->settled[s] >= 0)
                        cost += LIFT(whole->dist[r * whole->width + o->at[o->settled[s]]], whole->shift);
                for (ptrdiff_t j = 0; move && j < m->k; j++)
                    if (j != i)
                        cost += NAMED(coarsened)(SENT(m, i, j)[a - m->first[i]], coarse);
                if (pass == 0)
                    low = cost < low ? cost : low;
                else
                    d->own[p] = NAMED(cell)(cost - low, coarse);
            }
        (void)own;
        constant += low;
    }
    for (ptrdiff_t t = 0; t < m->k; t++)
        for (ptrdiff_t p = d->first[t]; p < d->first[t + 1]; p++) {
            CELL *row = d->pair + p * width;
            if (d->place[p] < 0)
                continue;
            const ptrdiff_t a = d->place[p], i = order[t];
            WIDE reach = 0;
            for (ptrdiff_t u = 0; u < m->k; u++) {
                const ptrdiff_t j = order[u];
                CELL low = FULL;
                for (ptrdiff_t q = d->first[u]; u != t && q < d->first[u + 1]; q++) {
                    if (d->place[q] < 0) {
                        row[q] = FULL;
                        continue;
                    }
                    const ptrdiff_t b = d->place[q];
                    WIDE cost = LIFT(APART(m, i, a - m->first[i], j, b - m->first[j]), m->shift);
                    if (move)
                        cost -= (WIDE)NAMED(coarsened)(SENT(m, i, j)[a - m->first[i]], coarse)
                                + NAMED(coarsened)(SENT(m, j, i)[b - m->first[j]], coarse);
                    row[q] = NAMED(cell)(cost > 0 ? cost : 0, coarse);
                    low = row[q] < low ? row[q] : low;
                }
                if (u > t)
                    reach += low;
            }
            d->reach[p] = (CELL)(reach < FULL ? reach : FULL);
        }
    *base = constant;
    return 1;
}
