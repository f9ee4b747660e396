/* Nodes of the search tree: how they begin and end, what they fix, and their children. */
#ifndef GAPLESS_SEARCH_NODES_H
#define GAPLESS_SEARCH_NODES_H

#include "search/open_nodes.h"

#define GS_CHILD_STEPS 30   /* steps below the root, at most, before branching */
#define GS_CHILD_TREND 4    /* steps below the root (root_trend at the root) in which */
#define GS_TREND_SHARE 0.85 /* the gap must fall to this share, or the node branches */
#define GS_PATIENCE 3       /* steps without a better bound before the step shrinks */
#define GS_SHRINK 0.6       /* by this factor */
#define GS_NOISE 1e-12      /* relative rounding of sums, which is no progress */
#define GS_FIX_BELOW 0.7    /* fix when the gap has fallen to this share since the last time */
#define GS_SAVE_AFTER 8     /* first step after which multipliers are saved, with a proof; */
#define GS_SAVE_LATE 40     /* without one: only children need them then, and most nodes have none */
#define GS_SAVE_SHARE 0.05  /* save multipliers when they close this share of the gap */
#define GS_PAPER_STEPS 2000
#define GS_PAPER_PRECISION 1e-8

/* Seconds of the monotonic clock, which no change of the time of day affects. */
static double gs_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A bound up to this closes a node. */
static double gs_target(const gs_search *s)
{
    return s->incumbent.value + gs_score_tolerance(s->incumbent.value);
}

/* Save the multipliers as those that prove `bound` in the current node, in place of the saved ones; 0 without
 * memory. */
static int gs_save_bound(gs_search *s, double bound)
{
    const int32_t snapshot = gs_save_multipliers(s);
    if (snapshot < 0)
        return 0;
    gs_release_snapshot(s, s->ascent.saved_snapshot);
    s->ascent.saved_snapshot = snapshot;
    s->ascent.saved_bound = bound;
    return 1;
}

static void gs_forget_saved_bound(gs_search *s)
{
    gs_release_snapshot(s, s->ascent.saved_snapshot);
    s->ascent.saved_snapshot = -1;
    s->ascent.saved_bound = INFINITY;
}

/* A node whose decisions, `alive`, are copied; that is NULL without memory. */
static gs_node gs_new_node(gs_search *s, double bound, int32_t snapshot, int32_t depth,
                           const unsigned char *alive)
{
    gs_node node = {.bound = bound, .snapshot = snapshot, .depth = depth, .decision = -1, .score = -INFINITY};
    node.order = s->tree.sequence++;
    node.alive = malloc(gs_alive_bytes(s));
    if (node.alive != NULL)
        memcpy(node.alive, alive, gs_alive_bytes(s));
    return node;
}

/* Give up a node: its decisions, and its reference to the multipliers that it starts from. */
static void gs_drop_node(gs_search *s, gs_node *node)
{
    gs_release_snapshot(s, node->snapshot);
    free(node->alive);
    node->alive = NULL;
}

static void gs_drop_nodes(gs_search *s, gs_node *nodes, ptrdiff_t *count)
{
    while (*count)
        gs_drop_node(s, nodes + --*count);
}

/* Add a child of `node` with one more decision on or off, whose bound is that of `snapshot` until it is
 * worked on. Without memory, the child's bound counts as closed: the bound of the search must not lose it. */
static void gs_add_child(gs_search *s, const gs_node *node, int32_t snapshot, int32_t decision, int on)
{
    gs_node child = gs_new_node(s, node->bound, snapshot, node->depth + 1, node->alive);
    child.proved_at = node->proved_at;
    if (child.alive == NULL) {
        s->no_memory = 1;
        s->tree.closed_bound = fmax(s->tree.closed_bound, child.bound);
        return;
    }
    const ptrdiff_t g = s->input.group[decision];
    if (!on)
        gs_turn_off(child.alive, decision);
    else if (g < 0)
        gs_turn_on(s, child.alive, decision);
    else
        for (ptrdiff_t k = s->input.group_first[g]; k < s->input.group_first[g + 1]; k++)
            if (s->input.member[k] != decision)
                gs_turn_off(child.alive, s->input.member[k]);
    child.record = gs_record_node(s, node->record, decision, on);
    if (snapshot >= 0)
        s->snapshots.snapshot[snapshot].users++;
    if (s->no_memory || !gs_push(s, &child)) {
        gs_drop_node(s, &child);
        s->tree.closed_bound = fmax(s->tree.closed_bound, child.bound);
    }
}

static void gs_branch(gs_search *s, gs_node *node, int32_t snapshot, int32_t decision, int on_last)
{
    gs_add_child(s, node, snapshot, decision, !on_last);
    gs_add_child(s, node, snapshot, decision, on_last);
}

