/* Solutions in float64, inside the domains or over all labels.
 *
 * Third piece of column_generation/loops.h: rows.h, state.h, exact.h, pricing.h, search.h. */

/* The two best offers, and the entries that made them. */
typedef struct {
    double first, second;
    int32_t of_first, of_second;
} NAMED(cg_best);

GAPLESS_INLINE void NAMED(cg_offer)(NAMED(cg_best) *best, double score, ptrdiff_t entry)
{
    if (score > best->first) {
        best->second = best->first;
        best->of_second = best->of_first;
        best->first = score;
        best->of_first = (int32_t)entry;
    } else if (score > best->second) {
        best->second = score;
        best->of_second = (int32_t)entry;
    }
}

/* Best path inside the domains, in float64; sums are local + (prefix + transition), from the left.
 *
 * With `two`, also the best path that differs from it. Returns false when no path is allowed. */
static int NAMED(cg_restricted)(const NAMED(cg_model) * m, NAMED(cg_workspace) * r, NAMED(cg_sentence) * s,
                                int two)
{
    const ptrdiff_t k = m->labels, w = m->stride, n = s->n;
    ptrdiff_t domain_total = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        domain_total += r->size[i];
    if (domain_total == n && !two) {
        s->value = NAMED(cg_local)(m, s, 0, r->path[0]);
        for (ptrdiff_t i = 1; i < n; i++)
            s->value = NAMED(cg_local)(m, s, i, r->path[i])
                       + (s->value + m->transition[r->path[i - 1] * k + r->path[i]]);
        for (ptrdiff_t i = 0; i < n; i++)
            s->labels[i] = s->value > -INFINITY ? r->path[i] : -1;
        return s->value > -INFINITY;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t *choices = r->domain + i * w, *sources = choices - w;
        double *best = r->best + i * w, *second = r->second + i * w;
        for (ptrdiff_t c = 0; c < r->size[i]; c++) {
            const double local = NAMED(cg_local)(m, s, i, choices[c]);
            NAMED(cg_best) offers = {-INFINITY, -INFINITY, 0, 0};
            if (i == 0) {
                best[c] = local;
                second[c] = -INFINITY;
                continue;
            }
            for (ptrdiff_t d = 0; d < r->size[i - 1]; d++) {
                const double pair = m->transition[sources[d] * k + choices[c]];
                for (int rank = 0; rank <= two; rank++) {
                    const double score = local + ((rank ? second : best)[d - w] + pair);
                    NAMED(cg_offer)(&offers, score, 2 * d + rank);
                }
            }
            best[c] = offers.first;
            second[c] = two ? offers.second : -INFINITY;
            r->from[i * w + c] = offers.of_first;
            r->from_second[i * w + c] = offers.of_second;
        }
    }
    NAMED(cg_best) ends = {-INFINITY, -INFINITY, 0, 0};
    for (ptrdiff_t c = 0; c < r->size[n - 1]; c++)
        for (int rank = 0; rank <= two; rank++)
            NAMED(cg_offer)(&ends, (rank ? r->second : r->best)[(n - 1) * w + c], 2 * c + rank);
    s->value = ends.first;
    s->second = ends.second;
    for (int which = 0; which <= two; which++) {
        int64_t *labels = which ? s->second_labels : s->labels;
        int32_t entry = which ? ends.of_second : ends.of_first;
        if ((which ? ends.second : ends.first) == -INFINITY) {
            for (ptrdiff_t i = 0; i < n; i++)
                labels[i] = -1;
            continue;
        }
        for (ptrdiff_t i = n - 1; i >= 0; i--) {
            const ptrdiff_t c = i * w + entry / 2;
            labels[i] = r->domain[c];
            entry = (entry & 1 ? r->from_second : r->from)[c];
        }
    }
    return ends.first > -INFINITY;
}

/* Viterbi over all labels. `best` then holds the messages. */
static void NAMED(cg_dense)(const NAMED(cg_model) *m, NAMED(cg_workspace) *r, NAMED(cg_sentence) *s)
{
    const ptrdiff_t k = m->labels, w = m->stride, n = s->n;
    s->size = (int64_t)(n * k);
    if (m->margin >= 0) {
        NAMED(cg_clear)(m, r, n);
        for (ptrdiff_t i = 0; i < n; i++) {
            r->size[i] = k;
            r->grown[i] = 0;
            for (ptrdiff_t x = 0; x < k; x++)
                r->domain[i * w + x] = (int32_t)x;
        }
        NAMED(cg_restricted)(m, r, s, 1);
        s->bound = s->value;
        return;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        for (ptrdiff_t x = 0; x < k; x++)
            r->local[x] = NAMED(cg_local)(m, s, i, x);
        if (i == 0)
            memcpy(r->best, r->local, (size_t)k * sizeof(double));
        else
            step_f64(r->best + (i - 1) * w, m->transition, k, k, r->local, r->best + i * w);
    }
    ptrdiff_t y = argmax_f64(r->best + (n - 1) * w, k);
    s->value = s->bound = r->best[(n - 1) * w + y];
    for (ptrdiff_t i = n - 1; i >= 0; i--) {
        if (s->value == -INFINITY) {
            s->labels[i] = -1;
            continue;
        }
        s->labels[i] = y;
        if (i > 0) {
            offers_f64(r->best + (i - 1) * w, m->transition + y, k, k, r->local);
            y = argmax_f64(r->local, k);
        }
    }
}
