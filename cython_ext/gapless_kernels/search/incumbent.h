/* Exact scores of structures, and better structures by maximising again with scores linearised around one. */
#ifndef GAPLESS_SEARCH_INCUMBENT_H
#define GAPLESS_SEARCH_INCUMBENT_H

#include "search/scores.h"

#define GS_TARGET_RETRIES 3 /* times that factors choose again after the backbone rejected some decisions */
#define GS_TARGET_EVERY 3 /* steps of the root between attempts to meet the factors' configurations */

static void gs_mark_structure(gs_search *s, const gs_structure *x)
{
    GAPLESS_ASSERT(s->marks.structure == NULL);
    s->marks.structure = x;
    for (ptrdiff_t k = 0; k < x->count; k++) {
        const int32_t e = x->on[k];
        s->marks.on[e] = 1;
        if (s->input.group[e] >= 0)
            s->marks.choice[s->input.group[e]] = e;
    }
}

static void gs_unmark_structure(gs_search *s)
{
    GAPLESS_ASSERT(s->marks.structure != NULL);
    for (ptrdiff_t k = 0; k < s->marks.structure->count; k++)
        s->marks.on[s->marks.structure->on[k]] = 0;
    s->marks.structure = NULL; /* it may live on a stack */
}

/* Internal score of the marked structure; -inf if it is none. */
static double gs_internal_score(gs_search *s)
{
    const gs_maximiser *role = s->input.maximiser;
    double score = 0.0;
    const gs_structure *x = s->marks.structure;
    const int status = role->internal_score(role->object, x->on, x->count, &score);
    if (status == GS_NOTHING)
        return -INFINITY;
    if (status != GS_FOUND)
        return gs_fail(s, GS_ERROR_RAISED);
    if (!(score < INFINITY))
        return gs_fail(s, GS_ERROR_VALUE);
    return s->failure ? -INFINITY : score;
}

/* Score of the marked structure with all scopes and factors; -inf if it is none, or forbidden. */
static double gs_score(gs_search *s)
{
    const gs_structure *x = s->marks.structure;
    double total = s->input.maximiser->has_internal_scores ? gs_internal_score(s) : 0.0;
    if (s->factors.count)
        total += gs_value_factors(s);
    if (total == -INFINITY)
        return total;
    for (ptrdiff_t k = 0; k < x->count; k++)
        total += s->input.base[x->on[k]];
    for (ptrdiff_t a = 0; a < s->stars.count; a++) {
        const gs_star *star = s->stars.star + a;
        const double *score = s->stars.score + gs_marked_row(s, star);
        for (ptrdiff_t c = 0; c < star->lowers; c++)
            if (s->marks.on[s->stars.column_lower[star->column + c]])
                total += score[c];
    }
    for (ptrdiff_t k = 0; k < x->count; k++) {
        const int32_t e = x->on[k];
        for (ptrdiff_t i = s->shared.incident_first[e]; i < s->shared.incident_first[e + 1]; i++) {
            const int32_t f = s->shared.incident_other[i], c = s->shared.incident[i];
            /* A scope counts once: at the smaller decision of a pair, at the first one of a wider scope. */
            if (f >= 0 ? s->marks.on[f] && e < f
                       : s->shared.member[s->shared.first[c]] == e && gs_count_on(s, c) == gs_width(s, c))
                total += s->shared.score[c];
        }
    }
    return total;
}

static void gs_copy_structure(gs_structure *to, const gs_structure *from)
{
    memcpy(to->on, from->on, (size_t)from->count * sizeof *to->on);
    to->count = from->count;
}

/* Make the marked structure the incumbent if it is better; whether it is. Without memory, or after a failure,
 * scores may be the bounds that stand in for them, so nothing is taken. */
static int gs_offer(gs_search *s, double score)
{
    if (s->failure || s->no_memory)
        return 0;
    if (s->tree.is_in_node && score > s->incumbent.value_in_node)
        s->incumbent.value_in_node = score;
    if (!(score > s->incumbent.value))
        return 0;
    s->incumbent.value = score;
    gs_copy_structure(&s->incumbent.structure, s->marks.structure);
    return 1;
}

