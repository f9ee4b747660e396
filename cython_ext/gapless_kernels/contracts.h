/* GAPLESS_ASSERT(condition): a contract between functions, tested in the checked build only
 * (`cython_ext/checked_build.py`). `assert` of <assert.h> would not do: Python's compiler options define
 * NDEBUG.
 *
 * What a role returns is no contract: it is checked in every build, because roles may be code of others. */
#ifndef GAPLESS_CONTRACTS_H
#define GAPLESS_CONTRACTS_H

#ifdef GAPLESS_CHECKED
#include <stdio.h>
#include <stdlib.h>
#define GAPLESS_ASSERT(condition)                                                                            \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s: broken contract: %s\n", __FILE__, __LINE__, __func__, #condition);   \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)
#else
#define GAPLESS_ASSERT(condition) ((void)0)
#endif

#endif
