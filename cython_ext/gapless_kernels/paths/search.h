/* The best paths with a proof: multipliers, elimination, then labels in wider and wider layers until none
 * is dropped.
 *
 * The headers of the search form one translation unit, each on top of the one before: graph.h, state.h,
 * multipliers.h, labels.h, routes.h, coarse.h, core.h, search.h. */
#ifndef GAPLESS_PATH_SEARCH_H
#define GAPLESS_PATH_SEARCH_H

#include "paths/core.h"

/* Compute the tables under the best multipliers, from both ends once there is an incumbent. PS_PROVED if
 * they rule out everything. */
static int ps_prepare_tables(ps_search *s)
{
    if (s->freshness == 0) {
        const double bound = ps_walk_bound(s);
        if (bound == PS_NONE || bound <= ps_cutoff(s))
            return ps_record_stage(s) ? PS_PROVED : PS_NO_MEMORY;
    }
    if (ps_incumbent(s) > PS_NONE && s->freshness == 1 && !ps_rule_out(s))
        return PS_NO_MEMORY;
    if (s->vertices_remaining == 0)
        return PS_PROVED;
    if (s->freshness == 0) {
        ps_set_penalties(s);
        ps_walks_after(&s->g, s->k, s->penalty, s->after, s->listed, s->from);
        s->freshness = 1;
        if (ps_incumbent(s) > PS_NONE) {
            ps_walks_before(&s->g, s->k, s->penalty, s->after, ps_cutoff(s) - s->price_sum, s->before,
                            s->listed, s->from);
            s->freshness = 2;
        }
    }
    return PS_OPEN;
}

/* Run at most `rounds` rounds. PS_OPEN if they end without a proof. */
static int ps_run(ps_search *s, int rounds)
{
    static const int steps[] = {0, 10, 20, 40, 80, 0, 0, 0};
    static const double widths[] = {4, 32, 256, 2048, 16384, 131072, 1048576, 8388608};
    int status = ps_solve_core(s);
    for (int round = 0; status == PS_OPEN && round < rounds && round < 8; round++) {
        const double label =
            2.5 * (double)(sizeof(ps_label) + (size_t)((s->g.classes + 63) / 64) * sizeof(uint64_t));
        const double max_width = fmax(64, s->memory_limit / (label * (double)s->k));
        const ptrdiff_t width = (ptrdiff_t)fmin(widths[round], max_width);
        if (round == 2 && !s->g.into && !ps_shrink(s, s->listed, ps_list_remaining(s)))
            return PS_NO_MEMORY; /* from here on columns are read, too: `ps_shrink` makes the transpose */
        if (!s->memory)
            status = ps_lower_bound(s, steps[round]);
        if (status == PS_OPEN
            && round > 0) /* not in round 0: its beam finds a better incumbent first, which rules out more */
            status = ps_prepare_tables(s);
        if (status == PS_OPEN && round >= 4 && ps_incumbent(s) > PS_NONE)
            status = ps_routes(s, width);
        if (status == PS_OPEN)
            status = ps_beam(s, NULL, width);
    }
    if (status == PS_PROVED) {
        s->bound = s->path_count ? s->values[0] : PS_NONE;
        return status;
    }
    /* `bound` is that of the best multipliers, so the record ends with these. */
    memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
    if (status != PS_NO_MEMORY && !ps_record_stage(s))
        return PS_NO_MEMORY;
    return status;
}

#endif