static void gs_end_node(gs_search *s)
{
    GAPLESS_ASSERT(s->tree.is_in_node && s->marks.structure == NULL);
    gs_drop_node(s, &s->node);
    gs_release_snapshot(s, s->ascent.saved_snapshot);
    s->ascent.saved_snapshot = -1;
    s->tree.is_in_node = 0;
}

/* End the current node without children, with the bound that `snapshot` proves. */
static void gs_close_node(gs_search *s, double bound, int32_t snapshot)
{
    if (bound > s->tree.closed_bound)
        s->tree.closed_bound = bound;
    gs_record_leaf(s, s->node.record, snapshot);
    s->tree.is_root_closed |= s->node.depth == 0;
    gs_end_node(s);
}

/* End the current node with the bound of its present multipliers. */
static void gs_close_with_multipliers(gs_search *s, double bound)
{
    int32_t snapshot = -1;
    if (s->proof.is_kept) {
        snapshot = gs_save_multipliers(s);
        if (snapshot < 0)
            return;
    }
    gs_close_node(s, bound, snapshot);
    gs_release_snapshot(s, snapshot);
}

static void gs_begin_node(gs_search *s, gs_node node)
{
    gs_ascent *ascent = &s->ascent;
    gs_fixings *fixings = &s->fixings;
    GAPLESS_ASSERT(!s->tree.is_in_node);
    s->node = node;
    s->tree.is_in_node = 1;
    s->incumbent.value_in_node = -INFINITY;
    s->counts.nodes++;
    ascent->saved_snapshot = -1;
    ascent->iteration = ascent->stalled_steps = ascent->rises = 0;
    ascent->step_scale = 1.0;
    ascent->best_bound = ascent->saved_bound = ascent->bound = INFINITY;
    ascent->gap_at_fixing = ascent->trend_gap = ascent->first_gap = INFINITY;
    ascent->weights_stale = 1;
    const int starts_at_zero = node.depth == 0 && node.snapshot < 0;
    ascent->follows_guides = !s->options.is_paper && starts_at_zero && s->factors.has_guides;
    if (node.snapshot >= 0)
        gs_load_multipliers(s, node.snapshot);
    for (ptrdiff_t e = 0; e < s->input.decisions; e++) {
        fixings->alive[e] = node.alive[e >> 3] >> (e & 7) & 1;
        if (s->input.group[e] < 0)
            fixings->on[e] = node.alive[gs_bits(s) + (size_t)(e >> 3)] >> (e & 7) & 1;
    }
    memcpy(fixings->scope, fixings->root_scope, (size_t)fixings->root_scope_count * sizeof *fixings->scope);
    fixings->scope_count = fixings->root_scope_count;
}

/* Fix a decision, whose other side has no structure above `bound`. */
static void gs_fix_decision(gs_search *s, int32_t e, int on, double bound)
{
    if (bound > s->tree.closed_bound)
        s->tree.closed_bound = bound;
    if (on) {
        s->fixings.on[e] = 1;
        gs_turn_on(s, s->node.alive, e);
    } else {
        s->fixings.alive[e] = 0;
        gs_turn_off(s->node.alive, e);
    }
    gs_record_fixed(s, on ? ~e : e);
}

/* Fix the other choices of a decision's group off if no structure without it exceeds the target; their
 * number. */
static int64_t gs_fix_group(gs_search *s, int32_t e, double bound, double target)
{
    const int32_t *first = s->input.group_first + s->input.group[e];
    int64_t count = 0;
    for (ptrdiff_t k = first[0]; bound <= target && k < first[1]; k++)
        if (s->input.member[k] != e && s->fixings.alive[s->input.member[k]]) {
            gs_fix_decision(s, s->input.member[k], 0, bound);
            count++;
        }
    return count;
}

/* Fix the decisions that all structures better than the incumbent agree on, by the max-marginals of the last
 * bound, whose chart and structure must be current. Whether any was fixed. */
