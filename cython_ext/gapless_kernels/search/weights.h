/* Weights and constant of the bound, from the multipliers and the fixings of the current node. */
#ifndef GAPLESS_SEARCH_WEIGHTS_H
#define GAPLESS_SEARCH_WEIGHTS_H

#include "search/factors.h"

/* Maximise score less multiplier over the possible uppers of column `c`; `best` gets the row, -1 if there is
 * none. */
static double gs_column_top(const gs_search *s, const gs_star *star, ptrdiff_t c, int32_t *best)
{
    const int32_t *upper = s->input.member + s->input.group_first[star->group];
    double top = -INFINITY;
    *best = -1;
    for (int32_t k = 0; k < star->uppers; k++) {
        if (!s->fixings.alive[upper[k]])
            continue;
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        const double reduced = s->stars.score[cell] - s->ascent.multipliers[cell];
        if (reduced > top) {
            top = reduced;
            *best = k;
        }
    }
    return top;
}

/* Set the multipliers of a column whose lower decision is on so that its pairs become weights of their
 * uppers, and the bound loses nothing. 0 if that is impossible: an upper without a pair scores 0 there, and
 * cannot be charged a negative one. */
static int gs_make_linear(gs_search *s, const gs_star *star, ptrdiff_t c)
{
    const int32_t *upper = s->input.member + s->input.group_first[star->group];
    double lowest = 0.0;
    int unscoped = 0;
    for (int32_t k = 0; k < star->uppers; k++) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        if (!s->fixings.alive[upper[k]] || s->stars.scope[cell] == GS_IMPOSSIBLE)
            continue;
        unscoped |= s->stars.scope[cell] == GS_UNSCOPED;
        lowest = fmin(lowest, s->stars.score[cell]);
    }
    if (unscoped && lowest < 0.0)
        return 0;
    for (int32_t k = 0; k < star->uppers; k++) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        if (s->stars.scope[cell] >= 0)
            s->ascent.multipliers[cell] = fmax(0.0, s->stars.score[cell] - lowest);
    }
    return 1;
}

static void gs_weigh_stars(gs_search *s)
{
    ptrdiff_t count = 0;
    int32_t *possible = s->moves.column; /* free until the next step */
    for (ptrdiff_t a = 0; a < s->stars.count; a++) {
        const gs_star *star = s->stars.star + a;
        const int32_t *upper = s->input.member + s->input.group_first[star->group];
        const ptrdiff_t L = star->lowers;
        double *top = s->ascent.column_max + star->column;
        const int has_choice = s->fixings.candidates[star->group] > 1;
        s->ascent.active_first[a] = (int32_t)count;
        ptrdiff_t open = 0;
        for (ptrdiff_t c = 0; c < L; c++) {
            const int32_t lower = s->stars.column_lower[star->column + c];
            if (!s->fixings.alive[lower])
                continue;
            top[c] = -INFINITY;
            possible[open++] = (int32_t)c;
            if (has_choice && !(s->fixings.on[lower] && gs_make_linear(s, star, c)))
                s->ascent.active_column[count++] = (int32_t)c;
        }
        if (open == 0)
            continue;
        for (int32_t k = 0; k < star->uppers; k++) {
            if (!s->fixings.alive[upper[k]])
                continue;
            const double *score = s->stars.score + star->cell + k * L;
            double *d = s->ascent.multipliers + star->cell + k * L, paid = 0.0;
            if (!has_choice)
                for (ptrdiff_t i = 0; i < open; i++)
                    d[possible[i]] = 0.0;
            /* A whole row is a vector loop, which beats the list even over twice the columns. */
            if (2 * open > L)
                for (ptrdiff_t c = 0; c < L; c++) {
                    const double reduced = score[c] - d[c];
                    top[c] = reduced > top[c] ? reduced : top[c];
                }
            else
                for (ptrdiff_t i = 0; i < open; i++) {
                    const double reduced = score[possible[i]] - d[possible[i]];
                    top[possible[i]] = reduced > top[possible[i]] ? reduced : top[possible[i]];
                }
            for (ptrdiff_t i = 0; i < open; i++)
                paid += d[possible[i]];
            s->ascent.weights[s->input.cell[upper[k]]] += paid;
            s->ascent.magnitude = fmax(s->ascent.magnitude, paid);
        }
        const int32_t *lower = s->stars.column_lower + star->column;
        for (ptrdiff_t i = 0; i < open; i++)
            s->ascent.weights[s->input.cell[lower[possible[i]]]] += top[possible[i]];
    }
    s->ascent.active_first[s->stars.count] = (int32_t)count;
}

/* Add `charge` to what shared scope `c` charges its decisions, and those that a lifted charge takes in. */
static void gs_charge(gs_search *s, ptrdiff_t c, double charge, int is_lifted)
{
    const gs_scope scope = gs_shared_scope(s, c);
    for (ptrdiff_t k = 0; k < scope.width; k++)
        s->ascent.weights[s->input.cell[scope.member[k]]] -= charge;
    if (is_lifted)
        gs_lift(s, c);
    for (ptrdiff_t k = 0; is_lifted && k < s->shared.lift_count[c]; k++)
        s->ascent.weights[s->input.cell[s->shared.lift[s->shared.lift_first[c] + k]]] -= charge;
    s->ascent.constant += charge * (double)(scope.width - 1);
}

/* Weigh one shared scope, of whose decisions `undecided` are not on. Whether its multipliers can still
 * matter. */
