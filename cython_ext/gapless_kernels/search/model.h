/* What a search knows of its problem, the state of the current node, and who owns which memory.
 *
 * The headers of this room are one translation unit, cut into pieces of one idea each. Each includes the one
 * before it, in this order, and all work on one `gs_search`:
 *
 *     roles, contracts, model, forms, snapshots, factors, weights, scores, incumbent, steps, proof,
 * enumeration, open_nodes, nodes, tree
 *
 * A program includes `search/tree.h`, and calls gs_reserve, gs_number, gs_reserve_factors, gs_take_factor for
 * each factor, gs_take_blocks, gs_start, then gs_advance as often as it likes, and gs_free. `label_rows.h`
 * is for maximisers and stands on `roles.h` alone.
 *
 * Decisions are numbered; `cell` is a decision's index among the maximiser's weights. A *choice group* has
 * exactly one decision on; an *ungrouped* decision is in no group. Scopes are sets of decisions that score
 * together. A scope takes one of three forms:
 *   - in a *star*: two decisions (u, l); all u are in one choice group, so that the best of them is taken
 * inside the weight of l, and a multiplier d >= 0 for each pair lets u pay for it;
 *   - *shared*, of score s >= 0: s is spread over the decisions (the multipliers are shares in score units,
 * >= 0, sum s);
 *   - *shared*, of score s < 0: the first multiplier, in [0, -s], is how much of it is charged (Qian and Liu
 * 2013, equation 8). The charge of a pair (e, f) of two groups may be *lifted*: E holds e and all of its
 * group that f excludes, F holds f and all of its group that all of E exclude; a structure has decisions of
 * both for e and f alone, so that s z_e z_f <= -q (sum of z over E and F - 1).
 */
#ifndef GAPLESS_SEARCH_MODEL_H
#define GAPLESS_SEARCH_MODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contracts.h"
#include "resize.h"
#include "search/roles.h"

enum { GS_BEST_FIRST, GS_DEPTH_FIRST, GS_BREADTH_FIRST };
enum { GS_PROVED, GS_TIME, GS_NODES, GS_NO_MEMORY, GS_STOPPED, GS_STEPS, GS_TARGET, GS_GAP, GS_EVENTS };
enum { GS_EVENT_CAPACITY = 4096 };
/* Values of `failure`; 0: none. */
enum { GS_ERROR_STATE = 1, GS_ERROR_VALUE, GS_ERROR_BOUND, GS_ERROR_RAISED };
enum { GS_UNASKED = 1, GS_ASKED = 2 };
enum { GS_UNSCOPED = -1, GS_IMPOSSIBLE = -2 };
enum { GS_IN_STAR = 1, GS_REPEATED = 2 }; /* form of a pair; 0: it is shared, or counts nothing */
enum { GS_ARRAYS = 96 };                  /* arrays that a search may own, at most */

typedef struct {
    int32_t group;    /* whose decisions are the upper ones */
    int32_t uppers;   /* rows: decisions of the group, in their order */
    int32_t lowers;   /* columns */
    ptrdiff_t cell;   /* of row 0, column 0 among scores, scopes and multipliers */
    ptrdiff_t column; /* index of column 0 in column_lower, column_max */
} gs_star;

/* A structure: the decisions that are on. */
typedef struct {
    int32_t *on;
    ptrdiff_t count;
} gs_structure;

/* Multipliers that nodes, fixing steps and leaves refer to; counted references. */
typedef struct {
    double *multipliers; /* NULL when free */
    int32_t *slot;       /* of the multipliers that are not 0; NULL if all are stored */
    ptrdiff_t count;
    size_t bytes;
    int32_t users;
    int32_t next_free; /* while free: the next free one, -1 at the end */
} gs_snapshot;

typedef struct {
    double bound;
    int64_t record;   /* its number in the proof */
    int64_t order;    /* creation number, which breaks ties */
    int32_t snapshot; /* where its multipliers start; -1: at 0 */
    int32_t depth;
    int32_t decision;  /* to branch on, of nodes that wait for the end of their level (paper) */
    double score;      /* best score found in it, likewise */
    int64_t proved_at; /* number in the proof of the node under whose fixings the snapshot proves the bound */
    /* A bit for each decision, to save memory; then one for each that is on though ungrouped. */
    unsigned char *alive;
} gs_node;

