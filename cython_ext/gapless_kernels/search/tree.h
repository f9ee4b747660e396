/* The search: one step of the current node, and a loop that can stop, continue, and restart at the root. */
#ifndef GAPLESS_SEARCH_TREE_H
#define GAPLESS_SEARCH_TREE_H

#include "search/nodes.h"

/* Whether the node's multipliers improve too slowly, or had all their steps. */
static int gs_should_branch(gs_search *s, double gap)
{
    const int64_t iteration = s->ascent.iteration;
    const int is_root = s->node.depth == 0;
    if (s->options.is_paper) {
        const double progress = s->ascent.previous_bound - s->ascent.bound;
        return iteration >= GS_PAPER_STEPS
            || (iteration > 1 && progress >= 0.0 && progress <= GS_PAPER_PRECISION);
    }
    if (iteration >= (is_root ? s->options.root_steps : GS_CHILD_STEPS))
        return 1;
    if (s->ascent.follows_guides || iteration % (is_root ? s->options.root_trend : GS_CHILD_TREND))
        return 0;
    const int is_slow = gap > GS_TREND_SHARE * s->ascent.trend_gap;
    s->ascent.trend_gap = gap;
    return is_slow;
}

/* Whether the score of the marked structure is within the bound; else a role broke a rule, and the search
 * fails. */
static int gs_is_bounded(gs_search *s, double score)
{
    const double rounding = fmax(gs_rounding_bound(s), gs_sum_rounding(s, s->marks.structure->count));
    const double tolerance = gs_score_tolerance(fmax(fabs(score), fabs(s->ascent.bound)));
    if ((!s->ascent.is_fresh && gs_rounding_may_decide(s))
        || !(score > s->ascent.bound + tolerance + rounding))
        return 1;
    s->failure = GS_ERROR_BOUND;
    return 0;
}

static int gs_is_power_of_two(int64_t number)
{
    return (number & (number - 1)) == 0;
}

/* Whether max-marginals may fix something by now; without an incumbent, only what is impossible. */
static int gs_is_time_to_fix(const gs_search *s)
{
    if (s->options.is_paper)
        return 0;
    if (!(s->incumbent.value > -INFINITY))
        return s->ascent.iteration == 1;
    return s->ascent.bound - s->incumbent.value <= GS_FIX_BELOW * s->ascent.gap_at_fixing;
}

/* Whether to save the multipliers: they give a bound that the first incumbent may meet, or close a share of
 * the gap. */
static int gs_is_time_to_save(const gs_search *s)
{
    const gs_ascent *ascent = &s->ascent;
    if (gs_children_share_start(s))
        return 0;
    if (s->incumbent.value == -INFINITY && !s->options.is_paper)
        return gs_is_power_of_two(ascent->iteration) && ascent->bound < ascent->saved_bound;
    if (ascent->saved_bound == INFINITY)
        return ascent->iteration > (s->proof.is_kept ? GS_SAVE_AFTER : GS_SAVE_LATE);
    const double saved_gap = ascent->saved_bound - s->incumbent.value;
    return ascent->saved_bound - ascent->bound > GS_SAVE_SHARE * saved_gap;
}

/* Whether the saved bound closes the node by an incumbent that is newer; then the next step repeats its
 * multipliers. */
static int gs_saved_bound_closes(gs_search *s)
{
    if (s->ascent.saved_snapshot < 0 || s->options.is_paper || gs_children_share_start(s)
        || !(gs_round_bound(s, s->ascent.saved_bound) <= gs_target(s)))
        return 0;
    gs_load_multipliers(s, s->ascent.saved_snapshot);
    gs_forget_saved_bound(s);
    s->ascent.weights_stale = 1;
    s->ascent.trend_gap = INFINITY;
    return 1;
}

/* Range of the weights of decisions, which stands in for the gap in the length of a step while there is no
 * incumbent. */
static double gs_spread(const gs_search *s)
{
    double lowest = INFINITY, highest = -INFINITY;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        if (s->fixings.alive[e]) {
            lowest = fmin(lowest, s->input.base[e]);
            highest = fmax(highest, s->input.base[e]);
        }
    return fmax(1e-3, highest - lowest);
}

/* Whether the failed factor, which allows nothing, does allow the structure that is best by the weights: then
 * the search fails. Tested for factors in Python only, whose authors make such mistakes, and where a call
 * more costs little. */
