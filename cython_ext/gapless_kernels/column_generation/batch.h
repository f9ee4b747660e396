/* Column generation in chains, fused: one call decodes all sentences of a batch.
 *
 * Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012,
 * sections 3.1 (eq. 12) and 4. `plugins/gapless_chains` holds the same method as readable role objects.
 *
 * A message from a domain of one label is a row of the transition table, so A and B below are pointers: most
 * positions keep one label, and passing messages to and from those costs nothing. One pass over a position's
 * labels then does all the pricing of the edges around it when every neighbour keeps one label, which is the
 * rule.
 *
 * Exactness. Messages, however rounded, are dual variables, and any duals bound every path (weak duality).
 * Each edge is anchored: the reduced cost of the best path's pair is 0, and reduced costs inside the domains
 * are at most the rounding `error` of one edge. Labels are generated while some reduced cost is above
 * ``-slop``, with
 * ``slop >= (n + 2) * error``; a path with a label outside the domains then has, after the last round, one
 * edge below
 * ``-slop`` and all others below `error`, hence is worse than the best path in real numbers. What is left is
 * solved in float64. Whatever the search cannot settle goes to dense Viterbi in
 * float64. */
#ifndef GAPLESS_KERNELS_COLUMN_GENERATION_H
#define GAPLESS_KERNELS_COLUMN_GENERATION_H

#include <stdlib.h>
#include <string.h>

#include "lanes/lanes.h"
#include "lanes/status.h"
#include "owner.h"

enum { GAPLESS_START_GREEDY = 0, GAPLESS_START_LOCAL = 1 };

/* A label in the domain that messages were passed with, and one found since. */
enum { IN_DOMAIN = 1, MISSING = 2 };

/* Rounds of a sentence; more than a few are a sign of flat scores, for which dense Viterbi is faster. */
#define GAPLESS_ROUNDS 64

/* Above so many labels to price on one end of an edge, the other end is counted before a side is chosen. */
#define GAPLESS_FEW 4

/* Roundings of one edge's reduced cost, of numbers no larger than `scale`; counted generously. */
#define GAPLESS_ROUNDINGS 64
#define GAPLESS_TIE 1e-30 /* less than any difference that counts */

/* Where the answers go; second_labels and seconds are NULL when no second best is asked for. */
typedef struct {
    int64_t *labels, *second_labels;
    double *values, *bounds, *seconds;
    unsigned char *status;
    int64_t *rounds, *sizes, *candidates;
} cg_answers;

#define GAPLESS_TEMPLATE "column_generation/loops.h"
#include "lanes/types.h"

/* Scores as pointers to void, of the type that `is_double` names. */
#define GAPLESS_COLUMN_GENERATION(is_double, ...) \
    ((is_double) ? cg_chains_f64(__VA_ARGS__) : cg_chains_f32(__VA_ARGS__))

#endif
