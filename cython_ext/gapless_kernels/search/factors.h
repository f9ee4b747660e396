/* Configuration factors: functions of part of the decisions that are no conjunctions.
 *
 * Each factor has a copy of its decisions and a price for each (Komodakis et al. 2007, section 3, dual
 * decomposition). A price is added to the weight of its decision and charged where the factor turns the
 * decision on. The bound gains the maximum of the factor's value less prices, and is exact where structure
 * and configuration agree. If the structure itself is a best configuration, it counts as the factor's: such a
 * factor moves no price.
 */
#ifndef GAPLESS_SEARCH_FACTORS_H
#define GAPLESS_SEARCH_FACTORS_H

#include "search/snapshots.h"

#define GS_GUIDED_STEPS 40 /* steps along the guides, at most */
/* No price moves along a guide by more than this times the gain that the step aims at. */
#define GS_GUIDED_REACH 64.0
#define GS_AGREEMENT 1e-10 /* relative regret up to which the structure counts as a best configuration */

static double *gs_prices(const gs_search *s, const gs_factor_state *factor)
{
    return s->ascent.multipliers + s->stars.cells + s->shared.slots + factor->offset;
}

/* Reserve `count` factors over `slots` decisions in total, before the blocks; 0 without memory. */
static int gs_reserve_factors(gs_search *s, ptrdiff_t count, ptrdiff_t slots, int has_guides)
{
    const gs_allocation arrays[] = {
        GS_ARRAY(factors.factor, count), GS_ARRAY(factors.configurations, 5 * slots),
        GS_ARRAY(factors.numbers, 5 * slots), GS_ARRAY(factors.loss_with, s->input.decisions),
        GS_ARRAY(factors.loss_without, s->input.decisions),
    };
    s->factors.count = count;
    s->factors.has_guides = has_guides;
    s->failed_factor = -1;
    return GS_ALLOCATE(s, arrays);
}

/* Take factor `f`; they come in their order. `guide`: a direction for its prices, or NULL. */
static void gs_take_factor(gs_search *s, ptrdiff_t f, const gs_factor *role, const double *guide)
{
    const ptrdiff_t count = role->count, offset = s->factors.slots;
    gs_factor_state *factor = s->factors.factor + f;
    signed char *configurations = s->factors.configurations + 5 * offset;
    double *numbers = s->factors.numbers + 5 * offset;
    GAPLESS_ASSERT(f < s->factors.count && factor->role == NULL);
    *factor = (gs_factor_state){
        .role = role,
        .offset = offset,
        .state = configurations,
        .best = configurations + count,
        .queried = configurations + 2 * count,
        .flips_at = configurations + 3 * count,
        .target = configurations + 4 * count,
        .bound_price = numbers,
        .flip = numbers + count,
        .with = numbers + 2 * count,
        .without = numbers + 3 * count,
        .is_stale = 1,
    };
    for (ptrdiff_t k = 0; guide != NULL && k < count; k++)
        factor->guide_square += guide[k] * guide[k];
    if (factor->guide_square > 0.0) {
        factor->guide = numbers + 4 * count;
        memcpy(factor->guide, guide, (size_t)count * sizeof *guide);
    }
    s->factors.is_costly |= role->costly;
    s->factors.slots += count;
}

/* Record which factor ended the search, and why; 0. */
static int gs_set_failure(gs_search *s, ptrdiff_t f, int why)
{
    s->failure = why;
    s->failed_factor = f;
    return 0;
}

/* Whether a call of factor `f` came to an end; else the search fails. */
static int gs_has_answered(gs_search *s, ptrdiff_t f, int status)
{
    return status == GS_FOUND || status == GS_NOTHING || gs_set_failure(s, f, GS_ERROR_RAISED);
}

/* Add the prices to the weights, and give the state to the factors. */
static void gs_weigh_factors(gs_search *s)
{
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        gs_factor_state *factor = s->factors.factor + f;
        const double *price = gs_prices(s, factor);
        for (ptrdiff_t k = 0; k < factor->role->count; k++) {
            const int32_t e = factor->role->scope[k];
            s->ascent.weights[s->input.cell[e]] += price[k];
            factor->is_stale |= factor->state[k] != s->fixings.state[e];
            factor->is_stale |= factor->bound_price[k] != price[k];
            factor->state[k] = s->fixings.state[e];
            s->ascent.magnitude = fmax(s->ascent.magnitude, fabs(price[k]));
        }
    }
}

/* Maximise each factor's value less prices. 0 if a factor, which is recorded, allows nothing, or if the
 * search failed. */
