/* Nodes of the search tree: how they begin and end, what they fix, and their children. */
#ifndef GAPLESS_SPLIT_BOUND_NODES_H
#define GAPLESS_SPLIT_BOUND_NODES_H

#include "search/open.h"

#define SB_CHILD_STEPS 30    /* steps at other nodes than the root, before branching */
#define SB_CHILD_TREND 4     /* steps there (root_trend at the root) in which */
#define SB_TREND_SHARE 0.85  /* the gap must fall to this share, or the node branches */
#define SB_PATIENCE 3        /* steps without a better bound before the step shrinks */
#define SB_SHRINK 0.6
#define SB_FIX_BELOW 0.7     /* fix when the gap has fallen to this share since the last time */
#define SB_SAVE_AFTER 8      /* steps; */
#define SB_SAVE_LATE 40      /* without a proof only children need what is remembered, and most nodes have none */
#define SB_SAVE_SHARE 0.05   /* remember multipliers when they close this share of the gap */
#define SB_PAPER_STEPS 2000
#define SB_PAPER_PRECISION 1e-8

static double sb_now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sb_target(const sb_search *s)
{
    return s->value + sb_margin(s->value);
}

static void sb_turn_off(unsigned char *alive, int32_t arc)
{
    alive[arc >> 3] &= (unsigned char)~(1u << (arc & 7));
}

/* A child of `node` with one more arc on or off, whose bound is that of `snapshot` until it is worked on. */
static void sb_add_child(sb_search *s, const sb_node *node, int32_t snapshot, int32_t arc, int on)
{
    sb_node child = {node->bound, 0, s->sequence++, snapshot, node->depth + 1, -1, -INFINITY, NULL};
    child.alive = malloc(sb_alive_bytes(s));
    if (child.alive == NULL) {
        s->no_memory = 1;
        return;
    }
    memcpy(child.alive, node->alive, sb_alive_bytes(s));
    if (on) {
        const ptrdiff_t m = s->modifier[arc];
        for (ptrdiff_t k = s->into_first[m]; k < s->into_first[m + 1]; k++)
            if (s->into[k] != arc)
                sb_turn_off(child.alive, s->into[k]);
    } else
        sb_turn_off(child.alive, arc);
    child.record = sb_record_node(s, node->record, arc, on);
    if (snapshot >= 0)
        s->snapshots[snapshot].users++;
    if (s->no_memory || !sb_push(s, &child))
        free(child.alive);
}

static void sb_branch(sb_search *s, sb_node *node, int32_t snapshot, int32_t arc, int on_last)
{
    sb_add_child(s, node, snapshot, arc, !on_last);
    sb_add_child(s, node, snapshot, arc, on_last);
}

/* The node is done; `bound` is what its multipliers prove of it. */
static void sb_end_node(sb_search *s)
{
    sb_release(s, s->node.snapshot);
    sb_release(s, s->saved);
    free(s->node.alive);
    s->node.alive = NULL, s->saved = -1, s->working = 0;
}

static void sb_close(sb_search *s, double bound, int32_t snapshot)
{
    if (bound > s->excluded)
        s->excluded = bound;
    sb_record_leaf(s, s->node.record, snapshot);
    s->root_closed |= s->node.depth == 0;
    sb_end_node(s);
}

/* Close the node with the multipliers that hold now. */
static void sb_close_here(sb_search *s, double bound)
{
    int32_t snapshot = -1;
    if (s->keep_proof) {
        snapshot = sb_remember(s);
        if (snapshot < 0)
            return;
    }
    sb_close(s, bound, snapshot);
    sb_release(s, snapshot);
}

static void sb_begin(sb_search *s, sb_node node)
{
    s->node = node, s->working = 1, s->saved = -1, s->iteration = s->stalled = s->rises = 0;
    s->theta = 1.0, s->best_psi = s->saved_psi = s->last_psi = INFINITY;
    s->gap_at_fixing = s->trend_gap = s->first_gap = INFINITY;
    s->best_in_node = -INFINITY;
    s->nodes++;
    if (node.snapshot >= 0)
        sb_recall(s, s->snapshots + node.snapshot, s->split);
    for (ptrdiff_t e = 0; e < s->arcs; e++)
        s->alive[e] = node.alive[e >> 3] >> (e & 7) & 1;
    memcpy(s->current, s->root_current, (size_t)s->root_count * sizeof *s->current);
    s->current_count = s->root_count;
    s->dirty = 1;
}

