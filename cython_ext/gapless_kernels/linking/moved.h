/* Russian dolls over moved costs. What a model has moved is rounded down to `coarse` bits and own costs are summed anew
 * from the problem's, so that cells are exact. */

TARGET static size_t NAMED(dolls_bytes)(const NAMED(model) *m)
{
    size_t width = 0;
    for (ptrdiff_t i = 0; i < m->k; i++)
        width += (size_t)(m->count[i] + 7) / 8 * 8;
    return width * (width + (size_t)m->k) * sizeof(CELL);
}

/* The dolls of `m`, sets in the given order; `base` is what all choices cost at least. `whole` is the problem, `at` where
 * its members stand there, `settled` the members of folded sets (-1 for the others). 0 without memory. */
TARGET static int NAMED(fill_dolls)(
    NAMED(dolls) *d, const NAMED(model) *m, const NAMED(model) *whole, const int32_t *at, const int32_t *settled,
    const ptrdiff_t *order, int coarse, WIDE *base)
{
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
        if (settled[s] < 0)
            continue;
        const ptrdiff_t a = at[settled[s]];
        constant += whole->own[a];
        for (ptrdiff_t t = 0; t < s; t++)
            if (settled[t] >= 0)
                constant += LIFT(whole->dist[a * whole->width + at[settled[t]]], whole->shift);
    }
    for (ptrdiff_t t = 0; t < m->k; t++) {
        const ptrdiff_t i = order[t];
        WIDE low = MOST;
        for (int pass = 0; pass < 2; pass++)
            for (ptrdiff_t p = d->first[t]; p < d->first[t + 1]; p++) {
                if (d->place[p] < 0) {
                    d->own[p] = FULL;
                    continue;
                }
                const ptrdiff_t a = d->place[p], r = at[m->member[a]];
                WIDE cost = whole->own[r];
                for (ptrdiff_t s = 0; s < whole->k; s++)
                    if (settled[s] >= 0)
                        cost += LIFT(whole->dist[r * whole->width + at[settled[s]]], whole->shift);
                for (ptrdiff_t j = 0; j < m->k; j++)
                    if (j != i)
                        cost += NAMED(coarsened)(SENT(m, i, j)[a - m->first[i]], coarse);
                if (pass == 0)
                    low = cost < low ? cost : low;
                else
                    d->own[p] = NAMED(cell)(cost - low, coarse);
            }
        d->least[t] = low;
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
                    const WIDE cost = LIFT(APART(m, i, a - m->first[i], j, b - m->first[j]), m->shift)
                                      - (WIDE)NAMED(coarsened)(SENT(m, i, j)[a - m->first[i]], coarse)
                                      - NAMED(coarsened)(SENT(m, j, i)[b - m->first[j]], coarse);
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
