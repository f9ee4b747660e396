/* Factors that are no conjunctions: each has a configuration of its own over part of the decisions, and a price for each of them.
 *
 * A price is added to the weight of its decision and charged where the factor turns the decision on. So the bound gains the most that the
 * factor's value less prices can be, and loses nothing where both sides agree (Komodakis et al. 2007, dual decomposition). Where the structure
 * itself is a best configuration, it is the one that counts: a factor that nobody violates moves no price.
 */
#ifndef GAPLESS_SEARCH_FACTORS_H
#define GAPLESS_SEARCH_FACTORS_H

#include "search/snapshots.h"

#define GS_GUIDED_STEPS 40 /* along the guides, at most */
#define GS_GUIDED_REACH 64.0 /* no price moves along a guide by more than this times what the step is to gain */
#define GS_AGREES 1e-10 /* of a factor's value: what the structure may miss to count as a best configuration */

static double *gs_prices(const gs_search *s, const gs_part *part)
{
    return s->split + s->star_cells + s->shared_slots + part->place;
}

/* Take the factors before the blocks; 0 without memory. */
static int gs_take_factors(gs_search *s, const gs_factor *const *factors, ptrdiff_t count)
{
    ptrdiff_t places = 0;
    GS_NEW(s, part, count);
    for (ptrdiff_t f = 0; s->part != NULL && f < count; f++) {
        s->part[f].role = factors[f], s->part[f].place = places, s->part[f].stale = 1;
        places += factors[f]->count, s->costly |= factors[f]->costly;
    }
    s->parts = count, s->factor_slots = places, s->culprit = -1;
    GS_NEW(s, part_state, places), GS_NEW(s, part_y, places), GS_NEW(s, part_x, places);
    GS_NEW(s, part_with, places), GS_NEW(s, part_without, places), GS_NEW(s, part_paid, places), GS_NEW(s, part_flip, places), GS_NEW(s, part_flipped, places), GS_NEW(s, part_asked, places);
    GS_NEW(s, also_with, s->decisions), GS_NEW(s, also_without, s->decisions);
    return !s->no_memory;
}

/* Note which factor ended the search, and why. */
static int gs_blame(gs_search *s, ptrdiff_t f, int why)
{
    s->failed = why, s->culprit = f;
    return 0;
}

/* Add the prices to the weights, and tell the factors the state. */
static void gs_weigh_factors(gs_search *s)
{
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        gs_part *part = s->part + f;
        const double *price = gs_prices(s, part);
        for (ptrdiff_t k = 0, at = part->place; k < part->role->count; k++, at++) {
            const int32_t e = part->role->scope[k];
            s->weights[s->cell[e]] += price[k];
            part->stale |= s->part_state[at] != s->state[e] || s->part_paid[at] != price[k];
            s->part_state[at] = s->state[e];
            s->largest = fmax(s->largest, fabs(price[k]));
        }
    }
}

/* The most that each factor's value less prices can be; 0 where one, which is noted, allows nothing, or the search has failed. */
static int gs_bound_factors(gs_search *s)
{
    s->factored = 0.0;
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        gs_part *part = s->part + f;
        const signed char *state = s->part_state + part->place;
        signed char *y = s->part_y + part->place;
        if (part->stale) {
            const int done = part->role->maximise(part->role->object, gs_prices(s, part), state, &part->value, y);
            if (done != GS_FOUND && done != GS_NOTHING)
                return gs_blame(s, f, GS_RAISED);
            if (done == GS_NOTHING || part->value == -INFINITY) {
                s->culprit = f;
                return 0;
            }
            if (!isfinite(part->value))
                return gs_blame(s, f, GS_BROKE_VALUE);
            for (ptrdiff_t k = 0; k < part->role->count; k++)
                if ((y[k] != 0 && y[k] != 1) || (state[k] != GS_FREE && state[k] != y[k]))
                    return gs_blame(s, f, GS_BROKE_STATE);
            memcpy(s->part_paid + part->place, gs_prices(s, part), (size_t)part->role->count * sizeof(double));
            part->stale = 0;
            s->largest = fmax(s->largest, fabs(part->value));
        }
        s->factored += part->value;
    }
    return 1;
}

