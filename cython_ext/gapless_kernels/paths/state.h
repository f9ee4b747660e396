/* The state of a path search: the graph that is left, what is ruled out, the multipliers, the best paths so far. */
#ifndef GAPLESS_PATH_STATE_H
#define GAPLESS_PATH_STATE_H

#include "paths/graph.h"

enum { PS_PROVED, PS_OPEN, PS_STOPPED, PS_NO_MEMORY };

/* Asked now and then with the bound and the value so far, steps and labels; nonzero ends the search. */
typedef int (*ps_pulse)(void *owner, double bound, double value, int64_t steps, int64_t labels);

/* Sums between two questions whether to go on: some milliseconds. */
#define PS_PULSE 2e7

typedef struct {
    int32_t *names;     /* classes of the given graph whose multiplier is not 0, stage after stage */
    double *prices;
    ptrdiff_t *first;   /* where each stage begins, and where the last ends */
    ptrdiff_t stages, room, stage_room;
} ps_record;

typedef struct {
    ps_graph given, g;
    ptrdiff_t k, wanted;
    double *price, *best_price;         /* by class of the given graph */
    double *spare;                      /* room for as many numbers */
    unsigned char *alive;               /* [j * stride + v]: whether v may be at place j */
    double *penalty, *before, *after;   /* likewise */
    double *from;
    int32_t *listed, *walk, *visits;
    double price_sum;
    int32_t *paths;                     /* the best paths, best first, in vertices of the given graph */
    double *values;
    ptrdiff_t found;
    double bound;                       /* on all paths */
    double scale;                       /* of the sums, for their rounding */
    int fresh;                          /* 0: the tables are of other multipliers; 1: `after` is right; 2: `before`, too;
                                         * -1: both still bound, but what they count may have been ruled out */
    ps_record record;
    uint64_t *memory;                   /* which classes each vertex remembers, once walks remember; NULL before */
    ptrdiff_t words;                    /* of it, for each vertex */
    int routed;                         /* whether `bound` is that of walks that remember */
    double memory_limit;                /* bytes of labels */
    ps_pulse pulse;
    void *owner;
    double work, next_pulse;            /* sums made, and when to ask again */
    int64_t iterations, labels, passes;
    ptrdiff_t vertices_left;
    int stopped;
} ps_search;

/* The value that a path must exceed to matter. */
static double ps_incumbent(const ps_search *s)
{
    return s->found == s->wanted ? s->values[s->wanted - 1] : PS_NONE;
}

/* What float64 sums of this size may be wrong by, but less than what a proof may be wrong by: scores of -1e9 that only stand for
 * "never" must not make better paths count as equal. */
static double ps_tolerance(const ps_search *s)
{
    const double size = ps_incumbent(s) == PS_NONE ? 0 : fabs(ps_incumbent(s));
    return fmin(1e-12 * size + 1e-15 * (double)(s->k + 2) * s->scale, 1e-9 * fmax(1, size));
}

static double ps_level(const ps_search *s)
{
    const double value = ps_incumbent(s);
    return value == PS_NONE ? PS_NONE : value + ps_tolerance(s);
}

/* A bound on all that is not ruled out yet. */
static void ps_bound(ps_search *s, double bound)
{
    s->bound = fmin(s->bound, s->found ? fmax(bound, s->values[0]) : bound);
}

/* Counts work, and asks whether to go on. */
static int ps_go_on(ps_search *s, double work)
{
    s->work += work;
    if (s->work >= s->next_pulse && !s->stopped && s->pulse) {
        s->next_pulse = s->work + PS_PULSE;
        s->stopped = s->pulse(s->owner, s->bound, s->found ? s->values[0] : PS_NONE, s->iterations, s->labels);
    }
    return !s->stopped;
}

/* Keep a path of the current graph if it is among the best, and new. */
static void ps_offer(ps_search *s, const int32_t *walk)
{
    const ptrdiff_t k = s->k;
    const double value = ps_walk_score(&s->g, k, walk);
    if (value == PS_NONE || (s->found == s->wanted && value <= s->values[s->wanted - 1]))
        return;
    ptrdiff_t at = s->found;
    for (ptrdiff_t p = 0; p < s->found; p++) {
        int same = 1;
        for (ptrdiff_t j = 0; same && j < k; j++)
            same = s->paths[p * k + j] == (s->g.vertex ? s->g.vertex[walk[j]] : walk[j]);
        if (same)
            return;
    }
    while (at > 0 && s->values[at - 1] < value)
        at--;
    if (s->found < s->wanted)
        s->found++;
    const ptrdiff_t later = s->found - 1 - at;
    memmove(s->values + at + 1, s->values + at, (size_t)later * sizeof(double));
    memmove(s->paths + (at + 1) * k, s->paths + at * k, (size_t)(later * k) * sizeof(int32_t));
    s->values[at] = value;
    for (ptrdiff_t j = 0; j < k; j++)
        s->paths[at * k + j] = s->g.vertex ? s->g.vertex[walk[j]] : walk[j];
}

static int32_t ps_class_name(const ps_graph *g, ptrdiff_t c)
{
    return g->class_name ? g->class_name[c] : (int32_t)c;
}

