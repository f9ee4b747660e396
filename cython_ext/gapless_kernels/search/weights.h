/* Weights of decisions and constant of the bound, from the multipliers and what is still possible. */
#ifndef GAPLESS_SEARCH_WEIGHTS_H
#define GAPLESS_SEARCH_WEIGHTS_H

#include "search/factors.h"

/* The highest of what column `c` offers over its possible uppers; `best` gets its row. */
static double gs_column_top(const gs_search *s, const gs_star *star, ptrdiff_t c, int32_t *best)
{
    const int32_t *upper = s->member + s->group_first[star->group];
    double top = -INFINITY;
    *best = -1;
    for (int32_t k = 0; k < star->uppers; k++) {
        if (!s->alive[upper[k]])
            continue;
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        const double offer = s->star_score[cell] - s->split[cell];
        if (offer > top)
            top = offer, *best = k;
    }
    return top;
}

/* A lower decision that is on: with the multipliers put so, its pairs are weights of their uppers and nothing is lost. */
static int gs_make_linear(gs_search *s, const gs_star *star, ptrdiff_t c)
{
    const int32_t *upper = s->member + s->group_first[star->group];
    double lowest = 0.0;
    int unscoped = 0;
    for (int32_t k = 0; k < star->uppers; k++) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        if (!s->alive[upper[k]] || s->star_scope[cell] == GS_IMPOSSIBLE)
            continue;
        unscoped |= s->star_scope[cell] == GS_UNSCOPED;
        lowest = fmin(lowest, s->star_score[cell]);
    }
    if (unscoped && lowest < 0.0)
        return 0;
    for (int32_t k = 0; k < star->uppers; k++) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        if (s->star_scope[cell] >= 0)
            s->split[cell] = fmax(0.0, s->star_score[cell] - lowest);
    }
    return 1;
}

static void gs_weigh_stars(gs_search *s)
{
    ptrdiff_t count = 0;
    int32_t *possible = s->moved_column; /* free until the next step */
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const gs_star *star = s->star + a;
        const int32_t *upper = s->member + s->group_first[star->group];
        const ptrdiff_t L = star->lowers;
        double *top = s->column_max + star->column;
        const int choice = s->candidates[star->group] > 1;
        s->active_first[a] = (int32_t)count;
        ptrdiff_t open = 0;
        for (ptrdiff_t c = 0; c < L; c++) {
            const int32_t lower = s->column_lower[star->column + c];
            if (!s->alive[lower])
                continue;
            top[c] = -INFINITY, possible[open++] = (int32_t)c;
            if (choice && !(s->on[lower] && gs_make_linear(s, star, c)))
                s->active_columns[count++] = (int32_t)c;
        }
        if (open == 0)
            continue;
        for (int32_t k = 0; k < star->uppers; k++) {
            if (!s->alive[upper[k]])
                continue;
            const double *score = s->star_score + star->cell + k * L;
            double *d = s->split + star->cell + k * L, paid = 0.0;
            if (!choice)
                for (ptrdiff_t i = 0; i < open; i++)
                    d[possible[i]] = 0.0;
            if (2 * open > L) /* whole rows go faster than a list */
                for (ptrdiff_t c = 0; c < L; c++) {
                    const double offer = score[c] - d[c];
                    top[c] = offer > top[c] ? offer : top[c];
                }
            else
                for (ptrdiff_t i = 0; i < open; i++) {
                    const double offer = score[possible[i]] - d[possible[i]];
                    top[possible[i]] = offer > top[possible[i]] ? offer : top[possible[i]];
                }
            for (ptrdiff_t i = 0; i < open; i++)
                paid += d[possible[i]];
            s->weights[s->cell[upper[k]]] += paid;
            s->largest = fmax(s->largest, paid);
        }
        for (ptrdiff_t i = 0; i < open; i++)
            s->weights[s->cell[s->column_lower[star->column + possible[i]]]] += top[possible[i]];
    }
    s->active_first[s->stars] = (int32_t)count;
}

