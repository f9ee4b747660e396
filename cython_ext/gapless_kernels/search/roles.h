/* The roles that the search calls: a maximiser, which finds the best structure, and factors. Plain C, so that
 * any language can implement them.
 *
 * A decision's state is GS_FREE, GS_OFF or GS_ON. Functions return GS_FOUND, GS_NOTHING (no structure or
 * configuration agrees with the state), or GS_FAILED; then the search stops and raises the error that the
 * object has stored. No function is called by two threads at a time.
 */
#ifndef GAPLESS_SEARCH_ROLES_H
#define GAPLESS_SEARCH_ROLES_H

#include <stddef.h>
#include <stdint.h>

enum { GS_FREE = -1, GS_OFF = 0, GS_ON = 1 };
enum { GS_FOUND = 0, GS_NOTHING = 1, GS_FAILED = -1 };
/* Chart 0 belongs to the bound, whose max-marginals may be read later; chart 1 to all other structures. */
enum { GS_CHARTS = 2 };

/* Both roles begin with their size, by which the search recognises code that was compiled against another
 * version of this header. The code that fills in a role sets it: `role.size = sizeof(gs_maximiser)`. */

/* The backbone: it finds the best structure under weights of all decisions. */
typedef struct {
    size_t size;
    void *object;
    ptrdiff_t decisions;
    ptrdiff_t cells; /* length of the weights; those of cells without a decision are -inf */
    /* Cell of each decision's weight, all different. NULL: the decision's number. */
    const ptrdiff_t *cell;
    ptrdiff_t most_on;       /* decisions that a structure turns on, at most */
    int has_internal_scores; /* whether structures have scores beyond the weights */
    int costly; /* whether a call takes long, as into Python: then few structures are enumerated */

    /* For each decision another that no structure contains with it, or -1. Scores of such pairs are dropped,
     * by the verifier as well. NULL: there are none. */
    const int32_t *conflict;

    /* Maximise weights . x + internal_score(x) over the structures x that agree with the state. The weights
     * of decisions that are off are -inf. `chart`: where to store what `marginals` needs. `on`, `count`: the
     * decisions of the structure. `value`: sum of its weights and internal score. */
    int (*maximise)(void *object, int chart, const double *weights, const signed char *state, double *value,
                    int32_t *on, ptrdiff_t *count);

    /* Compute the value of the best structure with each decision on and, unless `without` is NULL, with each
     * off; -inf if there is none. Both arrays are double[decisions]. Called after `maximise` in chart 0 under
     * the same weights and state, at most once after each call. May be NULL; then nothing is fixed. */
    int (*marginals)(void *object, const double *weights, const signed char *state, double *with,
                     double *without);

    /* Compute the internal score of a set of decisions; GS_NOTHING if it is no structure. NULL: every set
     * with one decision of each choice group is a structure without internal score. */
    int (*internal_score)(void *object, const int32_t *on, ptrdiff_t count, double *score);

    /* Return whether no structure contains both decisions, for reasons beyond the choice groups; enumeration
     * uses it. May be NULL. */
    int (*excludes)(void *object, int32_t one, int32_t other);
} gs_maximiser;

/* A factor. Prices, states and configurations follow the order of its scope. */
typedef struct {
    size_t size;
    void *object;
    ptrdiff_t count;
    const int32_t *scope;
    int costly; /* as for a maximiser */

    /* Maximise value(y) - prices . y over the configurations y that agree with the state; `y` receives the
     * best one. */
    int (*maximise)(void *object, const double *prices, const signed char *state, double *value,
                    signed char *y);

    /* Compute the value of a configuration, -inf if it is forbidden. */
    int (*value)(void *object, const signed char *y, double *value);

    /* Compute the maximum of `maximise` with each decision of the scope on, and with each off. May be
     * NULL. */
    int (*marginals)(void *object, const double *prices, const signed char *state, double *with,
                     double *without);

    /* Compute value(y with one decision flipped) - value(y) for each decision; any number if one of the two
     * configurations is forbidden. May be NULL. */
    int (*flips)(void *object, const signed char *y, double *difference);
} gs_factor;

#endif