/* Fix off the arcs that no tree better than the incumbent has. The chart must be that of the last bound. */
static int sb_fix(sb_search *s)
{
    double *mm = s->marginals;
    if (s->projective)
        eisner_outside(s->n, s->weights, s->single_root, s->work, mm);
    else
        arborescence_slacks(s->n, s->weights, s->single_root, s->work, mm);
    const double target = sb_target(s), far = target + 2.0 * s->granularity - s->constant;
    const ptrdiff_t first_off = s->off_count;
    int64_t count = 0;
    for (ptrdiff_t e = 0; e < s->arcs; e++) {
        if (!s->alive[e] || s->in_tree[e] || mm[s->cell[e]] > far) /* rounding takes less than two multiples */
            continue;
        const double bound = sb_round(s, mm[s->cell[e]] + s->constant);
        if (!(bound <= target))
            continue;
        if (bound > s->excluded)
            s->excluded = bound;
        s->alive[e] = 0;
        sb_turn_off(s->node.alive, (int32_t)e);
        sb_record_off(s, (int32_t)e);
        count++;
    }
    if (count == 0)
        return 0;
    s->fixed += count;
    if (s->keep_proof) {
        const int32_t snapshot = sb_remember(s);
        if (snapshot < 0 || !sb_grow((void **)&s->fixings, &s->fixing_room, s->fixing_count + 1, sizeof *s->fixings)) {
            s->no_memory = 1;
            return 0;
        }
        const sb_fixing fixing = {s->node.record, snapshot, first_off};
        s->fixings[s->fixing_count++] = fixing;
    }
    return 1;
}

/* Children of the node in work, now or at the end of its level (paper). */
static void sb_hand_on(sb_search *s, int32_t snapshot, int32_t arc, int on_last)
{
    if (s->paper && s->order != SB_DEPTH_FIRST) {
        sb_node waiting = s->node;
        waiting.arc = arc, waiting.lower = s->best_in_node, waiting.snapshot = snapshot;
        if (!sb_grow((void **)&s->survivors, &s->survivor_room, s->survivor_count + 1, sizeof *s->survivors)) {
            s->no_memory = 1;
            return;
        }
        if (snapshot >= 0)
            s->snapshots[snapshot].users++;
        s->survivors[s->survivor_count++] = waiting;
        s->node.alive = NULL;
    } else
        sb_branch(s, &s->node, snapshot, arc, on_last);
    sb_end_node(s);
}

/* Branch, or wait for the end of the level (paper). The tree of the last bound is entered. */
static void sb_split_node(sb_search *s, int32_t arc)
{
    const int on_last = s->in_tree[arc];
    sb_leave_tree(s);
    if (s->node.depth == 0) { /* what the root has ruled out never comes back */
        memcpy(s->root_current, s->current, (size_t)s->current_count * sizeof *s->current);
        s->root_count = s->current_count;
        memcpy(s->root_alive, s->node.alive, sb_alive_bytes(s));
    }
    int32_t snapshot = s->saved;
    if (sb_shares(s)) {
        const double reached = sb_round(s, s->best_psi);
        s->node.bound = fmin(s->node.bound, reached);
        sb_hand_on(s, s->node.snapshot, arc, on_last);
        return;
    }
    if (s->psi <= s->saved_psi || snapshot < 0) {
        snapshot = sb_remember(s);
        if (snapshot < 0)
            return;
        sb_release(s, s->saved);
        s->saved = snapshot, s->saved_psi = s->psi;
    }
    const double bound = sb_round(s, s->saved_psi);
    if (bound <= s->node.bound)
        s->node.bound = bound;
    else if (s->node.snapshot >= 0)
        snapshot = s->node.snapshot; /* its own steps ended higher: what it inherited proves the bound */
    if (s->node.depth == 0 && (s->keep_proof || s->proof_dropped))
        s->root_snapshot = snapshot, s->snapshots[snapshot].users++;
    sb_hand_on(s, snapshot, arc, on_last);
}
/* The level is worked off: all that survive branch on one arc, that of the node with the best tree (section 3.3). */
static void sb_next_level(sb_search *s)
{
    const sb_node *chosen = s->survivors;
    for (ptrdiff_t k = 1; k < s->survivor_count; k++)
        if (s->survivors[k].lower > chosen->lower)
            chosen = s->survivors + k;
    const int32_t arc = chosen->arc;
    for (ptrdiff_t k = 0; k < s->survivor_count; k++) {
        sb_node *node = s->survivors + k;
        sb_branch(s, node, node->snapshot, arc, 1);
        sb_release(s, node->snapshot);
        free(node->alive);
    }
    s->survivor_count = 0;
}

#endif