static int gs_fix_by_bound(gs_search *s)
{
    const double *with = s->workspace.with, *without = s->workspace.without;
    if (s->input.maximiser->marginals == NULL)
        return 0;
    if (s->factors.count && !gs_factor_marginal_losses(s))
        return 0;
    if (!gs_marginals(s))
        return 0;
    const double target = gs_target(s), constant = s->ascent.constant + s->factors.bound;
    /* Rounding down takes less than twice the granularity. */
    const double far = target + 2.0 * s->options.granularity - constant;
    const ptrdiff_t first_off = s->proof.fixed_count;
    int64_t count = 0;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++) {
        const int on = s->marks.on[e], is_grouped = s->input.group[e] >= 0;
        /* A decision of the structure can be fixed on only. In a group that is done by fixing its other
         * choices off. */
        if (on && s->factors.count && is_grouped && !s->fixings.on[e]) {
            const double bound = gs_round_bound(s, s->ascent.bound + s->factors.loss_without[e]);
            count += gs_fix_group(s, (int32_t)e, bound, target);
        }
        if (!s->fixings.alive[e] || (on && (is_grouped || s->fixings.on[e])))
            continue;
        double other_side = on ? without[e] : with[e];
        if (s->factors.count)
            other_side += on ? s->factors.loss_without[e] : s->factors.loss_with[e];
        if (other_side > far)
            continue;
        const double bound = gs_round_bound(s, other_side + constant);
        if (!(bound <= target))
            continue;
        gs_fix_decision(s, (int32_t)e, on, bound);
        count++;
    }
    if (count == 0)
        return 0;
    s->counts.fixed += count;
    if (s->proof.is_kept) {
        const int32_t snapshot = gs_save_multipliers(s);
        if (snapshot < 0 || !GS_GROW(s, proof.step, s->proof.step_count + 1))
            return 0;
        s->proof.step[s->proof.step_count++] = (gs_fixing_step){s->node.record, snapshot, first_off};
    }
    return 1;
}

/* Give the current node its children, now or, in the paper's variant, at the end of its level. */
static void gs_defer_branching(gs_search *s, int32_t snapshot, int32_t decision, int on_last)
{
    if (s->options.is_paper && s->tree.order != GS_DEPTH_FIRST) {
        gs_node waiting = s->node;
        waiting.decision = decision;
        waiting.score = s->incumbent.value_in_node;
        waiting.snapshot = snapshot;
        if (!GS_GROW(s, tree.survivor, s->tree.survivor_count + 1))
            return;
        if (snapshot >= 0)
            s->snapshots.snapshot[snapshot].users++;
        s->tree.survivor[s->tree.survivor_count++] = waiting;
        s->node.alive = NULL;
    } else
        gs_branch(s, &s->node, snapshot, decision, on_last);
    gs_end_node(s);
}

/* Branch on a decision; its child as in the structure of the bound, `is_on`, comes last, so that depth-first
 * takes it. */
static void gs_branch_current_node(gs_search *s, int32_t decision, int is_on)
{
    if (s->node.depth == 0) { /* what the root has ruled out never comes back */
        const size_t bytes = (size_t)s->fixings.scope_count * sizeof *s->fixings.scope;
        memcpy(s->fixings.root_scope, s->fixings.scope, bytes);
        s->fixings.root_scope_count = s->fixings.scope_count;
        memcpy(s->fixings.root_alive, s->node.alive, gs_alive_bytes(s));
    }
    if (gs_children_share_start(s)) {
        s->node.bound = fmin(s->node.bound, gs_round_bound(s, s->ascent.best_bound));
        gs_defer_branching(s, s->node.snapshot, decision, is_on);
        return;
    }
    const int is_best = s->ascent.bound <= s->ascent.saved_bound || s->ascent.saved_snapshot < 0;
    if (is_best && !gs_save_bound(s, s->ascent.bound))
        return;
    int32_t snapshot = s->ascent.saved_snapshot;
    const double bound = gs_round_bound(s, s->ascent.saved_bound);
    if (bound <= s->node.bound) {
        s->node.bound = bound;
        s->node.proved_at = s->node.record;
    } else if (s->node.snapshot >= 0) /* its own steps ended higher than the inherited multipliers */
        snapshot = s->node.snapshot;
    if (s->node.depth == 0 && (s->proof.is_kept || s->proof.is_dropped)) {
        s->proof.root_snapshot = snapshot;
        s->snapshots.snapshot[snapshot].users++;
    }
    gs_defer_branching(s, snapshot, decision, is_on);
}

/* Branch all nodes of the finished level on one decision, that of the node with the best structure (Qian and
 * Liu 2013, section 3.3). */
static void gs_branch_level(gs_search *s)
{
    const gs_node *best = s->tree.survivor;
    for (ptrdiff_t k = 1; k < s->tree.survivor_count; k++)
        if (s->tree.survivor[k].score > best->score)
            best = s->tree.survivor + k;
    const int32_t decision = best->decision;
    for (ptrdiff_t k = 0; k < s->tree.survivor_count; k++) {
        gs_node *node = s->tree.survivor + k;
        gs_branch(s, node, node->snapshot, decision, 1);
        gs_drop_node(s, node);
    }
    s->tree.survivor_count = 0;
}

#endif
