/* Nodes of the search tree: how they begin and end, what they fix, and their children. */
#ifndef GAPLESS_SEARCH_NODES_H
#define GAPLESS_SEARCH_NODES_H

#include "search/open.h"

#define GS_CHILD_STEPS 30    /* steps at other nodes than the root, before branching */
#define GS_CHILD_TREND 4     /* steps there (root_trend at the root) in which */
#define GS_TREND_SHARE 0.85  /* the gap must fall to this share, or the node branches */
#define GS_PATIENCE 3        /* steps without a better bound before the step shrinks */
#define GS_NOISE 1e-12       /* of sums, relative */
#define GS_SHRINK 0.6
#define GS_FIX_BELOW 0.7     /* fix when the gap has fallen to this share since the last time */
#define GS_SAVE_AFTER 8      /* steps; */
#define GS_SAVE_LATE 40      /* without a proof only children need what is remembered, and most nodes have none */
#define GS_SAVE_SHARE 0.05   /* remember multipliers when they close this share of the gap */
#define GS_PAPER_STEPS 2000
#define GS_PAPER_PRECISION 1e-8

/* Seconds of a clock that nobody sets: a limit is a length of time, whatever the time of day is changed to meanwhile. */
static double gs_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double gs_target(const gs_search *s)
{
    return s->value + gs_margin(s->value);
}

static void gs_turn_off(unsigned char *alive, int32_t e)
{
    alive[e >> 3] &= (unsigned char)~(1u << (e & 7));
}

/* For loose decisions; the others are on when their group has no other left. */
static void gs_turn_on(const gs_search *s, unsigned char *alive, int32_t e)
{
    alive[gs_bits(s) + (size_t)(e >> 3)] |= (unsigned char)(1u << (e & 7));
}

/* A child of `node` with one more decision on or off, whose bound is that of `snapshot` until it is worked on. */
static void gs_add_child(gs_search *s, const gs_node *node, int32_t snapshot, int32_t decision, int on)
{
    gs_node child = {node->bound, 0, s->sequence++, snapshot, node->depth + 1, -1, -INFINITY, node->shown, NULL};
    child.alive = malloc(gs_alive_bytes(s));
    if (child.alive == NULL) {
        s->no_memory = 1, s->excluded = fmax(s->excluded, child.bound); /* nobody looks at it: its bound must not be lost */
        return;
    }
    memcpy(child.alive, node->alive, gs_alive_bytes(s));
    if (on) {
        const ptrdiff_t g = s->group[decision];
        if (g < 0)
            gs_turn_on(s, child.alive, decision);
        for (ptrdiff_t k = g < 0 ? 0 : s->group_first[g]; k < (g < 0 ? 0 : s->group_first[g + 1]); k++)
            if (s->member[k] != decision)
                gs_turn_off(child.alive, s->member[k]);
    } else
        gs_turn_off(child.alive, decision);
    child.record = gs_record_node(s, node->record, decision, on);
    if (snapshot >= 0)
        s->snapshots[snapshot].users++;
    if (s->no_memory || !gs_push(s, &child))
        free(child.alive), s->excluded = fmax(s->excluded, child.bound);
}

static void gs_branch(gs_search *s, gs_node *node, int32_t snapshot, int32_t decision, int on_last)
{
    gs_add_child(s, node, snapshot, decision, !on_last);
    gs_add_child(s, node, snapshot, decision, on_last);
}

/* The node is done; `bound` is what its multipliers prove of it. */
static void gs_end_node(gs_search *s)
{
    gs_release(s, s->node.snapshot);
    gs_release(s, s->saved);
    free(s->node.alive);
    s->node.alive = NULL, s->saved = -1, s->working = 0;
}

static void gs_close(gs_search *s, double bound, int32_t snapshot)
{
    if (bound > s->excluded)
        s->excluded = bound;
    gs_record_leaf(s, s->node.record, snapshot);
    s->root_closed |= s->node.depth == 0;
    gs_end_node(s);
}

/* Close the node with the multipliers that hold now. */
static void gs_close_here(gs_search *s, double bound)
{
    int32_t snapshot = -1;
    if (s->keep_proof) {
        snapshot = gs_remember(s);
        if (snapshot < 0)
            return;
    }
    gs_close(s, bound, snapshot);
    gs_release(s, snapshot);
}

static void gs_begin(gs_search *s, gs_node node)
{
    s->node = node, s->working = 1, s->saved = -1, s->iteration = s->stalled = s->rises = 0;
    s->theta = 1.0, s->best_psi = s->saved_psi = s->psi = INFINITY;
    s->gap_at_fixing = s->trend_gap = s->first_gap = INFINITY;
    s->best_in_node = -INFINITY;
    s->guided = !s->paper && node.depth == 0 && node.snapshot < 0 && s->guides != NULL;
    s->nodes++;
    if (node.snapshot >= 0)
        gs_recall(s, s->snapshots + node.snapshot, s->split);
    for (ptrdiff_t e = 0; e < s->decisions; e++) {
        s->alive[e] = node.alive[e >> 3] >> (e & 7) & 1;
        if (s->group[e] < 0)
            s->on[e] = node.alive[gs_bits(s) + (size_t)(e >> 3)] >> (e & 7) & 1;
    }
    memcpy(s->current, s->root_current, (size_t)s->root_count * sizeof *s->current);
    s->current_count = s->root_count;
    s->dirty = 1;
}

/* Note that a decision is fixed: its other side has no structure above `bound`. */
static void gs_fix_one(gs_search *s, int32_t e, int on, double bound)
{
    if (bound > s->excluded)
        s->excluded = bound;
    if (on) {
        s->on[e] = 1;
        gs_turn_on(s, s->node.alive, e);
    } else {
        s->alive[e] = 0;
        gs_turn_off(s->node.alive, e);
    }
    gs_record_off(s, on ? ~e : e);
}

