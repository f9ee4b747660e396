/* What the search remembers of itself: multipliers by reference, and the record that a certificate is made from. */
#ifndef GAPLESS_SEARCH_PROOF_H
#define GAPLESS_SEARCH_PROOF_H

#include "search/steps.h"

static double gs_open_bytes(const gs_search *s)
{
    return (double)(s->open_room + s->survivor_room) * sizeof(gs_node)
        + (double)(s->open_count + s->survivor_count) * (double)gs_alive_bytes(s);
}

/* Of what is kept for the proof; multipliers of open nodes included, since leaves will need them. */
static double gs_proof_bytes(const gs_search *s)
{
    return s->snapshot_bytes + (double)s->record_room * sizeof(gs_record) + (double)s->fixing_room * sizeof(gs_fixing)
        + (double)s->off_room * sizeof(int32_t);
}

/* Whether children of the node in work begin where it began, because there is no room for more multipliers. */
static int gs_shares(const gs_search *s)
{
    return !s->keep_proof && s->node.snapshot >= 0
        && s->snapshot_bytes + (double)s->slots * sizeof(double) > 0.5 * s->memory_limit;
}

/* Records of the root alone are left, with its first `kept` fixings. */
static void gs_cut_records(gs_search *s, ptrdiff_t kept)
{
    for (ptrdiff_t k = kept; k < s->fixing_count; k++)
        gs_release(s, s->fixings[k].snapshot);
    if (kept < s->fixing_count)
        s->off_count = s->fixings[kept].first_off;
    s->fixing_count = kept;
    for (ptrdiff_t k = 0; k < s->record_count; k++)
        gs_release(s, s->records[k].leaf_snapshot);
    s->record_count = s->record_count > 0;
    if (s->record_count)
        s->records[0].leaf_snapshot = -1;
}

static ptrdiff_t gs_root_fixings(const gs_search *s)
{
    ptrdiff_t count = 0;
    while (count < s->fixing_count && s->fixings[count].record == 0)
        count++;
    return count;
}

/* The root has fixed what it has fixed; nothing else happened. */
static void gs_forget_below_root(gs_search *s)
{
    if (s->keep_proof)
        gs_cut_records(s, gs_root_fixings(s));
}

/* Give the proof up but for the root, whose multipliers and fixings still prove a bound. */
static void gs_drop_proof(gs_search *s)
{
    const ptrdiff_t kept = gs_root_fixings(s);
    double bytes = 0.0;
    for (ptrdiff_t k = 0; k < kept; k++)
        bytes += (double)s->snapshots[s->fixings[k].snapshot].bytes;
    gs_cut_records(s, bytes > s->proof_limit ? 0 : kept); /* where those are too many, the multipliers alone */
    gs_record *records = realloc(s->records, sizeof *records);
    if (records != NULL)
        s->records = records, s->record_room = 1;
    s->keep_proof = 0, s->proof_dropped = 1;
}

static int64_t gs_record_node(gs_search *s, int64_t parent, int32_t decision, int32_t on)
{
    if (!s->keep_proof)
        return 0;
    if (!gs_grow((void **)&s->records, &s->record_room, s->record_count + 1, sizeof *s->records))
        return s->no_memory = 1, 0;
    const gs_record fresh = {parent, decision, on, -1};
    s->records[s->record_count] = fresh;
    return s->record_count++;
}

/* The node ends here, its bound being that of `snapshot` (-1: its fixings leave no structure). */
static void gs_record_leaf(gs_search *s, int64_t record, int32_t snapshot)
{
    if (!s->keep_proof)
        return;
    s->records[record].leaf_snapshot = snapshot;
    if (snapshot >= 0)
        s->snapshots[snapshot].users++;
}

/* `off`: the decision, or ~decision where it was fixed on. */
static void gs_record_off(gs_search *s, int32_t off)
{
    if (!s->keep_proof)
        return;
    if (!gs_grow((void **)&s->offs, &s->off_room, s->off_count + 1, sizeof *s->offs)) {
        s->no_memory = 1;
        return;
    }
    s->offs[s->off_count++] = off;
}

#endif