static int gs_factor_is_refuted(gs_search *s)
{
    const ptrdiff_t f = s->failed_factor;
    gs_factor_state *factor = s->factors.factor + f;
    const gs_factor *role = factor->role;
    if (!role->costly || !(gs_maximise(s, 0, s->ascent.weights, &s->workspace.optimum) > -INFINITY))
        return s->failure;
    s->counts.maximisations--; /* it computed no bound */
    double value = -INFINITY;
    signed char *x = factor->queried;
    gs_mark_structure(s, &s->workspace.optimum);
    for (ptrdiff_t k = 0; k < role->count; k++)
        x[k] = (signed char)s->marks.on[role->scope[k]];
    gs_unmark_structure(s);
    factor->has_value = 0;
    const int status = role->value(role->object, x, &value);
    if (gs_has_answered(s, f, status) && status == GS_FOUND && value > -INFINITY)
        gs_set_failure(s, f, GS_ERROR_BOUND);
    return s->failure;
}

/* Bound the current node by its present multipliers, maximising into `optimum`; -inf if it has no structure,
 * or if the search failed. */
static double gs_bound_now(gs_search *s)
{
    if (!gs_compute_weights(s) || !gs_bound_factors(s))
        return -INFINITY;
    const double value = gs_maximise(s, 0, s->ascent.weights, &s->workspace.optimum);
    return value + s->ascent.constant + s->factors.bound;
}

/* Compute weights and factors' bounds; 0 if the node ended, because it has no structure or few enough to
 * enumerate, or if the search failed. */
static int gs_prepare_step(gs_search *s)
{
    const int is_stale = s->ascent.weights_stale;
    if (is_stale && s->lazy.unknown != NULL) /* scores may have changed since the multipliers were saved */
        gs_project_to_known(s);
    if (is_stale && !gs_compute_weights(s)) {
        gs_close_node(s, -INFINITY, -1);
        return 0;
    }
    if (!gs_bound_factors(s)) {
        if (!s->failure && !gs_factor_is_refuted(s))
            gs_close_node(s, -INFINITY, -1);
        return 0;
    }
    if (is_stale && s->options.max_choices && gs_enumerate(s)) {
        gs_close_node(s, -INFINITY, GS_ENUMERATED);
        return 0;
    }
    s->ascent.weights_stale = 0;
    return 1;
}

/* Note the bound of this step; rounding is neither progress nor a relapse. */
static void gs_note_bound(gs_search *s, double bound)
{
    gs_ascent *ascent = &s->ascent;
    const double noise = GS_NOISE * fmax(1.0, fabs(bound));
    ascent->previous_bound = ascent->bound;
    ascent->bound = bound;
    ascent->iteration++;
    ascent->stalled_steps = bound < ascent->best_bound - noise ? 0 : ascent->stalled_steps + 1;
    ascent->rises += bound > ascent->previous_bound + noise;
    ascent->best_bound = fmin(ascent->best_bound, bound);
}

/* Whether this step maximises again for an incumbent around the structure of the bound; ever more seldom if
 * factors have forbidden all structures so far. */
static int gs_should_improve(gs_search *s, int is_better)
{
    const int64_t iteration = s->ascent.iteration;
    if (gs_round_bound(s, s->ascent.bound) <= gs_target(s))
        return 0;
    if (s->options.is_paper)
        return s->counts.nodes == 1 && iteration == 1;
    if (is_better || iteration == 1)
        return 1;
    return s->incumbent.value > -INFINITY ? gs_is_time_to_target(s) : gs_is_power_of_two(iteration);
}

/* Length of a step in score units: Polyak's, by the gap to the incumbent; the paper's halves at each rise. */
static double gs_step_length(gs_search *s, double gap, double length)
{
    gs_ascent *ascent = &s->ascent;
    if (s->options.is_paper)
        return ldexp(s->shared.largest_step, -(int)(ascent->rises < 1000 ? ascent->rises : 1000));
    if (ascent->stalled_steps >= GS_PATIENCE) {
        ascent->step_scale *= GS_SHRINK;
        ascent->stalled_steps = 0;
    }
    return ascent->step_scale * (isfinite(gap) ? gap : gs_spread(s)) / length;
}

enum { GS_CONTINUE, GS_CLOSE, GS_BRANCH };

