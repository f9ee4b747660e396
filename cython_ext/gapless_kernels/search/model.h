/* What a split-bound search knows of its sentence, and the state of the node that it works on.
 *
 * Arcs are numbered; `cell` is an arc's place in a dense (n + 1, n + 1) matrix [head, modifier]. Scopes are sets of arcs that
 * fire together. A scope takes one of three forms:
 *   - in a *star*: two arcs (u, l); all u lead into one word, of whose arcs a tree has exactly one, so that the best of them is
 *     taken inside the weight of l and a multiplier d >= 0 for each pair lets u pay for it;
 *   - *shared*, of score s >= 0: s is spread over the arcs (`split` holds score units, >= 0, sum s);
 *   - *shared*, of score s < 0: `split[first]` in [0, -s] is how much of it is charged (Qian and Liu 2013, equation 8).
 */
#ifndef GAPLESS_SPLIT_BOUND_MODEL_H
#define GAPLESS_SPLIT_BOUND_MODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arborescences/arborescence.h"
#include "parsing/eisner.h"

enum { SB_BEST_FIRST, SB_DEPTH_FIRST, SB_BREADTH_FIRST };
enum { SB_PROVED, SB_TIME, SB_NODES, SB_NO_MEMORY, SB_FAILED, SB_STEPS };
enum { SB_UNASKED = 1, SB_ASKED = 2 };
enum { SB_UNSCOPED = -1, SB_IMPOSSIBLE = -2 };
enum { SB_IN_STAR = 1, SB_REPEATED = 2, SB_SHARED = 3 }; /* what became of a scope; 0: it never counts, or for its only arc */

typedef struct {
    int32_t word;       /* whose arcs are the upper ones */
    int32_t uppers;     /* rows: arcs into the word, in their order */
    int32_t lowers;     /* columns */
    ptrdiff_t cell;     /* of row 0, column 0 in star_score and split */
    ptrdiff_t column;   /* of column 0 in column_lower, column_max */
} sb_star;

/* Multipliers that children, fixings and leaves refer to. */
typedef struct {
    double *split;      /* NULL when free */
    int32_t *place;     /* slots of the multipliers that are not 0; NULL where all are there */
    ptrdiff_t count;
    size_t bytes;
    double counted;     /* in `snapshot_bytes` */
    int32_t users;
    int32_t next_free;  /* while free: the next free one */
} sb_snapshot;

typedef struct {
    double bound;
    int64_t record;     /* its number in the proof */
    int64_t order;
    int32_t snapshot;
    int32_t depth;
    int32_t arc;        /* to branch on next, for nodes that wait for the end of their level */
    double lower;       /* best score found in it, likewise */
    unsigned char *alive; /* a bit for each arc: there are many open nodes */
} sb_node;

typedef struct {
    int64_t parent;
    int32_t arc, on, leaf_snapshot;
} sb_record;

/* A score to ask for: of a cell of a star, or of a shared scope (star -1). */
typedef struct {
    int32_t scope, star;
    ptrdiff_t place;
} sb_wanted;

/* Puts the scores of scopes into the last argument; nonzero when it failed. */
typedef int (*sb_asks)(void *asker, const int32_t *scopes, ptrdiff_t count, double *scores);

typedef struct {
    int64_t record;
    int32_t snapshot;
    int64_t first_off;  /* where its arcs begin in `offs` */
} sb_fixing;

typedef struct {
    /* the sentence */
    ptrdiff_t n, N, arcs, scopes, slots;
    int projective, single_root, paper, order, keep_proof, compact, choices, root_steps, root_trend;
    double granularity, snapshot_bytes, proof_limit, memory_limit;
    int32_t *head, *modifier, *index, *into_first, *into, *rank, *slot;
    ptrdiff_t *cell;
    double *base;
    /* stars */
    ptrdiff_t stars, star_cells, columns;
    sb_star *star;
    double *star_score;
    int32_t *star_scope, *column_lower;
    unsigned char *form;                          /* for each scope */
    int32_t *side;                                /* for each block: where in its pairs the lower arcs stand, 0 or 1 */
    /* shared scopes; their slots follow the stars' cells in split */
    ptrdiff_t shared, shared_slots;
    int32_t *shared_scope, *shared_arc;
    ptrdiff_t *shared_first;
    double *shared_score;
    int32_t *incident_first, *incident, *incident_other;
    double largest_step;
    /* scores that are not known yet */
    unsigned char *unknown;                       /* for each scope; NULL when all are known */
    sb_asks ask;
    void *asker;
    sb_wanted *wanted;
    int32_t *questions;
    double *answers;
    ptrdiff_t wanted_count, wanted_room, question_room, answer_room;
    unsigned char *contender;                     /* arcs whose columns must be known before the next step */
    int64_t scored;
    int failed;
    /* the node being worked on */
    double *split, *weights, *column_max, constant;
    unsigned char *alive, *on, *in_tree, *armed_flag;
    int32_t *candidates;
    int32_t *active_columns, *active_first;      /* for each star, columns with a choice left */
    int32_t *current, *root_current, *now_first, *now, *now_other;
    ptrdiff_t current_count, root_count;          /* scopes whose arcs are possible: here, and when the root was left */
    int32_t *armed;
    ptrdiff_t armed_count;
    int32_t *stamp, stamp_now;
    int32_t *tree, *heads, *other_heads, *tree_heads;
    double *linear, *marginals, *arc_gap;
    void *work, *other_work;
    int32_t *moved_column, *moved_best, *moved_star, *moved_scope, *moved_arc;
    ptrdiff_t moved_columns, moved_scopes;
    int working, dirty, fresh;                    /* fresh: no step since the weights were summed */
    sb_node node;
    int64_t iteration, stalled, rises;
    double theta, psi, best_psi, saved_psi, last_psi, gap_at_fixing, first_gap, trend_gap, best_in_node;
    int32_t saved;
    /* the search */
    double value, excluded, largest;              /* largest: size of what was summed, for `sb_rough` */
    int32_t *best_heads;
    int64_t dp_calls, nodes, steps, fixed, enumerated, sequence;
    int root_closed, proof_dropped, no_memory;
    sb_node *open, *survivors;
    ptrdiff_t open_count, open_room, survivor_count, survivor_room;
    sb_snapshot *snapshots;
    ptrdiff_t snapshot_count, snapshot_room;
    int32_t free_snapshot, root_snapshot;
    unsigned char *root_alive;                    /* a bit for each arc that the root left possible when it branched */
    sb_record *records;
    ptrdiff_t record_count, record_room;
    sb_fixing *fixings;
    ptrdiff_t fixing_count, fixing_room;
    int32_t *offs;
    ptrdiff_t off_count, off_room;
} sb_search;