/* Charge one shared scope; whether its multipliers can still matter. `undecided` of its decisions are not on. */
static int gs_weigh_shared(gs_search *s, ptrdiff_t c, ptrdiff_t undecided)
{
    const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
    const int32_t *members = s->shared_member + first;
    double *q = s->split + s->star_cells + first;
    const double score = s->shared_score[c];
    if (score > 0.0) {
        s->largest = fmax(s->largest, score);
        if (gs_rough(s)) { /* steps may have rounded the shares' sum away from the score */
            double sum = 0.0;
            for (ptrdiff_t k = 0; k < width; k++)
                sum += q[k];
            for (ptrdiff_t k = 0; sum > 0.0 && k < width; k++)
                q[k] *= score / sum;
        }
        if (undecided < width && undecided > 0) { /* what lies on decisions that are on is lost: hand it to the others */
            double lost = 0.0;
            for (ptrdiff_t k = 0; k < width; k++)
                if (s->on[members[k]])
                    lost += q[k], q[k] = 0.0;
            for (ptrdiff_t k = 0; k < width; k++)
                if (!s->on[members[k]])
                    q[k] = undecided == 1 ? score : q[k] + lost / (double)undecided;
        }
        for (ptrdiff_t k = 0; k < width; k++)
            s->weights[s->cell[members[k]]] += q[k];
        return undecided > 1;
    }
    if (undecided <= 1)
        q[0] = -score;
    if (q[0] > 0.0) {
        for (ptrdiff_t k = 0; k < width; k++)
            s->weights[s->cell[members[k]]] -= q[0];
        if (undecided > 1)
            gs_lift(s, c);
        for (ptrdiff_t k = 0; undecided > 1 && k < s->lift_count[c]; k++)
            s->weights[s->cell[s->lift[s->lift_first[c] + k]]] -= q[0];
        s->constant += q[0] * (double)(width - 1);
        s->largest = fmax(s->largest, s->constant);
        if (undecided > 1)
            s->armed[s->armed_count++] = (int32_t)c, s->armed_flag[c] = 1;
    }
    return undecided > 1;
}

/* What is on and how many choices each group has; 0 where a group has none left. */
static int gs_take_stock(gs_search *s)
{
    for (ptrdiff_t g = 0; g < s->groups; g++) {
        s->candidates[g] = 0;
        for (ptrdiff_t k = s->group_first[g]; k < s->group_first[g + 1]; k++)
            s->candidates[g] += s->alive[s->member[k]];
        if (s->candidates[g] == 0)
            return 0;
    }
    for (ptrdiff_t e = 0; e < s->decisions; e++) {
        if (s->group[e] >= 0)
            s->on[e] = s->alive[e] && s->candidates[s->group[e]] == 1;
        s->state[e] = !s->alive[e] ? GS_OFF : s->on[e] ? GS_ON : GS_FREE;
    }
    return 1;
}

/* Weights from the multipliers and the state, with lists of what is left to choose; 0 where a group has no choice left. */
static int gs_weigh(gs_search *s)
{
    if (!gs_take_stock(s))
        return 0;
    for (ptrdiff_t k = 0; k < s->cells; k++)
        s->weights[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->decisions; e++) {
        if (s->alive[e])
            s->weights[s->cell[e]] = s->base[e];
        s->now_first[e] = 0;
        s->largest = fmax(s->largest, s->weights[s->cell[e]]);
    }
    s->fresh = 1;
    s->constant = 0.0;
    for (ptrdiff_t k = 0; k < s->armed_count; k++)
        s->armed_flag[s->armed[k]] = 0;
    s->armed_count = 0;
    gs_weigh_stars(s);
    ptrdiff_t kept = 0;
    for (ptrdiff_t k = 0; k < s->current_count; k++) {
        const int32_t c = s->current[k];
        ptrdiff_t undecided = 0, dead = 0;
        for (ptrdiff_t i = s->shared_first[c]; i < s->shared_first[c + 1]; i++) {
            dead += !s->alive[s->shared_member[i]];
            undecided += !s->on[s->shared_member[i]];
        }
        if (dead)
            continue;
        /* A linear scope stays listed, for its charge; it only leaves the incidence lists below. */
        s->current[kept++] = c;
        if (!gs_weigh_shared(s, c, undecided))
            continue;
        for (ptrdiff_t i = s->shared_first[c]; i < s->shared_first[c + 1]; i++)
            s->now_first[s->shared_member[i]]++;
    }
    s->current_count = kept;
    int32_t total = 0;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        s->now_first[e] = total += s->now_first[e];
    s->now_first[s->decisions] = total;
    for (ptrdiff_t k = kept - 1; k >= 0; k--) { /* each decision's part is filled from its end */
        const int32_t c = s->current[k];
        const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
        ptrdiff_t undecided = 0;
        for (ptrdiff_t i = 0; i < width; i++)
            undecided += !s->on[s->shared_member[first + i]];
        if (undecided < 2)
            continue;
        for (ptrdiff_t i = 0; i < width; i++) {
            const int32_t at = --s->now_first[s->shared_member[first + i]];
            s->now[at] = c, s->now_other[at] = width == 2 ? s->shared_member[first + 1 - i] : -1;
        }
    }
    gs_weigh_factors(s);
    return 1;
}

#endif
