/* What a search writes down for those who check it: a script that gapless_linking's certificate goes through. Numbers
 * in `script` are operations with their arguments; costs moved and floors stand in arrays of their own, one after
 * another. */
#ifndef GAPLESS_KERNELS_LINKING_RECORD_H
#define GAPLESS_KERNELS_LINKING_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LK_STAGE = 1, /* sets, members, then those: costs moved, (members, sets) numbers; what costs too much is dropped */
    LK_DOLLS = 2, /* sets, then those in the order of a Russian doll search: (sets + 1) floors */
    LK_SPLIT = 3, /* a member: what follows, up to LK_END, is about choices with it */
    LK_END = 4,   /* from here on, about choices without it */
    LK_DOMINATED = 5 /* how many, then pairs: a member, and one of its set that is never dearer */
};

typedef struct {
    char *data;
    size_t used, room;
} lk_array;

typedef struct {
    lk_array script, moved, floors;
    size_t limit;
    int full; /* it outgrew its limit and is gone */
} lk_record;

typedef struct {
    size_t script, moved, floors;
} lk_mark;

static void lk_drop_record(lk_record *r)
{
    lk_array *arrays[] = {&r->script, &r->moved, &r->floors};
    for (int i = 0; i < 3; i++) {
        free(arrays[i]->data);
        memset(arrays[i], 0, sizeof(lk_array));
    }
}

/* Room for some bytes more at the end of an array; NULL, and no record any more, beyond the limit. */
static void *lk_more(lk_record *r, lk_array *to, size_t bytes)
{
    if (!r->full && to->used + bytes > to->room) {
        const size_t room = 2 * to->used + bytes + 256;
        char *data = r->script.used + r->moved.used + r->floors.used + bytes > r->limit ? NULL : realloc(to->data, room);
        if (data) {
            to->data = data;
            to->room = room;
        }
        else
            r->full = 1;
    }
    if (r->full) {
        lk_drop_record(r);
        return NULL;
    }
    to->used += bytes;
    return to->data + to->used - bytes;
}

static lk_mark lk_here(const lk_record *r)
{
    const lk_mark mark = {r->script.used, r->moved.used, r->floors.used};
    return mark;
}

/* Forget what was written since. */
static void lk_back(lk_record *r, lk_mark mark)
{
    if (r->full)
        return;
    r->script.used = mark.script;
    r->moved.used = mark.moved;
    r->floors.used = mark.floors;
}

static void lk_say(lk_record *r, int operation, int count, const int32_t *numbers)
{
    int32_t *to = lk_more(r, &r->script, ((size_t)count + 1) * sizeof(int32_t));
    if (!to)
        return;
    to[0] = operation;
    if (count)
        memcpy(to + 1, numbers, (size_t)count * sizeof(int32_t));
}

#endif
