/* Russian doll search on an open model, with limited effort. */

/* Order the sets by their number of members: those with few are solved last, when the search covers all
 * sets. */
TARGET static void NAMED(doll_order)(const NAMED(model) *m, ptrdiff_t *order)
{
    for (ptrdiff_t i = 0; i < m->k; i++) {
        ptrdiff_t position = i;
        for (; position > 0 && m->count[order[position - 1]] > m->count[i]; position--)
            order[position] = order[position - 1];
        order[position] = i;
    }
}

/* Offer the best choice of a Russian doll search, as members of the problem. 0 without memory. */
TARGET static int NAMED(offer_doll_choice)(NAMED(incumbent) * h, const NAMED(model) * m,
                                           const NAMED(russian_doll) * d, const ptrdiff_t *order,
                                           const int32_t *settled)
{
    int32_t *choice = malloc(((size_t)h->problem.k + 1) * sizeof(int32_t));
    if (!choice)
        return 0;
    memcpy(choice, settled, (size_t)h->problem.k * sizeof(int32_t));
    for (ptrdiff_t t = 0; t < d->k; t++)
        choice[m->set[order[t]]] = m->member[d->member[d->best_choice[t]]];
    NAMED(offer)(h, choice);
    free(choice);
    return 1;
}

/* Run Russian doll search for about `effort`. LK_CLOSED; LK_OPEN if the effort or the memory limit was
 * exceeded; LK_NO_MEMORY. */
TARGET static int NAMED(try_russian_doll)(
    NAMED(incumbent) *h, const NAMED(model) *m, const int32_t *settled, int64_t effort, int depth)
{
    lk_search *s = h->s;
    int coarse = 0;
    NAMED(russian_doll) d;
    WIDE base;
#if CELL_BITS == 16
    const WIDE gap = h->best_cost - h->step - NAMED(bound_of)(m);
    while (coarse < s->coarsest && gap >> coarse > FULL / 2)
        coarse++;
    if (gap >> coarse > FULL / 2)
        return LK_OPEN;
#endif
    if ((double)NAMED(doll_bytes)(m) > s->memory_limit)
        return LK_OPEN;
    ptrdiff_t *order = malloc(((size_t)m->k + 1) * sizeof(ptrdiff_t));
    if (!order)
        return LK_NO_MEMORY;
    NAMED(doll_order)(m, order);
    if (!NAMED(fill_russian_doll)(&d, m, &h->problem, h->place_of, settled, order, coarse, &base)) {
        free(order);
        free_arrays(&d.owner);
        return LK_NO_MEMORY;
    }
    /* A choice counts if it is cheaper than the best by a step: in cells, below `level`. */
#if CELL_BITS == 16
    const WIDE margin = h->best_cost - h->step - base;
    const SUM level = margin < 0 ? 0 : (SUM)((margin >> coarse) + 1 < FULL ? (margin >> coarse) + 1 : FULL);
#else
    const SUM level = h->best_cost - h->step - base;
#endif
    const int64_t cells = d.width + 16 * d.k;
    int status = NAMED(solve_russian_doll)(&d, level, effort / cells + 1000, s) ? LK_CLOSED : LK_OPEN;
    h->effort += d.nodes * cells;
    s->nodes += d.nodes;
#if CELL_BITS == 16
    if (level == FULL) /* a cheaper choice may cost more than a cell can hold */
        status = LK_OPEN;
    const WIDE floor = base + ((WIDE)d.suffix_bound[d.done] << coarse);
#else
    const WIDE floor = base + d.suffix_bound[d.done];
#endif
    if (status == LK_CLOSED || (s->stop && depth == 0 && floor > NAMED(bound_of)(m))) {
        NAMED(write_stage)(&s->record, m, coarse);
        NAMED(write_russian_doll)(&s->record, m, &d, order, coarse);
        if (status == LK_OPEN) {
            s->bound = NAMED(to_value)(h, floor < h->best_cost ? floor : h->best_cost);
            s->doll_written = 1;
        }
    }
    if (status == LK_CLOSED && d.done == 0 && d.suffix_bound[0] < level
        && !NAMED(offer_doll_choice)(h, m, &d, order, settled))
        status = LK_NO_MEMORY;
    free(order);
    free_arrays(&d.owner);
    return status;
}