/* Use the structure of the bound, which is marked: improve the incumbent, fix decisions, and move the
 * multipliers; or say how the node ends, GS_CLOSE with `bound` or GS_BRANCH on `decision`. */
static int gs_use_bound(gs_search *s, double value, double *bound, int32_t *decision)
{
    gs_ascent *ascent = &s->ascent;
    if (gs_request_bound(s) || s->failure)
        return GS_CONTINUE;
    gs_note_bound(s, value + ascent->constant + s->factors.bound);
    const double score = gs_score(s);
    if (s->failure || !gs_factor_regrets(s) || !gs_is_bounded(s, score))
        return GS_CONTINUE;
    if (gs_should_improve(s, gs_offer(s, score))) {
        const int is_first = s->node.depth == 0 && ascent->iteration == 1;
        const int rounds = s->options.is_paper ? 10 : is_first ? 3 : 2;
        gs_unmark_structure(s);
        const int is_new = gs_improve_incumbent(s, &s->workspace.optimum, score, rounds);
        gs_mark_structure(s, &s->workspace.optimum);
        if (is_new || s->failure)
            return GS_CONTINUE;
    }
    *bound = gs_round_bound(s, ascent->bound);
    ascent->magnitude = fmax(ascent->magnitude, fabs(value));
    const int closes = *bound <= gs_target(s);
    if (!ascent->is_fresh && (closes || gs_is_time_to_fix(s)) && gs_rounding_may_decide(s)) {
        ascent->weights_stale = 1; /* many steps may have rounded these sums: repeat with fresh ones */
        return GS_CONTINUE;
    }
    if (closes)
        return GS_CLOSE;
    if (gs_saved_bound_closes(s))
        return GS_CONTINUE;
    const double gap = ascent->bound - s->incumbent.value;
    if (ascent->first_gap == INFINITY) {
        ascent->first_gap = gap;
        /* The root's first gap is too wide to fix anything. */
        ascent->gap_at_fixing = s->node.depth ? INFINITY : gap;
    }
    if (gs_is_time_to_fix(s)) {
        ascent->gap_at_fixing = gap;
        const int has_fixed = gs_fix_by_bound(s);
        if (has_fixed && !s->failure) {
            ascent->weights_stale = 1;
            ascent->trend_gap = INFINITY;
            gs_forget_saved_bound(s);
        }
        if (has_fixed || s->failure)
            return GS_CONTINUE;
    }
    if (gs_is_time_to_save(s) && !gs_save_bound(s, ascent->bound))
        return GS_CONTINUE;
    if (ascent->follows_guides && !gs_follow_guides(s)) {
        ascent->follows_guides = 0;
        ascent->step_scale = 1.0;
        ascent->stalled_steps = 0;
    }
    const double length = gs_subgradient(s);
    if (length == 0.0 || gs_should_branch(s, gap)) {
        *decision = gs_widest_gap(s);
        *bound = ascent->bound; /* if one structure remains, its score is exact: the rest is rounding */
        return *decision >= 0 ? GS_BRANCH : GS_CLOSE;
    }
    gs_move(s, gs_step_length(s, gap, length));
    return GS_CONTINUE;
}

/* One bound and one step of the current node. */
static void gs_step(gs_search *s)
{
    double bound = INFINITY;
    int32_t decision = -1;
    if (!gs_prepare_step(s))
        return;
    const double value = gs_maximise(s, 0, s->ascent.weights, &s->workspace.optimum);
    if (s->failure)
        return;
    if (!(value > -INFINITY)) {
        gs_close_node(s, -INFINITY, -1);
        return;
    }
    gs_mark_structure(s, &s->workspace.optimum);
    const int end = gs_use_bound(s, value, &bound, &decision);
    const int is_on = end == GS_BRANCH && s->marks.on[decision];
    gs_unmark_structure(s);
    if (end == GS_CLOSE)
        gs_close_with_multipliers(s, bound);
    else if (end == GS_BRANCH)
        gs_branch_current_node(s, decision, is_on);
}

