/* The record that a certificate is made from: nodes, fixing steps, and the snapshots that they refer to. */
#ifndef GAPLESS_SEARCH_PROOF_H
#define GAPLESS_SEARCH_PROOF_H

#include "search/steps.h"

/* Bytes of the nodes that are still to be worked on. */
static double gs_open_bytes(const gs_search *s)
{
    const gs_tree *tree = &s->tree;
    return (double)(tree->open_capacity + tree->survivor_capacity) * sizeof(gs_node)
        + (double)(tree->open_count + tree->survivor_count) * (double)gs_alive_bytes(s);
}

/* Bytes of the proof; the multipliers of open nodes are included, since leaves will need them. */
static double gs_proof_bytes(const gs_search *s)
{
    const gs_proof *proof = &s->proof;
    return s->snapshots.bytes + (double)proof->node_capacity * sizeof *proof->node
        + (double)proof->step_capacity * sizeof *proof->step
        + (double)proof->fixed_capacity * sizeof *proof->fixed;
}

/* Whether children of the current node start where it started, because there is no memory for more
 * multipliers. */
static int gs_children_share_start(const gs_search *s)
{
    return !s->proof.is_kept && s->node.snapshot >= 0
        && s->snapshots.bytes + (double)s->ascent.slots * sizeof(double) > 0.5 * s->options.memory_limit;
}

/* Cut the record to the root, with its first `steps` fixing steps. */
static void gs_cut_record(gs_search *s, ptrdiff_t steps)
{
    gs_proof *proof = &s->proof;
    for (ptrdiff_t k = steps; k < proof->step_count; k++)
        gs_release_snapshot(s, proof->step[k].snapshot);
    if (steps < proof->step_count)
        proof->fixed_count = proof->step[steps].first_off;
    proof->step_count = steps;
    for (ptrdiff_t k = 0; k < proof->node_count; k++)
        gs_release_snapshot(s, proof->node[k].leaf_snapshot);
    proof->node_count = proof->node_count > 0;
    if (proof->node_count)
        proof->node[0].leaf_snapshot = -1;
}

/* Count the fixing steps of the root, which come first. */
static ptrdiff_t gs_root_steps(const gs_search *s)
{
    ptrdiff_t count = 0;
    while (count < s->proof.step_count && s->proof.step[count].record == 0)
        count++;
    return count;
}

/* Give up the proof except for the root, whose multipliers and fixings still prove a bound. If the fixing
 * steps alone take too much memory, only the multipliers stay. */
static void gs_drop_proof(gs_search *s)
{
    const ptrdiff_t steps = gs_root_steps(s);
    double bytes = 0.0;
    for (ptrdiff_t k = 0; k < steps; k++)
        bytes += (double)s->snapshots.snapshot[s->proof.step[k].snapshot].bytes;
    gs_cut_record(s, bytes > s->options.proof_limit ? 0 : steps);
    gs_proof_node *node = realloc(s->proof.node, sizeof *node);
    if (node != NULL) {
        s->proof.node = node;
        s->proof.node_capacity = 1;
    }
    s->proof.is_kept = 0;
    s->proof.is_dropped = 1;
}

/* Record a new node; its number. */
static int64_t gs_record_node(gs_search *s, int64_t parent, int32_t decision, int32_t on)
{
    if (!s->proof.is_kept || !GS_GROW(s, proof.node, s->proof.node_count + 1))
        return 0;
    s->proof.node[s->proof.node_count] = (gs_proof_node){parent, decision, on, -1};
    return s->proof.node_count++;
}

/* Record that a node ends with the bound of `snapshot`; -1: its fixings leave no structure. */
static void gs_record_leaf(gs_search *s, int64_t record, int32_t snapshot)
{
    if (!s->proof.is_kept)
        return;
    GAPLESS_ASSERT(record >= 0 && record < s->proof.node_count);
    s->proof.node[record].leaf_snapshot = snapshot;
    if (snapshot >= 0)
        s->snapshots.snapshot[snapshot].users++;
}

/* Record a decision fixed off, or ~decision for one fixed on. */
static void gs_record_fixed(gs_search *s, int32_t fixed)
{
    if (s->proof.is_kept && GS_GROW(s, proof.fixed, s->proof.fixed_count + 1))
        s->proof.fixed[s->proof.fixed_count++] = fixed;
}

#endif