static int gs_bound_factors(gs_search *s)
{
    s->factors.bound = 0.0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        gs_factor_state *factor = s->factors.factor + f;
        const gs_factor *role = factor->role;
        const double *price = gs_prices(s, factor);
        const signed char *state = factor->state, *y = factor->best;
        if (factor->is_stale) {
            const int status = role->maximise(role->object, price, state, &factor->value, factor->best);
            if (!gs_has_answered(s, f, status))
                return 0;
            if (status == GS_NOTHING || factor->value == -INFINITY) {
                s->failed_factor = f;
                return 0;
            }
            if (!isfinite(factor->value))
                return gs_set_failure(s, f, GS_ERROR_VALUE);
            for (ptrdiff_t k = 0; k < role->count; k++)
                if ((y[k] != 0 && y[k] != 1) || (state[k] != GS_FREE && state[k] != y[k]))
                    return gs_set_failure(s, f, GS_ERROR_STATE);
            memcpy(factor->bound_price, price, (size_t)role->count * sizeof(double));
            factor->is_stale = 0;
            s->ascent.magnitude = fmax(s->ascent.magnitude, fabs(factor->value));
        }
        s->factors.bound += factor->value;
    }
    return 1;
}

/* Sum the factors' values at the marked structure; -inf if one forbids it. */
static double gs_value_factors(gs_search *s)
{
    double total = 0.0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        gs_factor_state *factor = s->factors.factor + f;
        signed char *x = factor->queried;
        int is_known = factor->has_value;
        for (ptrdiff_t k = 0; k < factor->role->count; k++) {
            const signed char on = (signed char)s->marks.on[factor->role->scope[k]];
            is_known &= x[k] == on;
            x[k] = on;
        }
        int status = GS_FOUND;
        if (!is_known)
            status = factor->role->value(factor->role->object, x, &factor->value_at);
        if (status == GS_NOTHING)
            factor->value_at = -INFINITY;
        if (!gs_has_answered(s, f, status))
            return -INFINITY;
        if (!(factor->value_at < INFINITY)) {
            gs_set_failure(s, f, GS_ERROR_VALUE);
            return -INFINITY;
        }
        factor->has_value = 1;
        total += factor->value_at;
    }
    return total;
}

/* Compute each factor's regret at the marked structure, after gs_value_factors. 0 if one has more value there
 * than its own maximum, which breaks a rule. */
static int gs_factor_regrets(gs_search *s)
{
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        gs_factor_state *factor = s->factors.factor + f;
        const double *price = gs_prices(s, factor);
        double reached = factor->value_at, size = fmax(1.0, fabs(factor->value));
        for (ptrdiff_t k = 0; k < factor->role->count; k++)
            if (s->marks.on[factor->role->scope[k]]) {
                reached -= price[k];
                size = fmax(size, fabs(price[k]));
            }
        factor->regret = factor->value - reached;
        if (factor->regret < -(gs_score_tolerance(size) + gs_sum_rounding(s, factor->role->count)))
            return gs_set_failure(s, f, GS_ERROR_BOUND);
        if (factor->regret <= GS_AGREEMENT * size)
            factor->regret = 0.0;
    }
    return 1;
}

/* Whether a factor's configuration has another value at decision `k` of its scope than the marked structure:
 * +1 if the factor alone turns it on, -1 if the structure alone does, which is the subgradient in its price.
 */
static inline int gs_disagreement(const gs_search *s, const gs_factor_state *factor, ptrdiff_t k)
{
    return factor->best[k] - (int)s->marks.on[factor->role->scope[k]];
}

/* Whether the next step moves the prices of factors with guides along these only; after gs_factor_regrets.
 *
 * The root starts so: one multiplier for a whole constraint, as in Lagrangian relaxation, reaches its level
 * in a dozen steps, where separate prices take hundreds. It continues until the subgradient is orthogonal to
 * all guides. */
static int gs_follow_guides(gs_search *s)
{
    int moves = 0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        gs_factor_state *factor = s->factors.factor + f;
        factor->along = 0.0;
        for (ptrdiff_t k = 0; factor->guide != NULL && factor->regret > 0.0 && k < factor->role->count; k++)
            factor->along += factor->guide[k] * gs_disagreement(s, factor, k);
        moves |= factor->along != 0.0;
    }
    return moves && s->ascent.iteration <= GS_GUIDED_STEPS;
}

/* Squared length of the subgradient in the prices. */
static double gs_factor_subgradient_norm(const gs_search *s)
{
    double length = 0.0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        if (s->ascent.follows_guides && factor->guide != NULL) {
            length += factor->along * factor->along / factor->guide_square;
            continue;
        }
        for (ptrdiff_t k = 0; factor->regret > 0.0 && k < factor->role->count; k++)
            length += gs_disagreement(s, factor, k) != 0;
    }
    return length;
}