typedef struct {
    int64_t parent;
    int32_t decision, on, leaf_snapshot;
} gs_proof_node;

typedef struct {
    int64_t record;
    int32_t snapshot;
    int64_t first_off; /* where its decisions begin in `fixed` */
} gs_fixing_step;

/* A score to ask for: of a cell of a star, or of a shared scope (star -1). */
typedef struct {
    int32_t scope, star;
    ptrdiff_t index;
} gs_score_request;

typedef struct {
    const gs_factor *role;
    ptrdiff_t offset; /* of its prices among those of all factors */
    /* Of each decision of its scope: */
    signed char *state, *best; /* what `value` was computed for, and the configuration that reaches it */
    double *bound_price;       /* likewise */
    signed char *queried;      /* configuration of `value_at` */
    signed char *flips_at;     /* configuration of `flip` */
    double *flip, *with, *without;
    signed char *target; /* configuration that a heuristic aims at, -1 if there is none */
    double *guide;       /* a direction for its prices, or NULL */
    double guide_square, along; /* squared length of the guide; inner product of guide and subgradient */
    double value;               /* maximum of its value less prices */
    double value_at;            /* its value at the structure that it was last asked for */
    double regret;              /* what that structure, less prices, falls short of `value` */
    int is_stale;               /* whether prices or state changed since `value` was computed */
    int has_value, has_flips;   /* whether `value_at` and the differences were ever asked for */
} gs_factor_state;

/* An entry of the log: a node that ended, or a step of the root. */
typedef struct {
    int64_t nodes;
    int32_t step, depth;
    ptrdiff_t free;
    double bound, value;
} gs_event;

/* Write the scores of scopes into the last argument; nonzero on failure. */
typedef int (*gs_score_source)(void *data, const int32_t *scopes, ptrdiff_t count, double *scores);

typedef struct {
    int is_paper;  /* Qian and Liu's variant: every scope shared, halving steps, level by level */
    int is_lifted; /* whether charges are lifted */
    int max_choices, root_steps, root_trend;
    double granularity, proof_limit, memory_limit; /* bytes */
    double largest_term; /* largest number that roles sum inside their internal scores and values */
} gs_options;

typedef struct {
    const gs_maximiser *maximiser;
    ptrdiff_t decisions, cells, groups, ungrouped, scopes;
    ptrdiff_t max_on; /* decisions of a structure of the maximiser, at most */
    int32_t *group;   /* of each decision, -1 if ungrouped */
    int32_t *group_first, *member, *rank;
    ptrdiff_t *cell;
    double *base; /* weights of single decisions */
} gs_input;

typedef struct {
    ptrdiff_t count, cells, columns;
    gs_star *star;
    double *score;
    int32_t *scope, *column_lower;
    ptrdiff_t star_capacity, score_capacity, scope_capacity, column_lower_capacity;
    unsigned char *form; /* of each scope of the input */
    int32_t *side;       /* of each block: where the lower decisions stand in its pairs, 0 or 1 */
} gs_stars;

/* Their slots follow the cells of the stars. */
typedef struct {
    ptrdiff_t count, slots;
    int32_t *scope, *member;
    ptrdiff_t *first;
    double *score;
    ptrdiff_t *lift_first, lift_size, lift_capacity; /* decisions that a lifted charge takes in, in `lift` */
    int32_t *lift_count, *lift;                      /* count: -1 before the scope was charged */
    int32_t *incident_first, *incident, *incident_other;
    double largest_step;
} gs_shared;

/* Their slots follow those of shared scopes. */
typedef struct {
    ptrdiff_t count, slots;
    gs_factor_state *factor;
    signed char *configurations; /* owns the arrays of the factors, one factor after the other */
    double *numbers;             /* likewise */
    double *loss_with, *loss_without; /* of each decision of the problem */
    double bound;                     /* sum of all `value` */
    int is_costly, has_guides;
} gs_factors;

typedef struct {
    unsigned char *unknown; /* for each scope GS_UNASKED, GS_ASKED or 0; NULL if all scores are known */
    gs_score_source source;
    void *source_data;
    gs_score_request *request;
    int32_t *scope;
    double *score;
    ptrdiff_t request_count, request_capacity, scope_capacity, score_capacity;
    unsigned char *is_contender; /* decisions whose columns must be known before the next step */
} gs_lazy_scores;

