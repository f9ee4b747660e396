/* Exhaustive search of a node with few remaining choices: depth-first over all open decisions.
 *
 * A group with choices left is *open*, and so is an ungrouped decision that is free: a group of two, itself
 * and nothing. Scores of pairs of open choices, and of choices with decisions that are on, are laid out
 * densely, so that a choice costs a row of additions; what cannot exceed the incumbent is cut off. A scope
 * with three open decisions or more counts as much as it may, and exactly once a structure is complete. The
 * proof is that all structures of the fixings were compared: a verifier may do that in its own way, so no
 * multipliers are stored.
 */
#ifndef GAPLESS_SEARCH_ENUMERATION_H
#define GAPLESS_SEARCH_ENUMERATION_H

#include "search/proof.h"

#define GS_OPEN_DECISIONS 64  /* choices in open groups, at most */
#define GS_OPEN_GROUPS 14     /* likewise */
#define GS_CHOICES 16384      /* 2^14 ways to choose among them, at most: the verifier enumerates them, too */
#define GS_COSTLY_CHOICES 256 /* the same if each takes a call of a costly role */
#define GS_ENUMERATED (-2)    /* instead of the snapshot of a leaf */
#define GS_NONE (-1)          /* the choice of nothing */

typedef struct {
    int groups, choices;
    int32_t first[GS_OPEN_GROUPS + 1], choice[GS_OPEN_DECISIONS];
    double constant, wide; /* wide: what wide scopes and factors may add, at most */
    double rounding;       /* bound on the error of the sums */
    double pair[GS_OPEN_DECISIONS][GS_OPEN_DECISIONS];   /* scores of pairs of choices */
    double score[GS_OPEN_GROUPS + 1][GS_OPEN_DECISIONS]; /* of choices, with what groups before chose */
    double rest[GS_OPEN_GROUPS + 1]; /* the most that pairs of groups that have not chosen, and `wide`, add */
} gs_enumeration;

/* Whether no structure has both choices. */
static int gs_choices_exclude(const gs_search *s, int32_t e, int32_t f)
{
    return e != GS_NONE && f != GS_NONE && gs_maximiser_excludes(s, e, f);
}

/* Add the choices of one open group; 0 if they are too many. */
static int gs_add_open_group(gs_search *s, gs_enumeration *open, const int32_t *members, ptrdiff_t count,
                             int nothing, double *ways, double limit)
{
    ptrdiff_t choices = nothing;
    for (ptrdiff_t k = 0; k < count; k++)
        choices += s->fixings.alive[members[k]];
    *ways *= (double)choices;
    if (*ways > limit || open->choices + choices > GS_OPEN_DECISIONS || open->groups == GS_OPEN_GROUPS)
        return 0;
    open->first[open->groups++] = open->choices;
    for (ptrdiff_t k = 0; k < count; k++)
        if (s->fixings.alive[members[k]]) {
            s->workspace.slot[members[k]] = open->choices;
            open->choice[open->choices++] = members[k];
        }
    if (nothing)
        open->choice[open->choices++] = GS_NONE;
    open->first[open->groups] = open->choices;
    return 1;
}

/* Number the choices of open groups; 0 if they are too many. */
static int gs_open_groups(gs_search *s, gs_enumeration *open)
{
    const gs_input *in = &s->input;
    const int is_costly = in->maximiser->costly || s->factors.is_costly;
    const double limit = fmin(s->options.max_choices, is_costly ? GS_COSTLY_CHOICES : INFINITY);
    double ways = 1.0;
    /* Most nodes have too many: find that out before anything else. */
    for (ptrdiff_t g = 0; g < in->groups; g++) {
        ways *= s->fixings.candidates[g];
        if (ways > limit)
            return 0;
    }
    ways = 1.0;
    open->groups = open->choices = open->first[0] = 0;
    for (ptrdiff_t e = 0; e < in->decisions; e++)
        s->workspace.slot[e] = -1;
    for (ptrdiff_t g = 0; g < in->groups; g++) {
        const int32_t *members = in->member + in->group_first[g];
        const ptrdiff_t count = in->group_first[g + 1] - in->group_first[g];
        if (s->fixings.candidates[g] > 1 && !gs_add_open_group(s, open, members, count, 0, &ways, limit))
            return 0;
    }
    for (ptrdiff_t e = 0; in->ungrouped && e < in->decisions; e++) {
        const int32_t member = (int32_t)e;
        if (in->group[e] < 0 && s->fixings.alive[e] && !s->fixings.on[e]
            && !gs_add_open_group(s, open, &member, 1, 1, &ways, limit))
            return 0;
    }
    return 1;
}

/* Add the score of a scope of possible decisions, by how many of them are open. */
static void gs_add_scope(const gs_search *s, gs_enumeration *open, const int32_t *members, ptrdiff_t width,
                         double score)
{
    int32_t slot[2] = {-1, -1};
    ptrdiff_t undecided = 0;
    for (ptrdiff_t k = 0; k < width; k++)
        if (s->workspace.slot[members[k]] >= 0) {
            if (undecided < 2)
                slot[undecided] = s->workspace.slot[members[k]];
            undecided++;
        }
    if (undecided == 0)
        open->constant += score;
    else if (undecided == 1)
        open->score[0][slot[0]] += score;
    else if (undecided == 2) {
        open->pair[slot[0]][slot[1]] += score;
        open->pair[slot[1]][slot[0]] += score;
    } else if (score > 0.0)
        open->wide += score;
}

