/* The end of a node of which little is left: all structures of the decisions that are still possible, by depth-first search.
 *
 * A group with choices left is *open*, and so is a loose decision that is free: a group of two, itself and nothing. Pairs of open choices
 * and the scores beside decisions that are on are laid out densely, so that a choice costs a row of additions; what cannot exceed the
 * incumbent is cut off. Scopes with three open decisions or more count as much as they may, and exactly once a structure is complete. The
 * proof is that all structures of the fixings were looked at: a checker may do that in its own way, so no multipliers are kept.
 */
#ifndef GAPLESS_SEARCH_ENUMERATION_H
#define GAPLESS_SEARCH_ENUMERATION_H

#include "search/proof.h"

#define GS_OPEN_DECISIONS 64  /* choices in open groups, at most */
#define GS_OPEN_GROUPS 14     /* likewise */
#define GS_CHOICES 16384      /* 2^14 ways to choose among them, at most: the checker goes through all of them */
#define GS_COSTLY_CHOICES 256 /* where looking at one takes a call of a costly role */
#define GS_ENUMERATED (-2)    /* in the place of a leaf's multipliers */
#define GS_NONE (-1)          /* the choice of nothing */

typedef struct {
    int groups, choices;
    int32_t first[GS_OPEN_GROUPS + 1], choice[GS_OPEN_DECISIONS];
    double constant, wide, lost; /* lost: to rounding, at most */
    double pair[GS_OPEN_DECISIONS][GS_OPEN_DECISIONS];
    double score[GS_OPEN_GROUPS + 1][GS_OPEN_DECISIONS]; /* of the choices beside what is chosen */
    double rest[GS_OPEN_GROUPS + 1];                     /* what pairs of groups not chosen yet, and wide scopes, may add */
} gs_rest;

/* Whether no structure has both choices. */
static int gs_exclude(const gs_search *s, int32_t e, int32_t f)
{
    return e != GS_NONE && f != GS_NONE && gs_never_both(s, e, f);
}

/* Add the choices of one open group; 0 if they are too many. */
static int gs_open(gs_search *s, gs_rest *left, const int32_t *members, ptrdiff_t count, int nothing, double *ways, double most)
{
    ptrdiff_t choices = nothing;
    for (ptrdiff_t k = 0; k < count; k++)
        choices += s->alive[members[k]];
    *ways *= (double)choices;
    if (*ways > most || left->choices + choices > GS_OPEN_DECISIONS || left->groups == GS_OPEN_GROUPS)
        return 0;
    left->first[left->groups++] = left->choices;
    for (ptrdiff_t k = 0; k < count; k++)
        if (s->alive[members[k]])
            s->slot[members[k]] = left->choices, left->choice[left->choices++] = members[k];
    if (nothing)
        left->choice[left->choices++] = GS_NONE;
    left->first[left->groups] = left->choices;
    return 1;
}

/* Number the choices of open groups; 0 if they are too many. */
static int gs_open_groups(gs_search *s, gs_rest *left)
{
    const double most = (s->maximiser->costly || s->costly) && s->choices > GS_COSTLY_CHOICES ? GS_COSTLY_CHOICES : s->choices;
    double ways = 1.0;
    for (ptrdiff_t g = 0; g < s->groups; g++)
        if (s->candidates[g] > 1) {
            ways *= s->candidates[g];
            if (ways > most)
                return 0;
        }
    ways = 1.0, left->groups = left->choices = left->first[0] = 0;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        s->slot[e] = -1;
    for (ptrdiff_t g = 0; g < s->groups; g++)
        if (s->candidates[g] > 1 && !gs_open(s, left, s->member + s->group_first[g], s->group_first[g + 1] - s->group_first[g], 0, &ways, most))
            return 0;
    for (ptrdiff_t e = 0; s->loose && e < s->decisions; e++) {
        const int32_t one = (int32_t)e;
        if (s->group[e] < 0 && s->alive[e] && !s->on[e] && !gs_open(s, left, &one, 1, 1, &ways, most))
            return 0;
    }
    return 1;
}

/* A score of possible decisions, of which `undecided` are open: at most two of them are told apart. */
static void gs_count_scope(const gs_search *s, gs_rest *left, const int32_t *members, ptrdiff_t width, double score)
{
    int32_t open[2] = {-1, -1};
    ptrdiff_t undecided = 0;
    for (ptrdiff_t k = 0; k < width; k++)
        if (s->slot[members[k]] >= 0) {
            if (undecided < 2)
                open[undecided] = s->slot[members[k]];
            undecided++;
        }
    if (undecided == 0)
        left->constant += score;
    else if (undecided == 1)
        left->score[0][open[0]] += score;
    else if (undecided == 2)
        left->pair[open[0]][open[1]] += score, left->pair[open[1]][open[0]] += score;
    else if (score > 0.0)
        left->wide += score;
}

