/* The search itself: raise the bound, drop members, fold sets, try Russian dolls, split. */

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
    s->value = NAMED(to_value)(h, h->best);
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
                memcpy(BLOCK(core, i, j) + (size_t)a * w, m->dist + (m->first[i] + a) * m->width + m->first[j], w * sizeof(DIST));
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
        width += (count + LANES - 1) / LANES * LANES;
        widest = count > widest ? count : widest;
    }
    s->status = LK_NO_MEMORY;
    s->bound = -INFINITY;
    h.at = malloc(((size_t)s->first[k] + 1) * sizeof(int32_t));
    int32_t *settled = malloc(((size_t)k + 1) * sizeof(int32_t));
    int32_t *slot = malloc(((size_t)width + 1) * sizeof(int32_t));
    h.spare = malloc(((size_t)widest + 2 * LANES) * sizeof(REAL));
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
        while (place % LANES)
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