/* Move the prices by `step` against the subgradient.
 *
 * Each move along a guide is limited. If the guide's numbers differ much, or sums of them almost agree, as in
 * a budget of weights 1e6 and 1e-3 that the latter exceed, a step of the multiplier would move some prices so
 * far that float64 loses the digits of the others. */
static void gs_move_factors(gs_search *s, double step)
{
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        gs_factor_state *factor = s->factors.factor + f;
        double *price = gs_prices(s, factor);
        if (!(factor->regret > 0.0))
            continue;
        const double along = factor->guide != NULL ? factor->along / factor->guide_square : 0.0;
        const double reach = GS_GUIDED_REACH * fabs(along * factor->along);
        for (ptrdiff_t k = 0; k < factor->role->count; k++) {
            double move = step * gs_disagreement(s, factor, k);
            if (s->ascent.follows_guides && factor->guide != NULL)
                move = step * fmin(fmax(along * factor->guide[k], -reach), reach);
            price[k] += move;
            s->ascent.weights[s->input.cell[factor->role->scope[k]]] += move;
            s->ascent.magnitude = fmax(s->ascent.magnitude, fabs(price[k]));
        }
        factor->is_stale = 1;
    }
}

/* Add each factor's regret to the gap of the decisions in which its best configuration differs from the
 * structure; `forbidden` if the factor forbids the structure. */
static void gs_add_factor_gaps(gs_search *s, double forbidden)
{
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        const double gap = isfinite(factor->regret) ? factor->regret : forbidden;
        for (ptrdiff_t k = 0; factor->regret > 0.0 && k < factor->role->count; k++)
            if (gs_disagreement(s, factor, k))
                s->workspace.gap[factor->role->scope[k]] += gap;
    }
}

/* Compute the max-marginals of all factors that have them. 0 if a factor failed. */
static int gs_marginals_of_factors(gs_search *s)
{
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        const gs_factor *role = factor->role;
        double *with = factor->with, *without = factor->without;
        if (role->marginals == NULL)
            continue;
        const int status =
            role->marginals(role->object, gs_prices(s, factor), factor->state, with, without);
        if (!gs_has_answered(s, f, status))
            return 0;
        for (ptrdiff_t k = 0; status == GS_NOTHING && k < role->count; k++)
            with[k] = without[k] = -INFINITY;
    }
    return 1;
}

/* Compute what the factors' max-marginals take from the bound with each decision on, and with each off:
 * numbers <= 0, -inf if a factor forbids it. 0 if a factor failed. */
static int gs_factor_marginal_losses(gs_search *s)
{
    if (!gs_marginals_of_factors(s))
        return 0;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        s->factors.loss_with[e] = s->factors.loss_without[e] = 0.0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        for (ptrdiff_t k = 0; factor->role->marginals != NULL && k < factor->role->count; k++) {
            const int32_t e = factor->role->scope[k];
            s->factors.loss_with[e] += fmin(factor->with[k] - factor->value, 0.0);
            s->factors.loss_without[e] += fmin(factor->without[k] - factor->value, 0.0);
        }
    }
    return 1;
}

/* Clamp a difference to [-limit, limit]; 0 for NaN, the difference of two infinities. */
static double gs_clamp(double x, double limit)
{
    return x != x ? 0.0 : fmin(fmax(x, -limit), limit);
}

/* Add to the heuristic weights what turning each decision alone would change in the factors around the marked
 * structure, after gs_value_factors. 0 if a factor failed. */
static int gs_linearise_factors(gs_search *s)
{
    const double limit = 2.0 * (1.0 + s->ascent.magnitude); /* what is forbidden gets a finite number */
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        gs_factor_state *factor = s->factors.factor + f;
        const gs_factor *role = factor->role;
        if (role->flips == NULL)
            continue;
        const signed char *x = factor->queried;
        const double *difference = factor->flip;
        if (!factor->has_flips || memcmp(factor->flips_at, x, (size_t)role->count)) {
            if (!gs_has_answered(s, f, role->flips(role->object, x, factor->flip)))
                return 0;
            memcpy(factor->flips_at, x, (size_t)role->count);
            factor->has_flips = 1;
        }
        for (ptrdiff_t k = 0; k < role->count; k++)
            s->workspace.weights[s->input.cell[role->scope[k]]] +=
                gs_clamp(x[k] ? -difference[k] : difference[k], limit);
    }
    return 1;
}

