/* The search itself: raise the bound, drop members, fold sets, try Russian dolls, split. */

/* Drop members that no better choice can have: LK_CLOSED when nothing is left, LK_OPEN, or LK_NO_MEMORY. The model is
 * made anew when enough are gone. */
TARGET static int NAMED(drop_members)(NAMED(hunt) *h, NAMED(model) *m, int32_t *settled)
{
    const WIDE bound = NAMED(bound_of)(m);
    uint8_t *keep = malloc((size_t)m->width + 1);
    if (!keep)
        return LK_NO_MEMORY;
    ptrdiff_t dropped = 0, members = 0;
    int status = bound > h->best - h->step ? LK_CLOSED : LK_OPEN;
    for (ptrdiff_t i = 0; i < m->k && status == LK_OPEN; i++) {
        const REAL *own = m->own + m->first[i];
        const WIDE room = h->best - h->step - bound + NAMED(least)(own, m->count[i]);
        ptrdiff_t left = 0;
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            left += keep[m->first[i] + a] = own[a] <= room;
        dropped += m->count[i] - left;
        members += m->count[i];
        if (left == 0)
            status = LK_CLOSED;
    }
    if (status == LK_CLOSED)
        NAMED(write_stage)(&h->s->record, m, 0);
    else if (8 * dropped > members) {
        NAMED(write_stage)(&h->s->record, m, 0);
        status = NAMED(replace)(m, keep, settled);
    }
    free(keep);
    return status;
}

/* Drop members that another of their set dominates, if there are at least so many. */
TARGET static int NAMED(drop_dominated)(NAMED(hunt) *h, NAMED(model) *m, int32_t *settled, ptrdiff_t enough)
{
    uint8_t *keep = malloc((size_t)m->width + 1);
    ptrdiff_t *by = malloc(((size_t)m->k + 1) * sizeof(ptrdiff_t));
    int status = keep && by ? LK_OPEN : LK_NO_MEMORY;
    if (status == LK_OPEN) {
        const ptrdiff_t gone = NAMED(dominated)(m, keep, by);
        h->effort += NAMED(cells_of)(m);
        if (gone >= enough) {
            NAMED(write_dominated)(&h->s->record, m, keep, by, gone);
            status = NAMED(replace)(m, keep, settled);
        }
    }
    free(keep);
    free(by);
    return status;
}

TARGET static int NAMED(close)(NAMED(hunt) *h, NAMED(model) *m, int32_t *settled, int depth);

/* Close the choices with the member that its set can least do without, then drop it. */
TARGET static int NAMED(split)(NAMED(hunt) *h, NAMED(model) *m, int32_t *settled, int depth)
{
    ptrdiff_t place = -1, set = -1;
    REAL most = -1;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const REAL *own = m->own + m->first[i];
        ptrdiff_t least = own[1] < own[0], second = 1 - least;
        for (ptrdiff_t a = 2; a < m->count[i]; a++)
            if (own[a] < own[least]) {
                second = least;
                least = a;
            }
            else if (own[a] < own[second])
                second = a;
        if (own[second] - own[least] > most) {
            most = own[second] - own[least];
            place = m->first[i] + least;
            set = i;
        }
    }
    uint8_t *keep = malloc((size_t)m->width + 1);
    int32_t *inside = malloc(((size_t)h->whole.k + 1) * sizeof(int32_t));
    NAMED(model) child;
    int status = LK_NO_MEMORY;
    memset(&child, 0, sizeof(child));
    if (keep && inside) {
        memset(keep, 1, (size_t)m->width);
        memset(keep + m->first[set], 0, (size_t)m->count[set]);
        keep[place] = 1;
        memcpy(inside, settled, (size_t)h->whole.k * sizeof(int32_t));
        if (NAMED(compact)(m, keep, &child, inside)) {
            h->s->branches++;
            lk_say(&h->s->record, LK_SPLIT, 1, m->member + place);
            status = NAMED(close)(h, &child, inside, depth + 1);
            NAMED(drop_model)(&child);
        }
        if (status == LK_CLOSED) {
            lk_say(&h->s->record, LK_END, 0, NULL);
            memset(keep, 1, (size_t)m->width);
            keep[place] = 0;
            status = NAMED(replace)(m, keep, settled);
        }
    }
    free(keep);
    free(inside);
    return status;
}

/* Close a model: prove that no choice in it is better than the best, having found those that are. The model is used
 * up. `settled` holds the members of folded sets. */
TARGET static int NAMED(close)(NAMED(hunt) *h, NAMED(model) *m, int32_t *settled, int depth)
{
    lk_search *s = h->s;
    const int64_t begun = h->effort;
    int64_t enough = 0;
    WIDE last = NAMED(bound_of)(m);
    int status = LK_OPEN;
    for (int64_t round = 0; status == LK_OPEN; round++) {
        lk_mark here = lk_here(&s->record);
        if (m->k == 0) {
            NAMED(offer)(h, settled);
            return LK_CLOSED;
        }
        if (!NAMED(stopped)(h)) {
            NAMED(sweep)(m, 1, h->spare);
            NAMED(sweep)(m, 0, h->spare);
            s->sweeps += 2;
            h->effort += 4 * NAMED(cells_of)(m);
            const WIDE bound = NAMED(bound_of)(m), gain = bound - last, gap = h->best - bound;
            if (depth == 0)
                s->bound = NAMED(to_value)(h, bound < h->best ? bound : h->best);
            status = NAMED(drop_members)(h, m, settled);
            if (status == LK_OPEN && m->k > 0) /* a few are worth a new model when little else happens */
                status = NAMED(drop_dominated)(h, m, settled, (round & 3) == 3 ? 1 : 1 + m->width / 32);
            if (status != LK_OPEN)
                break;
            here = lk_here(&s->record);
            if ((round & (round - 1)) == 0 && !NAMED(suggest)(h, m, settled))
                return LK_NO_MEMORY;
            last = bound;
            /* On, as long as rounds like this one would soon close the gap. */
            if (m->k == 0 || round == 0 || (double)gain * PATIENCE >= (double)gap)
                continue;
            const int64_t spent = h->effort - begun;
            if (spent >= enough) {
                enough = 4 * spent;
                status = NAMED(try_dolls)(h, m, settled, spent, depth);
            }
            else if ((double)gain * PATIENCE * 8 < (double)gap) {
                status = NAMED(split)(h, m, settled, depth);
                last = NAMED(bound_of)(m);
            }
        }
        if (s->stop && status != LK_CLOSED && status != LK_NO_MEMORY) {
            if (depth == 0 && !s->written) {
                lk_back(&s->record, here);
                NAMED(write_stage)(&s->record, m, 0);
            }
            return LK_STOPPED;
        }
    }
    return status;
}

