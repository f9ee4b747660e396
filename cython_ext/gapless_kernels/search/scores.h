/* Scores that are requested only when a structure makes them matter.
 *
 * Until then an upper bound stands in for a score, so that everything that follows from it is a bound, too.
 * Requested are the scopes that fire in a structure that was found, and those whose upper bound decides how
 * it is bounded. A caller that got new scores must start its step again: structures, charts and max-marginals
 * are those of the weights before.
 */
#ifndef GAPLESS_SEARCH_SCORES_H
#define GAPLESS_SEARCH_SCORES_H

#include "search/weights.h"

#define GS_ASK_FIRST 8  /* scores of a column that are requested together */
#define GS_CONTENDERS 2 /* decisions of each group whose columns are requested ahead */

/* Count the decisions of a scope that the marked structure turns on. */
static ptrdiff_t gs_count_on(const gs_search *s, ptrdiff_t c)
{
    const gs_scope scope = gs_shared_scope(s, c);
    ptrdiff_t count = 0;
    for (ptrdiff_t k = 0; k < scope.width; k++)
        count += s->marks.on[scope.member[k]];
    return count;
}

static ptrdiff_t gs_width(const gs_search *s, ptrdiff_t c)
{
    return s->shared.first[c + 1] - s->shared.first[c];
}

/* Count by how many the structure's decisions of a scope, and of those that its charge takes in, exceed all
 * but one: the subgradient in the charge (Qian and Liu 2013, equation 8). */
static double gs_charge_excess(const gs_search *s, ptrdiff_t c)
{
    ptrdiff_t excess = gs_count_on(s, c) - (gs_width(s, c) - 1);
    for (ptrdiff_t i = 0; i < s->shared.lift_count[c]; i++)
        excess += s->marks.on[s->shared.lift[s->shared.lift_first[c] + i]];
    return (double)excess;
}

/* Row of a star that the marked structure takes, as the cell of its first column. */
static ptrdiff_t gs_marked_row(const gs_search *s, const gs_star *star)
{
    return star->cell + (ptrdiff_t)s->input.rank[s->marks.choice[star->group]] * star->lowers;
}

/* Note that the score at `index`, a cell of star `star` or, with `star` -1, a shared scope, must be
 * requested. */
static void gs_request_score(gs_search *s, int32_t star, ptrdiff_t index)
{
    const int32_t scope = star < 0 ? s->shared.scope[index] : s->stars.scope[index];
    if (scope < 0 || s->lazy.unknown[scope] != GS_UNASKED
        || !GS_GROW(s, lazy.request, s->lazy.request_count + 1))
        return;
    s->lazy.request[s->lazy.request_count++] = (gs_score_request){scope, star, index};
    s->lazy.unknown[scope] = GS_ASKED;
}

static void gs_set_star_score(gs_search *s, const gs_star *star, ptrdiff_t cell, double score)
{
    const ptrdiff_t row = (cell - star->cell) / star->lowers, c = (cell - star->cell) % star->lowers;
    const int32_t lower = s->stars.column_lower[star->column + c];
    const int32_t upper = s->input.member[s->input.group_first[star->group] + row];
    s->stars.score[cell] = score;
    if (s->ascent.weights_stale || !s->fixings.alive[lower] || !s->fixings.alive[upper])
        return;
    if (s->fixings.on[lower]) { /* the multipliers that gs_make_linear sets follow the scores */
        s->ascent.weights_stale = 1;
        return;
    }
    int32_t best;
    double *top = s->ascent.column_max + star->column + c;
    const double previous = *top;
    *top = gs_column_top(s, star, c, &best);
    s->ascent.weights[s->input.cell[lower]] += *top - previous;
}

static void gs_set_shared_score(gs_search *s, ptrdiff_t c, double score)
{
    const gs_scope scope = gs_shared_scope(s, c);
    s->shared.score[c] = score;
    s->ascent.weights_stale = 1; /* they are summed anew, after gs_project_to_known */
    if (scope.score > 0.0 && score <= 0.0) { /* shares are no charge, here and in all snapshots */
        const ptrdiff_t first = s->stars.cells + s->shared.first[c];
        memset(scope.multiplier, 0, (size_t)scope.width * sizeof(double));
        for (ptrdiff_t k = 0; k < s->snapshots.count; k++)
            if (s->snapshots.snapshot[k].multipliers != NULL)
                gs_clear_slots(s->snapshots.snapshot + k, first, first + scope.width);
    }
}