/* Set the heuristic weights to the scores of single decisions. */
static double *gs_base_weights(gs_search *s)
{
    double *w = s->workspace.weights;
    for (ptrdiff_t k = 0; k < s->input.cells; k++)
        w[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        if (s->fixings.alive[e])
            w[s->input.cell[e]] = s->input.base[e];
    return w;
}

/* Linearise the scores around the marked structure: each scope counts for the decisions that would complete
 * it. */
static void gs_linearise(gs_search *s)
{
    const ptrdiff_t *cell = s->input.cell;
    double *w = gs_base_weights(s);
    for (ptrdiff_t a = 0; a < s->stars.count; a++) {
        const gs_star *star = s->stars.star + a;
        const int32_t *upper = s->input.member + s->input.group_first[star->group];
        const double *score = s->stars.score + star->cell, *marked = s->stars.score + gs_marked_row(s, star);
        for (ptrdiff_t c = 0; c < star->lowers; c++) {
            const int32_t lower = s->stars.column_lower[star->column + c];
            w[cell[lower]] += marked[c];
            if (s->marks.on[lower])
                for (int32_t k = 0; k < star->uppers; k++)
                    w[cell[upper[k]]] += score[(ptrdiff_t)k * star->lowers + c];
        }
    }
    for (ptrdiff_t at = 0; at < s->marks.structure->count; at++) {
        const int32_t e = s->marks.structure->on[at];
        for (ptrdiff_t i = s->shared.incident_first[e]; i < s->shared.incident_first[e + 1]; i++) {
            const int32_t c = s->shared.incident[i];
            if (s->shared.incident_other[i] >= 0) {
                w[cell[s->shared.incident_other[i]]] += s->shared.score[c];
                continue;
            }
            const gs_scope scope = gs_shared_scope(s, c);
            const ptrdiff_t count = gs_count_on(s, c);
            const double share = scope.score / (double)count; /* a scope is reached `count` times */
            if (count == scope.width - 1)
                for (ptrdiff_t k = 0; k < scope.width; k++)
                    w[cell[scope.member[k]]] += s->marks.on[scope.member[k]] ? 0.0 : share;
            else if (count == scope.width)
                w[cell[e]] += scope.score;
        }
    }
}

/* Set the paper's pi(p, z) for the best p at the marked structure z: each scope counts exactly there, and
 * never too much elsewhere (Qian and Liu 2013). */
static void gs_lower_bound_weights(gs_search *s)
{
    double *w = gs_base_weights(s);
    for (ptrdiff_t c = 0; c < s->shared.count; c++) {
        const gs_scope scope = gs_shared_scope(s, c);
        ptrdiff_t charged = 0;
        if (scope.score > 0.0) {
            if (gs_count_on(s, c) == scope.width)
                for (ptrdiff_t k = 0; k < scope.width; k++)
                    w[s->input.cell[scope.member[k]]] += scope.score;
            continue;
        }
        for (ptrdiff_t k = 0; k < scope.width; k++)
            if (!s->marks.on[scope.member[k]])
                charged = k;
        w[s->input.cell[scope.member[charged]]] += scope.score;
    }
}

/* Whether to aim at the factors' configurations: at the root, first and every few steps, while any differs
 * from the bound's structure. */
static int gs_is_time_to_target(const gs_search *s)
{
    int differs = 0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++)
        differs |= s->factors.factor[f].regret > 0.0;
    return differs && s->node.depth == 0
        && (s->ascent.iteration == 1 || s->ascent.iteration % GS_TARGET_EVERY == 0);
}

/* Improve the incumbent from structure `x`, of that score: maximise weights around it, and go on from each
 * better result. Whether new scores were requested. The chart of the bound stays untouched, since its
 * max-marginals may still be read. */
static int gs_improve_incumbent(gs_search *s, const gs_structure *x, double score, int rounds)
{
    gs_workspace *work = &s->workspace;
    enum { LINEARISED, TARGETED, MARGINALS } kind = LINEARISED; /* of the weights last chosen for factors */
    int is_new = 0, retries = 0, has_target = score == -INFINITY || gs_is_time_to_target(s);
    gs_copy_structure(&work->centre, x);
    for (int round = 0; round < rounds; round++) {
        gs_mark_structure(s, &work->centre);
        if (s->options.is_paper)
            gs_lower_bound_weights(s);
        else if (has_target && (retries || gs_max_marginal_gaps(s)) && gs_weights_toward_factors(s))
            kind = TARGETED;
        else if (has_target || (kind != LINEARISED && gs_value_factors(s) == -INFINITY)) {
            gs_weights_from_factor_marginals(s);
            kind = MARGINALS;
        } else {
            gs_linearise(s);
            gs_linearise_factors(s);
        }
        gs_unmark_structure(s);
        if (s->failure || !(gs_maximise(s, 1, work->weights, &work->other) > -INFINITY))
            return is_new;
        gs_mark_structure(s, &work->other);
        is_new |= gs_request_structure(s);
        const double other_score = gs_score(s);
        gs_offer(s, other_score);
        has_target =
            kind == TARGETED && has_target && retries < GS_TARGET_RETRIES && gs_drop_rejected_targets(s);
        gs_unmark_structure(s);
        if (s->failure)
            return is_new;
        if (other_score > score) {
            score = other_score;
            gs_copy_structure(&work->centre, &work->other);
        } else if (!has_target && !(kind == TARGETED && round == 0))
            return is_new; /* but not after a first target that failed: the next round looks around `x` */
        if (has_target) { /* a retry is no round */
            retries++;
            round--;
        }
    }
    return is_new;
}

#endif
