/* A network, its resources and the costs of one call: see `LabelTables` for what the arrays hold. */
#ifndef GAPLESS_LABELS_MODEL_H
#define GAPLESS_LABELS_MODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "labels/own.h"

#define LB_COMPLETE 0
#define LB_STOPPED 1
#define LB_FULL 2
#define LB_NO_MEMORY 3
#define LB_FAULT 4

/* Steps between two questions whether to stop. A step is a label looked at, which takes 1 to 100 ns: milliseconds in all, also where one
 * label is compared with a million others. */
#define LB_STEPS_TO_PULSE ((int64_t)1 << 19)

#define LB_STEPS_OF_FUNCTION 100 /* of a user's own, which may be slow */

typedef int (*lb_pulse)(void *) ;

/* When to stop: the caller is asked every so many steps. */
typedef struct {
    lb_pulse pulse;
    void *owner;
    int64_t steps_left;
} lb_watch;

typedef struct {
    ptrdiff_t n, m, resources, words, kinds, states, rows, steps;
    int32_t source, sink, begin;
    int bounded;
    double step, slack, memory_limit, cheapest_end;
    const int32_t *tail, *head, *kind, *after;
    const double *use, *lower, *upper, *start, *apart, *toll, *ending, *charge, *cost;
    const uint64_t *memory;
    const uint8_t *better, *rise, *stay, *wrap;
    double below;
    int loose; /* dominance looks at costs and the main resource alone */
    lb_watch *watch;
    lb_owns *owns;
    double *least_toll; /* of each kind */
    int64_t *before_first; /* states that lead to a state, or to what may stand in for it, by kind */
    int32_t *before;
} lb_model;

/* Charge some steps. Whether to stop; whoever was told so may still take as many steps as lie between two questions. */
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
    int32_t at;
} lb_priced;

static int lb_cheaper(const void *a, const void *b)
{
    const lb_priced *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int lb_bit(const uint64_t *set, ptrdiff_t v)
{
    return (int)(set[v >> 6] >> (v & 63) & 1);
}

/* The slice of a value of the main resource. Steps are powers of two: the quotient is exact. */
static ptrdiff_t lb_step(const lb_model *m, double x)
{
    const double k = (x - m->start[0]) / m->step;
    return k < 1 ? 0 : k < (double)m->steps ? (ptrdiff_t)k : m->steps - 1;
}

static void lb_close_model(lb_model *m)
{
    free(m->least_toll);
    free(m->before_first);
    free(m->before);
}

/* Whether state s before an arc of kind c leads to what may stand in for t. */
static int lb_leads(const lb_model *m, ptrdiff_t c, ptrdiff_t s, ptrdiff_t t)
{
    const int32_t next = m->after[c * m->states + s];
    return next >= 0 && m->better[next * m->states + t];
}

/* Whether another state leads to t, too, and a label from the sink does as well with that one: the last of equals stays. */
static int lb_spare(const lb_model *m, ptrdiff_t c, ptrdiff_t s, ptrdiff_t t)
{
    const ptrdiff_t n = m->states;
    for (ptrdiff_t p = 0; p < n; p++)
        if (p != s && m->better[s * n + p] && m->toll[c * n + p] <= m->toll[c * n + s] && lb_leads(m, c, p, t)
            && (p > s || !m->better[p * n + s] || m->toll[c * n + p] < m->toll[c * n + s]))
            return 1;
    return 0;
}

/* What is read off the automaton. 0 when there is no memory. */
static int lb_open_model(lb_model *m)
{
    const ptrdiff_t kinds = m->kinds, states = m->states;
    const int thin = (double)kinds * (double)states * (double)states * (double)states <= 2e7;
    ptrdiff_t room = 0;
    for (ptrdiff_t i = 0; i < kinds * states; i++)
        if (m->after[i] >= 0)
            for (ptrdiff_t t = 0; t < states; t++)
                room += m->better[m->after[i] * states + t];
    m->least_toll = malloc((size_t)(kinds + 1) * sizeof(double));
    m->before_first = calloc((size_t)(kinds * states + 1), sizeof(int64_t));
    m->before = malloc((size_t)(room + 1) * sizeof(int32_t));
    if (!m->least_toll || !m->before_first || !m->before)
        return 0;
    m->cheapest_end = INFINITY;
    for (ptrdiff_t s = 0; s < states; s++)
        m->cheapest_end = fmin(m->cheapest_end, m->ending[s]);
    int64_t at = 0;
    for (ptrdiff_t c = 0; c < kinds; c++) {
        m->least_toll[c] = INFINITY;
        for (ptrdiff_t s = 0; s < states; s++)
            if (m->after[c * states + s] >= 0)
                m->least_toll[c] = fmin(m->least_toll[c], m->toll[c * states + s]);
        for (ptrdiff_t t = 0; t < states; t++) {
            for (ptrdiff_t s = 0; s < states; s++)
                if (lb_leads(m, c, s, t) && !(thin && lb_spare(m, c, s, t)))
                    m->before[at++] = (int32_t)s;
            m->before_first[c * states + t + 1] = at;
        }
    }
    return 1;
}

#endif
