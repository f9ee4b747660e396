/* Ownership of the arrays that a kernel allocates: an owner allocates them, and frees all of them at once. */
#ifndef GAPLESS_OWNER_H
#define GAPLESS_OWNER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "resize.h"

/* Zeroed, it owns nothing. */
typedef struct {
    void *last; /* the block allocated last; each block begins with the address of the one before */
    int failed; /* whether an allocation failed since the owner was zeroed or freed */
} array_owner;

/* Allocate zeros that begin on a cache line and end with one to spare, since loops read whole vectors. NULL
 * without memory: then `failed` is set, so that one test does for many arrays. */
static inline void *own_array(array_owner *owner, ptrdiff_t count, size_t size)
{
    char *block = calloc(1, (size_t)count * size + 192);
    if (!block) {
        owner->failed = 1;
        return NULL;
    }
    memcpy(block, &owner->last, sizeof owner->last);
    owner->last = block;
    return block + 128 - (uintptr_t)block % 64;
}

static inline void free_arrays(array_owner *owner)
{
    while (owner->last) {
        void *block = owner->last;
        memcpy(&owner->last, block, sizeof owner->last);
        free(block);
    }
    owner->failed = 0;
}

#endif
