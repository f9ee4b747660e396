/* A network, its resources and the costs of one call: see `LabelTables` for what the arrays hold. */
#ifndef GAPLESS_LABELS_MODEL_H
#define GAPLESS_LABELS_MODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "labels/user_state.h"
#include "owner.h"

#define LB_COMPLETE 0
#define LB_STOPPED 1
#define LB_FULL 2
#define LB_NO_MEMORY 3
#define LB_FAULT 4

/* Steps between two calls of the pulse. A step is one label compared, which takes 1 to 100 ns, so that
 * calls are milliseconds apart even where one label is compared with a million others. */
#define LB_STEPS_TO_PULSE ((int64_t)1 << 19)

#define LB_STEPS_OF_FUNCTION 100 /* a user's function may be slow */

typedef int (*lb_pulse)(void *);

/* Decides when to stop: calls the pulse every LB_STEPS_TO_PULSE steps. */
typedef struct {
    lb_pulse pulse;
    void *owner;
    int64_t steps_left;
} lb_watch;

typedef struct {
    /* The network and its resources. */
    ptrdiff_t n, m, resources, words, rows, steps;
    int32_t source, sink;
    int bounded;
    double step;
    const int32_t *tail, *head;
    const double *use, *lower, *upper, *start, *min_resource_between;
    const uint64_t *memory;
    const uint8_t *rise, *stay, *wrap;
    /* The automaton. */
    ptrdiff_t kinds, states;
    int32_t begin;
    const int32_t *kind, *next_states;
    const double *step_costs, *final_costs;
    const uint8_t *simulates;
    lb_user_resources *user;
    /* The call: what routes cost, and when to stop. */
    const double *cost, *charge;
    double below;    /* the threshold; a search lowers it */
    double rounding; /* sums of a route's costs in two orders differ by at most this */
    double memory_limit;
    int heuristic; /* dominance compares costs and the main resource alone */
    lb_watch *watch;
    /* Derived from the automaton by `lb_open_model`, which owns these arrays. */
    double min_final_cost;
    double *min_step_cost;   /* of each kind */
    int64_t *previous_first; /* by kind and state: where its previous states begin */
    int32_t *previous_states; /* those from which an arc leads to a state that simulates this one */
    array_owner owner;
} lb_model;

/* Charge some steps. Whether to stop; after a 1, the caller has LB_STEPS_TO_PULSE steps to finish its
 * work. */
static inline int lb_must_stop(const lb_model *m, ptrdiff_t steps)
{
    lb_watch *w = m->watch;
    w->steps_left -= steps;
    if (w->steps_left > 0)
        return 0;
    w->steps_left = LB_STEPS_TO_PULSE;
    return w->pulse(w->owner);
}

typedef struct {
    double cost;
    int32_t arc;
} lb_arc_price;

static int lb_cheaper(const void *a, const void *b)
{
    const lb_arc_price *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->arc > y->arc) - (x->arc < y->arc);
}

static int lb_bit(const uint64_t *set, ptrdiff_t v)
{
    return (int)(set[v >> 6] >> (v & 63) & 1);
}

/* The slice of a value of the main resource. The quotient is exact, because `step` is a power of two. */
static ptrdiff_t lb_slice(const lb_model *m, double x)
{
    const double k = (x - m->start[0]) / m->step;
    return k < 1 ? 0 : k < (double)m->steps ? (ptrdiff_t)k : m->steps - 1;
}

/* Whether an arc of kind c leads from state s to a state that simulates t. */
static int lb_reaches_state(const lb_model *m, ptrdiff_t c, ptrdiff_t s, ptrdiff_t t)
{
    const int32_t next = m->next_states[c * m->states + s];
    return next >= 0 && m->simulates[next * m->states + t];
}

/* Whether a label from the sink needs no extension from t back to s, because another state p serves as
 * well: p simulates s, reaches t and costs no more. Of states that replace each other, the last one is
 * kept. */
static int lb_is_redundant_state(const lb_model *m, ptrdiff_t c, ptrdiff_t s, ptrdiff_t t)
{
    const ptrdiff_t n = m->states;
    for (ptrdiff_t p = 0; p < n; p++)
        if (p != s && m->simulates[s * n + p] && m->step_costs[c * n + p] <= m->step_costs[c * n + s]
            && lb_reaches_state(m, c, p, t)
            && (p > s || !m->simulates[p * n + s] || m->step_costs[c * n + p] < m->step_costs[c * n + s]))
            return 1;
    return 0;
}

/* Derive the tables that depend on the automaton alone. 0 without memory.
 *
 * Testing for redundant states takes cubic time in the states; beyond 2e7 steps that would cost more than
 * it saves. */
static int lb_open_model(lb_model *m)
{
    const ptrdiff_t kinds = m->kinds, states = m->states;
    const int drops_redundant = (double)kinds * (double)states * (double)states * (double)states <= 2e7;
    ptrdiff_t capacity = 0;
    for (ptrdiff_t i = 0; i < kinds * states; i++)
        if (m->next_states[i] >= 0)
            for (ptrdiff_t t = 0; t < states; t++)
                capacity += m->simulates[m->next_states[i] * states + t];
    m->min_step_cost = own_array(&m->owner, kinds, sizeof(double));
    m->previous_first = own_array(&m->owner, kinds * states + 1, sizeof(int64_t));
    m->previous_states = own_array(&m->owner, capacity, sizeof(int32_t));
    if (m->owner.failed)
        return 0;
    m->min_final_cost = INFINITY;
    for (ptrdiff_t s = 0; s < states; s++)
        m->min_final_cost = fmin(m->min_final_cost, m->final_costs[s]);
    int64_t count = 0;
    for (ptrdiff_t c = 0; c < kinds; c++) {
        m->min_step_cost[c] = INFINITY;
        for (ptrdiff_t s = 0; s < states; s++)
            if (m->next_states[c * states + s] >= 0)
                m->min_step_cost[c] = fmin(m->min_step_cost[c], m->step_costs[c * states + s]);
        for (ptrdiff_t t = 0; t < states; t++) {
            for (ptrdiff_t s = 0; s < states; s++)
                if (lb_reaches_state(m, c, s, t) && !(drops_redundant && lb_is_redundant_state(m, c, s, t)))
                    m->previous_states[count++] = (int32_t)s;
            m->previous_first[c * states + t + 1] = count;
        }
    }
    return 1;
}

#endif
