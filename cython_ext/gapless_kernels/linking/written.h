/* A model, or a doll search over it, into the record; see linking/record.h. */

TARGET static inline REAL NAMED(coarsened)(REAL cost, int coarse)
{
#if CELL_BITS == 16
    return cost >> coarse << coarse;
#else
    (void)coarse;
    return cost;
#endif
}

/* The costs that a model has moved, rounded down to `coarse` bits. */
TARGET static void NAMED(write_stage)(lk_record *r, const NAMED(model) *m, int coarse)
{
    ptrdiff_t members = 0;
    for (ptrdiff_t i = 0; i < m->k; i++)
        members += m->count[i];
    int32_t *to = lk_more(r, &r->script, (size_t)(3 + m->k + members) * sizeof(int32_t));
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
    REAL *moved = lk_more(r, &r->moved, (size_t)members * (size_t)m->k * sizeof(REAL));
    if (!moved)
        return;
    for (ptrdiff_t i = 0; i < m->k; i++)
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            for (ptrdiff_t j = 0; j < m->k; j++)
                *moved++ = i == j ? 0 : NAMED(coarsened)(SENT(m, i, j)[a], coarse);
}

/* Places that are not kept, each with the one that dominates it. */
TARGET static void NAMED(write_dominated)(
    lk_record *r, const NAMED(model) *m, const uint8_t *keep, const ptrdiff_t *by, ptrdiff_t gone)
{
    int32_t *to = lk_more(r, &r->script, (size_t)(2 + 2 * gone) * sizeof(int32_t));
    if (!to)
        return;
    *to++ = LK_DOMINATED;
    *to++ = (int32_t)gone;
    for (ptrdiff_t i = 0; i < m->k; i++)
        for (ptrdiff_t b = m->first[i]; b < m->first[i] + m->count[i]; b++)
            if (!keep[b]) {
                *to++ = m->member[b];
                *to++ = m->member[by[i]];
            }
}

/* A doll search that has come to set `done`: what is left from each set on costs at least its floor. */
TARGET static void NAMED(write_dolls)(
    lk_record *r, const NAMED(model) *m, const NAMED(dolls) *d, const ptrdiff_t *order, int coarse)
{
    int32_t *to = lk_more(r, &r->script, (size_t)(2 + m->k) * sizeof(int32_t));
    double *floors = to ? lk_more(r, &r->floors, (size_t)(m->k + 1) * sizeof(double)) : NULL;
    if (!floors)
        return;
    *to++ = LK_DOLLS;
    *to++ = (int32_t)m->k;
    for (ptrdiff_t t = 0; t < m->k; t++)
        *to++ = m->set[order[t]];
    WIDE least = 0;
    for (ptrdiff_t t = m->k; t >= 0; t--) {
        const WIDE rest = d->rest[t > d->done ? t : d->done];
        least += t < m->k ? d->least[t] : 0;
#if CELL_BITS == 16
        floors[t] = (double)(least + (rest << coarse));
#else
        floors[t] = least + rest;
#endif
    }
}
