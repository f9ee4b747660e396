/* What a search knows of its problem, and the state of the node that it works on.
 *
 * Decisions are numbered; `cell` is a decision's place among the maximiser's weights. A *choice group* has exactly one decision on;
 * a *loose* decision is in no group. Scopes are sets of decisions that fire together. A scope takes one of three forms:
 *   - in a *star*: two decisions (u, l); all u are in one choice group, so that the best of them is taken inside the weight of l and
 *     a multiplier d >= 0 for each pair lets u pay for it;
 *   - *shared*, of score s >= 0: s is spread over the decisions (`split` holds score units, >= 0, sum s);
 *   - *shared*, of score s < 0: `split[first]` in [0, -s] is how much of it is charged (Qian and Liu 2013, equation 8).
 *     The charge of a pair (e, f) of two groups may be *lifted*: E holds e and all of its group that f excludes, F holds f and all of
 *     its group that all of E exclude; a structure has decisions of both for e and f alone, so that
 *     s z_e z_f <= -q (sum of z over E and F - 1).
 */
#ifndef GAPLESS_SEARCH_MODEL_H
#define GAPLESS_SEARCH_MODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "search/roles.h"

enum { GS_BEST_FIRST, GS_DEPTH_FIRST, GS_BREADTH_FIRST };
enum { GS_PROVED, GS_TIME, GS_NODES, GS_NO_MEMORY, GS_STOPPED, GS_STEPS, GS_TARGET, GS_GAP, GS_EVENTS };
enum { GS_EVENT_ROOM = 4096 };
enum { GS_BROKE_STATE = 1, GS_BROKE_VALUE, GS_BROKE_BOUND, GS_RAISED }; /* why a search stopped: see `failed` */
enum { GS_UNASKED = 1, GS_ASKED = 2 };
enum { GS_UNSCOPED = -1, GS_IMPOSSIBLE = -2 };
enum { GS_IN_STAR = 1, GS_REPEATED = 2 }; /* what became of a pair; 0: it is shared, or counts nothing */

typedef struct {
    int32_t group;      /* whose decisions are the upper ones */
    int32_t uppers;     /* rows: decisions of the group, in their order */
    int32_t lowers;     /* columns */
    ptrdiff_t cell;     /* of row 0, column 0 in star_score and split */
    ptrdiff_t column;   /* of column 0 in column_lower, column_max */
} gs_star;

/* A structure: the decisions that are on. */
typedef struct {
    int32_t *on;
    ptrdiff_t count;
} gs_structure;

/* Multipliers that children, fixings and leaves refer to. */
typedef struct {
    double *split;      /* NULL when free */
    int32_t *place;     /* slots of the multipliers that are not 0; NULL where all are there */
    ptrdiff_t count;
    size_t bytes;
    int32_t users;
    int32_t next_free;  /* while free: the next free one */
} gs_snapshot;

typedef struct {
    double bound;
    int64_t record;     /* its number in the proof */
    int64_t order;
    int32_t snapshot;
    int32_t depth;
    int32_t decision;   /* to branch on next, for nodes that wait for the end of their level */
    double lower;       /* best score found in it, likewise */
    int64_t shown;      /* the node, by its number in the proof, under whose fixings the snapshot proves the bound */
    unsigned char *alive; /* a bit for each decision: there are many open nodes. Then one for each that is on though loose */
} gs_node;

typedef struct {
    int64_t parent;
    int32_t decision, on, leaf_snapshot;
} gs_record;

/* A score to ask for: of a cell of a star, or of a shared scope (star -1). */
typedef struct {
    int32_t scope, star;
    ptrdiff_t place;
} gs_wanted;

/* A factor in the search. */
typedef struct {
    const gs_factor *role;
    ptrdiff_t place;    /* of its first decision among the places of all factors, also among their multipliers */
    double value;       /* the most of its value less prices */
    double at, misses;  /* its value at the structure it was last asked for; less prices, what that misses of `value` */
    int stale;          /* whether prices or state changed since `value` was found */
    int asked, flipped; /* whether `at` and the differences were ever asked for */
    const double *guide;       /* a direction for its prices, NULL where it has none */
    double guide_square, along; /* its squared length; how far the subgradient goes along it */
} gs_part;

/* What observers hear: a node that ended, or a step of the root. */
typedef struct {
    int64_t nodes;
    int32_t step, depth;
    ptrdiff_t free;
    double bound, value;
} gs_event;

/* The decision to branch on, free at the node in work; -1 when that failed. */
typedef int32_t (*gs_chooses)(void *asker);

