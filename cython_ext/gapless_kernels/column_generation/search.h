/* The rounds of one sentence, and the batch.
 *
 * Last piece of column_generation/loops.h: rows.h, state.h, exact.h, pricing.h, search.h. */

/* Take what was found into the domains, pass the messages that this changes, trace the best path; mark
 * positions whose prices changed. Messages stop changing at the next domain of one label (section 4.2). */
static void NAMED(cg_grow)(const NAMED(cg_model) *m, NAMED(cg_workspace) *r, ptrdiff_t n)
{
    const ptrdiff_t w = m->stride;
    ptrdiff_t first = n, last = -1;
    memset(r->moved, 0, (size_t)n);
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!r->grown[i])
            continue;
        for (ptrdiff_t c = 0; c < r->grown[i]; c++)
            r->member[i * w + r->domain[i * w + r->size[i] + c]] = IN_DOMAIN;
        r->size[i] += r->grown[i];
        r->moved[i] = 1;
        first = i < first ? i : first;
        last = i;
    }
    for (int leftward = 0; leftward < 2; leftward++) {
        int changed = 0;
        const ptrdiff_t step = leftward ? -1 : 1, end = leftward ? 0 : n - 1;
        for (ptrdiff_t i = leftward ? last : first; i != end; i += step) {
            const int32_t *domain = r->domain + i * w;
            const REAL *p = r->rows + i * w, *message = leftward ? r->b[i] : r->a[i];
            REAL *out = (leftward ? r->right : r->left) + (i + step) * w, best = -(REAL)INFINITY;
            changed = r->grown[i] || (changed && r->size[i] > 1);
            if (!changed) {
                if (leftward ? i <= first : i >= last)
                    break;
                continue;
            }
            for (ptrdiff_t c = 0; c < r->size[i]; c++) {
                r->offers[c] = message[domain[c]] + p[domain[c]];
                best = GAPLESS_MAX(r->offers[c], best);
            }
            for (ptrdiff_t c = 0; c < r->size[i]; c++)
                r->offers[c] -= best;
            NAMED(cg_message)(leftward ? m->backward : m->forward, w, domain, r->offers, r->size[i], out);
            *(leftward ? &r->b[i - 1] : &r->a[i + 1]) = out;
            r->moved[i + step] = 1;
        }
    }
    for (ptrdiff_t i = n - 1; i >= 0; i--) {
        const int32_t *domain = r->domain + i * w;
        REAL best = -(REAL)INFINITY;
        int32_t label = domain[0];
        r->grown[i] = 0;
        if (r->size[i] > 1)
            for (ptrdiff_t c = 0; c < r->size[i]; c++) {
                REAL score = r->a[i][domain[c]] + r->rows[i * w + domain[c]];
                if (i + 1 < n)
                    score += m->forward[domain[c] * w + r->path[i + 1]];
                if (score > best) {
                    best = score;
                    label = domain[c];
                }
            }
        r->moved[i] |= label != r->path[i];
        r->path[i] = label;
    }
    for (ptrdiff_t i = 0; i < n; i++)
        r->todo[i] = r->moved[i] || (i && r->moved[i - 1]);
}

/* Magnitude that the numbers of the search may reach near a threshold. */
static REAL NAMED(cg_scale)(const NAMED(cg_model) *m, const NAMED(cg_workspace) *r, ptrdiff_t n, int priced)
{
    REAL scale = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL through = r->rows[i * m->stride + r->path[i]], top = priced ? r->top[i] : 0;
        scale = GAPLESS_MAX(through, scale);
        scale = GAPLESS_MAX(-through, scale);
        scale = GAPLESS_MAX(top, scale);
        scale = GAPLESS_MAX(-top, scale);
        if (!(through > -HUGE_SCORE && through < HUGE_SCORE && top < HUGE_SCORE))
            return (REAL)INFINITY;
    }
    return scale + 8 * m->largest + m->coarse;
}

/* One round: price the positions that changed, request labels that the domains lack. Returns their number. */
static ptrdiff_t NAMED(cg_round)(const NAMED(cg_model) * m, NAMED(cg_workspace) * r, NAMED(cg_sentence) * s,
                                 REAL slop)
{
    const ptrdiff_t n = s->n;
    ptrdiff_t missing = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t low = i;
        if (!r->todo[i])
            continue;
        while (i + 1 < n && r->todo[i + 1])
            i++;
        NAMED(cg_pass)(m, r, low, i, slop);
    }
    for (ptrdiff_t i = 0; i <= n; i++)
        r->slack[i] = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!r->todo[i])
            continue;
        if (i > 0 && (r->targets[i] > 1 || r->size[i] > 1)) {
            const double excess = NAMED(cg_price_pairs)(m, r, s, i, slop);
            r->slack[i] = excess > r->slack[i] ? excess : r->slack[i];
        }
        if (r->better[i] > 1) {
            const double excess = NAMED(cg_price_labels)(m, r, s, i, slop);
            r->slack[i + 1] = excess;
            if (i == 0)
                r->slack[0] = excess;
        }
    }
    for (ptrdiff_t i = 0; i < n; i++)
        missing += r->grown[i];
    return missing;
}

