/* Included by column_generation/batch.h once for each type: the rounds of one sentence, and the batch. */

/* Take what was found into the domains, pass the messages that this changes, trace the best path; mark positions
 * whose prices changed. Messages stop changing at the next domain of one label (section 4.2). */
static void NAMED(cg_grow)(const NAMED(cg_model) *m, NAMED(cg_room) *r, ptrdiff_t n)
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
static REAL NAMED(cg_scale)(const NAMED(cg_model) *m, const NAMED(cg_room) *r, ptrdiff_t n, int priced)
{
    REAL scale = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const REAL own = r->rows[i * m->stride + r->path[i]], top = priced ? r->top[i] : 0;
        scale = GAPLESS_MAX(own, scale);
        scale = GAPLESS_MAX(-own, scale);
        scale = GAPLESS_MAX(top, scale);
        scale = GAPLESS_MAX(-top, scale);
        if (!(own > -HUGE_SCORE && own < HUGE_SCORE && top < HUGE_SCORE))
            return (REAL)INFINITY;
    }
    return scale + 8 * m->largest + m->coarse;
}

/* One round: price what is to do, want what is missing. Returns how many labels are wanted. */
static ptrdiff_t NAMED(cg_round)(const NAMED(cg_model) *m, NAMED(cg_room) *r, NAMED(cg_sentence) *s, REAL slop)
{
    const ptrdiff_t n = s->n;
    ptrdiff_t wanted = 0;
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
            const double excess = NAMED(cg_edge)(m, r, s, i, slop);
            r->slack[i] = excess > r->slack[i] ? excess : r->slack[i];
        }
        if (r->better[i] > 1) {
            const double excess = NAMED(cg_own)(m, r, s, i, slop);
            r->slack[i + 1] = excess;
            if (i == 0)
                r->slack[0] = excess;
        }
    }
    for (ptrdiff_t i = 0; i < n; i++)
        wanted += r->grown[i];
    return wanted;
}

static int NAMED(cg_lowered)(const NAMED(cg_model) *m, const NAMED(cg_room) *r, ptrdiff_t n)
{
    if (m->lowered)
        for (ptrdiff_t i = 1; i < n; i++)
            if (m->lowered[r->path[i - 1] * m->labels + r->path[i]])
                return 1;
    return 0;
}