/* Puts the scores of scopes into the last argument; nonzero when it failed. */
typedef int (*gs_asks)(void *asker, const int32_t *scopes, ptrdiff_t count, double *scores);

typedef struct {
    int64_t record;
    int32_t snapshot;
    int64_t first_off;  /* where its decisions begin in `offs` */
} gs_fixing;

typedef struct {
    /* the problem */
    const gs_maximiser *maximiser;
    ptrdiff_t decisions, cells, groups, loose, scopes, slots;
    ptrdiff_t most_on;                            /* room for the decisions of a structure that the maximiser gives */
    int paper, lifted, order, keep_proof, choices, root_steps, root_trend;
    double granularity, snapshot_bytes, proof_limit, memory_limit;
    int32_t *group, *group_first, *member, *rank, *slot;   /* group: -1 where loose */
    ptrdiff_t *cell;
    double *base;
    /* stars */
    ptrdiff_t stars, star_cells, columns;
    gs_star *star;
    double *star_score;
    int32_t *star_scope, *column_lower;
    unsigned char *form;                          /* for each scope */
    int32_t *side;                                /* for each block: where in its pairs the lower decisions stand, 0 or 1 */
    /* shared scopes; their slots follow the stars' cells in split */
    ptrdiff_t shared, shared_slots;
    int32_t *shared_scope, *shared_member;
    ptrdiff_t *shared_first;
    double *shared_score;
    ptrdiff_t *lift_first, lifts, lift_room;      /* where in `lift` the decisions are that a scope's charge takes in */
    int32_t *lift_count, *lift;                   /* count: -1 before the scope was charged */
    int32_t *incident_first, *incident, *incident_other;
    double largest_step;
    /* factors; their slots follow those of shared scopes in split */
    ptrdiff_t parts, factor_slots;
    gs_part *part;
    signed char *part_state, *part_y, *part_x, *part_flipped, *part_asked; /* for each place: the state, the best configuration, what was last asked for */
    int knows_marginals;                          /* of the structure found last in chart 0 */
    double *part_paid, *part_flip, *part_with, *part_without, *also_with, *also_without, factored;
    double *guides;
    int guided;                                   /* whether prices move along guides only, see `gs_follow_guides` */
    int costly;                                   /* whether a factor is */
    ptrdiff_t culprit;                            /* the factor that ended the search; -1: the maximiser or `ask` */
    /* scores that are not known yet */
    unsigned char *unknown;                       /* for each scope; NULL when all are known */
    gs_asks ask;
    void *asker;
    gs_chooses choose;                            /* NULL: by the widest gap */
    gs_wanted *wanted;
    int32_t *questions;
    double *answers;
    ptrdiff_t wanted_count, wanted_room, question_room, answer_room;
    unsigned char *contender;                     /* decisions whose columns must be known before the next step */
    int64_t scored;
    int failed;
    /* the node being worked on */
    double *split, *weights, *column_max, constant;
    unsigned char *alive, *on, *taken, *armed_flag;
    signed char *state;                           /* what roles see of `alive` and `on` */
    int32_t *candidates, *choice;                 /* for each group: how many are alive; which the structure entered takes */
    int64_t *met, round;                          /* for each group, the last structure that was seen to take one of it */
    int32_t *active_columns, *active_first;       /* for each star, columns with a choice left */
    int32_t *current, *root_current, *now_first, *now, *now_other;
    ptrdiff_t current_count, root_count;          /* scopes whose decisions are possible: here, and when the root was left */
    int32_t *armed;
    ptrdiff_t armed_count;
    int32_t *stamp, stamp_now;
    const gs_structure *entered;
    gs_structure found, other, around, best;
    double *linear, *with, *without, *gap_of;
    int32_t *moved_column, *moved_best, *moved_star, *moved_scope;
    ptrdiff_t moved_columns, moved_scopes;
    int working, dirty, fresh;                    /* fresh: no step since the weights were summed */
    gs_node node;
    int64_t iteration, stalled, rises;
    double theta, psi, best_psi, saved_psi, last_psi, gap_at_fixing, first_gap, trend_gap, best_in_node;
    int32_t saved;
    /* the search */
    double value, excluded, largest;              /* largest: size of what was summed, for `gs_rough` */
    double largest_term;                          /* the same of what roles sum inside their internal scores and values */
    int64_t dp_calls, nodes, steps, fixed, enumerated, sequence;
    gs_event *events;                             /* NULL: nobody listens */
    ptrdiff_t event_count;
    int tell_steps;
    int root_closed, proof_dropped, no_memory;
    gs_node *open, *survivors;
    ptrdiff_t open_count, open_room, survivor_count, survivor_room;
    gs_snapshot *snapshots;
    ptrdiff_t snapshot_count, snapshot_room;
    int32_t free_snapshot, root_snapshot;
    unsigned char *root_alive;                    /* the `alive` of the root when it branched */
    gs_record *records;
    ptrdiff_t record_count, record_room;
    gs_fixing *fixings;
    ptrdiff_t fixing_count, fixing_room;
    int32_t *offs;                                /* decisions fixed off; those fixed on as ~decision */
    ptrdiff_t off_count, off_room;
} gs_search;

