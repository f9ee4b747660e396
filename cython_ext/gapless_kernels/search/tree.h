/* The search: one step of the node in work, and a loop that can stop, go on, and begin again at the root. */
#ifndef GAPLESS_SPLIT_BOUND_TREE_H
#define GAPLESS_SPLIT_BOUND_TREE_H

#include "search/nodes.h"

/* Whether the node's multipliers have had their time. */
static int sb_spent(sb_search *s, double gap)
{
    if (s->paper)
        return s->iteration >= SB_PAPER_STEPS
            || (s->iteration > 1 && s->last_psi - s->psi >= 0.0 && s->last_psi - s->psi <= SB_PAPER_PRECISION);
    if (s->iteration >= (s->node.depth ? SB_CHILD_STEPS : s->root_steps))
        return 1;
    if (s->iteration % (s->node.depth ? SB_CHILD_TREND : s->root_trend))
        return 0;
    const int slow = gap > SB_TREND_SHARE * s->trend_gap;
    s->trend_gap = gap;
    return slow;
}

/* One bound and one step of the node in work. */
static void sb_step(sb_search *s)
{
    if (s->dirty && s->unknown != NULL) /* scores may have changed since the multipliers were remembered */
        sb_fit(s);
    if (s->dirty && !sb_weigh(s)) {
        sb_close(s, -INFINITY, -1);
        return;
    }
    if (s->dirty && s->choices && sb_enumerate(s)) { /* nothing that is left scores more than the incumbent now */
        sb_close(s, -INFINITY, SB_ENUMERATED);
        return;
    }
    s->dirty = 0;
    const double found = sb_oracle(s, s->weights, s->work, s->heads);
    if (!(found > -INFINITY)) {
        sb_close(s, -INFINITY, -1);
        return;
    }
    sb_enter_tree(s, s->heads);
    if (sb_know_bound(s) || s->failed) {
        sb_leave_tree(s);
        return;
    }
    s->last_psi = s->psi, s->psi = found + s->constant;
    s->iteration++, s->stalled++;
    if (s->psi > s->last_psi)
        s->rises++;
    if (s->psi < s->best_psi)
        s->best_psi = s->psi, s->stalled = 0;
    const double score = sb_tree_score(s);
    const int better = sb_offer(s, s->heads, score);
    if (!(sb_round(s, s->psi) <= sb_target(s)) && (s->paper ? s->nodes == 1 && s->iteration == 1 : better || s->iteration == 1)) {
        sb_leave_tree(s);
        if (sb_reparse(s, s->heads, score, s->paper ? 10 : s->node.depth == 0 && s->iteration == 1 ? 3 : 2) || s->failed)
            return;
        sb_enter_tree(s, s->heads);
    }
    double bound = sb_round(s, s->psi);
    s->largest = fmax(s->largest, fabs(found));
    const int closes = bound <= sb_target(s), fixes = !s->paper && s->psi - s->value <= SB_FIX_BELOW * s->gap_at_fixing;
    if (!s->fresh && (closes || fixes) && sb_rough(s)) { /* not on sums that went through many steps */
        sb_leave_tree(s);
        s->dirty = 1;
        return;
    }
    if (closes) {
        sb_leave_tree(s);
        sb_close_here(s, bound);
        return;
    }
    double gap = s->psi - s->value;
    if (s->first_gap == INFINITY)
        s->first_gap = gap, s->gap_at_fixing = s->node.depth ? INFINITY : gap;
    if (!s->paper && gap <= SB_FIX_BELOW * s->gap_at_fixing) {
        s->gap_at_fixing = gap;
        if (sb_fix(s)) {
            sb_leave_tree(s);
            s->dirty = 1, s->trend_gap = INFINITY;
            sb_release(s, s->saved), s->saved = -1, s->saved_psi = INFINITY;
            return;
        }
    }
    if (!sb_shares(s)
        && (s->saved_psi == INFINITY ? s->iteration > (s->keep_proof ? SB_SAVE_AFTER : SB_SAVE_LATE) : s->saved_psi - s->psi > SB_SAVE_SHARE * (s->saved_psi - s->value))) {
        const int32_t snapshot = sb_remember(s);
        if (snapshot < 0)
            return;
        sb_release(s, s->saved);
        s->saved = snapshot, s->saved_psi = s->psi;
    }
    const double length = sb_subgradient(s);
    const int spent = length == 0.0 || sb_spent(s, gap);
    if (spent) {
        const int32_t arc = sb_widest_gap(s);
        if (arc >= 0) {
            sb_split_node(s, arc);
            return;
        }
        /* One tree is left, whose score is exact: what the bound has above it is rounding. */
        sb_leave_tree(s);
        sb_close_here(s, s->psi);
        return;
    }
    double step;
    if (s->paper)
        step = ldexp(s->largest_step, -(int)(s->rises < 1000 ? s->rises : 1000));
    else {
        if (s->stalled >= SB_PATIENCE)
            s->theta *= SB_SHRINK, s->stalled = 0;
        step = s->theta * gap / length;
    }
    sb_move(s, step);
    sb_leave_tree(s);
}

