/* Exact scores of structures, and better ones by maximising again with scores linearised around one. */
#ifndef GAPLESS_SEARCH_INCUMBENT_H
#define GAPLESS_SEARCH_INCUMBENT_H

#include "search/scores.h"

#define GS_YIELDS 3       /* times that factors name others for what the backbone refuses */
#define GS_INSIST_EVERY 3 /* steps of the root, where factors differ from what it finds */

static void gs_enter(gs_search *s, const gs_structure *x)
{
    s->entered = x;
    for (ptrdiff_t k = 0; k < x->count; k++) {
        const int32_t e = x->on[k];
        s->taken[e] = 1;
        if (s->group[e] >= 0)
            s->choice[s->group[e]] = e;
    }
}

static void gs_leave(gs_search *s)
{
    for (ptrdiff_t k = 0; k < s->entered->count; k++)
        s->taken[s->entered->on[k]] = 0;
    s->entered = NULL; /* what was entered may live on a stack: nobody may read it any more */
}

/* The own score of the structure that was entered; -inf where it is none. */
static double gs_own(gs_search *s)
{
    double own = 0.0;
    const int done = s->maximiser->own(s->maximiser->object, s->entered->on, s->entered->count, &own);
    if ((done != GS_FOUND && done != GS_NOTHING) || (done == GS_FOUND && !(own < INFINITY)))
        s->failed = done == GS_FOUND ? GS_BROKE_VALUE : GS_RAISED;
    return done == GS_FOUND && !s->failed ? own : -INFINITY;
}

/* The score of the structure that was entered, all scopes and factors counted; -inf where it is none or forbidden. */
static double gs_score(gs_search *s)
{
    const gs_structure *x = s->entered;
    double total = s->maximiser->has_own ? gs_own(s) : 0.0;
    if (s->parts)
        total += gs_value_factors(s);
    if (total == -INFINITY)
        return total;
    for (ptrdiff_t k = 0; k < x->count; k++)
        total += s->base[x->on[k]];
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const gs_star *star = s->star + a;
        const double *score = s->star_score + star->cell + (ptrdiff_t)s->rank[s->choice[star->group]] * star->lowers;
        for (ptrdiff_t c = 0; c < star->lowers; c++)
            if (s->taken[s->column_lower[star->column + c]])
                total += score[c];
    }
    for (ptrdiff_t k = 0; k < x->count; k++) {
        const int32_t e = x->on[k];
        for (ptrdiff_t i = s->incident_first[e]; i < s->incident_first[e + 1]; i++) {
            const int32_t f = s->incident_other[i], c = s->incident[i];
            if (f >= 0 ? s->taken[f] && e < f : s->shared_member[s->shared_first[c]] == e
                    && gs_hits(s, c) == s->shared_first[c + 1] - s->shared_first[c])
                total += s->shared_score[c];
        }
    }
    return total;
}

static void gs_copy(gs_structure *to, const gs_structure *from)
{
    memcpy(to->on, from->on, (size_t)from->count * sizeof *to->on);
    to->count = from->count;
}

/* Keep the structure that was entered if it is the best so far. When its scores could not be had, bounds stand in their place. */
static int gs_offer(gs_search *s, double score)
{
    if (s->failed || s->no_memory)
        return 0;
    if (s->working && score > s->best_in_node)
        s->best_in_node = score;
    if (!(score > s->value))
        return 0;
    s->value = score;
    gs_copy(&s->best, s->entered);
    return 1;
}