/* What is fixed in the current node. */
typedef struct {
    unsigned char *alive, *on; /* whether a decision is possible; whether it is certain */
    signed char *state;        /* the same as roles see it */
    int32_t *candidates;       /* decisions of each group that are alive */
    int32_t *scope, *root_scope;
    /* Shared scopes whose decisions are possible: now, and when the root ended. */
    ptrdiff_t scope_count, root_scope_count;
    unsigned char *root_alive; /* bits of the root, as in gs_node, when it branched */
} gs_fixings;

/* The structure under examination, spread over all decisions. */
typedef struct {
    const gs_structure *structure; /* NULL: none */
    unsigned char *on;
    int32_t *choice; /* of each group */
    int64_t *last_seen; /* of each group: number of the last structure with one of its decisions */
    int64_t structure_number;
} gs_marks;

/* Multipliers and bound of the current node. */
typedef struct {
    ptrdiff_t slots;
    double *multipliers, *weights, *column_max, constant;
    int weights_stale;                     /* whether weights must be summed anew */
    int is_fresh;                          /* whether no step was made since weights were summed */
    int32_t *active_column, *active_first; /* of each star, columns with a choice left */
    /* Of each decision, its shared scopes with two undecided decisions. */
    int32_t *open_first, *open_scope, *open_other;
    int32_t *charged; /* shared scopes of negative score with a positive multiplier */
    unsigned char *is_charged;
    ptrdiff_t charged_count;
    int follows_guides; /* whether prices move along guides only, see gs_follow_guides */
    int64_t iteration, stalled_steps, rises;
    double step_scale, bound, best_bound, saved_bound, previous_bound;
    double gap_at_fixing, first_gap, trend_gap;
    double magnitude; /* largest number that was summed so far, for gs_rounding_may_decide */
    int32_t saved_snapshot;
} gs_ascent;

/* Columns and shared scopes that the next step moves. */
typedef struct {
    int32_t *column, *best, *star, *scope;
    ptrdiff_t column_count, scope_count;
    int32_t *stamp, stamp_now;
} gs_moves;

/* The best structure so far; only `incumbent.h` writes value and structure, after they are emptied here. */
typedef struct {
    double value, value_in_node;
    gs_structure structure;
} gs_incumbent;

typedef struct {
    int order, is_in_node, is_root_closed;
    gs_node *open, *survivor; /* heap; nodes that wait for the end of their level */
    ptrdiff_t open_count, open_capacity, survivor_count, survivor_capacity;
    int64_t sequence;
    double closed_bound; /* highest bound of what was cut off */
} gs_tree;

typedef struct {
    gs_snapshot *snapshot;
    ptrdiff_t count, snapshot_capacity;
    int32_t first_free;
    double bytes;
} gs_snapshots;

typedef struct {
    int is_kept, is_dropped;
    gs_proof_node *node;
    ptrdiff_t node_count, node_capacity;
    gs_fixing_step *step;
    ptrdiff_t step_count, step_capacity;
    int32_t *fixed; /* decisions fixed off; those fixed on as ~decision */
    ptrdiff_t fixed_count, fixed_capacity;
    int32_t root_snapshot;
} gs_proof;

typedef struct {
    gs_event *event; /* NULL: none are recorded */
    ptrdiff_t count;
    int has_steps;
} gs_log;

typedef struct {
    int64_t maximisations, nodes, steps, fixed, enumerated, scored;
} gs_counts;

/* Arrays whose contents do not outlive a step. */
typedef struct {
    /* The best under the bound's weights; that of a heuristic; the one that it looks around. */
    gs_structure optimum, other, centre;
    double *weights;        /* of a heuristic */
    double *with, *without; /* max-marginals of the maximiser */
    int has_marginals;      /* whether they are those of `optimum` */
    double *gap;            /* of each decision, how far the bound is wrong there */
    int32_t *slot;          /* of each decision, its number in an enumeration */
} gs_workspace;

