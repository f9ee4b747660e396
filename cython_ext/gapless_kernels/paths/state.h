/* The state of a path search, and who owns its memory: `ps_open` allocates, `ps_close` frees, also after a
 * failure. */
#ifndef GAPLESS_PATH_STATE_H
#define GAPLESS_PATH_STATE_H

#include "paths/graph.h"
#include "owner.h"

enum { PS_PROVED, PS_OPEN, PS_STOPPED, PS_NO_MEMORY };

/* Called now and then with the bound, the best value, and the numbers of steps and labels; nonzero ends
 * the search. */
typedef int (*ps_pulse)(void *owner, double bound, double value, int64_t steps, int64_t labels);

/* Sums between two calls of the pulse: some milliseconds. */
#define PS_PULSE 2e7

typedef struct {
    int32_t *names;   /* classes of the given graph whose multiplier is not 0, stage after stage */
    double *prices;
    ptrdiff_t *first; /* where each stage begins, and where the last ends */
    ptrdiff_t stages, capacity, stage_capacity;
} ps_record;

typedef struct {
    /* The problem: paths of k vertices in `given`, of which the best `max_paths` are kept. */
    ps_graph given;
    ptrdiff_t k, max_paths;
    double scale; /* of the sums, for their rounding */
    /* The remaining graph; `ps_shrink` replaces it and all arrays over its vertices. */
    ps_graph g;
    unsigned char *alive; /* [j * stride + v]: whether v may be at position j */
    ptrdiff_t vertices_remaining;
    /* Multipliers, by class of the given graph. */
    double *price, *best_price;
    double *workspace; /* as many numbers */
    double price_sum;
    /* Tables of walks under these multipliers, [j * stride + v]. */
    double *penalty, *before, *after;
    int freshness; /* 0: tables of other multipliers; 1: `after` is current; 2: `before`, too;
                    * -1: both still bound, but include vertices that were ruled out since */
    /* Scratch space of one step. */
    double *from;
    int32_t *listed, *walk, *visits;
    /* The best paths, best first, in vertices of the given graph; the bound on all paths. */
    int32_t *paths;
    double *values;
    ptrdiff_t path_count;
    double bound;
    ps_record record; /* the evidence: multipliers of each stage that ruled something out */
    /* ng-routes: the classes that each vertex remembers; NULL before walks remember any. */
    uint64_t *memory;
    ptrdiff_t words; /* of it, for each vertex */
    int routed;      /* whether `bound` is that of walks that remember */
    double memory_limit; /* bytes of labels */
    /* Effort, and when to stop. */
    ps_pulse pulse;
    void *owner;
    double work, next_pulse; /* sums computed, and when to call the pulse again */
    int64_t iterations, labels, passes;
    int stopped;
    array_owner arrays; /* those that stay as they are from ps_open on */
} ps_search;

/* The value that a path must exceed to be among the best; -inf while there are fewer than `max_paths`. */
static double ps_incumbent(const ps_search *s)
{
    return s->path_count == s->max_paths ? s->values[s->max_paths - 1] : PS_NONE;
}

/* The rounding error of sums of this size, at most the tolerance of a proof: scores of -1e9 that stand for
 * "never" must not make better paths count as equal. */
static double ps_tolerance(const ps_search *s)
{
    const double size = ps_incumbent(s) == PS_NONE ? 0 : fabs(ps_incumbent(s));
    return fmin(1e-12 * size + 1e-15 * (double)(s->k + 2) * s->scale, 1e-9 * fmax(1, size));
}

static double ps_cutoff(const ps_search *s)
{
    const double value = ps_incumbent(s);
    return value == PS_NONE ? PS_NONE : value + ps_tolerance(s);
}

/* Lower the bound on all paths; `bound` is valid for those that are not ruled out yet. */
static void ps_lower_global_bound(ps_search *s, double bound)
{
    s->bound = fmin(s->bound, s->path_count ? fmax(bound, s->values[0]) : bound);
}

/* Charge work. Whether to continue. */
static int ps_charge_work(ps_search *s, double work)
{
    s->work += work;
    if (s->work >= s->next_pulse && !s->stopped && s->pulse) {
        s->next_pulse = s->work + PS_PULSE;
        s->stopped =
            s->pulse(s->owner, s->bound, s->path_count ? s->values[0] : PS_NONE, s->iterations, s->labels);
    }
    return !s->stopped;
}