/* Highest score that a pair of groups can add. */
static double gs_best_pair(const gs_enumeration *open, int i, int j)
{
    double best = -INFINITY;
    for (int k = open->first[i]; k < open->first[i + 1]; k++)
        for (int l = open->first[j]; l < open->first[j + 1]; l++)
            best = fmax(best, open->pair[k][l]);
    return best;
}

/* Lay out the scores of decisions, scopes and factors by the choices of open groups. */
static void gs_fill_enumeration(gs_search *s, gs_enumeration *open)
{
    for (int k = 0; k < open->choices; k++) {
        open->score[0][k] = open->choice[k] == GS_NONE ? 0.0 : s->input.base[open->choice[k]];
        for (int j = 0; j < open->choices; j++)
            open->pair[k][j] = gs_choices_exclude(s, open->choice[k], open->choice[j]) ? -INFINITY : 0.0;
    }
    for (ptrdiff_t e = 0; e < s->input.decisions; e++) {
        if (!s->fixings.on[e])
            continue;
        open->constant += s->input.base[e];
        for (int k = 0; k < open->choices; k++)
            if (gs_choices_exclude(s, (int32_t)e, open->choice[k]))
                open->score[0][k] = -INFINITY;
    }
    for (ptrdiff_t a = 0; a < s->stars.count; a++) {
        const gs_star *star = s->stars.star + a;
        for (int32_t k = 0; k < star->uppers; k++) {
            int32_t pair[2] = {s->input.member[s->input.group_first[star->group] + k], 0};
            if (!s->fixings.alive[pair[0]])
                continue;
            for (ptrdiff_t c = 0; c < star->lowers; c++) {
                const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
                pair[1] = s->stars.column_lower[star->column + c];
                if (s->fixings.alive[pair[1]] && s->stars.scope[cell] >= 0)
                    gs_add_scope(s, open, pair, 2, s->stars.score[cell]);
            }
        }
    }
    for (ptrdiff_t k = 0; k < s->fixings.scope_count; k++) {
        const gs_scope scope = gs_shared_scope(s, s->fixings.scope[k]);
        gs_add_scope(s, open, scope.member, scope.width, scope.score);
    }
    /* `value` is a factor's maximum less its prices, which are added apart. */
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        open->wide += factor->value;
        for (ptrdiff_t k = 0; k < factor->role->count; k++)
            if (s->fixings.alive[factor->role->scope[k]])
                gs_add_scope(s, open, factor->role->scope + k, 1, gs_prices(s, factor)[k]);
    }
    open->rest[open->groups] = open->wide;
    for (int i = open->groups - 1; i >= 0; i--) {
        open->rest[i] = open->rest[i + 1];
        for (int j = i + 1; j < open->groups; j++)
            open->rest[i] += gs_best_pair(open, i, j);
    }
}

/* Choose in the open groups from `group` on; `total` is the score of what was chosen before. */
static void gs_enumerate_group(gs_search *s, gs_enumeration *open, int group, double total)
{
    const gs_maximiser *role = s->input.maximiser;
    gs_structure *x = &s->workspace.other;
    if (s->failure)
        return;
    if (group == open->groups) {
        gs_mark_structure(s, x);
        if (role->has_internal_scores || role->internal_score == NULL || gs_internal_score(s) > -INFINITY)
            gs_offer(s, gs_score(s));
        gs_unmark_structure(s);
        return;
    }
    const double *score = open->score[group];
    double *next = open->score[group + 1];
    for (int k = open->first[group]; k < open->first[group + 1]; k++) {
        double bound = total + score[k] + open->rest[group + 1];
        for (int j = group + 1; j < open->groups; j++) {
            double best = -INFINITY;
            for (int l = open->first[j]; l < open->first[j + 1]; l++) {
                next[l] = score[l] + open->pair[k][l];
                best = next[l] > best ? next[l] : best;
            }
            bound += best;
        }
        if (bound + open->rounding <= s->incumbent.value)
            continue;
        const int32_t e = open->choice[k];
        if (e != GS_NONE)
            x->on[x->count++] = e;
        gs_enumerate_group(s, open, group + 1, total + score[k]);
        x->count -= e != GS_NONE;
    }
}

/* The highest internal score of structures that agree with the state; -inf if there is none. */
static double gs_internal_score_bound(gs_search *s)
{
    double *weights = gs_base_weights(s);
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        if (s->fixings.alive[e])
            weights[s->input.cell[e]] = 0.0;
    return gs_maximise(s, 1, weights, &s->workspace.other);
}

/* Compare all structures of the current node if they are few; whether that was done, so that none exceeds the
 * incumbent. After gs_compute_weights and gs_bound_factors. */
static int gs_enumerate(gs_search *s)
{
    gs_enumeration open;
    gs_structure *x = &s->workspace.other;
    if (!gs_open_groups(s, &open))
        return 0;
    gs_request_all(s);
    if (s->failure || s->no_memory)
        return 0;
    open.constant = 0.0;
    open.wide = s->input.maximiser->has_internal_scores ? gs_internal_score_bound(s) : 0.0;
    if (s->failure)
        return 0;
    gs_fill_enumeration(s, &open);
    /* A margin where none is needed would complete all ties. */
    open.rounding = gs_rounding_may_decide(s) ? gs_rounding_bound(s) : 0.0;
    x->count = 0;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        if (s->fixings.on[e])
            x->on[x->count++] = (int32_t)e;
    if (open.wide > -INFINITY)
        gs_enumerate_group(s, &open, 0, open.constant);
    s->counts.enumerated++;
    return !s->failure;
}

#endif
