/* The chain kernels: a template of lanes/versions.h, cut into pieces of one translation unit in this
 * order. */
#include "chains/limits.h"
#include "chains/max_plus.h"
#include "chains/viterbi.h"
#include "chains/dominance.h"