/* A proved bound of everything: incumbent, what was cut off, what is open. */
static double sb_bound(const sb_search *s)
{
    double bound = fmax(s->value, s->excluded);
    for (ptrdiff_t k = 0; k < s->open_count; k++)
        bound = fmax(bound, s->open[k].bound);
    for (ptrdiff_t k = 0; k < s->survivor_count; k++)
        bound = fmax(bound, s->survivors[k].bound);
    if (s->working) /* only what was remembered can be shown in a proof */
        bound = fmax(bound, fmin(s->node.bound, sb_round(s, s->keep_proof ? s->saved_psi : s->best_psi)));
    return bound;
}

/* The least bound that the steps of the node in work have found, whether or not it can be shown. */
static double sb_step_bound(const sb_search *s)
{
    return s->working ? fmin(s->node.bound, sb_round(s, s->best_psi)) : INFINITY;
}

/* How many arcs are possible in the node in work. */
static ptrdiff_t sb_free_arcs(const sb_search *s)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t e = 0; e < s->arcs; e++)
        count += s->alive[e] != 0;
    return count;
}

/* Before a proof is made in the middle of a node: bound it by its multipliers of now, if they are its best. */
static void sb_settle(sb_search *s)
{
    if (!s->working || !s->keep_proof || s->no_memory)
        return;
    if (s->unknown != NULL)
        sb_fit(s);
    if (!sb_weigh(s))
        return;
    s->dirty = 0;
    const double found = sb_oracle(s, s->weights, s->work, s->heads);
    const double psi = found + s->constant;
    if (!(found > -INFINITY && psi < s->saved_psi))
        return;
    const int32_t snapshot = sb_remember(s);
    if (snapshot < 0)
        return;
    sb_release(s, s->saved);
    s->saved = snapshot, s->saved_psi = psi, s->best_psi = fmin(s->best_psi, psi);
}

/* Keep a tree from outside; `heads` may be NULL. */
static void sb_hold(sb_search *s, const int32_t *heads)
{
    if (heads == NULL)
        return;
    s->dirty = 1; /* no weights are up to date */
    sb_enter_tree(s, heads);
    sb_know_tree(s);
    sb_offer(s, heads, sb_tree_score(s));
    sb_leave_tree(s);
}

/* Put the root in. `heads` may be NULL or a tree to begin with. */
static int sb_start(sb_search *s, const int32_t *heads)
{
    sb_node root = {INFINITY, 0, s->sequence++, -1, 0, -1, -INFINITY, malloc(sb_alive_bytes(s))};
    if (root.alive == NULL)
        return 0;
    memset(root.alive, 0xff, sb_alive_bytes(s));
    memset(s->alive, 1, (size_t)s->arcs);
    root.record = sb_record_node(s, -1, -1, 0);
    s->saved = s->root_snapshot = s->free_snapshot = -1;
    sb_hold(s, heads);
    return sb_push(s, &root);
}