/* The whole problem as a model to work on, nothing moved, sets of one member folded. */
TARGET static int NAMED(first_core)(const NAMED(hunt) *h, NAMED(model) *core, int32_t *settled)
{
    const NAMED(model) *m = &h->whole;
    uint8_t *keep = malloc((size_t)m->width + 1);
    if (!keep || !NAMED(make_model)(core, m->k, m->width)) {
        free(keep);
        return 0;
    }
    memset(keep, 1, (size_t)m->width);
    core->shift = m->shift;
    core->constant = m->constant;
    memcpy(core->first, m->first, ((size_t)m->k + 1) * sizeof(ptrdiff_t));
    memcpy(core->count, m->count, (size_t)m->k * sizeof(ptrdiff_t));
    memcpy(core->set, m->set, (size_t)m->k * sizeof(int32_t));
    memcpy(core->member, m->member, (size_t)m->width * sizeof(int32_t));
    memcpy(core->own, m->own, (size_t)m->width * sizeof(REAL));
    for (ptrdiff_t i = 0; i < m->k; i++)
        core->constant += NAMED(level_own)(core->own + core->first[i], core->count[i]);
    for (ptrdiff_t i = 0; i < m->k; i++)
        for (ptrdiff_t j = 0; j < m->k; j++) {
            const size_t w = (size_t)(m->first[j + 1] - m->first[j]);
            for (ptrdiff_t a = 0; a < m->count[i]; a++)
                memcpy(BLOCK(core, i, j) + (size_t)a * w, m->dist + (m->first[i] + a) * m->width + m->first[j],
                       w * sizeof(DIST));
        }
    int status = LK_OPEN, single = 0;
    for (ptrdiff_t i = 0; i < core->k; i++)
        single |= core->count[i] == 1;
    if (single)
        status = NAMED(replace)(core, keep, settled);
    free(keep);
    return status == LK_OPEN;
}

TARGET static void NAMED(run)(lk_search *s)
{
    NAMED(hunt) h;
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
    h.at = malloc(((size_t)s->first[k] + 1) * sizeof(int32_t));
    int32_t *settled = malloc(((size_t)k + 1) * sizeof(int32_t));
    int32_t *slot = malloc(((size_t)width + 1) * sizeof(int32_t));
    h.spare = malloc(((size_t)widest + 2 * GAPLESS_OCTET) * sizeof(REAL));
    NAMED(model) *m = &h.whole, core;
    memset(&core, 0, sizeof(core));
    if (!h.at || !settled || !slot || !h.spare || !NAMED(make_model)(m, k, width))
        goto end;
    ptrdiff_t place = 0;
    m->shift = s->shift;
    for (ptrdiff_t i = 0; i < k; i++) {
        m->first[i] = place;
        m->set[i] = (int32_t)i;
        for (int64_t a = s->first[i]; a < s->first[i + 1]; a++) {
            h.at[a] = -1;
            if (!s->allowed[a])
                continue;
            h.at[a] = (int32_t)place;
            m->member[place] = (int32_t)a;
            m->own[place++] = (REAL)OWN(s->own[a], s->shift);
        }
        m->count[i] = place - m->first[i];
        while (place % GAPLESS_OCTET)
            m->member[place++] = -1;
    }
    m->first[k] = place;
    for (ptrdiff_t a = 0; a < width; a++) /* what padding looks up is read by nobody */
        slot[a] = m->member[a] >= 0 ? (int32_t)s->slot[m->member[a]] : 0;
    for (ptrdiff_t a = 0; a < width; a++)
        if (m->member[a] >= 0) {
            const DIST *row = (const DIST *)s->dist + slot[a] * s->points;
            for (ptrdiff_t b = 0; b < width; b++)
                m->dist[a * width + b] = row[slot[b]];
        }
    h.step = (WIDE)(s->step / s->unit);
    h.limit = s->limit < INFINITY ? (WIDE)(s->limit / s->unit) : MOST;
    h.best = s->cutoff < INFINITY ? (WIDE)(s->cutoff / s->unit) : h.limit;
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
    else if (NAMED(first_core)(&h, &core, settled))
        s->status = NAMED(close)(&h, &core, settled, 0);
    s->value = NAMED(to_value)(&h, h.best);
    if (s->status == LK_CLOSED)
        s->bound = s->value - s->rounding;
end:
    NAMED(drop_model)(m);
    NAMED(drop_model)(&core);
    free(h.at);
    free(settled);
    free(slot);
    free(h.spare);
}