/* Set heuristic weights toward a structure that no factor forbids: those of the bound, plus what the factors
 * gain by each decision on rather than off. A factor without max-marginals that forbids the marked structure
 * pulls toward its own configuration. 0 if a factor failed. */
static int gs_weights_from_factor_marginals(gs_search *s)
{
    const double limit = 2.0 * (1.0 + s->ascent.magnitude);
    memcpy(s->workspace.weights, s->ascent.weights, (size_t)s->input.cells * sizeof *s->workspace.weights);
    if (!gs_marginals_of_factors(s))
        return 0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        for (ptrdiff_t k = 0; k < factor->role->count; k++) {
            double *w = s->workspace.weights + s->input.cell[factor->role->scope[k]];
            if (factor->role->marginals != NULL)
                *w += gs_clamp(factor->with[k] - factor->without[k], limit);
            else if (factor->value_at == -INFINITY)
                *w += factor->best[k] ? limit : -limit;
        }
    }
    return 1;
}

/* Primal heuristic for factors that disagree with the structure of the bound.
 *
 * Each such factor picks the configuration that loses least by the max-marginal gaps. The maximiser then
 * looks for a structure that contains those configurations: their decisions get weights that dominate all
 * others. If the backbone cannot have some of them together, gs_drop_rejected_targets removes these, and the
 * caller tries again. */

/* Compute by how much the bound is better with each decision than without it, prices included, after
 * gs_maximise in chart 0. 0 if the maximiser has no max-marginals, or failed. */
static int gs_max_marginal_gaps(gs_search *s)
{
    const gs_input *in = &s->input;
    const double *with = s->workspace.with;
    if (!gs_marginals(s))
        return 0;
    for (ptrdiff_t g = 0; g < in->groups; g++) {
        double first = -INFINITY, second = -INFINITY;
        for (ptrdiff_t k = in->group_first[g]; k < in->group_first[g + 1]; k++) {
            const double value = s->fixings.alive[in->member[k]] ? with[in->member[k]] : -INFINITY;
            second = fmax(second, fmin(first, value));
            first = fmax(first, value);
        }
        for (ptrdiff_t k = in->group_first[g]; k < in->group_first[g + 1]; k++) {
            const int32_t e = in->member[k];
            s->workspace.gap[e] = with[e] - (with[e] < first ? first : second);
        }
    }
    for (ptrdiff_t e = 0; in->ungrouped && e < in->decisions; e++)
        if (in->group[e] < 0)
            s->workspace.gap[e] = with[e] - s->workspace.without[e];
    return 1;
}

/* A weight that dominates the weight of every decision that is still possible. */
static double gs_dominating_weight(const gs_search *s)
{
    double dominating = 1.0;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        if (s->fixings.alive[e] && isfinite(s->ascent.weights[s->input.cell[e]]))
            dominating = fmax(dominating, 4.0 * fabs(s->ascent.weights[s->input.cell[e]]));
    return dominating;
}

/* Set heuristic weights that pull the structure toward the factors' configurations. 0 if a factor failed. */
static int gs_weights_toward_factors(gs_search *s)
{
    const double dominating = gs_dominating_weight(s);
    memcpy(s->workspace.weights, s->ascent.weights, (size_t)s->input.cells * sizeof *s->workspace.weights);
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        const gs_factor *role = factor->role;
        if (!(factor->regret > 0.0))
            continue;
        double *cost = factor->with, value = 0.0;
        for (ptrdiff_t k = 0; k < role->count; k++)
            cost[k] = gs_prices(s, factor)[k] - gs_clamp(s->workspace.gap[role->scope[k]], dominating);
        const int status = role->maximise(role->object, cost, factor->state, &value, factor->target);
        if (!gs_has_answered(s, f, status))
            return 0;
        for (ptrdiff_t k = 0; k < role->count; k++)
            if (status == GS_FOUND)
                s->workspace.weights[s->input.cell[role->scope[k]]] +=
                    factor->target[k] ? dominating : -dominating;
            else
                factor->target[k] = -1;
    }
    return 1;
}

/* Stop targeting decisions that the maximiser left off although their weight dominated; whether any was. */
static int gs_drop_rejected_targets(gs_search *s)
{
    int rejected = 0;
    for (ptrdiff_t f = 0; f < s->factors.count; f++) {
        const gs_factor_state *factor = s->factors.factor + f;
        for (ptrdiff_t k = 0; factor->regret > 0.0 && k < factor->role->count; k++)
            if (factor->target[k] == 1 && !s->marks.on[factor->role->scope[k]]) {
                s->workspace.gap[factor->role->scope[k]] = -INFINITY;
                rejected = 1;
            }
    }
    return rejected;
}

#endif
