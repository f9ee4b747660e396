/* Rows of labels of which exactly one is on: the weights that a state allows, and the best one without each
 * label. */
#ifndef GAPLESS_SEARCH_LABEL_ROWS_H
#define GAPLESS_SEARCH_LABEL_ROWS_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "search/roles.h"

/* Weights of a row of labels under a state. If a label is on, they are written to `workspace`, where the
 * others weigh -inf; if two are, all do. */
static inline const double *allowed_row(const double *weights, const signed char *state, ptrdiff_t labels,
                                        double *workspace)
{
    const signed char *on = memchr(state, GS_ON, (size_t)labels);
    if (!on)
        return weights;
    const ptrdiff_t at = on - state;
    for (ptrdiff_t x = 0; x < labels; x++)
        workspace[x] = -INFINITY;
    if (!memchr(on + 1, GS_ON, (size_t)(labels - at - 1)))
        workspace[at] = weights[at];
    return workspace;
}

/* Write the maximum of `on` without label x to off[x]. */
static inline void without_each(const double *on, ptrdiff_t labels, double *off)
{
    double best = -INFINITY, second = -INFINITY;
    ptrdiff_t at = 0;
    for (ptrdiff_t x = 0; x < labels; x++) {
        if (on[x] > best) {
            second = best;
            best = on[x];
            at = x;
        } else if (on[x] > second)
            second = on[x];
    }
    for (ptrdiff_t x = 0; x < labels; x++)
        off[x] = best;
    off[at] = second;
}

#endif
