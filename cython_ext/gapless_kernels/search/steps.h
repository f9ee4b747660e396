/* One step of the multipliers: where the structure found and the bound disagree, nowhere else.
 *
 * Only its decisions, the columns of its groups and the armed scopes are looked at, so that a step costs little beside the
 * search for the structure. Directions that a limit (d >= 0, shares >= 0) blocks are left out of the subgradient's length.
 */
#ifndef GAPLESS_SEARCH_STEPS_H
#define GAPLESS_SEARCH_STEPS_H

#include "search/incumbent.h"

/* How a scope moves: its squared length in the space of its multipliers, in score units. */
static double gs_shared_slope(const gs_search *s, ptrdiff_t c)
{
    const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
    const double *q = s->split + s->star_cells + first, score = s->shared_score[c];
    if (score < 0.0) {
        const double over = gs_over(s, c);
        return (over > 0.0 && q[0] < -score) || (over < 0.0 && q[0] > 0.0) ? over * over : 0.0;
    }
    const ptrdiff_t hits = gs_hits(s, c);
    if (hits == 0 || hits == width)
        return 0.0;
    for (ptrdiff_t k = 0; k < width; k++)
        if (s->taken[s->shared_member[first + k]] && !s->on[s->shared_member[first + k]] && q[k] > 0.0)
            return (double)hits * (1.0 - (double)hits / (double)width);
    return 0.0;
}

static double gs_note_scope(gs_search *s, int32_t c)
{
    if (s->stamp[c] == s->stamp_now)
        return 0.0;
    s->stamp[c] = s->stamp_now;
    const double slope = gs_shared_slope(s, c);
    if (slope > 0.0)
        s->moved_scope[s->moved_scopes++] = c;
    return s->paper ? slope * s->shared_score[c] * s->shared_score[c] : slope;
}

/* Note what moves for the structure entered; the subgradient's squared length. */
static double gs_subgradient(gs_search *s)
{
    double length = 0.0;
    s->moved_columns = s->moved_scopes = 0;
    s->stamp_now++;
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const gs_star *star = s->star + a;
        const ptrdiff_t row = star->cell + (ptrdiff_t)s->rank[s->choice[star->group]] * star->lowers;
        for (int32_t k = s->active_first[a]; k < s->active_first[a + 1]; k++) {
            const int32_t c = s->active_columns[k];
            int32_t best = -1;
            if (s->taken[s->column_lower[star->column + c]]) {
                gs_column_top(s, star, c, &best);
                if (best < 0 || best == s->rank[s->choice[star->group]])
                    continue;
                length += s->star_scope[star->cell + (ptrdiff_t)best * star->lowers + c] >= 0;
            } else if (!(s->split[row + c] > 0.0))
                continue;
            length += s->split[row + c] > 0.0;
            s->moved_star[s->moved_columns] = (int32_t)a;
            s->moved_best[s->moved_columns] = best;
            s->moved_column[s->moved_columns++] = c;
        }
    }
    for (ptrdiff_t at = 0; at < s->entered->count; at++) {
        const int32_t e = s->entered->on[at];
        for (int32_t i = s->now_first[e]; i < s->now_first[e + 1]; i++) {
            const int32_t c = s->now[i], f = s->now_other[i];
            if (f >= 0 && s->taken[f] == (s->shared_score[c] > 0.0))
                continue; /* a pair that the bound has right */
            length += gs_note_scope(s, c);
        }
    }
    ptrdiff_t kept = 0;
    for (ptrdiff_t k = 0; k < s->armed_count; k++) {
        const int32_t c = s->armed[k];
        if (!(s->split[s->star_cells + s->shared_first[c]] > 0.0)) {
            s->armed_flag[c] = 0;
            continue;
        }
        s->armed[kept++] = c;
        length += gs_note_scope(s, c);
    }
    s->armed_count = kept;
    return length + gs_slope_of_factors(s);
}

/* The nearest point of the simplex {q >= 0, sum q = total} over the decisions that are not on (Duchi et al. 2008). */
static void gs_project(const gs_search *s, const int32_t *members, double *q, ptrdiff_t width, double total)
{
    for (ptrdiff_t dropped = -1; dropped;) { /* width is small: drop what falls below zero until nothing does */
        double sum = 0.0;
        ptrdiff_t count = 0;
        for (ptrdiff_t k = 0; k < width; k++)
            if (!s->on[members[k]] && q[k] > -INFINITY)
                sum += q[k], count++;
        const double shift = (total - sum) / (double)(count ? count : 1);
        dropped = 0;
        for (ptrdiff_t k = 0; k < width; k++)
            if (!s->on[members[k]] && q[k] > -INFINITY && q[k] + shift < 0.0 && count > 1)
                q[k] = -INFINITY, dropped++, count--;
        if (!dropped)
            for (ptrdiff_t k = 0; k < width; k++)
                q[k] = s->on[members[k]] || !(q[k] > -INFINITY) ? 0.0 : q[k] + shift;
    }
}