/* A proved bound of the whole problem: incumbent, what was cut off, and open nodes. */
static double gs_bound(const gs_search *s)
{
    const gs_tree *tree = &s->tree;
    double bound = fmax(s->incumbent.value, tree->closed_bound);
    /* In best-first order the heap's top has the highest bound. */
    const ptrdiff_t count = tree->order == GS_BEST_FIRST && tree->open_count ? 1 : tree->open_count;
    for (ptrdiff_t k = 0; k < count; k++)
        bound = fmax(bound, tree->open[k].bound);
    for (ptrdiff_t k = 0; k < tree->survivor_count; k++)
        bound = fmax(bound, tree->survivor[k].bound);
    if (tree->is_in_node) { /* a proof can show the saved bound only */
        const double own = s->proof.is_kept ? s->ascent.saved_bound : s->ascent.best_bound;
        bound = fmax(bound, fmin(s->node.bound, gs_round_bound(s, own)));
    }
    return bound;
}

/* The lowest bound of the current node's steps, even if the proof cannot show it. */
static double gs_step_bound(const gs_search *s)
{
    return s->tree.is_in_node ? fmin(s->node.bound, gs_round_bound(s, s->ascent.best_bound)) : INFINITY;
}

/* Count the decisions that are possible in the current node. */
static ptrdiff_t gs_free_decisions(const gs_search *s)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        count += s->fixings.alive[e] != 0;
    return count;
}

/* Save the present multipliers of the current node if they are its best: before a proof is made in the middle
 * of a node. */
static void gs_bound_current_node(gs_search *s)
{
    if (!s->tree.is_in_node || !s->proof.is_kept || s->no_memory)
        return;
    if (s->lazy.unknown != NULL)
        gs_project_to_known(s);
    const double bound = gs_bound_now(s);
    if (!(bound > -INFINITY))
        return;
    s->ascent.weights_stale = 0;
    if (bound < s->ascent.saved_bound && gs_save_bound(s, bound))
        s->ascent.best_bound = fmin(s->ascent.best_bound, bound);
}

/* Offer a structure of the caller as incumbent; `x` may be NULL. */
static void gs_offer_external(gs_search *s, const gs_structure *x)
{
    if (x == NULL)
        return;
    s->ascent.weights_stale = 1; /* new scores must not update weights, which may not be there yet */
    gs_mark_structure(s, x);
    gs_request_structure(s);
    gs_offer(s, gs_score(s));
    gs_unmark_structure(s);
}

/* Open the root. `x` may be NULL or a structure to start with. 0 without memory. */
static int gs_start(gs_search *s, const gs_structure *x)
{
    gs_node root = gs_new_node(s, INFINITY, -1, 0, s->fixings.root_alive);
    if (root.alive == NULL)
        return 0;
    memset(s->fixings.alive, 1, (size_t)s->input.decisions);
    root.record = gs_record_node(s, -1, -1, 0);
    s->ascent.saved_snapshot = s->proof.root_snapshot = s->snapshots.first_free = -1;
    gs_offer_external(s, x);
    if (!s->no_memory && gs_push(s, &root))
        return 1;
    gs_drop_node(s, &root);
    return 0;
}

/* Forget the nodes below the root, and work on the root again from these multipliers; what it has fixed stays
 * fixed. `x` may be NULL or a structure to offer. 0 without memory. */
static int gs_restart(gs_search *s, const double *multipliers, const gs_structure *x)
{
    gs_drop_nodes(s, s->tree.open, &s->tree.open_count);
    gs_drop_nodes(s, s->tree.survivor, &s->tree.survivor_count);
    if (s->tree.is_in_node)
        gs_end_node(s);
    gs_offer_external(s, x);
    if (s->proof.is_kept)
        gs_cut_record(s, gs_root_steps(s));
    gs_release_snapshot(s, s->proof.root_snapshot);
    s->proof.root_snapshot = -1;
    /* Only prices may be negative, and cells without a pair have no multiplier. */
    for (ptrdiff_t k = 0; k < s->ascent.slots; k++) {
        double multiplier = multipliers[k];
        if (k < s->stars.cells + s->shared.slots)
            multiplier = k < s->stars.cells && s->stars.scope[k] < 0 ? 0.0 : fmax(multiplier, 0.0);
        s->ascent.multipliers[k] = multiplier;
    }
    gs_project_to_known(s);
    gs_node root = gs_new_node(s, INFINITY, gs_save_multipliers(s), 0, s->fixings.root_alive);
    if (root.alive == NULL || root.snapshot < 0) {
        gs_drop_node(s, &root);
        s->no_memory = 1;
        s->tree.closed_bound = INFINITY; /* an empty tree is no proof */
        return 0;
    }
    gs_begin_node(s, root);
    s->node.bound = gs_bound_now(s);
    if (s->failure)
        s->node.bound = INFINITY;
    return 1;
}

