/* The linking search, a template of lanes/versions.h: one translation unit, in the order in which the
 * parts use each other. */
#include "linking/model.h"
#include "linking/ascent.h"
#include "linking/dominance.h"
#include "linking/local.h"
#include "linking/rows.h"
#include "linking/russian_doll.h"
#include "linking/record_writer.h"
#include "linking/doll_model.h"
#include "linking/incumbent.h"
#include "linking/doll_search.h"
#include "linking/split.h"
#undef TYPE
#undef REAL
#undef DIST
#undef WIDE
#undef SUM
#undef CELL
#undef CELL_BITS
#undef FULL
#undef MOST
#undef HALF
#undef LIFT
