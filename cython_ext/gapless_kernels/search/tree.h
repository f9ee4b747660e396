/* The search: one step of the node in work, and a loop that can stop, go on, and begin again at the root. */
#ifndef GAPLESS_SEARCH_TREE_H
#define GAPLESS_SEARCH_TREE_H

#include "search/nodes.h"

/* Whether the node's multipliers have had their time. */
static int gs_spent(gs_search *s, double gap)
{
    if (s->paper)
        return s->iteration >= GS_PAPER_STEPS
            || (s->iteration > 1 && s->last_psi - s->psi >= 0.0 && s->last_psi - s->psi <= GS_PAPER_PRECISION);
    if (s->iteration >= (s->node.depth ? GS_CHILD_STEPS : s->root_steps))
        return 1;
    if (s->guided || s->iteration % (s->node.depth ? GS_CHILD_TREND : s->root_trend))
        return 0;
    const int slow = gap > GS_TREND_SHARE * s->trend_gap;
    s->trend_gap = gap;
    return slow;
}

/* Whether the score of the structure found is within the bound; if not, some role lied. */
static int gs_is_bounded(gs_search *s, double score)
{
    const double rounding = fmax(gs_lost(s), gs_rounding(s, s->entered->count));
    if ((!s->fresh && gs_rough(s)) || !(score > s->psi + gs_margin(fmax(fabs(score), fabs(s->psi))) + rounding))
        return 1;
    s->failed = GS_BROKE_BOUND;
    return 0;
}

/* Whether to maximise again for an incumbent: more and more seldom where factors have forbidden all structures so far. */
static int gs_is_time_to_look(const gs_search *s)
{
    return s->value == -INFINITY ? (s->iteration & (s->iteration - 1)) == 0 : gs_is_time_to_insist(s);
}

/* Whether max-marginals may fix something by now; without an incumbent, only what cannot be at all. */
static int gs_is_time_to_fix(const gs_search *s)
{
    return !s->paper && (s->value > -INFINITY ? s->psi - s->value <= GS_FIX_BELOW * s->gap_at_fixing : s->iteration == 1);
}

/* Whether to remember the multipliers: they give a bound that the first incumbent may meet, or close a share of the gap. */
static int gs_is_time_to_save(const gs_search *s)
{
    if (gs_shares(s))
        return 0;
    if (s->value == -INFINITY && !s->paper)
        return (s->iteration & (s->iteration - 1)) == 0 && s->psi < s->saved_psi;
    return s->saved_psi == INFINITY ? s->iteration > (s->keep_proof ? GS_SAVE_AFTER : GS_SAVE_LATE)
                                    : s->saved_psi - s->psi > GS_SAVE_SHARE * (s->saved_psi - s->value);
}

/* Whether an incumbent that was found since meets the bound of what was remembered: then the next step shows it. */
static int gs_returns(gs_search *s)
{
    if (s->saved < 0 || s->paper || gs_shares(s) || !(gs_round(s, s->saved_psi) <= gs_target(s)))
        return 0;
    gs_recall(s, s->snapshots + s->saved, s->split);
    gs_release(s, s->saved), s->saved = -1, s->saved_psi = INFINITY;
    s->dirty = 1, s->trend_gap = INFINITY;
    return 1;
}

/* Stands for the gap in a step's length while there is no incumbent: how far weights of decisions lie apart. */
static double gs_spread(const gs_search *s)
{
    double least = INFINITY, most = -INFINITY;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->alive[e])
            least = fmin(least, s->base[e]), most = fmax(most, s->base[e]);
    return fmax(1e-3, most - least);
}

/* Whether a factor in Python that allows nothing here allows the structure that is best by the weights: then the search fails. */
static int gs_is_refuted(gs_search *s)
{
    const gs_part *part = s->part + s->culprit;
    if (!part->role->costly || !(gs_maximise(s, 0, s->weights, &s->found) > -INFINITY))
        return s->failed;
    s->dp_calls--; /* no bound asked for it */
    double value = -INFINITY;
    gs_enter(s, &s->found);
    for (ptrdiff_t k = 0; k < part->role->count; k++)
        s->part_x[part->place + k] = (signed char)s->taken[part->role->scope[k]];
    gs_leave(s);
    s->part[s->culprit].asked = 0;
    const int done = part->role->value(part->role->object, s->part_x + part->place, &value);
    if (done != GS_FOUND && done != GS_NOTHING)
        gs_blame(s, s->culprit, GS_RAISED);
    else if (done == GS_FOUND && value > -INFINITY)
        gs_blame(s, s->culprit, GS_BROKE_BOUND);
    return s->failed;
}

