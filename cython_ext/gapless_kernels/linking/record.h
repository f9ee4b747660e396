/* The record of a search: a script that the certificate of gapless_linking replays. `script` has
 * operations with their arguments; messages and floors have arrays of their own, in the order of the
 * script. */
#ifndef GAPLESS_KERNELS_LINKING_RECORD_H
#define GAPLESS_KERNELS_LINKING_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "owner.h"

enum {
    LK_STAGE =
        1, /* sets, members, then those: (members, sets) messages; members that are too costly are dropped */
    LK_RUSSIAN_DOLL = 2, /* sets, then those in the order of the search: (sets + 1) floors */
    LK_SPLIT = 3,        /* a member: the operations up to LK_END are about choices with it */
    LK_END = 4,          /* from here on, the operations are about choices without it */
    LK_DOMINATED = 5     /* count, then pairs: a member, and one of its set that never costs more */
};

typedef struct {
    char *data;
    size_t used, capacity;
} lk_array;

typedef struct {
    lk_array script, messages, floors;
    size_t limit;
    int full; /* the record outgrew its limit and was dropped */
} lk_record;

typedef struct {
    size_t script, messages, floors;
} lk_mark;

static void lk_drop_record(lk_record *r)
{
    lk_array *arrays[] = {&r->script, &r->messages, &r->floors};
    for (int i = 0; i < 3; i++) {
        free(arrays[i]->data);
        memset(arrays[i], 0, sizeof(lk_array));
    }
}

/* Append space for `bytes` bytes to an array; NULL beyond the limit, and the record is dropped. */
static void *lk_reserve(lk_record *r, lk_array *to, size_t bytes)
{
    if (!r->full && to->used + bytes > to->capacity) {
        const size_t capacity = 2 * to->used + bytes + 256;
        const size_t used = r->script.used + r->messages.used + r->floors.used;
        if (used + bytes > r->limit || !array_resize(&to->data, (ptrdiff_t)capacity, 1))
            r->full = 1;
        else
            to->capacity = capacity;
    }
    if (r->full) {
        lk_drop_record(r);
        return NULL;
    }
    to->used += bytes;
    return to->data + to->used - bytes;
}

static lk_mark lk_mark_end(const lk_record *r)
{
    const lk_mark mark = {r->script.used, r->messages.used, r->floors.used};
    return mark;
}

/* Remove everything written since the mark. */
static void lk_rewind(lk_record *r, lk_mark mark)
{
    if (r->full)
        return;
    r->script.used = mark.script;
    r->messages.used = mark.messages;
    r->floors.used = mark.floors;
}

static void lk_write_op(lk_record *r, int operation, int count, const int32_t *numbers)
{
    int32_t *to = lk_reserve(r, &r->script, ((size_t)count + 1) * sizeof(int32_t));
    if (!to)
        return;
    to[0] = operation;
    if (count)
        memcpy(to + 1, numbers, (size_t)count * sizeof(int32_t));
}

#endif