/* Fix the other choices of a decision's group off, where no structure without it exceeds the target; how many. */
static int64_t gs_fix_group(gs_search *s, int32_t e, double bound, double target)
{
    int64_t count = 0;
    for (ptrdiff_t k = s->group_first[s->group[e]]; bound <= target && k < s->group_first[s->group[e] + 1]; k++)
        if (s->member[k] != e && s->alive[s->member[k]])
            gs_fix_one(s, s->member[k], 0, bound), count++;
    return count;
}

/* Fix the decisions that all structures better than the incumbent agree on. The chart must be that of the last bound. */
static int gs_fix(gs_search *s)
{
    if (s->maximiser->marginals == NULL)
        return 0;
    const double *with = s->with, *without = s->loose ? s->without : NULL;
    if (s->parts && !gs_lose_by_factors(s))
        return 0;
    if (!gs_marginals(s))
        return 0;
    const double target = gs_target(s), constant = s->constant + s->factored, far = target + 2.0 * s->granularity - constant;
    const ptrdiff_t first_off = s->off_count;
    int64_t count = 0;
    for (ptrdiff_t e = 0; e < s->decisions; e++) {
        const int on = s->taken[e]; /* then only the best structure without it can fix it; a group does that by its other choices */
        if (on && s->parts && s->group[e] >= 0 && !s->on[e])
            count += gs_fix_group(s, (int32_t)e, gs_round(s, s->psi + s->also_without[e]), target);
        if (!s->alive[e] || (on && (s->group[e] >= 0 || s->on[e])))
            continue;
        double through = on ? without[e] : with[e];
        if (s->parts)
            through += on ? s->also_without[e] : s->also_with[e];
        if (through > far) /* rounding takes less than two multiples */
            continue;
        const double bound = gs_round(s, through + constant);
        if (!(bound <= target))
            continue;
        gs_fix_one(s, (int32_t)e, on, bound);
        count++;
    }
    if (count == 0)
        return 0;
    s->fixed += count;
    if (s->keep_proof) {
        const int32_t snapshot = gs_remember(s);
        if (snapshot < 0 || !gs_grow((void **)&s->fixings, &s->fixing_room, s->fixing_count + 1, sizeof *s->fixings)) {
            s->no_memory = 1;
            return 0;
        }
        const gs_fixing fixing = {s->node.record, snapshot, first_off};
        s->fixings[s->fixing_count++] = fixing;
    }
    return 1;
}

/* Children of the node in work, now or at the end of its level (paper). */
static void gs_hand_on(gs_search *s, int32_t snapshot, int32_t decision, int on_last)
{
    if (s->paper && s->order != GS_DEPTH_FIRST) {
        gs_node waiting = s->node;
        waiting.decision = decision, waiting.lower = s->best_in_node, waiting.snapshot = snapshot;
        if (!gs_grow((void **)&s->survivors, &s->survivor_room, s->survivor_count + 1, sizeof *s->survivors)) {
            s->no_memory = 1;
            return;
        }
        if (snapshot >= 0)
            s->snapshots[snapshot].users++;
        s->survivors[s->survivor_count++] = waiting;
        s->node.alive = NULL;
    } else
        gs_branch(s, &s->node, snapshot, decision, on_last);
    gs_end_node(s);
}

/* Branch, or wait for the end of the level (paper). The structure of the last bound is entered. */
static void gs_split_node(gs_search *s, int32_t decision)
{
    const int on_last = s->taken[decision];
    gs_leave(s);
    if (s->node.depth == 0) { /* what the root has ruled out never comes back */
        memcpy(s->root_current, s->current, (size_t)s->current_count * sizeof *s->current);
        s->root_count = s->current_count;
        memcpy(s->root_alive, s->node.alive, gs_alive_bytes(s));
    }
    int32_t snapshot = s->saved;
    if (gs_shares(s)) {
        const double reached = gs_round(s, s->best_psi);
        s->node.bound = fmin(s->node.bound, reached);
        gs_hand_on(s, s->node.snapshot, decision, on_last);
        return;
    }
    if (s->psi <= s->saved_psi || snapshot < 0) {
        snapshot = gs_remember(s);
        if (snapshot < 0)
            return;
        gs_release(s, s->saved);
        s->saved = snapshot, s->saved_psi = s->psi;
    }
    const double bound = gs_round(s, s->saved_psi);
    if (bound <= s->node.bound)
        s->node.bound = bound, s->node.shown = s->node.record;
    else if (s->node.snapshot >= 0)
        snapshot = s->node.snapshot; /* its own steps ended higher: what it inherited proves the bound */
    if (s->node.depth == 0 && (s->keep_proof || s->proof_dropped))
        s->root_snapshot = snapshot, s->snapshots[snapshot].users++;
    gs_hand_on(s, snapshot, decision, on_last);
}
/* The level is worked off: all that survive branch on one decision, that of the node with the best structure (section 3.3). */
static void gs_next_level(gs_search *s)
{
    const gs_node *chosen = s->survivors;
    for (ptrdiff_t k = 1; k < s->survivor_count; k++)
        if (s->survivors[k].lower > chosen->lower)
            chosen = s->survivors + k;
    const int32_t decision = chosen->decision;
    for (ptrdiff_t k = 0; k < s->survivor_count; k++) {
        gs_node *node = s->survivors + k;
        gs_branch(s, node, node->snapshot, decision, 1);
        gs_release(s, node->snapshot);
        free(node->alive);
    }
    s->survivor_count = 0;
}

#endif
