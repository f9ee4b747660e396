/* One step of the multipliers: where the structure and the bound disagree, and nowhere else.
 *
 * Only the structure's decisions, the columns of its groups and the charged scopes are looked at, so that a
 * step costs little compared with the maximiser. Directions that a limit (d >= 0, shares >= 0) blocks do not
 * count in the subgradient's length.
 */
#ifndef GAPLESS_SEARCH_STEPS_H
#define GAPLESS_SEARCH_STEPS_H

#include "search/incumbent.h"

#define GS_EQUAL_GAPS 1e-9 /* gaps that differ by less, relative to the wider one, are a tie */

/* Squared length of the subgradient in the multipliers of a scope, in score units. */
static double gs_shared_slope(const gs_search *s, ptrdiff_t c)
{
    const gs_scope scope = gs_shared_scope(s, c);
    const double *q = scope.multiplier;
    if (scope.score < 0.0) {
        const double excess = gs_charge_excess(s, c);
        const int can_move = (excess > 0.0 && q[0] < -scope.score) || (excess < 0.0 && q[0] > 0.0);
        return can_move ? excess * excess : 0.0;
    }
    const ptrdiff_t count = gs_count_on(s, c);
    if (count == 0 || count == scope.width)
        return 0.0;
    for (ptrdiff_t k = 0; k < scope.width; k++)
        if (s->marks.on[scope.member[k]] && !s->fixings.on[scope.member[k]] && q[k] > 0.0)
            return (double)count * (1.0 - (double)count / (double)scope.width);
    return 0.0;
}

/* List a scope among those that move, once for each structure; what it adds to the squared length. */
static double gs_note_scope(gs_search *s, int32_t c)
{
    if (s->moves.stamp[c] == s->moves.stamp_now)
        return 0.0;
    s->moves.stamp[c] = s->moves.stamp_now;
    const double slope = gs_shared_slope(s, c);
    if (slope > 0.0)
        s->moves.scope[s->moves.scope_count++] = c;
    return s->options.is_paper ? slope * s->shared.score[c] * s->shared.score[c] : slope;
}

/* List the columns of star `a` that move; their squared length. */
static double gs_note_columns(gs_search *s, ptrdiff_t a)
{
    const gs_star *star = s->stars.star + a;
    const ptrdiff_t row = gs_marked_row(s, star);
    gs_moves *moves = &s->moves;
    double length = 0.0;
    for (int32_t k = s->ascent.active_first[a]; k < s->ascent.active_first[a + 1]; k++) {
        const int32_t c = s->ascent.active_column[k];
        int32_t best = -1;
        if (s->marks.on[s->stars.column_lower[star->column + c]]) {
            gs_column_top(s, star, c, &best);
            if (best < 0 || best == s->input.rank[s->marks.choice[star->group]])
                continue;
            length += s->stars.scope[star->cell + (ptrdiff_t)best * star->lowers + c] >= 0;
        } else if (!(s->ascent.multipliers[row + c] > 0.0))
            continue;
        length += s->ascent.multipliers[row + c] > 0.0;
        moves->star[moves->column_count] = (int32_t)a;
        moves->best[moves->column_count] = best;
        moves->column[moves->column_count++] = c;
    }
    return length;
}