static inline double sb_margin(double value)
{
    return isfinite(value) ? 1e-8 * fmax(1.0, fabs(value)) : 0.0;
}

/* What float64 may have rounded away from a bound: sums of terms as large as `largest`. */
static inline double sb_lost(const sb_search *s)
{
    return 0x1p-46 * s->largest;
}

/* Whether rounding might decide; then bounds are taken from fresh sums only, and the caller checks the proof. */
static inline int sb_rough(const sb_search *s)
{
    return sb_lost(s) > 0.25 * (isfinite(s->value) ? sb_margin(s->value) : sb_margin(0.0));
}

/* Room for one more element; 0 without memory. */
static int sb_grow(void **array, ptrdiff_t *room, ptrdiff_t needed, size_t size)
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

static double sb_round(const sb_search *s, double bound)
{
    if (!(s->granularity > 0.0) || !isfinite(bound))
        return bound;
    const double multiple = bound / s->granularity;
    if (!(fabs(multiple) < 0x1p52)) /* all doubles of this size are multiples */
        return bound;
    return floor(multiple + 1e-6 * fmax(1.0, 1e-2 * fabs(multiple))) * s->granularity;
}

/* The best tree under `weights`; counted. */
static double sb_oracle(sb_search *s, const double *weights, void *work, int32_t *heads)
{
    s->dp_calls++;
    return s->projective ? eisner_inside(s->n, weights, s->single_root, work, heads)
                         : arborescence_best(s->n, weights, s->single_root, work, heads);
}

static void *sb_array(sb_search *s, ptrdiff_t count, size_t size)
{
    void *array = calloc((size_t)(count > 0 ? count : 1), size);
    if (array == NULL)
        s->no_memory = 1;
    return array;
}
#define SB_NEW(s, field, count) ((s)->field = sb_array(s, (count), sizeof *(s)->field))

/* Reserve what depends on the sentence's size. `head`, `modifier` and `base` are the caller's to fill. */
static int sb_reserve(sb_search *s, ptrdiff_t n, ptrdiff_t arcs, ptrdiff_t scopes)
{
    s->n = n, s->N = n + 1, s->arcs = arcs, s->scopes = scopes;
    SB_NEW(s, head, arcs), SB_NEW(s, modifier, arcs), SB_NEW(s, index, s->N * s->N), SB_NEW(s, rank, arcs);
    SB_NEW(s, slot, arcs);
    SB_NEW(s, into_first, s->N + 1), SB_NEW(s, into, arcs), SB_NEW(s, cell, arcs), SB_NEW(s, base, arcs);
    SB_NEW(s, weights, s->N * s->N), SB_NEW(s, linear, s->N * s->N), SB_NEW(s, marginals, s->N * s->N);
    SB_NEW(s, alive, arcs), SB_NEW(s, on, arcs), SB_NEW(s, in_tree, arcs), SB_NEW(s, arc_gap, arcs);
    SB_NEW(s, contender, arcs);
    SB_NEW(s, candidates, s->N), SB_NEW(s, tree, s->N), SB_NEW(s, heads, s->N), SB_NEW(s, other_heads, s->N);
    SB_NEW(s, best_heads, s->N), SB_NEW(s, tree_heads, s->N), SB_NEW(s, root_alive, arcs / 8 + 1);
    if (s->root_alive != NULL)
        memset(s->root_alive, 0xff, (size_t)arcs / 8 + 1);
    const size_t work = s->projective ? eisner_workspace(n) : arborescence_workspace(n);
    s->work = sb_array(s, (ptrdiff_t)work + 64, 1), s->other_work = sb_array(s, (ptrdiff_t)work + 64, 1);
    return !s->no_memory;
}

/* Number the arcs once head, modifier and base are filled. */
static void sb_number_arcs(sb_search *s)
{
    for (ptrdiff_t k = 0; k < s->N * s->N; k++)
        s->index[k] = -1;
    for (ptrdiff_t e = 0; e < s->arcs; e++) {
        s->cell[e] = (ptrdiff_t)s->head[e] * s->N + s->modifier[e];
        s->index[s->cell[e]] = (int32_t)e;
        s->into_first[s->modifier[e] + 1]++;
    }
    for (ptrdiff_t m = 0; m < s->N; m++)
        s->into_first[m + 1] += s->into_first[m];
    for (ptrdiff_t e = 0; e < s->arcs; e++) {
        s->rank[e] = s->candidates[s->modifier[e]]++;
        s->into[s->into_first[s->modifier[e]] + s->rank[e]] = (int32_t)e;
    }
    for (ptrdiff_t m = 0; m < s->N; m++)
        s->best_heads[m] = -1;
    s->value = s->excluded = -INFINITY;
}

#endif