/* The sum of the factors' values at the structure that was entered; -inf where one forbids it. */
static double gs_value_factors(gs_search *s)
{
    double total = 0.0;
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        gs_part *part = s->part + f;
        signed char *x = s->part_x + part->place;
        int known = part->asked; /* of the configuration that it was last asked for */
        for (ptrdiff_t k = 0; k < part->role->count; k++) {
            const signed char taken = (signed char)s->taken[part->role->scope[k]];
            known &= x[k] == taken, x[k] = taken;
        }
        const int done = known ? GS_FOUND : part->role->value(part->role->object, x, &part->at);
        if (done == GS_NOTHING)
            part->at = -INFINITY;
        if ((done != GS_FOUND && done != GS_NOTHING) || !(part->at < INFINITY)) {
            gs_blame(s, f, done == GS_FOUND ? GS_BROKE_VALUE : GS_RAISED);
            return -INFINITY;
        }
        part->asked = 1, total += part->at;
    }
    return total;
}

/* What each factor misses at the structure that was entered, after its value there was asked for; 0 where it has more there than it said it could have. */
static int gs_compare_factors(gs_search *s)
{
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        gs_part *part = s->part + f;
        const double *price = gs_prices(s, part);
        double reached = part->at, size = fmax(1.0, fabs(part->value));
        for (ptrdiff_t k = 0; k < part->role->count; k++)
            if (s->taken[part->role->scope[k]])
                reached -= price[k], size = fmax(size, fabs(price[k]));
        part->misses = part->value - reached;
        if (part->misses < -(gs_margin(size) + gs_rounding(s, part->role->count)))
            return gs_blame(s, f, GS_BROKE_BOUND);
        if (part->misses <= GS_AGREES * size)
            part->misses = 0.0;
    }
    return 1;
}

/* Take directions for the prices of factors, NULL for those without, after `gs_take_factors`; 0 without memory. */
static int gs_take_guides(gs_search *s, const double *const *guides)
{
    GS_NEW(s, guides, s->factor_slots);
    for (ptrdiff_t f = 0; s->guides != NULL && f < s->parts; f++) {
        gs_part *part = s->part + f;
        if (guides[f] == NULL)
            continue;
        memcpy(s->guides + part->place, guides[f], (size_t)part->role->count * sizeof(double));
        for (ptrdiff_t k = 0; k < part->role->count; k++)
            part->guide_square += guides[f][k] * guides[f][k];
        part->guide = part->guide_square > 0.0 ? s->guides + part->place : NULL;
    }
    return !s->no_memory;
}

/* Whether the next step moves the prices of factors with guides along these only. So does the root at first: one multiplier for a whole
 * constraint, as in Lagrangian relaxation, finds its level in a dozen steps, where single prices take hundreds. It goes on until
 * nothing moves that way. After `gs_compare_factors`. */
static int gs_follow_guides(gs_search *s)
{
    int moves = 0;
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        gs_part *part = s->part + f;
        part->along = 0.0;
        for (ptrdiff_t k = 0; part->guide != NULL && part->misses > 0.0 && k < part->role->count; k++)
            part->along += part->guide[k] * (s->part_y[part->place + k] - (int)s->taken[part->role->scope[k]]);
        moves |= part->along != 0.0;
    }
    return moves && s->iteration <= GS_GUIDED_STEPS;
}

/* Squared length of the subgradient in the prices. */
static double gs_slope_of_factors(const gs_search *s)
{
    double length = 0.0;
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        const gs_part *part = s->part + f;
        if (s->guided && part->guide != NULL) {
            length += part->along * part->along / part->guide_square;
            continue;
        }
        for (ptrdiff_t k = 0; part->misses > 0.0 && k < part->role->count; k++)
            length += s->taken[part->role->scope[k]] != (unsigned char)s->part_y[part->place + k];
    }
    return length;
}

/* Along a guide whose numbers differ much, or where sums of them almost agree, a step of the multiplier would move some prices so far that
 * float64 loses what the others say: a budget of weights 1e6 and 1e-3, exceeded by the latter. */
