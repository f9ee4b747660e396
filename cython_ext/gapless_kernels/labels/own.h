/* States of a user's own: numbers that functions at an address move along arcs. Labels from the source alone have them. */
#ifndef GAPLESS_LABELS_OWN_H
#define GAPLESS_LABELS_OWN_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define LB_CODE 1
#define LB_UNSET 2
#define LB_COST 3

/* The next state along an arc, and what it costs: 0; 1 where the route may not go on. */
typedef int (*lb_extend_own)(void *data, int32_t arc, const double *state, double *next, double *cost);

typedef struct {
    lb_extend_own extend;
    void *data;
    ptrdiff_t size;
    double least, most; /* of costs */
} lb_own;

/* The first answer that breaks a rule. */
typedef struct {
    int32_t what, resource, arc, number;
    double value;
} lb_fault;

typedef struct {
    const lb_own *own;
    ptrdiff_t count, size; /* resources, and numbers of all of them */
    const double *start;
    const uint8_t *same; /* numbers that must be equal */
    double least;        /* of costs of an arc */
    double *room;        /* two states */
    lb_fault fault;
} lb_owns;

/* The states after an arc; their costs are added. 0 where the route may not go on, or a function broke a rule. */
static int lb_move(lb_owns *o, int32_t arc, const double *state, double *next, double *cost)
{
    for (ptrdiff_t i = 0; i < o->count; i++) {
        const lb_own *own = o->own + i;
        double toll = NAN;
        for (ptrdiff_t k = 0; k < own->size; k++)
            next[k] = NAN;
        const int found = own->extend(own->data, arc, state, next, &toll);
        if (found == 1)
            return 0;
        lb_fault fault = {found ? LB_CODE : toll >= own->least && toll <= own->most ? 0 : LB_COST, (int32_t)i, arc, found, toll};
        for (ptrdiff_t k = 0; k < own->size && !fault.what; k++)
            if (isnan(next[k]))
                fault = (lb_fault){LB_UNSET, (int32_t)i, arc, (int32_t)k, 0.0};
        if (fault.what) {
            if (!o->fault.what)
                o->fault = fault;
            return 0;
        }
        *cost += toll;
        state += own->size;
        next += own->size;
    }
    return 1;
}

/* Whether states are as good. */
static int lb_no_worse(const lb_owns *o, const double *one, const double *other)
{
    for (ptrdiff_t k = 0; k < o->size; k++)
        if (one[k] > other[k] || (o->same[k] && one[k] != other[k]))
            return 0;
    return 1;
}

#endif