/* One bound and one step of the node in work. */
static void gs_step(gs_search *s)
{
    if (s->dirty && s->unknown != NULL) /* scores may have changed since the multipliers were remembered */
        gs_fit(s);
    if (s->dirty && !gs_weigh(s)) {
        gs_close(s, -INFINITY, -1);
        return;
    }
    if (!gs_bound_factors(s)) { /* some factor allows nothing here */
        if (!s->failed && !gs_is_refuted(s))
            gs_close(s, -INFINITY, -1);
        return;
    }
    if (s->dirty && s->choices && gs_enumerate(s)) { /* nothing that is left scores more than the incumbent now */
        gs_close(s, -INFINITY, GS_ENUMERATED);
        return;
    }
    s->dirty = 0;
    const double found = gs_maximise(s, 0, s->weights, &s->found);
    if (s->failed)
        return;
    if (!(found > -INFINITY)) {
        gs_close(s, -INFINITY, -1);
        return;
    }
    gs_enter(s, &s->found);
    if (gs_know_bound(s) || s->failed) {
        gs_leave(s);
        return;
    }
    s->last_psi = s->psi, s->psi = found + s->constant + s->factored;
    s->iteration++, s->stalled++;
    const double noise = GS_NOISE * fmax(1.0, fabs(s->psi)); /* rounding is no progress, and no relapse */
    s->rises += s->psi > s->last_psi + noise;
    if (s->psi < s->best_psi - noise)
        s->stalled = 0;
    s->best_psi = fmin(s->best_psi, s->psi);
    const double score = gs_score(s);
    if (s->failed || !gs_compare_factors(s) || !gs_is_bounded(s, score)) {
        gs_leave(s);
        return;
    }
    const int better = gs_offer(s, score);
    if (!(gs_round(s, s->psi) <= gs_target(s)) && (s->paper ? s->nodes == 1 && s->iteration == 1 : better || s->iteration == 1 || gs_is_time_to_look(s))) {
        gs_leave(s);
        if (gs_redecode(s, &s->found, score, s->paper ? 10 : s->node.depth == 0 && s->iteration == 1 ? 3 : 2) || s->failed)
            return;
        gs_enter(s, &s->found);
    }
    double bound = gs_round(s, s->psi);
    s->largest = fmax(s->largest, fabs(found));
    const int closes = bound <= gs_target(s);
    if (!s->fresh && (closes || gs_is_time_to_fix(s)) && gs_rough(s)) { /* not on sums that went through many steps */
        gs_leave(s);
        s->dirty = 1;
        return;
    }
    if (closes) {
        gs_leave(s);
        gs_close_here(s, bound);
        return;
    }
    if (gs_returns(s)) {
        gs_leave(s);
        return;
    }
    double gap = s->psi - s->value;
    if (s->first_gap == INFINITY)
        s->first_gap = gap, s->gap_at_fixing = s->node.depth ? INFINITY : gap;
    if (gs_is_time_to_fix(s)) { /* the first gap of the root is none to fix at */
        s->gap_at_fixing = gap;
        const int fixed = gs_fix(s);
        if (s->failed) {
            gs_leave(s);
            return;
        }
        if (fixed) {
            gs_leave(s);
            s->dirty = 1, s->trend_gap = INFINITY;
            gs_release(s, s->saved), s->saved = -1, s->saved_psi = INFINITY;
            return;
        }
    }
    if (gs_is_time_to_save(s)) {
        const int32_t snapshot = gs_remember(s);
        if (snapshot < 0) {
            gs_leave(s);
            return;
        }
        gs_release(s, s->saved);
        s->saved = snapshot, s->saved_psi = s->psi;
    }
    if (s->guided && !gs_follow_guides(s))
        s->guided = 0, s->theta = 1.0, s->stalled = 0;
    const double length = gs_subgradient(s);
    const int spent = length == 0.0 || gs_spent(s, gap);
    if (spent) {
        int32_t decision = gs_widest_gap(s);
        if (decision >= 0 && s->choose != NULL)
            decision = s->choose(s->asker);
        if (s->failed) {
            gs_leave(s);
            return;
        }
        if (decision >= 0) {
            gs_split_node(s, decision);
            return;
        }
        /* One structure is left, whose score is exact: what the bound has above it is rounding. */
        gs_leave(s);
        gs_close_here(s, s->psi);
        return;
    }
    double step;
    if (s->paper)
        step = ldexp(s->largest_step, -(int)(s->rises < 1000 ? s->rises : 1000));
    else {
        if (s->stalled >= GS_PATIENCE)
            s->theta *= GS_SHRINK, s->stalled = 0;
        step = s->theta * (isfinite(gap) ? gap : gs_spread(s)) / length;
    }
    gs_move(s, step);
    gs_leave(s);
}