static int NAMED(cg_lowered)(const NAMED(cg_model) *m, const NAMED(cg_workspace) *r, ptrdiff_t n)
{
    if (m->lowered)
        for (ptrdiff_t i = 1; i < n; i++)
            if (m->lowered[r->path[i - 1] * m->labels + r->path[i]])
                return 1;
    return 0;
}

/* Returns whether the search settled the sentence; otherwise dense Viterbi must. */
static int NAMED(cg_search)(const NAMED(cg_model) *m, NAMED(cg_workspace) *r, NAMED(cg_sentence) *s)
{
    const ptrdiff_t n = s->n;
    /* Never 0 where a second path is asked for: of scores that are all 0 nothing is rounded, and ties count
     * too. */
    const REAL margin = m->margin >= 0 ? (REAL)(2 * m->margin) * (1 + 4 * UNIT) + (REAL)GAPLESS_TIE : 0;
    const double allowed = m->effort * (double)(n * m->labels);
    REAL scale = NAMED(cg_scale)(m, r, n, 0);
    double bound = INFINITY;
    memset(r->todo, 1, (size_t)n);
    r->rows_priced = 0;
    for (s->rounds = 1; s->rounds <= GAPLESS_ROUNDS; s->rounds++) {
        ptrdiff_t missing;
        double rows = 0;
        REAL slop;
        for (;;) {
            if (!(scale < HUGE_SCORE))
                return 0;
            slop = GAPLESS_ROUNDINGS * UNIT * (REAL)(n + 2) * scale;
            missing = NAMED(cg_round)(m, r, s, slop + margin);
            const REAL met = NAMED(cg_scale)(m, r, n, 1);
            if (met <= scale)
                break;
            scale = 2 * met;
            memset(r->todo, 1, (size_t)n);
        }
        if (!missing) {
            if (NAMED(cg_lowered)(m, r, n) || !NAMED(cg_restricted)(m, r, s, m->margin >= 0))
                return 0;
            s->bound = s->value;
            return 1;
        }
        if (m->gap > 0) {
            double slack = 0;
            for (ptrdiff_t i = 0; i <= n; i++)
                slack += r->slack[i];
            if (NAMED(cg_lowered)(m, r, n) || !NAMED(cg_restricted)(m, r, s, 0))
                return 0;
            const double now = s->value + 0.5 * slack + (double)slop;
            bound = now < bound ? now : bound;
            if (bound - s->value <= m->gap * (s->value > 1 ? s->value : s->value < -1 ? -s->value : 1)) {
                s->bound = bound > s->value ? bound : s->value;
                return 1;
            }
        }
        NAMED(cg_grow)(m, r, n);
        /* Each label beside the path's will cost a row at the least. */
        for (ptrdiff_t i = 0; i < n; i++)
            rows += (double)(r->size[i] - 1);
        if (r->rows_priced + rows > allowed)
            return 0;
    }
    return 0;
}

static void NAMED(cg_decode)(const NAMED(cg_model) *m, NAMED(cg_workspace) *r, NAMED(cg_sentence) *s)
{
    const ptrdiff_t n = s->n;
    s->candidates = s->size = s->rounds = 0;
    s->second = -INFINITY;
    if (NAMED(cg_read)(s->unary, n, m->labels, m->stride, m->extra, m->rest, r->rows)) {
        s->status = GAPLESS_INVALID;
        s->value = s->bound = NAN;
        for (ptrdiff_t i = 0; i < n; i++)
            s->labels[i] = -1;
        if (s->second_labels)
            for (ptrdiff_t i = 0; i < n; i++)
                s->second_labels[i] = -1;
        return;
    }
    NAMED(cg_first)(r->rows, n, m->labels, m->stride, m->forward, m->zeros, m->start == GAPLESS_START_GREEDY,
                    r->path);
    NAMED(cg_singletons)(m, r, n);
    if (NAMED(cg_search)(m, r, s)) {
        for (ptrdiff_t i = 0; i < n; i++)
            s->size += r->size[i];
    } else {
        NAMED(cg_dense)(m, r, s);
    }
    NAMED(cg_clear)(m, r, n);
    /* The best but one counts only within the margin: the domains need not hold worse ones. */
    if (s->second_labels && !(s->second >= s->value - m->margin)) {
        s->second = -INFINITY;
        for (ptrdiff_t i = 0; i < n; i++)
            s->second_labels[i] = -1;
    }
    s->status = s->value == -INFINITY ? GAPLESS_INFEASIBLE : GAPLESS_DECIDED;
}

