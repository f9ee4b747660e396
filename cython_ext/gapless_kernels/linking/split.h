/* The search: raise the bound, drop members, fold sets, try Russian doll search, split. */

/* Drop members that no better choice can contain. The model is rebuilt if more than an eighth of the
 * members is dropped. LK_CLOSED if no better choice remains, LK_OPEN, or LK_NO_MEMORY. */
TARGET static int NAMED(drop_members)(NAMED(incumbent) *h, NAMED(model) *m, int32_t *settled)
{
    const WIDE bound = NAMED(bound_of)(m);
    uint8_t *keep = malloc((size_t)m->width + 1);
    if (!keep)
        return LK_NO_MEMORY;
    ptrdiff_t dropped = 0, members = 0;
    int status = bound > h->best_cost - h->step ? LK_CLOSED : LK_OPEN;
    for (ptrdiff_t i = 0; i < m->k && status == LK_OPEN; i++) {
        const REAL *own = m->own + m->first[i];
        const WIDE limit = h->best_cost - h->step - bound + NAMED(minimum)(own, m->count[i]);
        ptrdiff_t remaining = 0;
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            remaining += keep[m->first[i] + a] = own[a] <= limit;
        dropped += m->count[i] - remaining;
        members += m->count[i];
        if (remaining == 0)
            status = LK_CLOSED;
    }
    if (status == LK_CLOSED)
        NAMED(write_stage)(&h->s->record, m, 0);
    else if (8 * dropped > members) {
        NAMED(write_stage)(&h->s->record, m, 0);
        status = NAMED(reduce_model)(m, keep, settled);
    }
    free(keep);
    return status;
}

/* Drop dominated members, if there are at least `min_dropped`. */
TARGET static int NAMED(drop_dominated)(NAMED(incumbent) * h, NAMED(model) * m, int32_t *settled,
                                        ptrdiff_t min_dropped)
{
    array_owner workspace = {0};
    uint8_t *keep = own_array(&workspace, m->width, 1);
    ptrdiff_t *dominator = own_array(&workspace, m->k, sizeof *dominator);
    int status = workspace.failed ? LK_NO_MEMORY : LK_OPEN;
    if (status == LK_OPEN) {
        const ptrdiff_t dropped = NAMED(mark_dominated)(m, keep, dominator);
        h->effort += NAMED(cells_of)(m);
        if (dropped >= min_dropped) {
            NAMED(write_dominated)(&h->s->record, m, keep, dominator, dropped);
            status = NAMED(reduce_model)(m, keep, settled);
        }
    }
    free_arrays(&workspace);
    return status;
}

TARGET static int NAMED(close_model)(NAMED(incumbent) *h, NAMED(model) *m, int32_t *settled, int depth);

/* Branch on the member with the largest regret (second least own cost minus least) over all sets: close
 * the choices with it, then drop it. */
TARGET static int NAMED(split_model)(NAMED(incumbent) *h, NAMED(model) *m, int32_t *settled, int depth)
{
    ptrdiff_t position = -1, set = -1;
    REAL largest_regret = -1;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const REAL *own = m->own + m->first[i];
        ptrdiff_t cheapest = own[1] < own[0], second = 1 - cheapest;
        for (ptrdiff_t a = 2; a < m->count[i]; a++)
            if (own[a] < own[cheapest]) {
                second = cheapest;
                cheapest = a;
            }
            else if (own[a] < own[second])
                second = a;
        if (own[second] - own[cheapest] > largest_regret) {
            largest_regret = own[second] - own[cheapest];
            position = m->first[i] + cheapest;
            set = i;
        }
    }
    array_owner workspace = {0};
    uint8_t *keep = own_array(&workspace, m->width, 1);
    int32_t *inside = own_array(&workspace, h->problem.k, sizeof *inside);
    NAMED(model) child;
    int status = LK_NO_MEMORY;
    if (!workspace.failed) {
        memset(keep, 1, (size_t)m->width);
        memset(keep + m->first[set], 0, (size_t)m->count[set]);
        keep[position] = 1;
        memcpy(inside, settled, (size_t)h->problem.k * sizeof(int32_t));
        if (NAMED(compact)(m, keep, &child, inside)) {
            h->s->branches++;
            lk_write_op(&h->s->record, LK_SPLIT, 1, m->member + position);
            status = NAMED(close_model)(h, &child, inside, depth + 1);
            free_arrays(&child.owner);
        }
        if (status == LK_CLOSED) {
            lk_write_op(&h->s->record, LK_END, 0, NULL);
            memset(keep, 1, (size_t)m->width);
            keep[position] = 0;
            status = NAMED(reduce_model)(m, keep, settled);
        }
    }
    free_arrays(&workspace);
    return status;
}

/* Close a model: prove that no choice in it is better than the incumbent, after finding those that are.
 * The model is used up. `settled` has the members of folded sets. */