/* List what moves for the marked structure; the subgradient's squared length. */
static double gs_subgradient(gs_search *s)
{
    gs_ascent *ascent = &s->ascent;
    double length = 0.0;
    s->moves.column_count = s->moves.scope_count = 0;
    s->moves.stamp_now++;
    for (ptrdiff_t a = 0; a < s->stars.count; a++)
        length += gs_note_columns(s, a);
    for (ptrdiff_t at = 0; at < s->marks.structure->count; at++) {
        const int32_t e = s->marks.structure->on[at];
        for (int32_t i = ascent->open_first[e]; i < ascent->open_first[e + 1]; i++) {
            const int32_t c = ascent->open_scope[i], f = ascent->open_other[i];
            if (f >= 0 && s->marks.on[f] == (s->shared.score[c] > 0.0))
                continue; /* the bound counts this pair exactly */
            length += gs_note_scope(s, c);
        }
    }
    ptrdiff_t retained = 0;
    for (ptrdiff_t k = 0; k < ascent->charged_count; k++) {
        const int32_t c = ascent->charged[k];
        if (!(gs_shared_scope(s, c).multiplier[0] > 0.0)) {
            ascent->is_charged[c] = 0;
            continue;
        }
        ascent->charged[retained++] = c;
        length += gs_note_scope(s, c);
    }
    ascent->charged_count = retained;
    GAPLESS_ASSERT(s->moves.column_count <= s->stars.columns && s->moves.scope_count <= 2 * s->shared.count);
    return length + gs_factor_subgradient_norm(s);
}

/* Project to the nearest point of the simplex {q >= 0, sum q = total} over the decisions that are not on
 * (Duchi et al. 2008). The width is small, so negative entries are dropped in turn, without a sort. */
static void gs_project(const gs_search *s, const int32_t *members, double *q, ptrdiff_t width, double total)
{
    for (ptrdiff_t dropped = -1; dropped;) {
        double sum = 0.0;
        ptrdiff_t count = 0;
        for (ptrdiff_t k = 0; k < width; k++)
            if (!s->fixings.on[members[k]] && q[k] > -INFINITY) {
                sum += q[k];
                count++;
            }
        const double shift = (total - sum) / (double)(count ? count : 1);
        dropped = 0;
        for (ptrdiff_t k = 0; k < width; k++)
            if (!s->fixings.on[members[k]] && q[k] > -INFINITY && q[k] + shift < 0.0 && count > 1) {
                q[k] = -INFINITY;
                dropped++;
                count--;
            }
        for (ptrdiff_t k = 0; !dropped && k < width; k++)
            q[k] = s->fixings.on[members[k]] || !(q[k] > -INFINITY) ? 0.0 : q[k] + shift;
    }
}

static void gs_move_shared(gs_search *s, int32_t c, double step)
{
    const gs_scope scope = gs_shared_scope(s, c);
    double *q = scope.multiplier;
    if (s->options.is_paper)
        step *= scope.score
            * scope.score; /* the paper's multipliers are fractions: a step of one moves score^2 */
    if (scope.score < 0.0) {
        const double previous = q[0];
        q[0] = fmin(fmax(previous + step * gs_charge_excess(s, c), 0.0), -scope.score);
        gs_charge(s, c, q[0] - previous, 1);
        if (q[0] > 0.0 && !s->ascent.is_charged[c]) {
            s->ascent.charged[s->ascent.charged_count++] = c;
            s->ascent.is_charged[c] = 1;
            GAPLESS_ASSERT(s->ascent.charged_count <= s->shared.count);
        }
        return;
    }
    for (ptrdiff_t k = 0; k < scope.width; k++) {
        s->ascent.weights[s->input.cell[scope.member[k]]] -= q[k];
        q[k] -= s->marks.on[scope.member[k]] ? step : 0.0;
    }
    gs_project(s, scope.member, q, scope.width, scope.score);
    for (ptrdiff_t k = 0; k < scope.width; k++) {
        GAPLESS_ASSERT(q[k] >= 0.0);
        s->ascent.weights[s->input.cell[scope.member[k]]] += q[k];
    }
}

/* Move one column: the structure's upper decision gets its multiplier back, the best one pays more. */
static void gs_move_column(gs_search *s, const gs_star *star, int32_t c, int32_t best, double step)
{
    const int32_t lower = s->stars.column_lower[star->column + c], upper = s->marks.choice[star->group];
    const ptrdiff_t marked = gs_marked_row(s, star) + c;
    double *multipliers = s->ascent.multipliers, *weights = s->ascent.weights;
    double *top = s->ascent.column_max + star->column + c;
    const double previous = *top, returned = fmin(step, multipliers[marked]);
    multipliers[marked] -= returned;
    weights[s->input.cell[upper]] -= returned;
    if (best >= 0) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)best * star->lowers + c;
        int32_t new_best;
        if (s->stars.scope[cell] >= 0) {
            multipliers[cell] += step;
            weights[s->input.cell[s->input.member[s->input.group_first[star->group] + best]]] += step;
        }
        *top = gs_column_top(s, star, c, &new_best);
    } else
        *top = fmax(previous, s->stars.score[marked] - multipliers[marked]);
    weights[s->input.cell[lower]] += *top - previous;
}

