/* All templates of the linking search, in the order in which they use each other. */
#include "_linking_model.h"
#include "_linking_ascent.h"
#include "_linking_local.h"
#include "_linking_rows.h"
#include "_linking_dolls.h"
#include "_linking_written.h"
#include "_linking_moved.h"
#include "_linking_split.h"