/* Scores of decisions and scopes, laid out by the choices of open groups. */
static void gs_lay_out(gs_search *s, gs_rest *left)
{
    for (int k = 0; k < left->choices; k++) {
        left->score[0][k] = left->choice[k] == GS_NONE ? 0.0 : s->base[left->choice[k]];
        for (int j = 0; j < left->choices; j++)
            left->pair[k][j] = gs_exclude(s, left->choice[k], left->choice[j]) ? -INFINITY : 0.0;
    }
    for (ptrdiff_t e = 0; e < s->decisions; e++) {
        if (!s->on[e])
            continue;
        left->constant += s->base[e];
        for (int k = 0; k < left->choices; k++)
            if (gs_exclude(s, (int32_t)e, left->choice[k]))
                left->score[0][k] = -INFINITY;
    }
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const gs_star *star = s->star + a;
        for (int32_t k = 0; k < star->uppers; k++) {
            int32_t pair[2] = {s->member[s->group_first[star->group] + k], 0};
            if (!s->alive[pair[0]])
                continue;
            for (ptrdiff_t c = 0; c < star->lowers; c++) {
                const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
                pair[1] = s->column_lower[star->column + c];
                if (s->alive[pair[1]] && s->star_scope[cell] >= 0)
                    gs_count_scope(s, left, pair, 2, s->star_score[cell]);
            }
        }
    }
    for (ptrdiff_t k = 0; k < s->current_count; k++) {
        const int32_t c = s->current[k];
        const ptrdiff_t first = s->shared_first[c];
        gs_count_scope(s, left, s->shared_member + first, s->shared_first[c + 1] - first, s->shared_score[c]);
    }
    for (ptrdiff_t f = 0; f < s->parts; f++) { /* what it is worth at most, prices aside, which are told apart */
        const gs_part *part = s->part + f;
        left->wide += part->value;
        for (ptrdiff_t k = 0; k < part->role->count; k++)
            if (s->alive[part->role->scope[k]])
                gs_count_scope(s, left, part->role->scope + k, 1, gs_prices(s, part)[k]);
    }
    left->rest[left->groups] = left->wide;
    for (int i = left->groups - 1; i >= 0; i--) {
        left->rest[i] = left->rest[i + 1];
        for (int j = i + 1; j < left->groups; j++) {
            double most = -INFINITY;
            for (int k = left->first[i]; k < left->first[i + 1]; k++)
                for (int l = left->first[j]; l < left->first[j + 1]; l++)
                    most = fmax(most, left->pair[k][l]);
            left->rest[i] += most;
        }
    }
}

/* Choose in the open groups from `group` on; `total` is what is certain so far. */
static void gs_choose(gs_search *s, gs_rest *left, int group, double total)
{
    if (s->failed)
        return;
    if (group == left->groups) {
        gs_enter(s, &s->other);
        if (s->maximiser->has_own || s->maximiser->own == NULL || gs_own(s) > -INFINITY)
            gs_offer(s, gs_score(s));
        gs_leave(s);
        return;
    }
    const double *score = left->score[group];
    double *next = left->score[group + 1];
    for (int k = left->first[group]; k < left->first[group + 1]; k++) {
        double bound = total + score[k] + left->rest[group + 1];
        for (int j = group + 1; j < left->groups; j++) {
            double most = -INFINITY;
            for (int l = left->first[j]; l < left->first[j + 1]; l++) {
                next[l] = score[l] + left->pair[k][l];
                most = next[l] > most ? next[l] : most;
            }
            bound += most;
        }
        if (bound + left->lost <= s->value)
            continue;
        const int32_t e = left->choice[k];
        if (e != GS_NONE)
            s->other.on[s->other.count++] = e;
        gs_choose(s, left, group + 1, total + score[k]);
        s->other.count -= e != GS_NONE;
    }
}

/* The highest own score of structures that agree with the state; -inf where there is none. */
static double gs_own_most(gs_search *s)
{
    for (ptrdiff_t k = 0; k < s->cells; k++)
        s->linear[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->alive[e])
            s->linear[s->cell[e]] = 0.0;
    return gs_maximise(s, 1, s->linear, &s->other);
}

/* Look at all structures that the node has left, if these are few; whether that was done. After gs_weigh and gs_bound_factors. */
static int gs_enumerate(gs_search *s)
{
    gs_rest left;
    if (!gs_open_groups(s, &left))
        return 0;
    gs_know_all(s);
    if (s->failed || s->no_memory)
        return 0;
    left.constant = 0.0, left.wide = s->maximiser->has_own ? gs_own_most(s) : 0.0;
    if (s->failed)
        return 0;
    gs_lay_out(s, &left);
    left.lost = gs_rough(s) ? gs_lost(s) : 0.0; /* else ties would all be looked at */
    s->other.count = 0;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->on[e])
            s->other.on[s->other.count++] = (int32_t)e;
    if (left.wide > -INFINITY)
        gs_choose(s, &left, 0, left.constant);
    s->enumerated++;
    return !s->failed;
}

#endif