/* A proved bound of everything: incumbent, what was cut off, what is open. */
static double gs_bound(const gs_search *s)
{
    double bound = fmax(s->value, s->excluded);
    const ptrdiff_t first = s->order == GS_BEST_FIRST && s->open_count ? 1 : s->open_count; /* the heap's top is the highest then */
    for (ptrdiff_t k = 0; k < first; k++)
        bound = fmax(bound, s->open[k].bound);
    for (ptrdiff_t k = 0; k < s->survivor_count; k++)
        bound = fmax(bound, s->survivors[k].bound);
    if (s->working) /* only what was remembered can be shown in a proof */
        bound = fmax(bound, fmin(s->node.bound, gs_round(s, s->keep_proof ? s->saved_psi : s->best_psi)));
    return bound;
}

/* The least bound that the steps of the node in work have found, whether or not it can be shown. */
static double gs_step_bound(const gs_search *s)
{
    return s->working ? fmin(s->node.bound, gs_round(s, s->best_psi)) : INFINITY;
}

/* How many decisions are possible in the node in work. */
static ptrdiff_t gs_free_decisions(const gs_search *s)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        count += s->alive[e] != 0;
    return count;
}

/* Before a proof is made in the middle of a node: bound it by its multipliers of now, if they are its best. */
static void gs_settle(gs_search *s)
{
    if (!s->working || !s->keep_proof || s->no_memory)
        return;
    if (s->unknown != NULL)
        gs_fit(s);
    if (!gs_weigh(s) || !gs_bound_factors(s))
        return;
    s->dirty = 0;
    const double found = gs_maximise(s, 0, s->weights, &s->found);
    const double psi = found + s->constant + s->factored;
    if (!(found > -INFINITY && psi < s->saved_psi))
        return;
    const int32_t snapshot = gs_remember(s);
    if (snapshot < 0)
        return;
    gs_release(s, s->saved);
    s->saved = snapshot, s->saved_psi = psi, s->best_psi = fmin(s->best_psi, psi);
}

/* Keep a structure from outside; `x` may be NULL. */
static void gs_hold(gs_search *s, const gs_structure *x)
{
    if (x == NULL)
        return;
    s->dirty = 1; /* no weights are up to date */
    gs_enter(s, x);
    gs_know_structure(s);
    gs_offer(s, gs_score(s));
    gs_leave(s);
}

/* Put the root in. `x` may be NULL or a structure to begin with. */
static int gs_start(gs_search *s, const gs_structure *x)
{
    gs_node root = {INFINITY, 0, s->sequence++, -1, 0, -1, -INFINITY, 0, malloc(gs_alive_bytes(s))};
    if (root.alive == NULL)
        return 0;
    memcpy(root.alive, s->root_alive, gs_alive_bytes(s));
    memset(s->alive, 1, (size_t)s->decisions);
    root.record = gs_record_node(s, -1, -1, 0);
    s->saved = s->root_snapshot = s->free_snapshot = -1;
    gs_hold(s, x);
    if (!s->no_memory && gs_push(s, &root))
        return 1;
    free(root.alive);
    return 0;
}

/* Forget the nodes below the root, and work on the root again from these multipliers; what it has ruled out stays so. `x` may be
 * NULL or a structure to hold. 0 without memory. */
static int gs_restart(gs_search *s, const double *split, const gs_structure *x)
{
    while (s->open_count) {
        gs_node node = s->open[--s->open_count];
        gs_release(s, node.snapshot);
        free(node.alive);
    }
    for (; s->survivor_count; s->survivor_count--) {
        gs_release(s, s->survivors[s->survivor_count - 1].snapshot);
        free(s->survivors[s->survivor_count - 1].alive);
    }
    if (s->working)
        gs_end_node(s);
    gs_hold(s, x);
    gs_forget_below_root(s);
    gs_release(s, s->root_snapshot);
    s->root_snapshot = -1;
    for (ptrdiff_t k = 0; k < s->slots; k++)
        s->split[k] = k >= s->star_cells + s->shared_slots ? split[k] : k < s->star_cells && s->star_scope[k] < 0 ? 0.0 : fmax(split[k], 0.0);
    gs_fit(s);
    gs_node root = {INFINITY, 0, s->sequence++, gs_remember(s), 0, -1, -INFINITY, 0, malloc(gs_alive_bytes(s))};
    if (root.alive == NULL || root.snapshot < 0) {
        free(root.alive);
        s->no_memory = 1, s->excluded = INFINITY; /* an empty tree is no proof */
        return 0;
    }
    memcpy(root.alive, s->root_alive, gs_alive_bytes(s));
    gs_begin(s, root);
    s->node.bound = gs_weigh(s) && gs_bound_factors(s) ? gs_maximise(s, 0, s->weights, &s->found) + s->constant + s->factored : -INFINITY;
    if (s->failed)
        s->node.bound = INFINITY;
    return 1;
}