/* Write down the multipliers that were used to rule something out; 0 when there is no memory. */
static int ps_write_down(ps_search *s)
{
    ps_record *r = &s->record;
    const ptrdiff_t used = r->stages ? r->first[r->stages] : 0;
    if (used + s->g.classes > r->room) {
        const ptrdiff_t room = 2 * r->room + s->g.classes + 64;
        int32_t *names = realloc(r->names, (size_t)room * sizeof(int32_t));
        if (names)
            r->names = names;
        double *prices = realloc(r->prices, (size_t)room * sizeof(double));
        if (prices)
            r->prices = prices;
        if (!names || !prices)
            return 0;
        r->room = room;
    }
    if (r->stages + 2 > r->stage_room) {
        const ptrdiff_t room = 2 * r->stage_room + 8;
        ptrdiff_t *first = realloc(r->first, (size_t)room * sizeof(ptrdiff_t));
        if (!first)
            return 0;
        r->first = first;
        r->stage_room = room;
    }
    ptrdiff_t at = used;
    for (ptrdiff_t c = 0; c < s->g.classes; c++) {
        const int32_t name = ps_class_name(&s->g, c);
        if (s->price[name] > 0) {
            r->names[at] = name;
            r->prices[at++] = s->price[name];
        }
    }
    r->first[r->stages] = used;
    r->first[++r->stages] = at;
    return 1;
}

/* Room for tables over a graph of this stride; the old tables' content is lost. */
static int ps_make_tables(ps_search *s, ptrdiff_t stride)
{
    const size_t cells = (size_t)(s->k * stride);
    free(s->penalty);
    free(s->alive);
    s->penalty = malloc((3 * cells + (size_t)stride) * sizeof(double));
    s->alive = malloc(cells);
    if (!s->penalty || !s->alive)
        return 0;
    s->before = s->penalty + cells;
    s->after = s->before + cells;
    s->fresh = 0;
    s->from = s->after + cells;
    memset(s->alive, 1, cells);
    return 1;
}

/* Go on with the listed vertices of the current graph only. */
static int ps_shrink(ps_search *s, const int32_t *listed, ptrdiff_t n)
{
    const ps_graph old = s->g;
    const unsigned char *old_alive = s->alive;
    if (!ps_compact(&old, listed, n, &s->g)) {
        s->g = old;
        return 0;
    }
    s->alive = NULL;
    if (!ps_make_tables(s, s->g.stride)) {
        free((void *)old_alive);
        free(old.memory);
        return 0;
    }
    for (ptrdiff_t j = 0; j < s->k; j++)
        for (ptrdiff_t i = 0; i < n; i++)
            s->alive[j * s->g.stride + i] = old_alive[j * old.stride + listed[i]];
    free((void *)old_alive);
    free(old.memory);
    return 1;
}

/* List the vertices that may still be somewhere; their number. */
static ptrdiff_t ps_list_alive(ps_search *s)
{
    ptrdiff_t left = 0;
    for (ptrdiff_t v = 0; v < s->g.n; v++) {
        int anywhere = 0;
        for (ptrdiff_t j = 0; !anywhere && j < s->k; j++)
            anywhere = s->alive[j * s->g.stride + v];
        s->listed[left] = (int32_t)v;
        left += anywhere;
    }
    return left;
}

static void ps_free(ps_search *s)
{
    free(s->g.memory);
    free(s->memory);
    free(s->price);
    free(s->alive);
    free(s->penalty);
    free(s->listed);
    free(s->paths);
    free(s->values);
    free(s->record.names);
    free(s->record.prices);
    free(s->record.first);
}

/* Paths of k vertices in a graph that stays where it is; `scale` is the largest magnitude of its scores. 0 when there is no memory. */
static int ps_begin(ps_search *s, ptrdiff_t k, ptrdiff_t wanted, const ps_graph *given, double scale)
{
    const ptrdiff_t n = given->n, classes = given->classes, most = n > classes ? n : classes;
    s->given = *given;
    s->given.vertex = s->given.class_name = NULL; /* the names of this search are those of this graph */
    s->given.memory = NULL;
    s->g = s->given;
    s->k = k;
    s->wanted = wanted;
    s->scale = scale;
    s->bound = INFINITY;
    s->vertices_left = n;
    s->next_pulse = PS_PULSE;
    s->price = calloc((size_t)(3 * classes), sizeof(double));
    s->listed = malloc((size_t)(most + k + classes + 8) * sizeof(int32_t));
    if ((double)wanted * (double)(k + 2) * sizeof(int32_t) < (double)PTRDIFF_MAX) {
        s->paths = malloc((size_t)(wanted * k) * sizeof(int32_t));
        s->values = malloc((size_t)wanted * sizeof(double));
    }
    if (!s->price || !s->listed || !s->paths || !s->values)
        return 0;
    s->best_price = s->price + classes;
    s->spare = s->best_price + classes;
    s->walk = s->listed + most;
    s->visits = s->walk + k;
    return ps_make_tables(s, given->stride);
}

#endif