static void gs_move_factors(gs_search *s, double step)
{
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        gs_part *part = s->part + f;
        double *price = gs_prices(s, part);
        if (!(part->misses > 0.0))
            continue;
        const double along = part->guide != NULL ? part->along / part->guide_square : 0.0, reach = GS_GUIDED_REACH * fabs(along * part->along);
        for (ptrdiff_t k = 0; k < part->role->count; k++) {
            const double move = s->guided && part->guide != NULL
                ? step * fmin(fmax(along * part->guide[k], -reach), reach)
                : step * (s->part_y[part->place + k] - (int)s->taken[part->role->scope[k]]);
            price[k] += move, s->weights[s->cell[part->role->scope[k]]] += move;
            s->largest = fmax(s->largest, fabs(price[k]));
        }
        part->stale = 1;
    }
}

/* Where factor and structure differ, the decisions are in doubt by what the factor misses; by `forbidden` where it forbids the structure. */
static void gs_doubt_factors(gs_search *s, double forbidden)
{
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        const gs_part *part = s->part + f;
        for (ptrdiff_t k = 0; part->misses > 0.0 && k < part->role->count; k++)
            if (s->taken[part->role->scope[k]] != (unsigned char)s->part_y[part->place + k])
                s->gap_of[part->role->scope[k]] += isfinite(part->misses) ? part->misses : forbidden;
    }
}

/* Max-marginals of all factors that have them. 0 when one failed. */
static int gs_marginals_of_factors(gs_search *s)
{
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        const gs_part *part = s->part + f;
        if (part->role->marginals == NULL)
            continue;
        const int done = part->role->marginals(
            part->role->object, gs_prices(s, part), s->part_state + part->place, s->part_with + part->place, s->part_without + part->place);
        if (done != GS_FOUND && done != GS_NOTHING)
            return gs_blame(s, f, GS_RAISED);
        for (ptrdiff_t k = 0; done == GS_NOTHING && k < part->role->count; k++)
            s->part_with[part->place + k] = s->part_without[part->place + k] = -INFINITY;
    }
    return 1;
}

/* What the factors' max-marginals take from the bound with each decision on, and with each off: numbers <= 0, -inf where one allows it
 * not at all. 0 when one failed. */
static int gs_lose_by_factors(gs_search *s)
{
    if (!gs_marginals_of_factors(s))
        return 0;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        s->also_with[e] = s->also_without[e] = 0.0;
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        const gs_part *part = s->part + f;
        for (ptrdiff_t k = 0; part->role->marginals != NULL && k < part->role->count; k++) {
            const int32_t e = part->role->scope[k];
            s->also_with[e] += fmin(s->part_with[part->place + k] - part->value, 0.0);
            s->also_without[e] += fmin(s->part_without[part->place + k] - part->value, 0.0);
        }
    }
    return 1;
}

static double gs_within(double x, double most)
{
    return x != x ? 0.0 : fmin(fmax(x, -most), most);
}

/* Add to `linear` what turning each decision alone would change in the factors around the structure entered, whose value they were last
 * asked for. Far less than all where a factor forbids that. 0 when one failed. */
static int gs_linearise_factors(gs_search *s)
{
    const double most = 2.0 * (1.0 + s->largest);
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        gs_part *part = s->part + f;
        if (part->role->flips == NULL)
            continue;
        const size_t count = (size_t)part->role->count;
        double *difference = s->part_flip + part->place;
        if (!part->flipped || memcmp(s->part_flipped + part->place, s->part_x + part->place, count)) {
            const int done = part->role->flips(part->role->object, s->part_x + part->place, difference);
            if (done != GS_FOUND && done != GS_NOTHING)
                return gs_blame(s, f, GS_RAISED);
            memcpy(s->part_flipped + part->place, s->part_x + part->place, count);
            part->flipped = 1;
        }
        for (ptrdiff_t k = 0; k < part->role->count; k++)
            s->linear[s->cell[part->role->scope[k]]] += gs_within(s->part_x[part->place + k] ? -difference[k] : difference[k], most);
    }
    return 1;
}

/* Weights for a structure that no factor forbids: those of the bound, and what the factors lose by each decision on rather than off; of a
 * factor without max-marginals that forbids the structure found, what it takes to make that its configuration. 0 when one failed. */
