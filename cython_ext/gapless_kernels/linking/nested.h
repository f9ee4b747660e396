/* Russian doll search on what a model leaves open, for a while. */

/* Sets of few members first: they are the last to be settled, when the search goes over all. */
TARGET static void NAMED(doll_order)(const NAMED(model) *m, ptrdiff_t *order)
{
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t at = i;
        for (; at > 0 && m->count[order[at - 1]] > m->count[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* The best choice of a doll search, in the problem's members. */
TARGET static int NAMED(take_dolls)(
    NAMED(hunt) *h, const NAMED(model) *m, const NAMED(dolls) *d, const ptrdiff_t *order, const int32_t *settled)
{
    int32_t *choice = malloc(((size_t)h->whole.k + 1) * sizeof(int32_t));
    if (!choice)
        return 0;
    memcpy(choice, settled, (size_t)h->whole.k * sizeof(int32_t));
    for (ptrdiff_t t = 0; t < d->k; t++)
        choice[m->set[order[t]]] = m->member[d->place[d->found[t]]];
    NAMED(offer)(h, choice);
    free(choice);
    return 1;
}

/* Russian dolls for about `effort`; LK_CLOSED, LK_OPEN when it ran out, LK_NO_MEMORY. */
TARGET static int NAMED(try_dolls)(
    NAMED(hunt) *h, const NAMED(model) *m, const int32_t *settled, int64_t effort, int depth)
{
    lk_search *s = h->s;
    int coarse = 0;
    NAMED(dolls) d;
    WIDE base;
#if CELL_BITS == 16
    const WIDE room = h->best - h->step - NAMED(bound_of)(m);
    while (coarse < s->coarsest && room >> coarse > FULL / 2)
        coarse++;
    if (room >> coarse > FULL / 2)
        return LK_OPEN;
#endif
    if ((double)NAMED(dolls_bytes)(m) > s->memory_limit)
        return LK_OPEN;
    ptrdiff_t *order = malloc(((size_t)m->k + 1) * sizeof(ptrdiff_t));
    if (!order)
        return LK_NO_MEMORY;
    NAMED(doll_order)(m, order);
    if (!NAMED(fill_dolls)(&d, m, &h->whole, h->at, settled, order, coarse, &base)) {
        free(order);
        return LK_NO_MEMORY;
    }
    /* A choice counts when it is cheaper than the best by a step: in cells, below `level`. */
#if CELL_BITS == 16
    const WIDE rest = h->best - h->step - base;
    const SUM level = rest < 0 ? 0 : (SUM)((rest >> coarse) + 1 < FULL ? (rest >> coarse) + 1 : FULL);
#else
    const SUM level = h->best - h->step - base;
#endif
    const int64_t cells = d.width + 16 * d.k;
    int status = NAMED(open_dolls)(&d, level, effort / cells + 1000, s) ? LK_CLOSED : LK_OPEN;
    h->effort += d.nodes * cells;
    s->nodes += d.nodes;
#if CELL_BITS == 16
    if (level == FULL) /* cheaper choices may cost more than cells can say */
        status = LK_OPEN;
    const WIDE floor = base + ((WIDE)d.rest[d.done] << coarse);
#else
    const WIDE floor = base + d.rest[d.done];
#endif
    if (status == LK_CLOSED || (s->stop && depth == 0 && floor > NAMED(bound_of)(m))) {
        NAMED(write_stage)(&s->record, m, coarse);
        NAMED(write_dolls)(&s->record, m, &d, order, coarse);
        if (status == LK_OPEN) {
            s->bound = NAMED(to_value)(h, floor < h->best ? floor : h->best);
            s->written = 1;
        }
    }
    if (status == LK_CLOSED && d.done == 0 && d.rest[0] < level && !NAMED(take_dolls)(h, m, &d, order, settled))
        status = LK_NO_MEMORY;
    free(order);
    NAMED(drop_dolls)(&d);
    return status;
}
