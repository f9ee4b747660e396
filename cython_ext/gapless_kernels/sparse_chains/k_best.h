/* The k best paths of chains; _k_best_twin.py documents the contract. */
#ifndef GAPLESS_KERNELS_K_BEST_H
#define GAPLESS_KERNELS_K_BEST_H

#include <stdlib.h>
#include <string.h>

#include "lanes/lanes.h"
#include "lanes/status.h"
#include "resize.h"

/* Proofs are made in double only. */
#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "sparse_chains/model.h"
#include "lanes/types.h"

/* A label at a position with its best prefixes as far as they are known, and the best unused one by each way
 * in. */
typedef struct {
    double value;
    int32_t from, rank; /* the predecessor, and which of its prefixes */
} k_best_prefix;

typedef struct {
    int32_t position, label, prefix_count, exhausted;
    ptrdiff_t capacity;
    k_best_prefix *prefixes; /* capacity of them, falling */
    double *offers;          /* stride: by predecessor; -inf where there is none */
    int32_t *ranks;          /* stride: which of the predecessor's prefixes is offered */
} k_best_node;

/* Nodes keep their memory from sentence to sentence. */
typedef struct {
    k_best_node *nodes;
    ptrdiff_t count, capacity;
    int32_t *number; /* length * labels: the node of a label at a position, or -1 */
    int32_t *stack;  /* length + 1 */
    ptrdiff_t k;
    const double *columns; /* labels * stride: transitions, destination first; NULL when they vary */
} k_best_workspace;

static void gapless_k_best_release(k_best_workspace *work)
{
    for (ptrdiff_t i = 0; i < work->capacity; i++) {
        free(work->nodes[i].prefixes);
        free(work->nodes[i].offers);
    }
    free(work->nodes);
    work->nodes = NULL;
    work->count = work->capacity = 0;
}

#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "sparse_chains/k_best_rows.h"
#include "lanes/versions.h"

#define GAPLESS_K_BEST(...) GAPLESS_CALL(k_best_f64, (__VA_ARGS__))

#endif
