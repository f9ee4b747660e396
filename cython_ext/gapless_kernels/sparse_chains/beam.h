/* Beam search over chains; _beam_twin.py documents the contract. */
#ifndef GAPLESS_KERNELS_BEAM_H
#define GAPLESS_KERNELS_BEAM_H

#include "lanes/lanes.h"
#include "lanes/status.h"

#define GAPLESS_TEMPLATE "lanes/path_value.h"
#include "lanes/types.h"
#define GAPLESS_TEMPLATE "sparse_chains/beam_rows.h"
#include "lanes/versions.h"

/* Scores as pointers to void, of the type that `is_double` names. */
#define GAPLESS_BEAM(is_double, ...) \
    ((is_double) ? GAPLESS_CALL(beam_batch_f64, (__VA_ARGS__)) : GAPLESS_CALL(beam_batch_f32, (__VA_ARGS__)))

#endif