static inline double gs_margin(double value)
{
    return isfinite(value) ? 1e-8 * fmax(1.0, fabs(value)) : 0.0;
}

/* What float64 may have rounded away from a bound: sums of terms as large as `largest`. */
static inline double gs_lost(const gs_search *s)
{
    return 0x1p-46 * fmax(s->largest, s->largest_term);
}

/* What the same score, summed twice in other orders, may differ by: `decisions` that are on add a weight and an internal score each. */
static inline double gs_rounding(const gs_search *s, ptrdiff_t decisions)
{
    const double terms = 2.0 * (double)decisions + 4.0;
    return 0x1p-52 * terms * terms * fmax(s->largest, s->largest_term);
}

/* Whether rounding might decide; then bounds are taken from fresh sums only, and the caller checks the proof. */
static inline int gs_rough(const gs_search *s)
{
    return gs_lost(s) > 0.25 * (isfinite(s->value) ? gs_margin(s->value) : gs_margin(0.0));
}

/* Room for one more element; 0 without memory. */
static int gs_grow(void **array, ptrdiff_t *room, ptrdiff_t needed, size_t size)
{
    if (needed <= *room)
        return 1;
    const ptrdiff_t wanted = needed > 2 * *room ? needed + 8 : 2 * *room;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (grown == NULL)
        return 0;
    *array = grown, *room = wanted;
    return 1;
}

static double gs_round(const gs_search *s, double bound)
{
    if (!(s->granularity > 0.0) || !isfinite(bound))
        return bound;
    const double multiple = bound / s->granularity;
    if (!(fabs(multiple) < 0x1p52)) /* all doubles of this size are multiples */
        return bound;
    return floor(multiple + 1e-6 * fmax(1.0, 1e-2 * fabs(multiple))) * s->granularity;
}

/* Bytes of a node's `alive`: a bit for each decision, and one more where some are loose. */
static inline size_t gs_bits(const gs_search *s)
{
    return (size_t)s->decisions / 8 + 1;
}

static inline size_t gs_alive_bytes(const gs_search *s)
{
    return s->loose ? 2 * gs_bits(s) : gs_bits(s);
}

static void *gs_array(gs_search *s, ptrdiff_t count, size_t size)
{
    void *array = calloc((size_t)(count > 0 ? count : 1), size);
    if (array == NULL)
        s->no_memory = 1;
    return array;
}
#define GS_NEW(s, field, count) ((s)->field = gs_array(s, (count), sizeof *(s)->field))

/* Reserve what depends on the number of decisions and groups. `group`, `base` are the caller's to fill; 0 without memory. */
static inline int gs_reserve(gs_search *s, const gs_maximiser *maximiser, ptrdiff_t groups, ptrdiff_t scopes)
{
    const ptrdiff_t decisions = maximiser->decisions, most = maximiser->most_on > 0 ? maximiser->most_on : decisions;
    s->maximiser = maximiser, s->decisions = decisions, s->cells = maximiser->cells, s->groups = groups, s->scopes = scopes, s->most_on = most;
    GS_NEW(s, group, decisions), GS_NEW(s, rank, decisions), GS_NEW(s, slot, decisions);
    GS_NEW(s, group_first, groups + 1), GS_NEW(s, member, decisions), GS_NEW(s, cell, decisions), GS_NEW(s, base, decisions);
    GS_NEW(s, weights, s->cells), GS_NEW(s, linear, s->cells), GS_NEW(s, with, decisions), GS_NEW(s, without, decisions);
    GS_NEW(s, alive, decisions), GS_NEW(s, on, decisions), GS_NEW(s, taken, decisions), GS_NEW(s, state, decisions);
    GS_NEW(s, gap_of, decisions), GS_NEW(s, contender, decisions);
    GS_NEW(s, candidates, groups), GS_NEW(s, choice, groups), GS_NEW(s, met, groups);
    GS_NEW(s, found.on, most), GS_NEW(s, other.on, most > decisions ? most : decisions), GS_NEW(s, around.on, most), GS_NEW(s, best.on, decisions);
    return !s->no_memory;
}

