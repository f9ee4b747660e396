/* The roles that the search calls: who finds the best structure, and who bounds a factor. Plain C, so that any language can fill them in.
 *
 * A decision's state is GS_FREE, GS_OFF or GS_ON. Functions return GS_FOUND, GS_NOTHING (no structure or configuration agrees with the
 * state), or GS_FAILED; then the search stops and raises what the object has kept. No function is called by two threads at a time.
 */
#ifndef GAPLESS_SEARCH_ROLES_H
#define GAPLESS_SEARCH_ROLES_H

#include <stddef.h>
#include <stdint.h>

enum { GS_FREE = -1, GS_OFF = 0, GS_ON = 1 };
enum { GS_FOUND = 0, GS_NOTHING = 1, GS_FAILED = -1 };
enum { GS_CHARTS = 2 }; /* the chart of the bound, which slacks are read from, and that of other structures */

/* Both structures begin with their size, by which the search recognises one that was compiled against another version of this header:
 * the code that fills a structure in sets it, `role.size = sizeof(gs_maximiser)`. */

/* The backbone: the best structure under weights of all decisions. */
typedef struct {
    size_t size;
    void *object;
    ptrdiff_t decisions;
    ptrdiff_t cells;       /* length of the weights */
    const ptrdiff_t *cell; /* place of each decision's weight, no two in one; NULL: the decision's number. Other places hold -inf */
    ptrdiff_t most_on;     /* decisions that a structure turns on, at most */
    int has_own;           /* whether structures have scores beyond the weights */
    int costly;            /* whether a call takes so long that few structures are to be enumerated, as one into Python does */

    /* For each decision one more that no structure holds beside it, or -1: pairs of the two count nothing, also where a bound is checked.
     * NULL: there are none. */
    const int32_t *rival;

    /* Maximise weights . x + own(x) over structures x that agree with the state. Weights of decisions that are off are -inf. `chart`: where
     * to keep what `marginals` needs. `on`, `count`: the decisions of the structure. `value`: weights and own scores. */
    int (*maximise)(void *object, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
                    ptrdiff_t *count);

    /* After `maximise` in chart 0 under the same weights and state, once at most after each: the value of the best structure with each
     * decision on, and, unless NULL, with each off; -inf where there is none. Both are double[decisions]. NULL where it cannot be had: then
     * nothing is fixed. */
    int (*marginals)(void *object, const double *weights, const signed char *state, double *with, double *without);

    /* Own score of a set of decisions; GS_NOTHING where it is no structure. NULL: every set with one of each choice group is one, without own score. */
    int (*own)(void *object, const int32_t *on, ptrdiff_t count, double *own);

    /* Whether no structure holds both decisions, beyond what the choice groups say; used to enumerate. May be NULL. */
    int (*excludes)(void *object, int32_t one, int32_t other);
} gs_maximiser;

/* A factor over part of the decisions: its scope, in the order in which prices, states and configurations are given. */
typedef struct {
    size_t size;
    void *object;
    ptrdiff_t count;
    const int32_t *scope;
    int costly;            /* as above */

    /* Maximise value(y) - prices . y over the configurations y that agree with the state; `y` is the one found. */
    int (*maximise)(void *object, const double *prices, const signed char *state, double *value, signed char *y);

    /* The value of a configuration, -inf where it is forbidden. */
    int (*value)(void *object, const signed char *y, double *value);

    /* As `maximise` without y: for each decision of the scope the maximum with it on, and with it off. May be NULL. */
    int (*marginals)(void *object, const double *prices, const signed char *state, double *with, double *without);

    /* value(y with one decision flipped) - value(y), for each decision; where y or the other is forbidden, anything. May be NULL. */
    int (*flips)(void *object, const signed char *y, double *difference);
} gs_factor;

#endif
