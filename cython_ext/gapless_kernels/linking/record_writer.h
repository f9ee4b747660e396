/* Writes a model, dominated members or a Russian doll search into the record; see record.h. */

TARGET static inline REAL NAMED(round_down)(REAL cost, int coarse)
{
#if CELL_BITS == 16
    return cost >> coarse << coarse;
#else
    (void)coarse;
    return cost;
#endif
}

/* Write the messages of a model, rounded down to `coarse` bits. */
TARGET static void NAMED(write_stage)(lk_record *r, const NAMED(model) *m, int coarse)
{
    ptrdiff_t members = 0;
    for (ptrdiff_t i = 0; i < m->k; i++)
        members += m->count[i];
    int32_t *to = lk_reserve(r, &r->script, (size_t)(3 + m->k + members) * sizeof(int32_t));
    if (!to)
        return;
    *to++ = LK_STAGE;
    *to++ = (int32_t)m->k;
    *to++ = (int32_t)members;
    for (ptrdiff_t i = 0; i < m->k; i++)
        *to++ = m->set[i];
    for (ptrdiff_t i = 0; i < m->k; i++)
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            *to++ = m->member[m->first[i] + a];
    REAL *messages = lk_reserve(r, &r->messages, (size_t)members * (size_t)m->k * sizeof(REAL));
    if (!messages)
        return;
    for (ptrdiff_t i = 0; i < m->k; i++)
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            for (ptrdiff_t j = 0; j < m->k; j++)
                *messages++ = i == j ? 0 : NAMED(round_down)(MESSAGE(m, i, j)[a], coarse);
}

/* Write the members that are not kept, each with the one that dominates it. */
TARGET static void NAMED(write_dominated)(
    lk_record *r, const NAMED(model) *m, const uint8_t *keep, const ptrdiff_t *dominator, ptrdiff_t dropped)
{
    int32_t *to = lk_reserve(r, &r->script, (size_t)(2 + 2 * dropped) * sizeof(int32_t));
    if (!to)
        return;
    *to++ = LK_DOMINATED;
    *to++ = (int32_t)dropped;
    for (ptrdiff_t i = 0; i < m->k; i++)
        for (ptrdiff_t b = m->first[i]; b < m->first[i] + m->count[i]; b++)
            if (!keep[b]) {
                *to++ = m->member[b];
                *to++ = m->member[dominator[i]];
            }
}

/* Write a Russian doll search that has solved the sets from `done` on: a floor of the cost of the sets
 * from each one on. */
TARGET static void NAMED(write_russian_doll)(
    lk_record *r, const NAMED(model) *m, const NAMED(russian_doll) *d, const ptrdiff_t *order, int coarse)
{
    int32_t *to = lk_reserve(r, &r->script, (size_t)(2 + m->k) * sizeof(int32_t));
    double *floors = to ? lk_reserve(r, &r->floors, (size_t)(m->k + 1) * sizeof(double)) : NULL;
    if (!floors)
        return;
    *to++ = LK_RUSSIAN_DOLL;
    *to++ = (int32_t)m->k;
    for (ptrdiff_t t = 0; t < m->k; t++)
        *to++ = m->set[order[t]];
    WIDE minima = 0;
    for (ptrdiff_t t = m->k; t >= 0; t--) {
        const WIDE suffix_bound = d->suffix_bound[t > d->done ? t : d->done];
        minima += t < m->k ? d->set_minimum[t] : 0;
#if CELL_BITS == 16
        floors[t] = (double)(minima + (suffix_bound << coarse));
#else
        floors[t] = minima + suffix_bound;
#endif
    }
}