/* Ask for the scores that were noted; whether there were any. */
static int gs_request_scores(gs_search *s)
{
    gs_lazy_scores *lazy = &s->lazy;
    const ptrdiff_t count = lazy->request_count;
    if (count == 0 || s->no_memory || s->failure)
        return 0;
    if (!GS_GROW(s, lazy.score, count) || !GS_GROW(s, lazy.scope, count))
        return 0;
    for (ptrdiff_t k = 0; k < count; k++)
        lazy->scope[k] = lazy->request[k].scope;
    lazy->request_count = 0;
    if (lazy->source(lazy->source_data, lazy->scope, count, lazy->score)) {
        s->failure = GS_ERROR_RAISED;
        return 0;
    }
    for (ptrdiff_t k = 0; k < count; k++) {
        const gs_score_request *request = lazy->request + k;
        lazy->unknown[request->scope] = 0;
        s->ascent.magnitude = fmax(s->ascent.magnitude, fabs(lazy->score[k]));
        if (request->star < 0)
            gs_set_shared_score(s, request->index, lazy->score[k]);
        else
            gs_set_star_score(s, s->stars.star + request->star, request->index, lazy->score[k]);
    }
    s->counts.scored += count;
    s->ascent.is_fresh = 0;
    return 1;
}

/* Request the scopes that fire in the marked structure; whether any was unknown. */
static int gs_request_structure(gs_search *s)
{
    if (s->lazy.unknown == NULL)
        return 0;
    for (ptrdiff_t a = 0; a < s->stars.count; a++) {
        const gs_star *star = s->stars.star + a;
        const ptrdiff_t row = gs_marked_row(s, star);
        for (ptrdiff_t c = 0; c < star->lowers; c++)
            if (s->marks.on[s->stars.column_lower[star->column + c]])
                gs_request_score(s, (int32_t)a, row + c);
    }
    for (ptrdiff_t k = 0; k < s->marks.structure->count; k++) {
        const int32_t e = s->marks.structure->on[k];
        for (ptrdiff_t i = s->shared.incident_first[e]; i < s->shared.incident_first[e + 1]; i++)
            if (gs_count_on(s, s->shared.incident[i]) == gs_width(s, s->shared.incident[i]))
                gs_request_score(s, -1, s->shared.incident[i]);
    }
    return gs_request_scores(s);
}

/* Request the scores that may be a column's highest: the first few of those whose bound exceeds the best
 * known one. */
static void gs_request_column_top(gs_search *s, int32_t a, ptrdiff_t c)
{
    const gs_star *star = s->stars.star + a;
    const int32_t *upper = s->input.member + s->input.group_first[star->group];
    ptrdiff_t candidate[GS_ASK_FIRST], count = 0;
    double bound[GS_ASK_FIRST], known = -INFINITY;
    for (int32_t k = 0; k < star->uppers; k++) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        const double reduced = s->stars.score[cell] - s->ascent.multipliers[cell];
        if (!s->fixings.alive[upper[k]])
            continue;
        if (s->stars.scope[cell] < 0 || !s->lazy.unknown[s->stars.scope[cell]]) {
            known = fmax(known, reduced);
            continue;
        }
        ptrdiff_t i = count;
        if (count < GS_ASK_FIRST)
            count++;
        else if (reduced > bound[count - 1])
            i--;
        else
            continue;
        for (; i && bound[i - 1] < reduced; i--) {
            bound[i] = bound[i - 1];
            candidate[i] = candidate[i - 1];
        }
        bound[i] = reduced;
        candidate[i] = cell;
    }
    for (ptrdiff_t k = 0; k < count && bound[k] > known; k++)
        gs_request_score(s, a, candidate[k]);
}