static int gs_consult_factors(gs_search *s)
{
    const double most = 2.0 * (1.0 + s->largest);
    memcpy(s->linear, s->weights, (size_t)s->cells * sizeof *s->linear);
    if (!gs_marginals_of_factors(s))
        return 0;
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        const gs_part *part = s->part + f;
        for (ptrdiff_t k = 0; k < part->role->count; k++) {
            double *w = s->linear + s->cell[part->role->scope[k]];
            if (part->role->marginals != NULL)
                *w += gs_within(s->part_with[part->place + k] - s->part_without[part->place + k], most);
            else if (part->at == -INFINITY)
                *w += s->part_y[part->place + k] ? most : -most;
        }
    }
    return 1;
}

/* How much better the bound is with each decision than without it, prices included, into `gap_of`; after `maximise` in chart 0. 0 where it
 * cannot be had, or the maximiser failed. */
static int gs_prefer(gs_search *s)
{
    if (!gs_marginals(s))
        return 0;
    for (ptrdiff_t g = 0; g < s->groups; g++) {
        double first = -INFINITY, second = -INFINITY;
        for (ptrdiff_t k = s->group_first[g]; k < s->group_first[g + 1]; k++) {
            const double through = s->alive[s->member[k]] ? s->with[s->member[k]] : -INFINITY;
            second = fmax(second, fmin(first, through)), first = fmax(first, through);
        }
        for (ptrdiff_t k = s->group_first[g]; k < s->group_first[g + 1]; k++) {
            const int32_t e = s->member[k];
            s->gap_of[e] = s->with[e] - (s->with[e] < first ? first : second);
        }
    }
    for (ptrdiff_t e = 0; s->loose && e < s->decisions; e++)
        if (s->group[e] < 0)
            s->gap_of[e] = s->with[e] - s->without[e];
    return 1;
}

/* More than any weight of a decision. */
static double gs_insistence(const gs_search *s)
{
    double most = 1.0;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->alive[e] && isfinite(s->weights[s->cell[e]]))
            most = fmax(most, 4.0 * fabs(s->weights[s->cell[e]]));
    return most;
}

/* Weights for a structure near the bound's that factors agree to: each factor that differs from the bound's names the configuration that is
 * best by `gap_of`, and the weights are those of the bound, and what it takes to make that the structure's. 0 when one failed. */
static int gs_insist_on_factors(gs_search *s)
{
    const double most = gs_insistence(s);
    memcpy(s->linear, s->weights, (size_t)s->cells * sizeof *s->linear);
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        const gs_part *part = s->part + f;
        if (!(part->misses > 0.0))
            continue;
        double *cost = s->part_with + part->place, value = 0.0;
        signed char *y = s->part_asked + part->place;
        for (ptrdiff_t k = 0; k < part->role->count; k++)
            cost[k] = gs_prices(s, part)[k] - gs_within(s->gap_of[part->role->scope[k]], most);
        const int done = part->role->maximise(part->role->object, cost, s->part_state + part->place, &value, y);
        if (done != GS_FOUND && done != GS_NOTHING)
            return gs_blame(s, f, GS_RAISED);
        for (ptrdiff_t k = 0; k < part->role->count; k++)
            y[k] = done == GS_FOUND ? y[k] : -1;
        for (ptrdiff_t k = 0; done == GS_FOUND && k < part->role->count; k++)
            s->linear[s->cell[part->role->scope[k]]] += y[k] ? most : -most;
    }
    return 1;
}

/* Whether the structure entered lacks decisions that factors named: these are not wanted any more. */
static int gs_give_way(gs_search *s)
{
    int refused = 0;
    for (ptrdiff_t f = 0; f < s->parts; f++) {
        const gs_part *part = s->part + f;
        for (ptrdiff_t k = 0; part->misses > 0.0 && k < part->role->count; k++)
            if (s->part_asked[part->place + k] == 1 && !s->taken[part->role->scope[k]])
                s->gap_of[part->role->scope[k]] = -INFINITY, refused = 1;
    }
    return refused;
}

static void gs_free_factors(gs_search *s)
{
    free(s->part), free(s->part_state), free(s->part_y), free(s->part_x), free(s->part_with), free(s->part_without), free(s->part_paid);
    free(s->part_flip), free(s->part_flipped), free(s->part_asked), free(s->guides);
    free(s->also_with), free(s->also_without);
}

#endif