/* Scores of decisions around the structure entered: each scope counts for the decisions that would complete it. */
static void gs_linearise(gs_search *s)
{
    double *w = s->linear;
    for (ptrdiff_t k = 0; k < s->cells; k++)
        w[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->alive[e])
            w[s->cell[e]] = s->base[e];
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const gs_star *star = s->star + a;
        const int32_t *upper = s->member + s->group_first[star->group];
        const double *score = s->star_score + star->cell;
        const ptrdiff_t mine = (ptrdiff_t)s->rank[s->choice[star->group]] * star->lowers;
        for (ptrdiff_t c = 0; c < star->lowers; c++) {
            const int32_t lower = s->column_lower[star->column + c];
            w[s->cell[lower]] += score[mine + c];
            if (s->taken[lower])
                for (int32_t k = 0; k < star->uppers; k++)
                    w[s->cell[upper[k]]] += score[(ptrdiff_t)k * star->lowers + c];
        }
    }
    for (ptrdiff_t at = 0; at < s->entered->count; at++) {
        const int32_t e = s->entered->on[at];
        for (ptrdiff_t i = s->incident_first[e]; i < s->incident_first[e + 1]; i++) {
            const int32_t c = s->incident[i];
            if (s->incident_other[i] >= 0) {
                w[s->cell[s->incident_other[i]]] += s->shared_score[c];
                continue;
            }
            const ptrdiff_t width = s->shared_first[c + 1] - s->shared_first[c], hits = gs_hits(s, c);
            const int32_t *members = s->shared_member + s->shared_first[c];
            if (hits == width - 1)
                for (ptrdiff_t k = 0; k < width; k++)
                    w[s->cell[members[k]]] += s->taken[members[k]] ? 0.0 : s->shared_score[c] / (double)hits;
            else if (hits == width)
                w[s->cell[e]] += s->shared_score[c];
        }
    }
}

/* The paper's pi(p, z) for the best p at the structure: each scope counts exactly there, and never too much elsewhere. */
static void gs_lower_bound_weights(gs_search *s)
{
    double *w = s->linear;
    for (ptrdiff_t k = 0; k < s->cells; k++)
        w[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->alive[e])
            w[s->cell[e]] = s->base[e];
    for (ptrdiff_t c = 0; c < s->shared; c++) {
        const int32_t *members = s->shared_member + s->shared_first[c];
        const ptrdiff_t width = s->shared_first[c + 1] - s->shared_first[c];
        ptrdiff_t charged = 0;
        if (s->shared_score[c] > 0.0) {
            if (gs_hits(s, c) == width)
                for (ptrdiff_t k = 0; k < width; k++)
                    w[s->cell[members[k]]] += s->shared_score[c];
            continue;
        }
        for (ptrdiff_t k = 0; k < width; k++)
            if (!s->taken[members[k]])
                charged = k;
        w[s->cell[members[charged]]] += s->shared_score[c];
    }
}

/* Whether factors are to name configurations near the bound's structure: at the root, first and now and then, while they differ from it. */
static int gs_is_time_to_insist(const gs_search *s)
{
    int differs = 0;
    for (ptrdiff_t f = 0; f < s->parts; f++)
        differs |= s->part[f].misses > 0.0;
    return differs && s->node.depth == 0 && (s->iteration == 1 || s->iteration % GS_INSIST_EVERY == 0);
}

/* Improve on the structure `x` of that score while maximising again finds better ones; never touches the chart of the bound.
 * Whether scores had to be asked for. */
static int gs_redecode(gs_search *s, const gs_structure *x, double score, int rounds)
{
    int asked = 0, tries = 0, yields = 0, insist = score == -INFINITY || gs_is_time_to_insist(s);
    gs_copy(&s->around, x);
    for (int round = 0; round < rounds; round++) {
        gs_enter(s, &s->around);
        if (s->paper)
            gs_lower_bound_weights(s);
        else if (insist && (yields ? gs_insist_on_factors(s) : gs_prefer(s) && gs_insist_on_factors(s)))
            tries = 1;
        else if (insist || (tries && gs_value_factors(s) == -INFINITY)) /* of the one around which we look */
            gs_consult_factors(s), tries = 2;
        else {
            gs_linearise(s);
            gs_linearise_factors(s);
        }
        gs_leave(s);
        if (s->failed || !(gs_maximise(s, 1, s->linear, &s->other) > -INFINITY))
            return asked;
        gs_enter(s, &s->other);
        asked |= gs_know_structure(s);
        const double better = gs_score(s);
        gs_offer(s, better);
        insist = tries == 1 && insist && yields < GS_YIELDS && gs_give_way(s);
        gs_leave(s);
        if (s->failed)
            return asked;
        if (better > score) {
            score = better;
            gs_copy(&s->around, &s->other);
        } else if (!insist && !(tries == 1 && round == 0)) /* where factors named something, look around what there was, too */
            return asked;
        if (insist) /* this round again */
            yields++, round--;
    }
    return asked;
}

#endif
