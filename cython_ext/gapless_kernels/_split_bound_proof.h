/* What the search remembers of itself: multipliers by reference, and the record that a certificate is made from. */
#ifndef GAPLESS_SPLIT_BOUND_PROOF_H
#define GAPLESS_SPLIT_BOUND_PROOF_H

#include "_split_bound_steps.h"

/* A copy of the multipliers, with no user yet; -1 without memory. */
static int32_t sb_remember(sb_search *s)
{
    ptrdiff_t at = 0;
    if (s->keep_proof)
        at = s->snapshot_count;
    else
        while (at < s->snapshot_count && s->snapshots[at].users)
            at++;
    if (at == s->snapshot_count) {
        if (!sb_grow((void **)&s->snapshots, &s->snapshot_room, at + 1, sizeof *s->snapshots))
            return s->no_memory = 1, -1;
        s->snapshots[at].split = NULL, s->snapshot_count++;
    }
    s->snapshots[at].users = 1;
    if (s->snapshots[at].split == NULL) {
        s->snapshots[at].split = malloc((size_t)(s->slots + 1) * sizeof(double));
        if (s->snapshots[at].split == NULL)
            return s->snapshots[at].users = 0, s->no_memory = 1, -1;
        s->proof_bytes += (double)s->slots * sizeof(double);
    }
    memcpy(s->snapshots[at].split, s->split, (size_t)s->slots * sizeof(double));
    return (int32_t)at;
}

/* Without a proof to keep, multipliers live as long as a node uses them. */
static void sb_release(sb_search *s, int32_t snapshot)
{
    if (snapshot < 0 || s->keep_proof)
        return;
    if (--s->snapshots[snapshot].users == 0) {
        free(s->snapshots[snapshot].split);
        s->snapshots[snapshot].split = NULL;
        s->proof_bytes -= (double)s->slots * sizeof(double);
    }
}

/* Give the proof up: what no open node uses is freed. */
static void sb_drop_proof(sb_search *s)
{
    for (ptrdiff_t k = 0; k < s->snapshot_count; k++)
        s->snapshots[k].users = 0;
    for (ptrdiff_t k = 0; k < s->open_count; k++)
        if (s->open[k].snapshot >= 0)
            s->snapshots[s->open[k].snapshot].users++;
    for (ptrdiff_t k = 0; k < s->survivor_count; k++)
        if (s->survivors[k].snapshot >= 0)
            s->snapshots[s->survivors[k].snapshot].users++;
    if (s->working && s->node.snapshot >= 0)
        s->snapshots[s->node.snapshot].users++;
    if (s->working && s->saved >= 0)
        s->snapshots[s->saved].users++;
    for (ptrdiff_t k = 0; k < s->snapshot_count; k++)
        if (!s->snapshots[k].users && s->snapshots[k].split) {
            free(s->snapshots[k].split), s->snapshots[k].split = NULL;
            s->proof_bytes -= (double)s->slots * sizeof(double);
        }
    s->keep_proof = 0, s->proof_dropped = 1;
    s->record_count = s->fixing_count = s->off_count = 0;
}

static int64_t sb_record_node(sb_search *s, int64_t parent, int32_t arc, int32_t on)
{
    if (!s->keep_proof)
        return 0;
    if (!sb_grow((void **)&s->records, &s->record_room, s->record_count + 1, sizeof *s->records))
        return s->no_memory = 1, 0;
    const sb_record fresh = {parent, arc, on, -1};
    s->records[s->record_count] = fresh;
    return s->record_count++;
}

/* The node ends here, its bound being that of `snapshot` (-1: its fixings leave no tree). */
static void sb_record_leaf(sb_search *s, int64_t record, int32_t snapshot)
{
    if (s->keep_proof)
        s->records[record].leaf_snapshot = snapshot;
}

static void sb_record_off(sb_search *s, int32_t arc)
{
    if (!s->keep_proof)
        return;
    if (!sb_grow((void **)&s->offs, &s->off_room, s->off_count + 1, sizeof *s->offs)) {
        s->no_memory = 1;
        return;
    }
    s->offs[s->off_count++] = arc;
}

/* Multipliers as the shared formula reads them: d, t, or one share for each arc; see split_bound.pyx. */
static void sb_export(const sb_search *s, const double *split, const int64_t *multiplier_first, double *to)
{
    for (ptrdiff_t k = 0; k < s->star_cells; k++)
        if (s->star_scope[k] >= 0)
            to[multiplier_first[s->star_scope[k]]] = split[k];
    for (ptrdiff_t c = 0; c < s->shared; c++) {
        const double *q = split + s->star_cells + s->shared_first[c], score = s->shared_score[c];
        double *out = to + multiplier_first[s->shared_scope[c]];
        if (score < 0.0)
            *out = q[0] / -score;
        else
            for (ptrdiff_t k = 0; k < s->shared_first[c + 1] - s->shared_first[c]; k++)
                out[k] = q[k] / score;
    }
}

#endif