TARGET static int NAMED(close_model)(NAMED(incumbent) *h, NAMED(model) *m, int32_t *settled, int depth)
{
    lk_search *s = h->s;
    const int64_t effort_at_start = h->effort;
    int64_t next_doll_effort = 0;
    WIDE last = NAMED(bound_of)(m);
    int status = LK_OPEN;
    for (int64_t round = 0; status == LK_OPEN; round++) {
        lk_mark mark = lk_mark_end(&s->record);
        if (m->k == 0) {
            NAMED(offer)(h, settled);
            return LK_CLOSED;
        }
        if (!NAMED(must_stop)(h)) {
            NAMED(sweep)(m, 1, h->workspace);
            NAMED(sweep)(m, 0, h->workspace);
            s->sweeps += 2;
            h->effort += 4 * NAMED(cells_of)(m);
            const WIDE bound = NAMED(bound_of)(m), gain = bound - last, gap = h->best_cost - bound;
            if (depth == 0)
                s->bound = NAMED(to_value)(h, bound < h->best_cost ? bound : h->best_cost);
            status = NAMED(drop_members)(h, m, settled);
            if (status == LK_OPEN
                && m->k > 0) /* every fourth round even a single dominated member makes a new model */
                status = NAMED(drop_dominated)(h, m, settled, (round & 3) == 3 ? 1 : 1 + m->width / 32);
            if (status != LK_OPEN)
                break;
            mark = lk_mark_end(&s->record);
            if ((round & (round - 1)) == 0 && !NAMED(improve_from_bound)(h, m, settled))
                return LK_NO_MEMORY;
            last = bound;
            /* Sweep on while rounds like this one would soon close the gap. */
            if (m->k == 0 || round == 0 || (double)gain * PATIENCE >= (double)gap)
                continue;
            const int64_t spent = h->effort - effort_at_start;
            if (spent >= next_doll_effort) {
                next_doll_effort = 4 * spent;
                status = NAMED(try_russian_doll)(h, m, settled, spent, depth);
            }
            else if ((double)gain * PATIENCE * 8 < (double)gap) {
                status = NAMED(split_model)(h, m, settled, depth);
                last = NAMED(bound_of)(m);
            }
        }
        if (s->stop && status != LK_CLOSED && status != LK_NO_MEMORY) {
            if (depth == 0 && !s->doll_written) {
                lk_rewind(&s->record, mark);
                NAMED(write_stage)(&s->record, m, 0);
            }
            return LK_STOPPED;
        }
    }
    return status;
}

TARGET static void NAMED(run)(lk_search *s)
{
    NAMED(incumbent) h;
    const ptrdiff_t k = s->k;
    memset(&h, 0, sizeof(h));
    h.s = s;
    h.choice = s->choice;
    ptrdiff_t width = 0, widest = 0;
    for (ptrdiff_t i = 0; i < k; i++) {
        ptrdiff_t count = 0;
        for (int64_t a = s->first[i]; a < s->first[i + 1]; a++)
            count += s->allowed[a];
        width += (count + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
        widest = count > widest ? count : widest;
    }
    s->status = LK_NO_MEMORY;
    s->bound = -INFINITY;
    array_owner workspace = {0};
    h.place_of = own_array(&workspace, (ptrdiff_t)s->first[k], sizeof(int32_t));
    int32_t *settled = own_array(&workspace, k, sizeof(int32_t));
    int32_t *slot = own_array(&workspace, width, sizeof(int32_t));
    uint8_t *keep = own_array(&workspace, width, 1);
    h.workspace = own_array(&workspace, widest + 2 * GAPLESS_OCTET, sizeof(REAL));
    NAMED(model) *m = &h.problem, core;
    memset(&core, 0, sizeof(core));
    if (!NAMED(make_model)(m, k, width) || workspace.failed)
        goto end;
    ptrdiff_t place = 0;
    m->shift = s->shift;
    m->is_plain = 1;
    memset(keep, 1, (size_t)width);
    for (ptrdiff_t i = 0; i < k; i++) {
        m->first[i] = place;
        m->set[i] = (int32_t)i;
        for (int64_t a = s->first[i]; a < s->first[i + 1]; a++) {
            h.place_of[a] = -1;
            if (!s->allowed[a])
                continue;
            h.place_of[a] = (int32_t)place;
            m->member[place] = (int32_t)a;
            m->own[place++] = (REAL)OWN(s->own[a], s->shift);
        }
        m->count[i] = place - m->first[i];
        while (place % GAPLESS_OCTET)
            m->member[place++] = -1;
    }
    m->first[k] = place;
    for (ptrdiff_t a = 0; a < width; a++) /* padding looks up slot 0; the values are never used */
        slot[a] = m->member[a] >= 0 ? (int32_t)s->slot[m->member[a]] : 0;
    for (ptrdiff_t a = 0; a < width; a++)
        if (m->member[a] >= 0) {
            const DIST *row = (const DIST *)s->dist + slot[a] * s->points;
            for (ptrdiff_t b = 0; b < width; b++)
                m->dist[a * width + b] = row[slot[b]];
        }
    h.step = (WIDE)(s->step / s->unit);
    h.limit = s->limit < INFINITY ? (WIDE)(s->limit / s->unit) : MOST;
    h.best_cost = s->cutoff < INFINITY ? (WIDE)(s->cutoff / s->unit) : h.limit;
    s->value = INFINITY;
    for (ptrdiff_t begin = 0; begin < s->starts; begin++)
        if (!NAMED(improve)(&h, s->start + begin * k, 0, s->seed))
            goto end;
    if (!NAMED(improve)(&h, NULL, s->kicks, s->seed + 1))
        goto end;
    for (ptrdiff_t i = 0; i < k; i++)
        settled[i] = -1;
    if (!s->prove)
        s->status = LK_STOPPED;
    else if (NAMED(compact)(m, keep, &core, settled)) /* a copy to work on, without sets of one member */
        s->status = NAMED(close_model)(&h, &core, settled, 0);
    s->value = NAMED(to_value)(&h, h.best_cost);
    if (s->status == LK_CLOSED)
        s->bound = s->value - s->rounding;
end:
    free_arrays(&m->owner);
    free_arrays(&core.owner);
    free_arrays(&workspace);
}