typedef struct {
    gs_options options;
    gs_input input;
    gs_stars stars;
    gs_shared shared;
    gs_factors factors;
    gs_lazy_scores lazy;
    gs_fixings fixings;
    gs_marks marks;
    gs_ascent ascent;
    gs_moves moves;
    gs_incumbent incumbent;
    gs_node node; /* the current node, while tree.is_in_node */
    gs_tree tree;
    gs_snapshots snapshots;
    gs_proof proof;
    gs_log log;
    gs_counts counts;
    gs_workspace workspace;
    int failure;             /* why the search stopped: GS_ERROR_... */
    ptrdiff_t failed_factor; /* -1: the maximiser, or the source of scores */
    int no_memory;
    void **owned[GS_ARRAYS]; /* addresses of the arrays above that gs_free frees */
    ptrdiff_t owned_count;
} gs_search;

/* --- memory: each array of a search is registered where it is allocated, and freed by gs_free */

typedef struct {
    void **array;
    ptrdiff_t count;
    size_t size;
} gs_allocation;

#define GS_ARRAY(field, count) {(void **)&s->field, count, sizeof *s->field}
#define GS_ALLOCATE(s, list) gs_allocate(s, list, sizeof(list) / sizeof *(list))
#define GS_GROW(s, field, needed)                                                                            \
    gs_grow(s, (void **)&(s)->field, &(s)->field##_capacity, needed, sizeof *(s)->field)

static void gs_own(gs_search *s, void **array)
{
    /* Only with more arrays than GS_ARRAYS in the structures above: then every search ends here. */
    if (s->owned_count == GS_ARRAYS)
        abort();
    s->owned[s->owned_count++] = array;
}

/* Allocate arrays of zeros, of one element at least; 0 without memory. */
static int gs_allocate(gs_search *s, const gs_allocation *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        *list[k].array = calloc((size_t)(list[k].count > 0 ? list[k].count : 1), list[k].size);
        s->no_memory |= *list[k].array == NULL;
        gs_own(s, list[k].array);
    }
    return !s->no_memory;
}

/* Grow an array of the search as `array_grow` does; it is registered when it gets its first elements. */
static int gs_grow(gs_search *s, void **array, ptrdiff_t *capacity, ptrdiff_t needed, size_t size)
{
    const int is_first = *array == NULL;
    if (!array_grow(array, capacity, needed, size))
        s->no_memory = 1;
    else if (is_first && *array != NULL)
        gs_own(s, array);
    return needed <= *capacity;
}

/* --- tolerances */

/* Scores that differ by less are equal; verifiers accept the same. */
static inline double gs_score_tolerance(double value)
{
    return isfinite(value) ? 1e-8 * fmax(1.0, fabs(value)) : 0.0;
}

/* Bound what float64 may have rounded away from a bound: sums of terms as large as `magnitude`. */
static inline double gs_rounding_bound(const gs_search *s)
{
    return 0x1p-46 * fmax(s->ascent.magnitude, s->options.largest_term);
}

/* Bound the difference of two sums of one score in different orders: each of the `decisions` that are on adds
 * a weight and an internal score. */
static inline double gs_sum_rounding(const gs_search *s, ptrdiff_t decisions)
{
    const double terms = 2.0 * (double)decisions + 4.0;
    return 0x1p-52 * terms * terms * fmax(s->ascent.magnitude, s->options.largest_term);
}

/* Whether rounding might decide; then bounds are taken from fresh sums only, and the caller verifies the
 * proof. */
static inline int gs_rounding_may_decide(const gs_search *s)
{
    const double value = isfinite(s->incumbent.value) ? s->incumbent.value : 0.0;
    return gs_rounding_bound(s) > 0.25 * gs_score_tolerance(value);
}

/* Round a bound down to a multiple of the granularity, which no score can exceed. */
static double gs_round_bound(const gs_search *s, double bound)
{
    if (!(s->options.granularity > 0.0) || !isfinite(bound))
        return bound;
    const double multiple = bound / s->options.granularity;
    if (!(fabs(multiple) < 0x1p52)) /* all doubles of this size are multiples */
        return bound;
    return floor(multiple + 1e-6 * fmax(1.0, 1e-2 * fabs(multiple))) * s->options.granularity;
}

/* --- input */

/* Bytes of a node's `alive`: a bit for each decision, and a second one if there are ungrouped decisions. */
static inline size_t gs_bits(const gs_search *s)
{
    return (size_t)s->input.decisions / 8 + 1;
}

static inline size_t gs_alive_bytes(const gs_search *s)
{
    return s->input.ungrouped ? 2 * gs_bits(s) : gs_bits(s);
}

static void gs_turn_off(unsigned char *alive, int32_t e)
{
    alive[e >> 3] &= (unsigned char)~(1u << (e & 7));
}