/* Forget the tree below the root, and work on the root again from these multipliers; what it has ruled out stays so. `heads` may be
 * NULL or a tree to hold. 0 without memory. */
static int sb_restart(sb_search *s, const double *split, const int32_t *heads)
{
    while (s->open_count) {
        sb_node node = s->open[--s->open_count];
        sb_release(s, node.snapshot);
        free(node.alive);
    }
    for (; s->survivor_count; s->survivor_count--) {
        sb_release(s, s->survivors[s->survivor_count - 1].snapshot);
        free(s->survivors[s->survivor_count - 1].alive);
    }
    if (s->working)
        sb_end_node(s);
    sb_hold(s, heads);
    sb_forget_below_root(s);
    sb_release(s, s->root_snapshot);
    s->root_snapshot = -1;
    for (ptrdiff_t k = 0; k < s->slots; k++)
        s->split[k] = k < s->star_cells && s->star_scope[k] < 0 ? 0.0 : fmax(split[k], 0.0);
    sb_fit(s);
    sb_node root = {INFINITY, 0, s->sequence++, sb_remember(s), 0, -1, -INFINITY, malloc(sb_alive_bytes(s))};
    if (root.alive == NULL || root.snapshot < 0)
        return 0;
    memcpy(root.alive, s->root_alive, sb_alive_bytes(s));
    sb_begin(s, root);
    s->node.bound = sb_weigh(s) ? sb_oracle(s, s->weights, s->work, s->heads) + s->constant : -INFINITY;
    return 1;
}

static int sb_advance(sb_search *s, double seconds, int64_t nodes, int64_t steps)
{
    const double end = sb_now() + seconds;
    while (!s->no_memory) {
        if (s->failed)
            return SB_FAILED;
        if (s->keep_proof && sb_proof_bytes(s) > s->proof_limit)
            sb_drop_proof(s);
        if (s->working) {
            if (sb_now() > end)
                return SB_TIME;
            if (steps-- <= 0)
                return SB_STEPS;
            s->steps++;
            sb_step(s);
            continue;
        }
        if (s->order != SB_DEPTH_FIRST && sb_open_bytes(s) > 0.5 * s->memory_limit)
            sb_go_deep(s);
        if (!s->open_count && s->survivor_count)
            sb_next_level(s);
        if (!s->open_count)
            return s->no_memory ? SB_NO_MEMORY : SB_PROVED;
        if (s->nodes >= nodes)
            return SB_NODES;
        if (sb_now() > end)
            return SB_TIME;
        const sb_node node = sb_pop(s);
        if (node.bound <= sb_target(s)) {
            s->node = node, s->working = 1;
            sb_close(s, node.bound, node.snapshot);
            continue;
        }
        sb_begin(s, node);
    }
    return SB_NO_MEMORY;
}

static void sb_free(sb_search *s)
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
        s->head, s->modifier, s->index, s->into_first, s->into, s->rank, s->slot, s->cell, s->base, s->star, s->star_score, s->star_scope, s->form, s->side,
        s->column_lower, s->shared_scope, s->shared_arc, s->shared_first, s->shared_score, s->incident_first, s->incident,
        s->incident_other, s->split, s->weights, s->column_max, s->alive, s->on, s->in_tree, s->armed_flag, s->candidates,
        s->active_columns, s->active_first, s->current, s->root_current, s->now_first, s->now, s->now_other, s->armed, s->stamp, s->tree, s->heads,
        s->other_heads, s->tree_heads, s->linear, s->marginals, s->arc_gap, s->work, s->other_work, s->moved_column,
        s->moved_best, s->moved_star, s->moved_scope, s->moved_arc, s->best_heads, s->open, s->survivors, s->snapshots,
        s->records, s->fixings, s->offs, s->root_alive, s->contender, s->unknown, s->wanted, s->questions, s->answers,
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
}

#endif
