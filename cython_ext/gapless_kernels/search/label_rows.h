/* Rows of labels of which exactly one is on: those that the state allows, and what is left without each. */
#ifndef GAPLESS_SEARCH_LABEL_ROWS_H
#define GAPLESS_SEARCH_LABEL_ROWS_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "search/roles.h"

/* The weights of a row of labels, in `room` where one that is on leaves out the others. Two that are on leave none. */
static inline const double *allowed_row(const double *weights, const signed char *state, ptrdiff_t labels, double *room)
{
    const signed char *on = memchr(state, GS_ON, (size_t)labels);
    if (!on)
        return weights;
    const ptrdiff_t at = on - state;
    for (ptrdiff_t x = 0; x < labels; x++)
        room[x] = -INFINITY;
    if (!memchr(on + 1, GS_ON, (size_t)(labels - at - 1)))
        room[at] = weights[at];
    return room;
}

/* off[x] = the highest of `on` but that of x. */
static inline void without_each(const double *on, ptrdiff_t labels, double *off)
{
    double best = -INFINITY, second = -INFINITY;
    ptrdiff_t at = 0;
    for (ptrdiff_t x = 0; x < labels; x++) {
        if (on[x] > best)
            second = best, best = on[x], at = x;
        else if (on[x] > second)
            second = on[x];
    }
    for (ptrdiff_t x = 0; x < labels; x++)
        off[x] = best;
    off[at] = second;
}

#endif