/* Mark the decisions of the marked structure, and those of the highest weights in each group. */
static void gs_mark_contenders(gs_search *s)
{
    const gs_input *in = &s->input;
    const double *weights = s->ascent.weights;
    memset(s->lazy.is_contender, 0, (size_t)in->decisions);
    for (ptrdiff_t g = 0; g < in->groups; g++) {
        int32_t heaviest[GS_CONTENDERS];
        ptrdiff_t count = 0;
        for (ptrdiff_t k = in->group_first[g]; k < in->group_first[g + 1]; k++) {
            const int32_t e = in->member[k];
            const double weight = weights[in->cell[e]];
            if (!s->fixings.alive[e]
                || (count == GS_CONTENDERS && weight <= weights[in->cell[heaviest[count - 1]]]))
                continue;
            ptrdiff_t i = count < GS_CONTENDERS ? count++ : count - 1;
            for (; i && weights[in->cell[heaviest[i - 1]]] < weight; i--)
                heaviest[i] = heaviest[i - 1];
            heaviest[i] = e;
        }
        for (ptrdiff_t k = 0; k < count; k++)
            s->lazy.is_contender[heaviest[k]] = 1;
    }
    for (ptrdiff_t k = 0; k < s->marks.structure->count; k++)
        s->lazy.is_contender[s->marks.structure->on[k]] = 1;
}

/* Request the scores that decide the bound at the marked structure, too: the shares of its decisions, the
 * best choice in each of their columns, and in those of the heaviest decisions of each group, which are
 * likely to come next. Those are requested now, because the number of calls costs more than the number of
 * scores. */
static int gs_request_bound(gs_search *s)
{
    int is_new = gs_request_structure(s);
    if (s->lazy.unknown == NULL)
        return 0;
    for (ptrdiff_t k = 0; k < s->marks.structure->count; k++) {
        const int32_t e = s->marks.structure->on[k];
        for (ptrdiff_t i = s->shared.incident_first[e]; i < s->shared.incident_first[e + 1]; i++)
            if (s->shared.score[s->shared.incident[i]] > 0.0)
                gs_request_score(s, -1, s->shared.incident[i]);
    }
    for (int again = 1; again;) {
        gs_mark_contenders(s);
        for (ptrdiff_t a = 0; a < s->stars.count; a++)
            for (ptrdiff_t c = 0; c < s->stars.star[a].lowers; c++)
                if (s->lazy.is_contender[s->stars.column_lower[s->stars.star[a].column + c]])
                    gs_request_column_top(s, (int32_t)a, c);
        again = gs_request_scores(s);
        is_new |= again;
    }
    return is_new;
}

/* Request every scope whose decisions are all possible. */
static int gs_request_all(gs_search *s)
{
    if (s->lazy.unknown == NULL)
        return 0;
    for (ptrdiff_t a = 0; a < s->stars.count; a++) {
        const gs_star *star = s->stars.star + a;
        for (int32_t k = 0; k < star->uppers; k++)
            if (s->fixings.alive[s->input.member[s->input.group_first[star->group] + k]])
                for (ptrdiff_t c = 0; c < star->lowers; c++)
                    if (s->fixings.alive[s->stars.column_lower[star->column + c]])
                        gs_request_score(s, (int32_t)a, star->cell + (ptrdiff_t)k * star->lowers + c);
    }
    for (ptrdiff_t k = 0; k < s->fixings.scope_count; k++)
        gs_request_score(s, -1, s->fixings.scope[k]);
    return gs_request_scores(s);
}

/* Project the multipliers to what the known scores allow: charges up to -score, shares of sum score. */
static void gs_project_to_known(gs_search *s)
{
    for (ptrdiff_t c = 0; c < s->shared.count; c++) {
        const gs_scope scope = gs_shared_scope(s, c);
        double *q = scope.multiplier, sum = 0.0;
        if (scope.score < 0.0) {
            q[0] = fmin(q[0], -scope.score);
            continue;
        }
        for (ptrdiff_t k = 0; k < scope.width; k++)
            sum += q[k];
        for (ptrdiff_t k = 0; k < scope.width; k++)
            q[k] = sum > 0.0 ? q[k] * scope.score / sum : scope.score / (double)scope.width;
    }
}

#endif
