/* Viterbi with pruning over chains; _viterbi_pruned_twin.py documents the contract. */
#ifndef GAPLESS_KERNELS_VITERBI_PRUNED_H
#define GAPLESS_KERNELS_VITERBI_PRUNED_H

#include "lanes/lanes.h"
#include "lanes/status.h"

#define GAPLESS_TEMPLATE "lanes/path_value.h"
#include "lanes/types.h"
#define GAPLESS_TEMPLATE "sparse_chains/model.h"
#include "lanes/types.h"
#define GAPLESS_TEMPLATE "sparse_chains/viterbi_pruned_rows.h"
#include "lanes/versions.h"

/* Scores as pointers to void, of the type that `is_double` names. */
#define GAPLESS_VITERBI_PRUNED(is_double, ...) \
    ((is_double) ? GAPLESS_CALL(viterbi_pruned_f64, (__VA_ARGS__)) \
                 : GAPLESS_CALL(viterbi_pruned_f32, (__VA_ARGS__)))

#endif