/* Mark an ungrouped decision as on; the others are on when their group has no other decision left. */
static inline void gs_turn_on(const gs_search *s, unsigned char *alive, int32_t e)
{
    alive[gs_bits(s) + (size_t)(e >> 3)] |= (unsigned char)(1u << (e & 7));
}

/* Reserve what depends on the number of decisions and groups. `group` and `base` are the caller's to fill; 0
 * without memory. */
static inline int gs_reserve(gs_search *s, const gs_maximiser *maximiser, ptrdiff_t groups, ptrdiff_t scopes)
{
    const ptrdiff_t decisions = maximiser->decisions, cells = maximiser->cells;
    const ptrdiff_t max_on = maximiser->most_on > 0 ? maximiser->most_on : decisions;
    s->input.maximiser = maximiser;
    s->input.decisions = decisions;
    s->input.cells = cells;
    s->input.groups = groups;
    s->input.scopes = scopes;
    s->input.max_on = max_on;
    const gs_allocation arrays[] = {
        GS_ARRAY(input.group, decisions), GS_ARRAY(input.rank, decisions),
        GS_ARRAY(input.group_first, groups + 1), GS_ARRAY(input.member, decisions),
        GS_ARRAY(input.cell, decisions), GS_ARRAY(input.base, decisions), GS_ARRAY(ascent.weights, cells),
        GS_ARRAY(fixings.alive, decisions), GS_ARRAY(fixings.on, decisions),
        GS_ARRAY(fixings.state, decisions), GS_ARRAY(fixings.candidates, groups),
        GS_ARRAY(marks.on, decisions), GS_ARRAY(marks.choice, groups), GS_ARRAY(marks.last_seen, groups),
        GS_ARRAY(lazy.is_contender, decisions), GS_ARRAY(workspace.weights, cells),
        GS_ARRAY(workspace.with, decisions), GS_ARRAY(workspace.without, decisions),
        GS_ARRAY(workspace.gap, decisions), GS_ARRAY(workspace.slot, decisions),
        GS_ARRAY(workspace.optimum.on, max_on),
        GS_ARRAY(workspace.other.on, max_on > decisions ? max_on : decisions),
        GS_ARRAY(workspace.centre.on, max_on), GS_ARRAY(incumbent.structure.on, decisions),
    };
    return GS_ALLOCATE(s, arrays);
}

/* Reserve the log of events; 0 without memory. */
static inline int gs_reserve_log(gs_search *s)
{
    const gs_allocation arrays[] = {GS_ARRAY(log.event, GS_EVENT_CAPACITY)};
    return GS_ALLOCATE(s, arrays);
}

/* Reserve the marks of scopes whose scores are not known, the caller's to fill; 0 without memory. */
static inline int gs_reserve_unknown(gs_search *s)
{
    const gs_allocation arrays[] = {GS_ARRAY(lazy.unknown, s->input.scopes)};
    return GS_ALLOCATE(s, arrays);
}

/* Number the members of the groups once `group` and `base` are filled; 0 without memory. */
static inline int gs_number(gs_search *s)
{
    gs_input *in = &s->input;
    for (ptrdiff_t e = 0; e < in->decisions; e++) {
        in->cell[e] = in->maximiser->cell != NULL ? in->maximiser->cell[e] : e;
        if (in->group[e] >= 0)
            in->group_first[in->group[e] + 1]++;
        else
            in->ungrouped++;
    }
    for (ptrdiff_t g = 0; g < in->groups; g++)
        in->group_first[g + 1] += in->group_first[g];
    for (ptrdiff_t e = 0; e < in->decisions; e++)
        if (in->group[e] >= 0) {
            in->rank[e] = s->fixings.candidates[in->group[e]]++;
            in->member[in->group_first[in->group[e]] + in->rank[e]] = (int32_t)e;
        }
    s->incumbent.value = s->tree.closed_bound = -INFINITY;
    const gs_allocation arrays[] = {GS_ARRAY(fixings.root_alive, (ptrdiff_t)gs_alive_bytes(s))};
    if (!GS_ALLOCATE(s, arrays))
        return 0;
    memset(s->fixings.root_alive, 0xff, gs_bits(s));
    for (ptrdiff_t e = 0; e < in->decisions; e++)
        if (in->base[e] == -INFINITY)
            gs_turn_off(s->fixings.root_alive, (int32_t)e);
    return 1;
}

