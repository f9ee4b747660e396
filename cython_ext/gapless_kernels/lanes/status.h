/* What a batch kernel says of each sentence; _status.py explains the numbers. */
#ifndef GAPLESS_KERNELS_STATUS_H
#define GAPLESS_KERNELS_STATUS_H

enum { GAPLESS_DECIDED = 0, GAPLESS_DOUBTFUL = 1, GAPLESS_INVALID = 2, GAPLESS_INFEASIBLE = 3 };

#endif
