/* The search itself: raise the bound, drop members, fold sets, try Russian dolls, split. */

typedef struct {
    lk_search *s;
    NAMED(model) whole;
    NAMED(moved) moved;
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

/* Local search over the whole problem, from a choice of members. */
TARGET static int NAMED(improve)(NAMED(hunt) *h, const int32_t *from, ptrdiff_t kicks, uint64_t seed)
{
    NAMED(climb) c;
    const NAMED(model) *m = &h->whole;
    if (!NAMED(make_climb)(&c, m, seed))
        return 0;
    for (ptrdiff_t i = 0; from && i < m->k; i++)
        c.choice[i] = h->at[from[i]];
    NAMED(climb_down)(&c, kicks, LEAST_GAIN);
    h->effort += (int64_t)m->width * (m->k + 12 * kicks);
    for (ptrdiff_t i = 0; i < m->k; i++)
        c.best[i] = m->member[c.best[i]];
    NAMED(offer)(h, c.best);
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

/* Drop members that no better choice can have: LK_CLOSED when a set has none left, LK_OPEN, or LK_NO_MEMORY. `gone`
 * may name one more place to drop. The model is made anew when enough are gone. */
TARGET static int NAMED(drop_members)(NAMED(hunt) *h, NAMED(model) *m, int32_t *settled, ptrdiff_t gone)
{
    const WIDE bound = NAMED(bound_of)(m);
    if (bound > h->best - h->step)
        return LK_CLOSED;
    uint8_t *keep = malloc((size_t)m->width + 1);
    if (!keep)
        return LK_NO_MEMORY;
    ptrdiff_t dropped = 0, singles = 0, members = 0;
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const REAL *own = m->own + m->first[i];
        const WIDE room = h->best - h->step - bound + NAMED(least)(own, m->count[i]);
        ptrdiff_t left = 0;
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            left += keep[m->first[i] + a] = own[a] <= room && m->first[i] + a != gone;
        dropped += m->count[i] - left;
        members += m->count[i];
        singles += left == 1;
        if (left == 0) {
            free(keep);
            return LK_CLOSED;
        }
    }
    int status = LK_OPEN;
    if (gone >= 0 || singles || 8 * dropped > members) {
        NAMED(model) less;
        if (NAMED(compact)(m, keep, &less, settled)) {
            NAMED(drop_model)(m);
            *m = less;
        }
        else
            status = LK_NO_MEMORY;
    }
    free(keep);
    return status;
}

/* Sets whose members differ most in their own costs go first. */
TARGET static void NAMED(doll_order)(const NAMED(model) *m, ptrdiff_t *order, int by)
{
    double *key = (double *)(order + m->k);
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const REAL *own = m->own + m->first[i];
        const REAL low = NAMED(least)(own, m->count[i]);
        double sum = 0;
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            sum += own[a] - low;
        key[i] = by == 0 ? (double)m->count[i] : by == 1 ? -sum / (double)m->count[i] : by == 2 ? -(double)m->count[i] : by==3 ? sum / (double)m->count[i] : 0;
        ptrdiff_t at = i;
        for (; at > 0 && key[order[at - 1]] > key[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Russian dolls for about `effort`; LK_CLOSED, LK_OPEN when it ran out, LK_NO_MEMORY. */
TARGET static int NAMED(try_dolls)(NAMED(hunt) *h, const NAMED(model) *m, int32_t *settled, int64_t effort)
{
    const WIDE room = h->best - h->step - NAMED(bound_of)(m);
    int coarse = 0;
#if CELL_BITS == 16
    while (coarse < h->s->coarsest && room >> coarse > 60000)
        coarse++;
    if (room >> coarse > 60000)
        return LK_OPEN;
    if (h->s->move == 0) coarse = h->s->coarsest;
#endif
    NAMED(dolls) d;
    WIDE base;
    ptrdiff_t *order = malloc(2 * ((size_t)m->k + 1) * sizeof(ptrdiff_t));
    if (!order)
        return LK_NO_MEMORY;
    NAMED(doll_order)(m, order, h->s->order);
    h->moved.settled = settled;
    const int made = NAMED(fill_dolls)(&d, m, &h->moved, order, coarse, h->s->move, &base);
    free(order);
    if (!made)
        return LK_NO_MEMORY;
    int status = LK_OPEN;
    /* A choice counts when it is cheaper than the best by a step: in cells, below `level`. */
#if CELL_BITS == 16
    const WIDE rest = h->best - h->step - base;
    const SUM level = rest < 0 ? 0 : (SUM)((rest >> coarse) + 1);
    if (level < FULL) {
#else
    const SUM level = h->best - h->step - base;
    {
#endif
        const int64_t nodes = effort / (d.width + 16 * d.k) + 1000;
        if (h->s->bound < (double)base*h->s->unit) {}
        const int all = NAMED(open_dolls)(&d, level, nodes, h->s);
        h->effort += d.nodes * (d.width + 16 * d.k);
        h->s->nodes += d.nodes;
        if (all) {
            status = LK_CLOSED;
            if (d.done == 0 && d.rest[0] < level) {
                int32_t *choice = malloc(((size_t)h->whole.k + 1) * sizeof(int32_t));
                if (choice) {
                    memcpy(choice, settled, (size_t)h->whole.k * sizeof(int32_t));
                    for (ptrdiff_t t = 0; t < d.k; t++) {
                        const int32_t a = d.place[d.found[t]];
                        ptrdiff_t i = 0;
                        while (m->first[i + 1] <= a)
                            i++;
                        choice[m->set[i]] = m->member[a];
                    }
                    NAMED(offer)(h, choice);
                    free(choice);
                }
                else
                    status = LK_NO_MEMORY;
            }
        }
    }
    NAMED(drop_dolls)(&d);
    return status;
}

/* Close a model: prove that no choice in it is better than the best, having found those that are. The model is used
 * up. `settled` holds the members of folded sets. */
TARGET static int NAMED(close)(NAMED(hunt) *h, NAMED(model) *m, int32_t *settled, int depth)
{
    int status = LK_OPEN;
    int64_t begun = h->effort, tried = 0;
    WIDE last = NAMED(bound_of)(m), before = last;
    for (int64_t round = 0; status == LK_OPEN; round++) {
        if (m->k == 0) {
            NAMED(offer)(h, settled);
            return LK_CLOSED;
        }
        if (NAMED(stopped)(h))
            return LK_STOPPED;
        for (int sweep = 0; sweep < 2; sweep++)
            NAMED(sweep)(m, !(sweep & 1), h->spare);
        h->s->sweeps += 2;
        int64_t cells = 0;
        for (ptrdiff_t i = 0; i < m->k; i++)
            cells += m->count[i];
        h->effort += 3 * cells * m->width;
        const WIDE bound = NAMED(bound_of)(m);
        if (depth == 0)
            h->s->bound = NAMED(to_value)(h, bound < h->best ? bound : h->best);
        status = NAMED(drop_members)(h, m, settled, -1);
        if (status != LK_OPEN)
            break;
        if ((round & (round - 1)) == 0 && !NAMED(suggest)(h, m, settled))
            return LK_NO_MEMORY;
        const WIDE gap = h->best - h->step - bound, gain = bound - last;
        last = bound;
        if (h->s->verbose)
            fprintf(stderr, "%*sdepth %d round %d k %d members %d bound %.3f best %.3f gain %.3f effort %.3g\n", depth, "", depth, (int)round,
                    (int)m->k, (int)cells, NAMED(to_value)(h, bound)/2, NAMED(to_value)(h, h->best)/2, (double)gain * h->s->unit/2, (double)h->effort);
        /* On as long as some more rounds like this one would close the gap. */
        if (round >= 1 && gap > 0 && (double)gain * h->s->patience < (double)gap || round > 3000) {
            const int64_t spent = h->effort - begun;
            if (spent >= tried) {
                tried = 4 * spent;
                status = NAMED(try_dolls)(h, m, settled, h->s->dolls ? h->s->dolls : spent);
                if (status != LK_OPEN || h->s->stop)
                    break;
            }
            else if ((double)gain * h->s->patience * 8 < (double)gap)
            {
                /* Split: the member that its set can least do without. */
                ptrdiff_t place = -1, set = -1;
                REAL most = -1;
                for (ptrdiff_t i = 0; i < m->k; i++) {
                    const REAL *own = m->own + m->first[i];
                    ptrdiff_t least = 0;
                    for (ptrdiff_t a = 1; a < m->count[i]; a++)
                        least = own[a] < own[least] ? a : least;
                    REAL second = -1;
                    for (ptrdiff_t a = 0; a < m->count[i]; a++)
                        if (a != least && (second < 0 || own[a] - own[least] < second))
                            second = own[a] - own[least];
                    if (second > most) {
                        most = second;
                        place = m->first[i] + least;
                        set = i;
                    }
                }
                uint8_t *keep = malloc((size_t)m->width + 1);
                int32_t *inside = malloc(((size_t)h->whole.k + 1) * sizeof(int32_t));
                NAMED(model) child;
                memset(&child, 0, sizeof(child));
                status = LK_NO_MEMORY;
                if (keep && inside) {
                    memset(keep, 1, (size_t)m->width);
                    memset(keep + m->first[set], 0, (size_t)m->count[set]);
                    keep[place] = 1;
                    memcpy(inside, settled, (size_t)h->whole.k * sizeof(int32_t));
                    if (NAMED(compact)(m, keep, &child, inside)) {
                        h->s->branches++;
                        status = NAMED(close)(h, &child, inside, depth + 1);
                        NAMED(drop_model)(&child);
                    }
                }
                free(keep);
                free(inside);
                if (status != LK_CLOSED)
                    return status;
                status = NAMED(drop_members)(h, m, settled, place);
                last = before = NAMED(bound_of)(m);
            }
        }
    }
    (void)before;
    if (h->s->stop && status == LK_OPEN)
        return LK_STOPPED;
    return status;
}

/* The whole problem as a model to work on, nothing moved. */
TARGET static int NAMED(first_core)(const NAMED(hunt) *h, NAMED(model) *core)
{
    const NAMED(model) *m = &h->whole;
    if (!NAMED(make_model)(core, m->k, m->width))
        return 0;
    core->shift = m->shift;
    core->constant = m->constant;
    memcpy(core->first, m->first, ((size_t)m->k + 1) * sizeof(ptrdiff_t));
    memcpy(core->count, m->count, (size_t)m->k * sizeof(ptrdiff_t));
    memcpy(core->set, m->set, (size_t)m->k * sizeof(int32_t));
    memcpy(core->member, m->member, (size_t)m->width * sizeof(int32_t));
    memcpy(core->own, m->own, (size_t)m->width * sizeof(REAL));
    for (ptrdiff_t i = 0; i < m->k; i++)
        for (ptrdiff_t j = 0; j < m->k; j++) {
            const size_t w = (size_t)(m->first[j + 1] - m->first[j]);
            for (ptrdiff_t a = 0; a < m->count[i]; a++)
                memcpy(BLOCK(core, i, j) + (size_t)a * w, m->dist + (m->first[i] + a) * m->width + m->first[j], w * sizeof(DIST));
        }
    return 1;
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
    uint8_t *keep = malloc((size_t)width + 1);
    h.spare = malloc(((size_t)widest + 2 * LANES) * sizeof(REAL));
    NAMED(model) *m = &h.whole, core;
    memset(&core, 0, sizeof(core));
    if (!h.at || !settled || !keep || !h.spare || !NAMED(make_model)(m, k, width))
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
    for (ptrdiff_t i = 0; i < k; i++) {
        const REAL low = NAMED(least)(m->own + m->first[i], m->count[i]);
        m->constant += low;
        for (ptrdiff_t a = 0; a < m->count[i]; a++)
            m->own[m->first[i] + a] -= low;
    }
    const DIST *given = s->dist;
    for (ptrdiff_t a = 0; a < width; a++)
        if (m->member[a] >= 0) {
            const DIST *row = given + s->slot[m->member[a]] * s->points;
            for (ptrdiff_t b = 0; b < width; b++)
                if (m->member[b] >= 0)
                    m->dist[a * width + b] = row[s->slot[m->member[b]]];
        }
    h.moved.whole = m;
    h.moved.at = h.at;
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
    memset(keep, 1, (size_t)width);
    if (s->prove && NAMED(first_core)(&h, &core))
        s->status = NAMED(close)(&h, &core, settled, 0);
    else if (!s->prove)
        s->status = LK_STOPPED;
    s->value = NAMED(to_value)(&h, h.best);
    if (s->status == LK_CLOSED)
        s->bound = s->value;
end:
    NAMED(drop_model)(m);
    NAMED(drop_model)(&core);
    free(h.at);
    free(settled);
    free(keep);
    free(h.spare);
}
