/* The best path with a proof: multipliers, elimination, labels; wider and wider until nothing falls to the width. */
#ifndef GAPLESS_PATH_SEARCH_H
#define GAPLESS_PATH_SEARCH_H

#include "paths/core.h"

/* Tables under the best multipliers, on both sides once there is an incumbent; PS_PROVED when they rule out everything. */
static int ps_tables(ps_search *s)
{
    if (s->fresh == 0) {
        const double bound = ps_walk_bound(s);
        if (bound == PS_NONE || bound <= ps_level(s))
            return ps_write_down(s) ? PS_PROVED : PS_NO_MEMORY;
    }
    if (ps_incumbent(s) > PS_NONE && s->fresh == 1 && !ps_rule_out(s))
        return PS_NO_MEMORY;
    if (s->vertices_left == 0)
        return PS_PROVED;
    if (s->fresh == 0) {
        ps_set_penalties(s);
        ps_walks_after(&s->g, s->k, s->penalty, s->after, s->listed, s->from);
        s->fresh = 1;
        if (ps_incumbent(s) > PS_NONE) {
            ps_walks_before(&s->g, s->k, s->penalty, s->after, ps_level(s) - s->price_sum, s->before, s->listed, s->from);
            s->fresh = 2;
        }
    }
    return PS_OPEN;
}

/* `rounds` bounds the effort; PS_OPEN when they are over, or a layer outgrew the memory limit. */
static int ps_run(ps_search *s, int rounds)
{
    static const int steps[] = {0, 10, 20, 40, 80, 0, 0, 0};
    static const double widths[] = {4, 32, 256, 2048, 16384, 131072, 1048576, 8388608};
    int status = ps_first_look(s);
    for (int round = 0; status == PS_OPEN && round < rounds && round < 8; round++) {
        const double label = 2.5 * (double)(sizeof(ps_label) + (size_t)((s->g.classes + 63) / 64) * sizeof(uint64_t));
        const double most = fmax(64, s->memory_limit / (label * (double)s->k));
        const ptrdiff_t width = (ptrdiff_t)fmin(widths[round], most);
        if (round == 2 && !s->g.into && !ps_shrink(s, s->listed, ps_list_alive(s)))
            return PS_NO_MEMORY; /* columns are read from here on */
        if (!s->memory)
            status = ps_lower_bound(s, steps[round]);
        if (status == PS_OPEN && round > 0) /* the first beam finds a better incumbent to rule out by */
            status = ps_tables(s);
        if (status == PS_OPEN && round >= 4 && ps_incumbent(s) > PS_NONE)
            status = ps_routes(s, width);
        if (status == PS_OPEN)
            status = ps_beam(s, NULL, width);
    }
    if (status == PS_PROVED) {
        s->bound = s->found ? s->values[0] : PS_NONE;
        return status;
    }
    /* The bound is that of the best multipliers. */
    memcpy(s->price, s->best_price, (size_t)s->given.classes * sizeof(double));
    if (status != PS_NO_MEMORY && !ps_write_down(s))
        return PS_NO_MEMORY;
    return status;
}

#endif