/* Number the members of the groups once `group` and `base` are filled; 0 without memory. */
static inline int gs_number(gs_search *s)
{
    for (ptrdiff_t e = 0; e < s->decisions; e++) {
        s->cell[e] = s->maximiser->cell != NULL ? s->maximiser->cell[e] : e;
        if (s->group[e] >= 0)
            s->group_first[s->group[e] + 1]++;
        else
            s->loose++;
    }
    for (ptrdiff_t g = 0; g < s->groups; g++)
        s->group_first[g + 1] += s->group_first[g];
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->group[e] >= 0) {
            s->rank[e] = s->candidates[s->group[e]]++;
            s->member[s->group_first[s->group[e]] + s->rank[e]] = (int32_t)e;
        }
    s->value = s->excluded = -INFINITY;
    GS_NEW(s, root_alive, (ptrdiff_t)gs_alive_bytes(s));
    if (s->root_alive == NULL)
        return 0;
    memset(s->root_alive, 0xff, gs_bits(s));
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        if (s->base[e] == -INFINITY)
            s->root_alive[e >> 3] &= (unsigned char)~(1u << (e & 7));
    return !s->no_memory;
}

/* Whether a role's structure is one: a decision of each group, none twice, and what the state says. A role may be a stranger's code, so
 * the numbers are checked before they are used as indices. */
static int gs_agrees(gs_search *s, const gs_structure *x)
{
    ptrdiff_t groups = 0, forced = 0;
    int possible = 1;
    for (ptrdiff_t k = 0; k < x->count; k++)
        if (x->on[k] < 0 || x->on[k] >= s->decisions)
            return 0;
    s->round++;
    for (ptrdiff_t k = 0; k < x->count; k++) {
        const int32_t e = x->on[k], g = s->group[e];
        possible &= s->alive[e] && !s->taken[e];
        s->taken[e] = 1;
        if (g < 0)
            forced += s->on[e];
        else if (s->met[g] == s->round)
            possible = 0;
        else
            s->met[g] = s->round, groups++;
    }
    for (ptrdiff_t k = 0; k < x->count; k++)
        s->taken[x->on[k]] = 0;
    for (ptrdiff_t e = 0; s->loose && e < s->decisions; e++)
        forced -= s->group[e] < 0 && s->on[e];
    return possible && groups == s->groups && forced == 0;
}

/* The best structure under `weights` that agrees with the state, and its value; -inf where there is none. Counted. */
static double gs_maximise(gs_search *s, int chart, const double *weights, gs_structure *x)
{
    double value = -INFINITY;
    s->dp_calls++, x->count = 0;
    s->knows_marginals &= chart != 0;
    const int done = s->maximiser->maximise(s->maximiser->object, chart, weights, s->state, &value, x->on, &x->count);
    if (done != GS_FOUND && done != GS_NOTHING) {
        s->failed = GS_RAISED;
        return -INFINITY;
    }
    if (done == GS_NOTHING || value == -INFINITY)
        return -INFINITY;
    if (x->count < 0 || x->count > s->most_on || !gs_agrees(s, x)) {
        s->failed = GS_BROKE_STATE;
        return -INFINITY;
    }
    if (s->maximiser->has_own)
        return !(value < INFINITY) ? s->failed = GS_BROKE_VALUE, -INFINITY : value;
    double sum = 0.0, size = 1.0;
    for (ptrdiff_t k = 0; k < x->count; k++)
        sum += weights[s->cell[x->on[k]]], size += fabs(weights[s->cell[x->on[k]]]);
    if (!(fabs(value - sum) <= 1e-9 * size)) {
        s->failed = GS_BROKE_VALUE;
        return -INFINITY;
    }
    return value;
}

/* The best value with each decision and, of those without a group, without it, into `with` and `without`; after `maximise` in chart 0, whose
 * chart is read once. 0 where they cannot be had, or the maximiser failed. */
static int gs_marginals(gs_search *s)
{
    const gs_maximiser *role = s->maximiser;
    if (role->marginals == NULL)
        return 0;
    const int done = s->knows_marginals
        ? GS_FOUND
        : role->marginals(role->object, s->weights, s->state, s->with, s->loose ? s->without : NULL);
    if (done != GS_FOUND && done != GS_NOTHING)
        s->failed = GS_RAISED;
    return s->knows_marginals = done == GS_FOUND;
}

#endif
