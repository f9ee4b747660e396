/* Snapshots: saved multipliers, sparse if most of them are 0. */
#ifndef GAPLESS_SEARCH_SNAPSHOTS_H
#define GAPLESS_SEARCH_SNAPSHOTS_H

#include "search/forms.h"

/* Write the multipliers that are not 0, and their slots, in one pass; their number, or -1 if they exceed
 * `limit`. Most are 0, so eight are tested at a time; the arrays must have space for 8 more. */
static ptrdiff_t gs_nonzeros(const gs_search *s, double *multipliers, int32_t *slot, ptrdiff_t limit)
{
    const double *all = s->ascent.multipliers;
    ptrdiff_t count = 0;
    for (ptrdiff_t k = 0; k < s->ascent.slots && count <= limit; k += 8) {
        const int width = k + 8 <= s->ascent.slots ? 8 : (int)(s->ascent.slots - k);
        uint64_t bits[8] = {0}, any = 0;
        memcpy(bits, all + k, width < 8 ? (size_t)width * sizeof *bits : sizeof bits);
        for (int i = 0; i < 8; i++)
            any |= bits[i];
        if (!any)
            continue;
        for (int i = 0; i < width; i++) { /* without a branch: the next one overwrites a 0 */
            multipliers[count] = all[k + i];
            slot[count] = (int32_t)(k + i);
            count += all[k + i] != 0.0;
        }
    }
    return count <= limit ? count : -1;
}

/* Copy the multipliers as a snapshot with one user; -1 without memory. */
static int32_t gs_save_multipliers(gs_search *s)
{
    int32_t number = s->snapshots.first_free;
    if (number < 0) {
        if (!GS_GROW(s, snapshots.snapshot, s->snapshots.count + 1))
            return -1;
        number = (int32_t)s->snapshots.count++;
        s->snapshots.snapshot[number].multipliers = NULL;
        s->snapshots.snapshot[number].next_free = -1;
    }
    gs_snapshot *copy = s->snapshots.snapshot + number;
    GAPLESS_ASSERT(copy->multipliers == NULL);
    /* An entry with its slot takes 12 bytes, one without takes 8: lists pay up to two thirds, and are tried
     * up to one. */
    const ptrdiff_t limit = s->ascent.slots / 3;
    double *multipliers = malloc((size_t)(limit + 9) * sizeof *multipliers), *fewer;
    int32_t *slot = malloc((size_t)(limit + 9) * sizeof *slot), *fewer_slots;
    ptrdiff_t count = multipliers != NULL && slot != NULL ? gs_nonzeros(s, multipliers, slot, limit) : -1;
    if (count >= 0) {
        fewer = realloc(multipliers, (size_t)(count + 1) * sizeof *multipliers);
        fewer_slots = realloc(slot, (size_t)(count + 1) * sizeof *slot);
        multipliers = fewer != NULL ? fewer : multipliers;
        slot = fewer_slots != NULL ? fewer_slots : slot;
    } else {
        count = s->ascent.slots;
        free(multipliers);
        free(slot);
        slot = NULL;
        multipliers = malloc((size_t)(count + 1) * sizeof *multipliers);
        if (multipliers == NULL) {
            s->no_memory = 1;
            return -1;
        }
        memcpy(multipliers, s->ascent.multipliers, (size_t)count * sizeof *multipliers);
    }
    s->snapshots.first_free = copy->next_free;
    copy->multipliers = multipliers;
    copy->slot = slot;
    copy->count = count;
    copy->users = 1;
    copy->bytes = (size_t)count * (sizeof *multipliers + (slot != NULL ? sizeof *slot : 0));
    s->snapshots.bytes += (double)copy->bytes;
    return number;
}

/* Write the multipliers of a snapshot, float64 (slots,). */
static void gs_load_multipliers(gs_search *s, int32_t snapshot)
{
    const gs_snapshot *copy = s->snapshots.snapshot + snapshot;
    GAPLESS_ASSERT(snapshot >= 0 && snapshot < s->snapshots.count && copy->users > 0);
    if (copy->slot == NULL) {
        memcpy(s->ascent.multipliers, copy->multipliers, (size_t)s->ascent.slots * sizeof(double));
        return;
    }
    memset(s->ascent.multipliers, 0, (size_t)s->ascent.slots * sizeof(double));
    for (ptrdiff_t i = 0; i < copy->count; i++)
        s->ascent.multipliers[copy->slot[i]] = copy->multipliers[i];
}

/* Set the multipliers of a snapshot in the slots first..end-1 to 0. */
static void gs_clear_slots(gs_snapshot *copy, ptrdiff_t first, ptrdiff_t end)
{
    for (ptrdiff_t i = copy->slot == NULL ? first : 0; i < (copy->slot == NULL ? end : copy->count); i++)
        if (copy->slot == NULL || (copy->slot[i] >= first && copy->slot[i] < end))
            copy->multipliers[i] = 0.0;
}

/* Drop one reference; snapshots live as long as a node, a fixing step or a leaf of the proof uses them. */
static void gs_release_snapshot(gs_search *s, int32_t snapshot)
{
    if (snapshot < 0)
        return;
    gs_snapshot *copy = s->snapshots.snapshot + snapshot;
    GAPLESS_ASSERT(snapshot < s->snapshots.count && copy->users > 0);
    if (--copy->users > 0)
        return;
    free(copy->multipliers);
    free(copy->slot);
    s->snapshots.bytes -= (double)copy->bytes;
    copy->multipliers = NULL;
    copy->slot = NULL;
    copy->next_free = s->snapshots.first_free;
    s->snapshots.first_free = snapshot;
}

#endif
