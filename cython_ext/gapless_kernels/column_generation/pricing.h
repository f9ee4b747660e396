/* Reduced costs of the edges (Belanger et al. 2012, eqs 12 and 13, Figure 1).
 *
 * Fourth piece of column_generation/loops.h: rows.h, state.h, exact.h, pricing.h, search.h.
 *
 * All reduced costs are doubled: ``S+_i(x) + 2 tau(x, y) + S-_{i+1}(y) - base``, with `base` that of the best
 * path's pair. The score `through` a label, ``p + a + b``, is that of the best path through it if its
 * neighbours kept their domains; next to a domain of one label the reduced cost of the pair is exactly its
 * distance to the score through the path's label. At the ends of the chain it is the phantom edge's. */

/* Price the positions from `low` to `high` against their left neighbours, one pass over the labels of
 * each. */
GAPLESS_VERSIONS(void, NAMED(cg_pass), (const NAMED(cg_model) *m, NAMED(cg_workspace) *r, ptrdiff_t low,
                                        ptrdiff_t high, REAL slop), (m, r, low, high, slop))
{
    const ptrdiff_t w = m->stride;
    for (ptrdiff_t i = low; i <= high; i++) {
        const REAL *p = r->rows + i * w, *a = r->a[i], *b = r->b[i];
        const ptrdiff_t x = r->path[i];
        const REAL through = (p[x] + a[x]) + b[x];
        REAL target = (REAL)INFINITY;
        if (i > 0) {
            const ptrdiff_t previous = r->path[i - 1];
            const REAL source = (p[previous - w] + r->a[i - 1][previous]) - r->b[i - 1][previous];
            r->base[i] = source + 2 * m->forward[previous * w + x] + ((p[x] - a[x]) + b[x]);
            target = r->base[i] - slop - r->top[i - 1];
        }
        const NAMED(node) counts = NAMED(cg_node)(p, a, b, m->into, w, target, through - slop);
        r->threshold[i] = target;
        r->top[i] = counts.top;
        r->targets[i] = counts.targets;
        r->better[i] = counts.better;
    }
}

/* Request the labels of position i whose score through them is close to the path's; return the largest
 * excess. */
static double NAMED(cg_price_labels)(const NAMED(cg_model) * m, NAMED(cg_workspace) * r,
                                     NAMED(cg_sentence) * s, ptrdiff_t i, REAL slop)
{
    const ptrdiff_t w = m->stride;
    const REAL *p = r->rows + i * w, *a = r->a[i], *b = r->b[i];
    const ptrdiff_t path = r->path[i];
    const REAL through = (p[path] + a[path]) + b[path];
    double excess = 0;
    NAMED(cg_combine)(p, a, b, 1, 1, w, r->minus);
    const ptrdiff_t hit_count = NAMED(cg_above)(r->minus, m->zeros, through - slop, w, r->hits);
    s->candidates += hit_count;
    for (ptrdiff_t h = 0; h < hit_count; h++) {
        const int32_t x = r->hits[h];
        if (r->member[i * w + x] != IN_DOMAIN && r->minus[x] - through > excess)
            excess = r->minus[x] - through;
        NAMED(cg_request)(m, r, i, x);
    }
    return excess;
}

/* Request the ends of a pair whose reduced cost is above -slop, unless both are in their domains. */
GAPLESS_INLINE void NAMED(cg_pair)(const NAMED(cg_model) * m, NAMED(cg_workspace) * r, ptrdiff_t i, int32_t x,
                                   int32_t y, double cost, double *largest)
{
    if (r->member[(i - 1) * m->stride + x] == IN_DOMAIN && r->member[i * m->stride + y] == IN_DOMAIN)
        return;
    if (cost > *largest)
        *largest = cost;
    NAMED(cg_request)(m, r, i - 1, x);
    NAMED(cg_request)(m, r, i, y);
}

/* Request the labels of all pairs of the edge (i - 1, i) whose reduced cost is above -slop, but for those of
 * the path's label at i, which NAMED(cg_price_labels) prices. Returns the largest reduced cost, if
 * positive. */
static double NAMED(cg_price_pairs)(const NAMED(cg_model) * m, NAMED(cg_workspace) * r,
                                    NAMED(cg_sentence) * s, ptrdiff_t i, REAL slop)
{
    const ptrdiff_t w = m->stride, previous = i - 1;
    const int32_t *domain = r->domain + i * w;
    const unsigned char *member = r->member + i * w;
    REAL *plus = r->plus, *minus = r->minus, best = -(REAL)INFINITY;
    ptrdiff_t targets = 0, hit_count = 0;
    double largest = 0;
    NAMED(cg_combine)(r->rows + i * w, r->a[i], r->b[i], -1, 1, w, minus);
    if (r->targets[i] > 1)
        hit_count = NAMED(cg_above)(minus, m->into, r->threshold[i], w, r->targeted);
    for (ptrdiff_t h = 0; h < hit_count; h++)
        if (member[r->targeted[h]] != IN_DOMAIN)
            r->targeted[targets++] = r->targeted[h];
    for (ptrdiff_t c = 0; c < r->size[i]; c++)
        if (domain[c] != r->path[i])
            r->targeted[targets++] = domain[c];
    if (!targets)
        return 0;
    NAMED(cg_combine)(r->rows + previous * w, r->a[previous], r->b[previous], 1, -1, w, plus);
    const REAL goal = r->base[i] - slop;
    if (targets > GAPLESS_FEW) {
        for (ptrdiff_t h = 0; h < targets; h++)
            best = GAPLESS_MAX(minus[r->targeted[h]], best);
        const ptrdiff_t sources = NAMED(cg_above)(plus, m->out_of, goal - best, w, r->sources);
        if (sources < targets) {
            for (ptrdiff_t h = 0; h < sources; h++) {
                const int32_t x = r->sources[h];
                const REAL *pairs = m->forward + x * w;
                hit_count = NAMED(cg_above)(minus, pairs, goal - plus[x], w, r->hits);
                for (ptrdiff_t c = 0; c < hit_count; c++) {
                    const int32_t y = r->hits[c];
                    NAMED(cg_pair)(m, r, i, x, y, (plus[x] + 2 * pairs[y]) + minus[y] - r->base[i], &largest);
                }
            }
            s->candidates += sources * m->labels;
            r->rows_priced += (double)sources;
            return largest;
        }
    }
    for (ptrdiff_t h = 0; h < targets; h++) {
        const int32_t y = r->targeted[h];
        const REAL *pairs = m->backward + y * w;
        hit_count = NAMED(cg_above)(plus, pairs, goal - minus[y], w, r->hits);
        for (ptrdiff_t c = 0; c < hit_count; c++) {
            const int32_t x = r->hits[c];
            NAMED(cg_pair)(m, r, i, x, y, (plus[x] + 2 * pairs[x]) + minus[y] - r->base[i], &largest);
        }
    }
    s->candidates += targets * m->labels;
    r->rows_priced += (double)targets;
    return largest;
}
