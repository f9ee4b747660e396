/* Multipliers that are remembered: copies of `split`, sparse where most of them are 0. */
#ifndef GAPLESS_SEARCH_SNAPSHOTS_H
#define GAPLESS_SEARCH_SNAPSHOTS_H

#include "search/forms.h"

/* Write the multipliers that are not 0, and their slots, in one pass; how many, or -1 where they are more than `most`. Eight at a time,
 * since most are 0: there must be room for 8 more. */
static ptrdiff_t gs_nonzeros(const gs_search *s, double *split, int32_t *place, ptrdiff_t most)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t k = 0; k < s->slots && count <= most; k += 8) {
        const int width = k + 8 <= s->slots ? 8 : (int)(s->slots - k);
        uint64_t bits[8] = {0}, any = 0;
        memcpy(bits, s->split + k, width < 8 ? (size_t)width * sizeof *bits : sizeof bits);
        for (int i = 0; i < 8; i++)
            any |= bits[i];
        if (!any)
            continue;
        for (int i = 0; i < width; i++) { /* without a branch: what is 0 is written over */
            split[count] = s->split[k + i], place[count] = (int32_t)(k + i);
            count += s->split[k + i] != 0.0;
        }
    }
    return count <= most ? count : -1;
}

/* A copy of the multipliers, with one user; -1 without memory. */
static int32_t gs_remember(gs_search *s)
{
    int32_t at = s->free_snapshot;
    if (at < 0) {
        if (!gs_grow((void **)&s->snapshots, &s->snapshot_room, s->snapshot_count + 1, sizeof *s->snapshots))
            return s->no_memory = 1, -1;
        at = (int32_t)s->snapshot_count++;
        s->snapshots[at].split = NULL, s->snapshots[at].next_free = -1;
    }
    gs_snapshot *copy = s->snapshots + at;
    const ptrdiff_t most = s->slots / 3; /* beyond that, all take less room */
    double *split = malloc((size_t)(most + 9) * sizeof *split), *less;
    int32_t *place = malloc((size_t)(most + 9) * sizeof *place), *fewer;
    ptrdiff_t count = split != NULL && place != NULL ? gs_nonzeros(s, split, place, most) : -1;
    if (count >= 0) {
        less = realloc(split, (size_t)(count + 1) * sizeof *split), fewer = realloc(place, (size_t)(count + 1) * sizeof *place);
        split = less != NULL ? less : split, place = fewer != NULL ? fewer : place;
    } else {
        count = s->slots, free(split), free(place), place = NULL;
        split = malloc((size_t)(count + 1) * sizeof *split);
        if (split == NULL)
            return s->no_memory = 1, -1;
        memcpy(split, s->split, (size_t)count * sizeof *split);
    }
    s->free_snapshot = copy->next_free;
    copy->split = split, copy->place = place, copy->count = count, copy->users = 1;
    copy->bytes = (size_t)count * (sizeof *split + (place != NULL ? sizeof *place : 0));
    s->snapshot_bytes += (double)copy->bytes;
    return at;
}

/* The multipliers of a copy, float64 (slots,). */
static void gs_recall(const gs_search *s, const gs_snapshot *copy, double *split)
{
    if (copy->place == NULL) {
        memcpy(split, copy->split, (size_t)s->slots * sizeof(double));
        return;
    }
    memset(split, 0, (size_t)s->slots * sizeof(double));
    for (ptrdiff_t i = 0; i < copy->count; i++)
        split[copy->place[i]] = copy->split[i];
}

/* Turn some of a copy's multipliers to 0: those in the slots first..end-1. */
static void gs_clear(gs_snapshot *copy, ptrdiff_t first, ptrdiff_t end)
{
    for (ptrdiff_t i = copy->place == NULL ? first : 0; i < (copy->place == NULL ? end : copy->count); i++)
        if (copy->place == NULL || (copy->place[i] >= first && copy->place[i] < end))
            copy->split[i] = 0.0;
}

/* Multipliers live as long as a node, a fixing or a leaf of the proof uses them. */
static void gs_release(gs_search *s, int32_t snapshot)
{
    if (snapshot < 0 || --s->snapshots[snapshot].users > 0)
        return;
    gs_snapshot *copy = s->snapshots + snapshot;
    free(copy->split), free(copy->place);
    s->snapshot_bytes -= (double)copy->bytes;
    copy->split = NULL, copy->place = NULL;
    copy->next_free = s->free_snapshot, s->free_snapshot = snapshot;
}

#endif