/* Insert a path of the current graph if it is new and among the best. */
static void ps_offer(ps_search *s, const int32_t *walk)
{
    const ptrdiff_t k = s->k;
    const double value = ps_walk_score(&s->g, k, walk);
    if (value == PS_NONE || (s->path_count == s->max_paths && value <= s->values[s->max_paths - 1]))
        return;
    ptrdiff_t rank = s->path_count;
    for (ptrdiff_t p = 0; p < s->path_count; p++) {
        int same = 1;
        for (ptrdiff_t j = 0; same && j < k; j++)
            same = s->paths[p * k + j] == (s->g.vertex ? s->g.vertex[walk[j]] : walk[j]);
        if (same)
            return;
    }
    while (rank > 0 && s->values[rank - 1] < value)
        rank--;
    if (s->path_count < s->max_paths)
        s->path_count++;
    const ptrdiff_t later = s->path_count - 1 - rank;
    memmove(s->values + rank + 1, s->values + rank, (size_t)later * sizeof(double));
    memmove(s->paths + (rank + 1) * k, s->paths + rank * k, (size_t)(later * k) * sizeof(int32_t));
    s->values[rank] = value;
    for (ptrdiff_t j = 0; j < k; j++)
        s->paths[rank * k + j] = s->g.vertex ? s->g.vertex[walk[j]] : walk[j];
}

static int32_t ps_class_name(const ps_graph *g, ptrdiff_t c)
{
    return g->class_name ? g->class_name[c] : (int32_t)c;
}

/* Record the multipliers that ruled something out: a stage of the proof. 0 without memory. */
static int ps_record_stage(ps_search *s)
{
    ps_record *r = &s->record;
    const ptrdiff_t used = r->stages ? r->first[r->stages] : 0;
    if (used + s->g.classes > r->capacity) {
        const ptrdiff_t capacity = 2 * r->capacity + s->g.classes + 64;
        if (!array_resize(&r->names, capacity, sizeof(int32_t))
            || !array_resize(&r->prices, capacity, sizeof(double)))
            return 0;
        r->capacity = capacity;
    }
    if (!array_grow(&r->first, &r->stage_capacity, r->stages + 2, sizeof(ptrdiff_t)))
        return 0;
    ptrdiff_t end = used;
    for (ptrdiff_t c = 0; c < s->g.classes; c++) {
        const int32_t name = ps_class_name(&s->g, c);
        if (s->price[name] > 0) {
            r->names[end] = name;
            r->prices[end++] = s->price[name];
        }
    }
    r->first[r->stages] = used;
    r->first[++r->stages] = end;
    return 1;
}

/* Allocate the tables for a graph of this stride, and free the old ones. 0 without memory. */
static int ps_allocate_tables(ps_search *s, ptrdiff_t stride)
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
    s->freshness = 0;
    s->from = s->after + cells;
    memset(s->alive, 1, cells);
    return 1;
}

/* Reduce the graph to the listed vertices. 0 without memory. */
static int ps_shrink(ps_search *s, const int32_t *listed, ptrdiff_t n)
{
    const ps_graph old = s->g;
    const unsigned char *old_alive = s->alive;
    if (!ps_compact(&old, listed, n, &s->g)) {
        s->g = old;
        return 0;
    }
    s->alive = NULL;
    if (!ps_allocate_tables(s, s->g.stride)) {
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

/* List the vertices that remain at some position; return their number. */
static ptrdiff_t ps_list_remaining(ps_search *s)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t v = 0; v < s->g.n; v++) {
        int is_alive = 0;
        for (ptrdiff_t j = 0; !is_alive && j < s->k; j++)
            is_alive = s->alive[j * s->g.stride + v];
        s->listed[count] = (int32_t)v;
        count += is_alive;
    }
    return count;
}

static void ps_close(ps_search *s)
{
    free(s->g.memory);
    free(s->memory);
    free(s->alive);
    free(s->penalty);
    free_arrays(&s->arrays);
    free(s->record.names);
    free(s->record.prices);
    free(s->record.first);
}

/* Open a search for paths of k vertices in a graph that the caller keeps; `scale` is the largest magnitude
 * of its scores. 0 without memory. */
static int ps_open(ps_search *s, ptrdiff_t k, ptrdiff_t max_paths, const ps_graph *given, double scale)
{
    const ptrdiff_t n = given->n, classes = given->classes, larger = n > classes ? n : classes;
    s->given = *given;
    /* Vertices and classes of the given graph name themselves. */
    s->given.vertex = s->given.class_name = s->given.memory = NULL;
    s->g = s->given;
    s->k = k;
    s->max_paths = max_paths;
    s->scale = scale;
    s->bound = INFINITY;
    s->vertices_remaining = n;
    s->next_pulse = PS_PULSE;
    if ((double)max_paths * (double)(k + 2) * sizeof(double) > (double)(PTRDIFF_MAX / 2))
        return 0;
    s->price = own_array(&s->arrays, classes, sizeof(double));
    s->best_price = own_array(&s->arrays, classes, sizeof(double));
    s->workspace = own_array(&s->arrays, classes, sizeof(double));
    s->listed = own_array(&s->arrays, larger, sizeof(int32_t));
    s->walk = own_array(&s->arrays, k, sizeof(int32_t));
    s->visits = own_array(&s->arrays, classes, sizeof(int32_t));
    s->paths = own_array(&s->arrays, max_paths * k, sizeof(int32_t));
    s->values = own_array(&s->arrays, max_paths, sizeof(double));
    return !s->arrays.failed && ps_allocate_tables(s, given->stride);
}

#endif
