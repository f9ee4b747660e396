/* Beam search over chains; see _beam_twin.py for what it owes. */
#ifndef GAPLESS_KERNELS_BEAM_H
#define GAPLESS_KERNELS_BEAM_H

#include "lanes/simd.h"
#include "lanes/status.h"

#define GAPLESS_TEMPLATE "sparse_chains/beam_rows.h"
#include "lanes/instruction_sets.h"

#define GAPLESS_BEAM_F32(set, ...) GAPLESS_CALL(set, beam_batch_f32, __VA_ARGS__)
#define GAPLESS_BEAM_F64(set, ...) GAPLESS_CALL(set, beam_batch_f64, __VA_ARGS__)

#endif