/* A shared scope and its multipliers: shares if `score` > 0, else one charge. */
typedef struct {
    const int32_t *member;
    ptrdiff_t width;
    double score, *multiplier;
} gs_scope;

static inline gs_scope gs_shared_scope(const gs_search *s, ptrdiff_t c)
{
    const ptrdiff_t first = s->shared.first[c];
    return (gs_scope){s->shared.member + first, s->shared.first[c + 1] - first, s->shared.score[c],
                      s->ascent.multipliers + s->stars.cells + first};
}

/* --- the maximiser */

/* Whether a role's structure is one: a decision of each group, none twice, and what the state says. A role
 * may be code of others, so numbers are checked before they are used as indices. */
static int gs_is_structure(gs_search *s, const gs_structure *x)
{
    ptrdiff_t groups = 0, forced = 0;
    int possible = 1;
    for (ptrdiff_t k = 0; k < x->count; k++)
        if (x->on[k] < 0 || x->on[k] >= s->input.decisions)
            return 0;
    GAPLESS_ASSERT(s->marks.structure == NULL);
    s->marks.structure_number++;
    for (ptrdiff_t k = 0; k < x->count; k++) {
        const int32_t e = x->on[k], g = s->input.group[e];
        possible &= s->fixings.alive[e] && !s->marks.on[e];
        s->marks.on[e] = 1;
        if (g < 0)
            forced += s->fixings.on[e];
        else {
            possible &= s->marks.last_seen[g] != s->marks.structure_number;
            s->marks.last_seen[g] = s->marks.structure_number;
            groups++;
        }
    }
    for (ptrdiff_t k = 0; k < x->count; k++)
        s->marks.on[x->on[k]] = 0;
    for (ptrdiff_t e = 0; s->input.ungrouped && e < s->input.decisions; e++)
        forced -= s->input.group[e] < 0 && s->fixings.on[e];
    return possible && groups == s->input.groups && forced == 0;
}

static double gs_fail(gs_search *s, int failure)
{
    s->failure = failure;
    return -INFINITY;
}

/* Maximise the weights under the state; the value of the structure `x`, or -inf if there is none. Counted. */
static double gs_maximise(gs_search *s, int chart, const double *weights, gs_structure *x)
{
    const gs_maximiser *role = s->input.maximiser;
    double value = -INFINITY;
    s->counts.maximisations++;
    s->workspace.has_marginals &= chart != 0;
    x->count = 0;
    const int done = role->maximise(role->object, chart, weights, s->fixings.state, &value, x->on, &x->count);
    if (done != GS_FOUND && done != GS_NOTHING)
        return gs_fail(s, GS_ERROR_RAISED);
    if (done == GS_NOTHING || value == -INFINITY)
        return -INFINITY;
    if (x->count < 0 || x->count > s->input.max_on || !gs_is_structure(s, x))
        return gs_fail(s, GS_ERROR_STATE);
    if (role->has_internal_scores)
        return value < INFINITY ? value : gs_fail(s, GS_ERROR_VALUE);
    double sum = 0.0, size = 1.0;
    for (ptrdiff_t k = 0; k < x->count; k++) {
        sum += weights[s->input.cell[x->on[k]]];
        size += fabs(weights[s->input.cell[x->on[k]]]);
    }
    return fabs(value - sum) <= 1e-9 * size ? value : gs_fail(s, GS_ERROR_VALUE);
}

/* Compute max-marginals after gs_maximise in chart 0: the best value `with` each decision and, for ungrouped
 * ones, `without` it. 0 if the maximiser has none, or failed. Roles are asked once, because a role may use
 * its chart up. */
static int gs_marginals(gs_search *s)
{
    const gs_maximiser *role = s->input.maximiser;
    gs_workspace *work = &s->workspace;
    if (role->marginals == NULL)
        return 0;
    if (work->has_marginals)
        return 1;
    double *without = s->input.ungrouped ? work->without : NULL;
    const int done = role->marginals(role->object, s->ascent.weights, s->fixings.state, work->with, without);
    if (done != GS_FOUND && done != GS_NOTHING)
        s->failure = GS_ERROR_RAISED;
    work->has_marginals = done == GS_FOUND;
    return work->has_marginals;
}

#endif