/* Returns whether the search settled the sentence; otherwise dense Viterbi must. */
static int NAMED(cg_search)(const NAMED(cg_model) *m, NAMED(cg_room) *r, NAMED(cg_sentence) *s)
{
    const ptrdiff_t n = s->n;
    /* Never 0 where a second path is asked for: of scores that are all 0 nothing is rounded, and ties count too. */
    const REAL margin = m->margin >= 0 ? (REAL)(2 * m->margin) * (1 + 4 * UNIT) + (REAL)GAPLESS_TIE : 0;
    const double allowed = m->effort * (double)(n * m->labels);
    REAL scale = NAMED(cg_scale)(m, r, n, 0);
    double bound = INFINITY;
    memset(r->todo, 1, (size_t)n);
    r->rows_priced = 0;
    for (s->rounds = 1; s->rounds <= GAPLESS_ROUNDS; s->rounds++) {
        ptrdiff_t wanted;
        double rows = 0;
        REAL slop;
        for (;;) {
            if (!(scale < HUGE_SCORE))
                return 0;
            slop = GAPLESS_ROUNDINGS * UNIT * (REAL)(n + 2) * scale;
            wanted = NAMED(cg_round)(m, r, s, slop + margin);
            const REAL met = NAMED(cg_scale)(m, r, n, 1);
            if (met <= scale)
                break;
            scale = 2 * met;
            memset(r->todo, 1, (size_t)n);
        }
        if (!wanted) {
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

static void NAMED(cg_decode)(const NAMED(cg_model) *m, NAMED(cg_room) *r, NAMED(cg_sentence) *s)
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
    if (m->start == GAPLESS_START_GIVEN) {
        for (ptrdiff_t i = 0; i < n; i++)
            r->path[i] = (int32_t)(s->labels[i] >= 0 && s->labels[i] < m->labels ? s->labels[i] : 0);
    } else {
        NAMED(cg_first)(r->rows, n, m->labels, m->stride, m->forward, m->zeros, m->start == GAPLESS_START_GREEDY,
                        r->path);
    }
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

/* The next `size` bytes of the room, on a cache line of their own; `room` may be NULL to count bytes only. */
GAPLESS_INLINE void *NAMED(cg_take)(char *room, size_t *used, size_t size)
{
    void *here = room ? room + *used : NULL;
    *used += (size + 63) / 64 * 64;
    return here;
}

static size_t NAMED(cg_lay_out)(NAMED(cg_room) *r, char *room, size_t n, size_t w)
{
    size_t used = 0;
#define GAPLESS_ROOM(field, count) r->field = NAMED(cg_take)(room, &used, (count) * sizeof *r->field)
    GAPLESS_ROOM(rows, n * w);
    GAPLESS_ROOM(left, n * w);
    GAPLESS_ROOM(right, n * w);
    GAPLESS_ROOM(a, n);
    GAPLESS_ROOM(b, n);
    GAPLESS_ROOM(domain, n * w);
    GAPLESS_ROOM(member, n * w);
    GAPLESS_ROOM(size, n);
    GAPLESS_ROOM(grown, n);
    GAPLESS_ROOM(path, n);
    GAPLESS_ROOM(top, n);
    GAPLESS_ROOM(threshold, n);
    GAPLESS_ROOM(base, n);
    GAPLESS_ROOM(targets, n);
    GAPLESS_ROOM(better, n);
    GAPLESS_ROOM(todo, n);
    GAPLESS_ROOM(moved, n);
    GAPLESS_ROOM(slack, n + 1);
    GAPLESS_ROOM(hits, w);
    GAPLESS_ROOM(targeted, w);
    GAPLESS_ROOM(sources, w);
    GAPLESS_ROOM(plus, w);
    GAPLESS_ROOM(minus, w);
    GAPLESS_ROOM(offers, w);
    GAPLESS_ROOM(best, n * w);
    GAPLESS_ROOM(second, n * w);
    GAPLESS_ROOM(from, n * w);
    GAPLESS_ROOM(from_second, n * w);
    GAPLESS_ROOM(local, w);
#undef GAPLESS_ROOM
    return used;
}

/* Decode sentences; arrays as the twin explains them. Returns false when there is no memory. */
static int NAMED(cg_batch)(const NAMED(cg_model) *m, const REAL *unary, const int64_t *offsets, ptrdiff_t sentences,
                           const cg_answers *out)
{
    NAMED(cg_room) r;
    ptrdiff_t longest = 1;
    for (ptrdiff_t s = 0; s < sentences; s++)
        if (offsets[s + 1] - offsets[s] > longest)
            longest = (ptrdiff_t)(offsets[s + 1] - offsets[s]);
    const size_t size = NAMED(cg_lay_out)(&r, NULL, (size_t)longest, (size_t)m->stride);
    char *memory = calloc(size + 64, 1);
    if (!memory)
        return 0;
    NAMED(cg_lay_out)(&r, memory + (64 - (uintptr_t)memory % 64), (size_t)longest, (size_t)m->stride);
    for (ptrdiff_t i = 0; i < longest * m->stride; i++)
        r.rows[i] = -(REAL)INFINITY;
    for (ptrdiff_t s = 0; s < sentences; s++) {
        NAMED(cg_sentence) one = {0};
        one.unary = unary + offsets[s] * m->labels;
        one.n = (ptrdiff_t)(offsets[s + 1] - offsets[s]);
        one.labels = out->labels + offsets[s];
        one.second_labels = out->second_labels ? out->second_labels + offsets[s] : NULL;
        NAMED(cg_decode)(m, &r, &one);
        out->values[s] = one.value;
        out->bounds[s] = one.bound;
        out->status[s] = one.status;
        out->rounds[s] = one.rounds;
        out->sizes[s] = one.size;
        out->candidates[s] = one.candidates;
        if (out->second_labels)
            out->seconds[s] = one.second;
    }
    free(memory);
    return 1;
}

/* cg_batch on the arrays of a model: rows of `extra` are additions for the first, a middle, the last and the only
 * position, what rounding took from each of them, and zeros. */
static int NAMED(cg_chains)(ptrdiff_t labels, ptrdiff_t stride, const REAL *forward, const REAL *backward, const REAL *into,
                            const REAL *out_of, const REAL *extra, double coarse, double largest,
                            const double *transition, const double *initial, const double *final,
                            const unsigned char *lowered, int start, double gap, double margin, double effort,
                            const REAL *unary, const int64_t *offsets, ptrdiff_t sentences, const cg_answers *out)
{
    const REAL *rows[9];
    for (int row = 0; row < 9; row++)
        rows[row] = extra + row * stride;
    const NAMED(cg_model) model = {labels, stride, forward, backward, into, out_of, rows[8],
        {rows[0], rows[1], rows[2], rows[3]}, {rows[4], rows[5], rows[6], rows[7]}, (REAL)coarse, (REAL)largest,
        transition, initial, final, lowered, start, gap, margin, effort};
    return NAMED(cg_batch)(&model, unary, offsets, sentences, out);
}