/* Whether the bound exceeds the incumbent by no more than this share of it. */
static int gs_meets(const gs_search *s, double gap)
{
    return isfinite(s->value) && gs_bound(s) - s->value <= fmax(gs_margin(s->value), gap * fmax(1.0, fabs(s->value)));
}

/* Note for observers that a node ended, or a step of the root; 0 where there is no room for more of that. */
static int gs_tell(gs_search *s)
{
    if (s->events == NULL || (s->working && (!s->tell_steps || s->node.depth)))
        return 1;
    const gs_event event = {
        s->nodes, s->working, s->node.depth, gs_free_decisions(s), s->working ? gs_step_bound(s) : gs_bound(s), s->value};
    s->events[s->event_count++] = event;
    return s->event_count < GS_EVENT_ROOM;
}

/* Work on until something is spent, `target` is reached or `gap` met, between nodes. However short its time, a call makes a step or ends a
 * node, so that calls in a loop come to an end. */
static int gs_advance(gs_search *s, double seconds, int64_t nodes, int64_t steps, double target, double gap)
{
    const double end = gs_now() + seconds;
    int has_moved = 0;
    while (!s->no_memory) {
        if (s->failed)
            return GS_STOPPED;
        if (s->keep_proof && gs_proof_bytes(s) > s->proof_limit)
            gs_drop_proof(s);
        if (s->working) {
            if (has_moved && gs_now() > end)
                return GS_TIME;
            if (steps-- <= 0)
                return GS_STEPS;
            s->steps++, has_moved = 1;
            gs_step(s);
            if (!s->failed && !s->no_memory && !gs_tell(s))
                return GS_EVENTS;
            continue;
        }
        if (s->value >= target)
            return GS_TARGET;
        if (gap > 0.0 && gs_meets(s, gap))
            return GS_GAP;
        if (s->order != GS_DEPTH_FIRST && gs_open_bytes(s) > 0.5 * s->memory_limit)
            gs_go_deep(s);
        if (!s->open_count && s->survivor_count)
            gs_next_level(s);
        if (!s->open_count)
            return s->no_memory ? GS_NO_MEMORY : GS_PROVED;
        if (s->nodes >= nodes)
            return GS_NODES;
        if (has_moved && gs_now() > end)
            return GS_TIME;
        const gs_node node = gs_pop(s);
        /* What closes a node by its parent's bound must prove it under the node's own fixings. A relaxed maximiser, as of walks, may prove less
         * under more of them; only groups are sure to be exact where one is on. */
        if (node.bound <= gs_target(s) && !(s->loose && s->keep_proof)) {
            s->node = node, s->working = 1;
            gs_close(s, node.bound, node.snapshot);
            has_moved = 1;
            continue;
        }
        gs_begin(s, node);
    }
    return GS_NO_MEMORY;
}

static void gs_free(gs_search *s)
{
    for (ptrdiff_t k = 0; k < s->snapshot_count; k++)
        free(s->snapshots[k].split), free(s->snapshots[k].place);
    for (ptrdiff_t k = 0; k < s->open_count; k++)
        free(s->open[k].alive);
    for (ptrdiff_t k = 0; k < s->survivor_count; k++)
        free(s->survivors[k].alive);
    if (s->working)
        free(s->node.alive);
    void *const arrays[] = {
        s->group, s->group_first, s->member, s->rank, s->slot, s->cell, s->base, s->star, s->star_score, s->star_scope, s->form, s->side,
        s->column_lower, s->shared_scope, s->shared_member, s->shared_first, s->shared_score, s->lift_first, s->lift_count, s->lift, s->incident_first, s->incident,
        s->incident_other, s->split, s->weights, s->column_max, s->alive, s->on, s->state, s->taken, s->armed_flag, s->candidates,
        s->choice, s->met, s->active_columns, s->active_first, s->current, s->root_current, s->now_first, s->now, s->now_other, s->armed,
        s->stamp, s->found.on, s->other.on, s->around.on, s->best.on, s->linear, s->with, s->without, s->gap_of, s->moved_column,
        s->moved_best, s->moved_star, s->moved_scope, s->open, s->survivors, s->snapshots, s->records, s->fixings, s->offs,
        s->root_alive, s->contender, s->unknown, s->wanted, s->questions, s->answers, s->events,
    };
    gs_free_factors(s);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
}

#endif