/* Move all that gs_subgradient listed by `step` score units against the subgradient. */
static void gs_move(gs_search *s, double step)
{
    const gs_moves *moves = &s->moves;
    s->ascent.is_fresh = 0;
    for (ptrdiff_t k = 0; k < moves->column_count; k++)
        gs_move_column(s, s->stars.star + moves->star[k], moves->column[k], moves->best[k], step);
    for (ptrdiff_t k = 0; k < moves->scope_count; k++)
        gs_move_shared(s, moves->scope[k], step);
    gs_move_factors(s, step);
}

/* Sum for each decision how far the bound is wrong at its scopes, as the multipliers show it. */
static void gs_compute_gaps(gs_search *s)
{
    double *gap_of = s->workspace.gap;
    memset(gap_of, 0, (size_t)s->input.decisions * sizeof *gap_of);
    for (ptrdiff_t k = 0; k < s->moves.column_count; k++) {
        const gs_star *star = s->stars.star + s->moves.star[k];
        const int32_t c = s->moves.column[k];
        const ptrdiff_t marked = gs_marked_row(s, star) + c;
        double gap = s->ascent.multipliers[marked];
        if (s->moves.best[k] >= 0) {
            gap = s->ascent.column_max[star->column + c]
                - (s->stars.score[marked] - s->ascent.multipliers[marked]);
            if (!isfinite(gap))
                gap = 0.0;
        }
        gap_of[s->marks.choice[star->group]] += gap;
        gap_of[s->stars.column_lower[star->column + c]] += gap;
    }
    for (ptrdiff_t k = 0; k < s->moves.scope_count; k++) {
        const int32_t c = s->moves.scope[k];
        const gs_scope scope = gs_shared_scope(s, c);
        const double *q = scope.multiplier;
        double gap = 0.0;
        if (scope.score > 0.0)
            for (ptrdiff_t j = 0; j < scope.width; j++)
                gap += s->marks.on[scope.member[j]] ? q[j] : 0.0;
        else {
            const double excess = gs_charge_excess(s, c);
            gap = excess > 0.0 ? -scope.score - q[0] : -excess * q[0];
        }
        for (ptrdiff_t j = 0; j < scope.width; j++)
            gap_of[scope.member[j]] += gap;
    }
    const int has_incumbent = isfinite(s->incumbent.value);
    gs_add_factor_gaps(s, has_incumbent ? s->ascent.bound - s->incumbent.value : 1.0 + s->ascent.magnitude);
}

/* The decision, not on, whose scopes the bound has most wrong at the marked structure (Qian and Liu 2013,
 * section 3.3); of ties the first, so that the order of summation does not matter. Without a gap one that the
 * structure has; -1 if none. */
static int32_t gs_widest_gap(gs_search *s)
{
    int32_t any = -1;
    double widest = 0.0;
    gs_compute_gaps(s);
    for (ptrdiff_t e = 0; e < s->input.decisions; e++) {
        if (!s->fixings.alive[e] || s->fixings.on[e])
            continue;
        if (any < 0 || (s->marks.on[e] && !s->marks.on[any]))
            any = (int32_t)e;
        widest = fmax(widest, s->workspace.gap[e]);
    }
    for (ptrdiff_t e = 0; widest > 0.0 && e < s->input.decisions; e++)
        if (s->fixings.alive[e] && !s->fixings.on[e] && s->workspace.gap[e] >= (1.0 - GS_EQUAL_GAPS) * widest)
            return (int32_t)e;
    return any;
}

#endif