/* Allocate the workspace for sentences of n words in rows of w labels; its owner frees. 0 without memory. */
static int NAMED(cg_allocate)(NAMED(cg_workspace) *r, ptrdiff_t n, ptrdiff_t w)
{
    memset(r, 0, sizeof *r);
#define GAPLESS_TAKE(field, count) r->field = own_array(&r->owner, count, sizeof *r->field)
    GAPLESS_TAKE(rows, n * w);
    GAPLESS_TAKE(left, n * w);
    GAPLESS_TAKE(right, n * w);
    GAPLESS_TAKE(a, n);
    GAPLESS_TAKE(b, n);
    GAPLESS_TAKE(domain, n * w);
    GAPLESS_TAKE(member, n * w);
    GAPLESS_TAKE(size, n);
    GAPLESS_TAKE(grown, n);
    GAPLESS_TAKE(path, n);
    GAPLESS_TAKE(top, n);
    GAPLESS_TAKE(threshold, n);
    GAPLESS_TAKE(base, n);
    GAPLESS_TAKE(targets, n);
    GAPLESS_TAKE(better, n);
    GAPLESS_TAKE(todo, n);
    GAPLESS_TAKE(moved, n);
    GAPLESS_TAKE(slack, n + 1);
    GAPLESS_TAKE(hits, w);
    GAPLESS_TAKE(targeted, w);
    GAPLESS_TAKE(sources, w);
    GAPLESS_TAKE(plus, w);
    GAPLESS_TAKE(minus, w);
    GAPLESS_TAKE(offers, w);
    GAPLESS_TAKE(best, n * w);
    GAPLESS_TAKE(second, n * w);
    GAPLESS_TAKE(from, n * w);
    GAPLESS_TAKE(from_second, n * w);
    GAPLESS_TAKE(local, w);
#undef GAPLESS_TAKE
    return !r->owner.failed;
}

/* Decode sentences; arrays as the twin explains them, but rows of `extra` are additions for the first, a
 * middle, the last and the only position, what rounding took from each of them, and zeros. Returns false when
 * there is no memory. */
static int NAMED(cg_chains)(ptrdiff_t labels, ptrdiff_t stride, const REAL *forward, const REAL *backward,
                            const REAL *into, const REAL *out_of, const REAL *extra, double coarse,
                            double largest, const double *transition, const double *initial,
                            const double *final, const unsigned char *lowered, int start, double gap,
                            double margin, double effort, const REAL *unary, const int64_t *offsets,
                            ptrdiff_t sentences, const cg_answers *out)
{
    NAMED(cg_model) model = {labels, stride, forward, backward, into, out_of, extra + 8 * stride,
                             {NULL}, {NULL}, (REAL)coarse, (REAL)largest, transition, initial, final, lowered,
                             start, gap, margin, effort};
    const NAMED(cg_model) *const m = &model;
    NAMED(cg_workspace) r;
    for (int kind = 0; kind < 4; kind++) {
        model.extra[kind] = extra + kind * stride;
        model.rest[kind] = extra + (4 + kind) * stride;
    }
    ptrdiff_t longest = 1;
    for (ptrdiff_t s = 0; s < sentences; s++)
        if (offsets[s + 1] - offsets[s] > longest)
            longest = (ptrdiff_t)(offsets[s + 1] - offsets[s]);
    if (!NAMED(cg_allocate)(&r, longest, stride)) {
        free_arrays(&r.owner);
        return 0;
    }
    for (ptrdiff_t i = 0; i < longest * m->stride; i++)
        r.rows[i] = -(REAL)INFINITY;
    for (ptrdiff_t s = 0; s < sentences; s++) {
        NAMED(cg_sentence) current = {0};
        current.unary = unary + offsets[s] * m->labels;
        current.n = (ptrdiff_t)(offsets[s + 1] - offsets[s]);
        current.labels = out->labels + offsets[s];
        current.second_labels = out->second_labels ? out->second_labels + offsets[s] : NULL;
        NAMED(cg_decode)(m, &r, &current);
        out->values[s] = current.value;
        out->bounds[s] = current.bound;
        out->status[s] = current.status;
        out->rounds[s] = current.rounds;
        out->sizes[s] = current.size;
        out->candidates[s] = current.candidates;
        if (out->second_labels)
            out->seconds[s] = current.second;
    }
    free_arrays(&r.owner);
    return 1;
}