static void gs_move_shared(gs_search *s, int32_t c, double step)
{
    const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
    const int32_t *members = s->shared_member + first;
    double *q = s->split + s->star_cells + first;
    const double score = s->shared_score[c];
    if (s->paper)
        step *= score * score; /* its multipliers are shares: a step of one unit moves score^2 */
    if (score < 0.0) {
        const double over = gs_over(s, c), before = q[0];
        q[0] = fmin(fmax(before + step * over, 0.0), -score);
        for (ptrdiff_t k = 0; k < width; k++)
            s->weights[s->cell[members[k]]] -= q[0] - before;
        gs_lift(s, c);
        for (ptrdiff_t k = 0; k < s->lift_count[c]; k++)
            s->weights[s->cell[s->lift[s->lift_first[c] + k]]] -= q[0] - before;
        s->constant += (q[0] - before) * (double)(width - 1);
        if (q[0] > 0.0 && !s->armed_flag[c])
            s->armed[s->armed_count++] = c, s->armed_flag[c] = 1;
        return;
    }
    for (ptrdiff_t k = 0; k < width; k++)
        s->weights[s->cell[members[k]]] -= q[k], q[k] -= s->taken[members[k]] ? step : 0.0;
    gs_project(s, members, q, width, score);
    for (ptrdiff_t k = 0; k < width; k++)
        s->weights[s->cell[members[k]]] += q[k];
}

/* Move everything noted by `step` score units against the subgradient. */
static void gs_move(gs_search *s, double step)
{
    s->fresh = 0;
    for (ptrdiff_t k = 0; k < s->moved_columns; k++) {
        const gs_star *star = s->star + s->moved_star[k];
        const int32_t c = s->moved_column[k], best = s->moved_best[k], lower = s->column_lower[star->column + c];
        const int32_t upper = s->choice[star->group];
        double *top = s->column_max + star->column + c;
        const double before = *top;
        const ptrdiff_t mine = star->cell + (ptrdiff_t)s->rank[upper] * star->lowers + c;
        const double back = fmin(step, s->split[mine]);
        s->split[mine] -= back, s->weights[s->cell[upper]] -= back;
        if (best >= 0) {
            const ptrdiff_t cell = star->cell + (ptrdiff_t)best * star->lowers + c;
            int32_t now;
            if (s->star_scope[cell] >= 0) {
                s->split[cell] += step;
                s->weights[s->cell[s->member[s->group_first[star->group] + best]]] += step;
            }
            *top = gs_column_top(s, star, c, &now);
        } else
            *top = fmax(before, s->star_score[mine] - s->split[mine]);
        s->weights[s->cell[lower]] += *top - before;
    }
    for (ptrdiff_t k = 0; k < s->moved_scopes; k++)
        gs_move_shared(s, s->moved_scope[k], step);
    gs_move_factors(s, step);
}

#define GS_EQUAL_GAPS 1e-9 /* gaps that differ by less, relative to the wider one, are a tie */

/* The decision, not on, whose scopes the bound has most wrong at the structure entered (section 3.3); -1 if none. */
static int32_t gs_widest_gap(gs_search *s)
{
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        s->gap_of[e] = 0.0;
    for (ptrdiff_t k = 0; k < s->moved_columns; k++) {
        const gs_star *star = s->star + s->moved_star[k];
        const int32_t c = s->moved_column[k], upper = s->choice[star->group];
        const ptrdiff_t mine = star->cell + (ptrdiff_t)s->rank[upper] * star->lowers + c;
        double gap = s->split[mine];
        if (s->moved_best[k] >= 0) {
            gap = s->column_max[star->column + c] - (s->star_score[mine] - s->split[mine]);
            if (!isfinite(gap))
                gap = 0.0;
        }
        s->gap_of[upper] += gap, s->gap_of[s->column_lower[star->column + c]] += gap;
    }
    for (ptrdiff_t k = 0; k < s->moved_scopes; k++) {
        const int32_t c = s->moved_scope[k];
        const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
        const double *q = s->split + s->star_cells + first;
        double gap = 0.0;
        if (s->shared_score[c] > 0.0)
            for (ptrdiff_t j = 0; j < width; j++)
                gap += s->taken[s->shared_member[first + j]] ? q[j] : 0.0;
        else {
            const double over = gs_over(s, c);
            gap = over > 0.0 ? -s->shared_score[c] - q[0] : -over * q[0];
        }
        for (ptrdiff_t j = 0; j < width; j++)
            s->gap_of[s->shared_member[first + j]] += gap;
    }
    gs_doubt_factors(s, isfinite(s->value) ? s->psi - s->value : 1.0 + s->largest);
    int32_t any = -1;
    double widest = 0.0;
    for (ptrdiff_t e = 0; e < s->decisions; e++) {
        if (!s->alive[e] || s->on[e])
            continue;
        if (any < 0 || (s->taken[e] && !s->taken[any]))
            any = (int32_t)e;
        widest = fmax(widest, s->gap_of[e]);
    }
    for (ptrdiff_t e = 0; widest > 0.0 && e < s->decisions; e++) /* of equal ones the first, however they were summed */
        if (s->alive[e] && !s->on[e] && s->gap_of[e] >= (1.0 - GS_EQUAL_GAPS) * widest)
            return (int32_t)e;
    return any;
}

#endif
