/* Growth of the arrays that a kernel allocates. */
#ifndef GAPLESS_RESIZE_H
#define GAPLESS_RESIZE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Resize the array whose address is stored at `pointer`, to `count` elements of `size` bytes. 0 without
 * memory: the array then stays as it is, so that its owner frees it as always. */
static inline int array_resize(void *pointer, ptrdiff_t count, size_t size)
{
    void *array;
    memcpy(&array, pointer, sizeof array); /* a pointer to any type of pointer: no cast may alias it */
    array = realloc(array, (size_t)count * size + 1); /* one more byte: realloc(array, 0) may return NULL */
    if (!array)
        return 0;
    memcpy(pointer, &array, sizeof array);
    return 1;
}

/* Grow such an array to at least `needed` elements if `capacity` is less, and then to at least twice as many
 * as before, so that appending takes amortised constant time. 0 without memory. */
static inline int array_grow(void *pointer, ptrdiff_t *capacity, ptrdiff_t needed, size_t size)
{
    if (needed <= *capacity)
        return 1;
    const ptrdiff_t larger = needed > 2 * *capacity ? needed + 8 : 2 * *capacity;
    if (!array_resize(pointer, larger, size))
        return 0;
    *capacity = larger;
    return 1;
}

#endif
