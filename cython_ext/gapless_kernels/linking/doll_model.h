/* Construction of a Russian doll search from a model. Messages are rounded down to `coarse` bits, and own
 * costs are summed again from the problem, so that the cells are exact. */

TARGET static size_t NAMED(doll_bytes)(const NAMED(model) *m)
{
    size_t width = 0;
    for (ptrdiff_t i = 0; i < m->k; i++)
        width += (size_t)(m->count[i] + 7) / 8 * 8;
    return width * (width + (size_t)m->k) * sizeof(CELL);
}

/* Build the tables for the model `m`, with its sets in the given order; `base` becomes a lower bound on
 * the cost of any choice.
 *
 * `place_of` gives the places of members in `problem`; `settled` has the members of folded sets (-1 for
 * the others). 0 without memory. */
TARGET static int NAMED(fill_russian_doll)(NAMED(russian_doll) * d, const NAMED(model) * m,
                                           const NAMED(model) * problem, const int32_t *place_of,
                                           const int32_t *settled, const ptrdiff_t *order, int coarse,
                                           WIDE *base)
{
    ptrdiff_t width = 0, widest = 0;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        width += (m->count[i] + 7) / 8 * 8;
        widest = m->count[i] > widest ? m->count[i] : widest;
    }
    if (!NAMED(make_russian_doll)(d, m->k, width, widest))
        return 0;
    ptrdiff_t place = 0;
    for (ptrdiff_t t = 0; t < m->k; t++) {
        const ptrdiff_t i = order[t];
        d->first[t] = place;
        d->count[t] = m->count[i];
        for (ptrdiff_t a = 0; a < (m->count[i] + 7) / 8 * 8; a++)
            d->member[place++] = a < m->count[i] ? (int32_t)(m->first[i] + a) : -1;
    }
    d->first[m->k] = width;
    /* The constant is the cost of the folded sets among themselves. */
    WIDE constant = problem->constant;
    for (ptrdiff_t s = 0; s < problem->k; s++) {
        if (settled[s] < 0)
            continue;
        const ptrdiff_t a = place_of[settled[s]];
        constant += problem->own[a];
        for (ptrdiff_t t = 0; t < s; t++)
            if (settled[t] >= 0)
                constant += LIFT(problem->dist[a * problem->width + place_of[settled[t]]], problem->shift);
    }
    for (ptrdiff_t t = 0; t < m->k; t++) {
        const ptrdiff_t i = order[t];
        WIDE low = MOST;
        for (int pass = 0; pass < 2; pass++)
            for (ptrdiff_t p = d->first[t]; p < d->first[t + 1]; p++) {
                if (d->member[p] < 0) {
                    d->own[p] = FULL;
                    continue;
                }
                const ptrdiff_t a = d->member[p], r = place_of[m->member[a]];
                WIDE cost = problem->own[r];
                for (ptrdiff_t s = 0; s < problem->k; s++)
                    if (settled[s] >= 0)
                        cost +=
                            LIFT(problem->dist[r * problem->width + place_of[settled[s]]], problem->shift);
                for (ptrdiff_t j = 0; j < m->k; j++)
                    if (j != i)
                        cost += NAMED(round_down)(MESSAGE(m, i, j)[a - m->first[i]], coarse);
                if (pass == 0)
                    low = cost < low ? cost : low;
                else
                    d->own[p] = NAMED(cell)(cost - low, coarse);
            }
        d->set_minimum[t] = low;
        constant += low;
    }
    for (ptrdiff_t t = 0; t < m->k; t++)
        for (ptrdiff_t p = d->first[t]; p < d->first[t + 1]; p++) {
            CELL *row = d->pair + p * width;
            if (d->member[p] < 0)
                continue;
            const ptrdiff_t a = d->member[p], i = order[t];
            WIDE reach = 0;
            for (ptrdiff_t u = 0; u < m->k; u++) {
                const ptrdiff_t j = order[u];
                CELL low = FULL;
                for (ptrdiff_t q = d->first[u]; u != t && q < d->first[u + 1]; q++) {
                    if (d->member[q] < 0) {
                        row[q] = FULL;
                        continue;
                    }
                    const ptrdiff_t b = d->member[q];
                    const WIDE cost = LIFT(DISTANCE(m, i, a - m->first[i], j, b - m->first[j]), m->shift)
                                      - (WIDE)NAMED(round_down)(MESSAGE(m, i, j)[a - m->first[i]], coarse)
                                      - NAMED(round_down)(MESSAGE(m, j, i)[b - m->first[j]], coarse);
                    row[q] = NAMED(cell)(cost > 0 ? cost : 0, coarse);
                    low = row[q] < low ? row[q] : low;
                }
                if (u > t)
                    reach += low;
            }
            d->later_minimum[p] = (CELL)(reach < FULL ? reach : FULL);
        }
    *base = constant;
    return 1;
}