static int gs_weigh_shared(gs_search *s, ptrdiff_t c, ptrdiff_t undecided)
{
    const gs_scope scope = gs_shared_scope(s, c);
    double *q = scope.multiplier;
    if (scope.score > 0.0) {
        s->ascent.magnitude = fmax(s->ascent.magnitude, scope.score);
        if (gs_rounding_may_decide(s)) { /* steps may have rounded the shares' sum away from the score */
            double sum = 0.0;
            for (ptrdiff_t k = 0; k < scope.width; k++)
                sum += q[k];
            for (ptrdiff_t k = 0; sum > 0.0 && k < scope.width; k++)
                q[k] *= scope.score / sum;
        }
        /* A share of a decision that is on would count in any case. */
        if (undecided < scope.width && undecided > 0) {
            double freed = 0.0;
            for (ptrdiff_t k = 0; k < scope.width; k++)
                if (s->fixings.on[scope.member[k]]) {
                    freed += q[k];
                    q[k] = 0.0;
                }
            for (ptrdiff_t k = 0; k < scope.width; k++)
                if (!s->fixings.on[scope.member[k]])
                    q[k] = undecided == 1 ? scope.score : q[k] + freed / (double)undecided;
        }
        for (ptrdiff_t k = 0; k < scope.width; k++)
            s->ascent.weights[s->input.cell[scope.member[k]]] += q[k];
        return undecided > 1;
    }
    if (undecided <= 1) /* then the full charge is exact */
        q[0] = -scope.score;
    if (q[0] > 0.0) {
        gs_charge(s, c, q[0], undecided > 1);
        s->ascent.magnitude = fmax(s->ascent.magnitude, s->ascent.constant);
        if (undecided > 1) {
            s->ascent.charged[s->ascent.charged_count++] = (int32_t)c;
            s->ascent.is_charged[c] = 1;
        }
    }
    return undecided > 1;
}

/* Count on decisions and remaining choices of each group; 0 if some group has none. */
static int gs_count_choices(gs_search *s)
{
    const gs_input *in = &s->input;
    gs_fixings *fixings = &s->fixings;
    for (ptrdiff_t g = 0; g < in->groups; g++) {
        fixings->candidates[g] = 0;
        for (ptrdiff_t k = in->group_first[g]; k < in->group_first[g + 1]; k++)
            fixings->candidates[g] += fixings->alive[in->member[k]];
        if (fixings->candidates[g] == 0)
            return 0;
    }
    for (ptrdiff_t e = 0; e < in->decisions; e++) {
        if (in->group[e] >= 0)
            fixings->on[e] = fixings->alive[e] && fixings->candidates[in->group[e]] == 1;
        fixings->state[e] = !fixings->alive[e] ? GS_OFF : fixings->on[e] ? GS_ON : GS_FREE;
    }
    return 1;
}

static ptrdiff_t gs_undecided(const gs_search *s, const gs_scope *scope)
{
    ptrdiff_t undecided = 0;
    for (ptrdiff_t k = 0; k < scope->width; k++)
        undecided += !s->fixings.on[scope->member[k]];
    return undecided;
}

/* Weigh the shared scopes whose decisions are possible, drop the others, and list for each decision its
 * scopes with two undecided decisions or more. */
static void gs_weigh_scopes(gs_search *s)
{
    gs_ascent *ascent = &s->ascent;
    ptrdiff_t retained = 0;
    memset(ascent->open_first, 0, (size_t)s->input.decisions * sizeof *ascent->open_first);
    for (ptrdiff_t i = 0; i < s->fixings.scope_count; i++) {
        const int32_t c = s->fixings.scope[i];
        const gs_scope scope = gs_shared_scope(s, c);
        int possible = 1;
        for (ptrdiff_t k = 0; k < scope.width; k++)
            possible &= s->fixings.alive[scope.member[k]];
        if (!possible)
            continue;
        /* A scope with one undecided decision stays here, for its charge; it is only left out of the lists by
         * decision. */
        s->fixings.scope[retained++] = c;
        if (gs_weigh_shared(s, c, gs_undecided(s, &scope)))
            for (ptrdiff_t k = 0; k < scope.width; k++)
                ascent->open_first[scope.member[k]]++;
    }
    s->fixings.scope_count = retained;
    int32_t total = 0;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        ascent->open_first[e] = total += ascent->open_first[e];
    ascent->open_first[s->input.decisions] = total;
    for (ptrdiff_t i = retained - 1; i >= 0; i--) { /* the list of each decision is filled from its end */
        const int32_t c = s->fixings.scope[i];
        const gs_scope scope = gs_shared_scope(s, c);
        if (gs_undecided(s, &scope) < 2)
            continue;
        for (ptrdiff_t k = 0; k < scope.width; k++) {
            const int32_t at = --ascent->open_first[scope.member[k]];
            ascent->open_scope[at] = c;
            ascent->open_other[at] = scope.width == 2 ? scope.member[1 - k] : -1;
        }
    }
}

/* Compute the weights from multipliers and fixings, and list what is undecided; 0 if a group has no choice
 * left. */
static int gs_compute_weights(gs_search *s)
{
    gs_ascent *ascent = &s->ascent;
    if (!gs_count_choices(s))
        return 0;
    for (ptrdiff_t k = 0; k < s->input.cells; k++)
        ascent->weights[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++) {
        if (s->fixings.alive[e])
            ascent->weights[s->input.cell[e]] = s->input.base[e];
        ascent->magnitude = fmax(ascent->magnitude, ascent->weights[s->input.cell[e]]);
    }
    ascent->is_fresh = 1;
    ascent->constant = 0.0;
    for (ptrdiff_t k = 0; k < ascent->charged_count; k++)
        ascent->is_charged[ascent->charged[k]] = 0;
    ascent->charged_count = 0;
    gs_weigh_stars(s);
    gs_weigh_scopes(s);
    gs_weigh_factors(s);
    return 1;
}

#endif
