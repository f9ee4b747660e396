/* Rows of tree decoding: offers from a few labels only, and the test that finds these few. Double only, as
 * the callers are; see GAPLESS_VERSIONS in lanes/lanes.h. */
#ifndef GAPLESS_KERNELS_SIMD_TREES_H
#define GAPLESS_KERNELS_SIMD_TREES_H

#include "lanes/lanes.h"

/* current[x] = max over the listed y of (previous[y] + transition[y * labels + x]); -inf if none are listed.
 *
 * Written as `step`: repeated sources and an overlapping last block change no maximum. */
GAPLESS_VERSIONS(void, offers_from, (const double *previous, const double *transition, ptrdiff_t labels,
                                     const int64_t *sources, ptrdiff_t count, double *restrict current),
                 (previous, transition, labels, sources, count, current))
{
    const ptrdiff_t whole = labels - labels % GAPLESS_BLOCK;
    for (ptrdiff_t x = 0; x < labels; x++)
        current[x] = -(double)INFINITY;
    for (ptrdiff_t start = 0; start < count; start += 4) {
        const double *t[4];
        double s[4];
        for (int i = 0; i < 4; i++) {
            const ptrdiff_t source = sources[start + i < count ? start + i : count - 1];
            s[i] = previous[source];
            t[i] = transition + source * labels;
        }
        relax_f64(current, s, t[0], t[1], t[2], t[3], whole);
        if (whole == 0) {
            relax_f64(current, s, t[0], t[1], t[2], t[3], labels);
        } else if (whole < labels) {
            const ptrdiff_t x = labels - GAPLESS_BLOCK;
            relax_f64(current + x, s, t[0] + x, t[1] + x, t[2] + x, t[3] + x, GAPLESS_BLOCK);
        }
    }
}

/* A number not below what was rounded to `value`: at least the next one. Minus infinity stays. */
GAPLESS_INLINE double raised(double value)
{
    return value > -(double)INFINITY ? value + 0x1p-52 * fabs(value) : value;
}

/* message[x] += offers[x], both sums rounded up: `offers` still holds sums that were rounded to nearest. */
GAPLESS_VERSIONS(void, receive, (double *restrict message, const double *restrict offers, ptrdiff_t labels),
                 (message, offers, labels))
{
    for (ptrdiff_t x = 0; x < labels; x++)
        message[x] = raised(message[x] + raised(offers[x]));
}

/* List the labels y with finite row[y] and row[y] + lead[y] >= lower_limit; their number is returned.
 *
 * Few pass, so a block is first tested as a whole. A row of -inf plus a lead of +inf is NaN and does not
 * pass. */
GAPLESS_VERSIONS(ptrdiff_t, survivors, (const double *row, const double *lead, double lower_limit,
                                        ptrdiff_t labels, int64_t *restrict members),
                 (row, lead, lower_limit, labels, members))
{
    ptrdiff_t count = 0;
    for (ptrdiff_t start = 0; start < labels; start += GAPLESS_BLOCK) {
        const ptrdiff_t end = start + GAPLESS_BLOCK < labels ? start + GAPLESS_BLOCK : labels;
        if (end - start == GAPLESS_BLOCK) {
            int any = 0;
            for (int k = 0; k < GAPLESS_BLOCK; k++)
                any |= row[start + k] + lead[start + k] >= lower_limit;
            if (!any)
                continue;
        }
        /* Written always and kept sometimes: a branch would be guessed wrong half the time. count <= y
         * holds. */
        for (ptrdiff_t y = start; y < end; y++) {
            members[count] = y;
            count += (row[y] + lead[y] >= lower_limit) & (row[y] > -(double)INFINITY);
        }
    }
    return count;
}

/* lead[x] = max(lead[x], scores[x] - score); a difference of two -inf is NaN and changes nothing. */
GAPLESS_VERSIONS(void, raise_leads,
                 (double *restrict lead, const double *scores, double score, ptrdiff_t labels),
                 (lead, scores, score, labels))
{
    GAPLESS_INDEPENDENT
    for (ptrdiff_t x = 0; x < labels; x++) {
        const double difference = scores[x] - score, old = lead[x];
        lead[x] = GAPLESS_MAX(difference, old);
    }
}

#endif
