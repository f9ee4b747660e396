/* Resources that a user programs: a state is a list of numbers, which a C function extends along an arc.
 *
 * Only labels from the source carry such states: the function runs forward only. */
#ifndef GAPLESS_LABELS_USER_STATE_H
#define GAPLESS_LABELS_USER_STATE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define LB_FAULT_CODE 1
#define LB_FAULT_UNSET 2
#define LB_FAULT_COST 3

/* Write the next state along an arc, and its cost. Returns 0, or 1 if the route must not take the arc. */
typedef int (*lb_user_extend)(void *data, int32_t arc, const double *state, double *next, double *cost);

typedef struct {
    lb_user_extend extend;
    void *data;
    ptrdiff_t size;
    double min_cost, max_cost; /* of one arc */
} lb_user_resource;

/* The first result that broke the function's contract; `kind` is 0 while none did. */
typedef struct {
    int32_t kind, resource, arc, number;
    double value;
} lb_fault;

typedef struct {
    const lb_user_resource *resources;
    ptrdiff_t count; /* of resources */
    ptrdiff_t size;  /* numbers of all their states */
    const double *start;
    const uint8_t *same; /* numbers that must be equal for dominance; of the others, less is better */
    double min_cost;     /* of an arc, all resources together */
    double *workspace;   /* two states */
    lb_fault fault;
} lb_user_resources;

/* Extend the states along an arc and add their costs. 0 if the route must not take the arc, or a function
 * broke its contract. */
static int lb_extend_user_states(lb_user_resources *o, int32_t arc, const double *state, double *next,
                                 double *cost)
{
    for (ptrdiff_t i = 0; i < o->count; i++) {
        const lb_user_resource *resource = o->resources + i;
        double step_cost = NAN;
        for (ptrdiff_t k = 0; k < resource->size; k++)
            next[k] = NAN;
        const int code = resource->extend(resource->data, arc, state, next, &step_cost);
        if (code == 1)
            return 0;
        const int in_range = step_cost >= resource->min_cost && step_cost <= resource->max_cost;
        const int32_t kind = code ? LB_FAULT_CODE : in_range ? 0 : LB_FAULT_COST;
        lb_fault fault = {kind, (int32_t)i, arc, code, step_cost};
        for (ptrdiff_t k = 0; k < resource->size && !fault.kind; k++)
            if (isnan(next[k]))
                fault = (lb_fault){LB_FAULT_UNSET, (int32_t)i, arc, (int32_t)k, 0.0};
        if (fault.kind) {
            if (!o->fault.kind)
                o->fault = fault;
            return 0;
        }
        *cost += step_cost;
        state += resource->size;
        next += resource->size;
    }
    return 1;
}

/* Whether state a can replace state b. */
static int lb_user_state_dominates(const lb_user_resources *o, const double *a, const double *b)
{
    for (ptrdiff_t k = 0; k < o->size; k++)
        if (a[k] > b[k] || (o->same[k] && a[k] != b[k]))
            return 0;
    return 1;
}

#endif