/* Whether the bound exceeds the incumbent by no more than this share of it. */
static int gs_meets_gap(const gs_search *s, double gap)
{
    const double value = s->incumbent.value;
    return isfinite(value)
        && gs_bound(s) - value <= fmax(gs_score_tolerance(value), gap * fmax(1.0, fabs(value)));
}

/* Record that a node ended, or a step of the root; 0 if the log is full. */
static int gs_record_event(gs_search *s)
{
    const int is_step = s->tree.is_in_node;
    if (s->log.event == NULL || (is_step && (!s->log.has_steps || s->node.depth)))
        return 1;
    GAPLESS_ASSERT(s->log.count < GS_EVENT_CAPACITY);
    s->log.event[s->log.count++] = (gs_event){
        .nodes = s->counts.nodes,
        .step = is_step,
        .depth = s->node.depth,
        .free = gs_free_decisions(s),
        .bound = is_step ? gs_step_bound(s) : gs_bound(s),
        .value = s->incumbent.value,
    };
    return s->log.count < GS_EVENT_CAPACITY;
}

/* Search until a limit is reached or, between nodes, `target` or `gap` is. However short its time, a call
 * makes a step or ends a node, so that calls in a loop come to an end. */
static int gs_advance(gs_search *s, double seconds, int64_t nodes, int64_t steps, double target, double gap)
{
    const double end = gs_seconds() + seconds;
    int has_moved = 0;
    while (!s->no_memory) {
        GAPLESS_ASSERT(s->marks.structure == NULL);
        if (s->failure)
            return GS_STOPPED;
        if (s->proof.is_kept && gs_proof_bytes(s) > s->options.proof_limit)
            gs_drop_proof(s);
        if (s->tree.is_in_node) {
            if (has_moved && gs_seconds() > end)
                return GS_TIME;
            if (steps-- <= 0)
                return GS_STEPS;
            s->counts.steps++;
            has_moved = 1;
            gs_step(s);
            if (!s->failure && !s->no_memory && !gs_record_event(s))
                return GS_EVENTS;
            continue;
        }
        if (s->incumbent.value >= target)
            return GS_TARGET;
        if (gap > 0.0 && gs_meets_gap(s, gap))
            return GS_GAP;
        if (s->tree.order != GS_DEPTH_FIRST && gs_open_bytes(s) > 0.5 * s->options.memory_limit)
            gs_switch_to_depth_first(s);
        if (!s->tree.open_count && s->tree.survivor_count)
            gs_branch_level(s);
        if (!s->tree.open_count)
            return s->no_memory ? GS_NO_MEMORY : GS_PROVED;
        if (s->counts.nodes >= nodes)
            return GS_NODES;
        if (has_moved && gs_seconds() > end)
            return GS_TIME;
        const gs_node node = gs_pop(s);
        /* A parent's bound closes a node only if it holds under the node's own fixings, where the verifier
         * computes it. A relaxed maximiser, as of walks, may bound less tightly under more fixings; with
         * choice groups alone, a maximiser does not. */
        if (node.bound <= gs_target(s) && !(s->input.ungrouped && s->proof.is_kept)) {
            s->node = node;
            s->tree.is_in_node = 1;
            gs_close_node(s, node.bound, node.snapshot);
            has_moved = 1;
            continue;
        }
        gs_begin_node(s, node);
    }
    return GS_NO_MEMORY;
}

/* Free all memory of a search, also of one that was reserved in part. */
static void gs_free(gs_search *s)
{
    gs_drop_nodes(s, s->tree.open, &s->tree.open_count);
    gs_drop_nodes(s, s->tree.survivor, &s->tree.survivor_count);
    if (s->tree.is_in_node)
        gs_drop_node(s, &s->node);
    for (ptrdiff_t k = 0; k < s->snapshots.count; k++) {
        free(s->snapshots.snapshot[k].multipliers);
        free(s->snapshots.snapshot[k].slot);
    }
    for (ptrdiff_t k = 0; k < s->owned_count; k++) {
        void *array;
        memcpy(&array, s->owned[k], sizeof array);
        free(array);
    }
}

#endif
