/* Which form each scope takes, and the lists made from that: stars, shared scopes, which scopes an arc is in. */
#ifndef GAPLESS_SPLIT_BOUND_FORMS_H
#define GAPLESS_SPLIT_BOUND_FORMS_H

#include "_split_bound_model.h"

/* A block of scopes of one width, as the caller gives it. */
typedef struct {
    ptrdiff_t count, width, first; /* `first`: number of its first scope among all */
    const int64_t *arcs;
    const double *scores;
} sb_block;

/* Whether no tree has all arcs of a scope: two into one word, or two that face each other. */
static int sb_cannot_fire(const sb_search *s, const int64_t *arcs, ptrdiff_t width)
{
    for (ptrdiff_t a = 0; a < width; a++)
        for (ptrdiff_t b = 0; b < a; b++) {
            const int64_t e = arcs[a], f = arcs[b];
            if (e != f && s->modifier[e] == s->modifier[f])
                return 1;
            if (s->head[e] == s->modifier[f] && s->head[f] == s->modifier[e])
                return 1;
        }
    return 0;
}

/* Groups of a block of pairs with the lower arc second (side 1) or first (side 0): their sizes by (lower arc, word). */
static ptrdiff_t sb_count_groups(const sb_search *s, const sb_block *block, int side, int32_t *sizes)
{
    ptrdiff_t groups = 0;
    for (ptrdiff_t c = 0; c < block->count; c++) {
        const int64_t lower = block->arcs[2 * c + side], upper = block->arcs[2 * c + 1 - side];
        if (lower != upper && !sb_cannot_fire(s, block->arcs + 2 * c, 2))
            groups += sizes[lower * s->N + s->modifier[upper]]++ == 0;
    }
    return groups;
}

/* Lay the pairs of one block out as stars; `form` gets 1 for those taken. */
static int sb_make_stars(sb_search *s, const sb_block *block, unsigned char *form, ptrdiff_t *rooms)
{
    const ptrdiff_t keys = s->arcs * s->N;
    int32_t *sizes[2] = {calloc(keys + 1, sizeof(int32_t)), calloc(keys + 1, sizeof(int32_t))};
    ptrdiff_t groups[2];
    if (!sizes[0] || !sizes[1]) {
        free(sizes[0]), free(sizes[1]);
        return 0;
    }
    for (int side = 0; side < 2; side++)
        groups[side] = sb_count_groups(s, block, side, sizes[side]);
    const int side = groups[1] <= groups[0];
    int32_t *size = sizes[side], *column = sizes[1 - side];
    int ok = 1;
    ptrdiff_t *at_word = calloc(s->N, sizeof *at_word);
    ok = at_word != NULL;
    for (ptrdiff_t m = 0; ok && m < s->N; m++)
        at_word[m] = -1;
    for (ptrdiff_t k = 0; k < keys; k++)
        column[k] = -1;
    for (ptrdiff_t c = 0; ok && c < block->count; c++) { /* columns, counted by word */
        const int64_t lower = block->arcs[2 * c + side], upper = block->arcs[2 * c + 1 - side];
        const ptrdiff_t word = s->modifier[upper], key = lower * s->N + word;
        if (lower == upper || size[key] < 2 || sb_cannot_fire(s, block->arcs + 2 * c, 2))
            continue;
        if (column[key] >= 0)
            continue;
        if (at_word[word] < 0) {
            ok = sb_grow((void **)&s->star, &rooms[0], s->stars + 1, sizeof *s->star);
            if (!ok)
                break;
            sb_star fresh = {(int32_t)word, s->into_first[word + 1] - s->into_first[word], 0, 0, 0};
            s->star[s->stars] = fresh;
            at_word[word] = s->stars++;
        }
        column[key] = s->star[at_word[word]].lowers++;
    }
    for (ptrdiff_t m = 0; ok && m < s->N; m++) {
        if (at_word[m] < 0)
            continue;
        sb_star *star = s->star + at_word[m];
        const ptrdiff_t cells = (ptrdiff_t)star->uppers * star->lowers;
        ptrdiff_t same = rooms[1];
        star->cell = s->star_cells, star->column = s->columns;
        ok = sb_grow((void **)&s->star_score, &same, s->star_cells + cells, sizeof *s->star_score)
            && sb_grow((void **)&s->star_scope, &rooms[1], s->star_cells + cells, sizeof *s->star_scope)
            && sb_grow((void **)&s->column_lower, &rooms[2], s->columns + star->lowers, sizeof *s->column_lower);
        if (!ok)
            break;
        s->star_cells += cells, s->columns += star->lowers;
        for (ptrdiff_t k = 0; k < cells; k++)
            s->star_score[star->cell + k] = 0.0, s->star_scope[star->cell + k] = SB_UNSCOPED;
    }
    for (ptrdiff_t c = 0; ok && c < block->count; c++) {
        const int64_t lower = block->arcs[2 * c + side], upper = block->arcs[2 * c + 1 - side];
        const ptrdiff_t word = s->modifier[upper], key = lower * s->N + word;
        if (lower == upper || size[key] < 2 || column[key] < 0 || sb_cannot_fire(s, block->arcs + 2 * c, 2))
            continue;
        const sb_star *star = s->star + at_word[word];
        const ptrdiff_t cell = star->cell + (ptrdiff_t)s->rank[upper] * star->lowers + column[key];
        s->column_lower[star->column + column[key]] = (int32_t)lower;
        if (s->star_scope[cell] >= 0)
            continue; /* the same pair once more: shared */
        s->star_scope[cell] = (int32_t)(block->first + c), s->star_score[cell] = block->scores[c];
        form[block->first + c] = 1;
    }
    for (ptrdiff_t m = 0; ok && m < s->N; m++) /* an upper arc that cannot stand beside the lower one is no choice */
        if (at_word[m] >= 0) {
            const sb_star *star = s->star + at_word[m];
            for (ptrdiff_t c = 0; c < star->lowers; c++)
                for (ptrdiff_t k = 0; k < star->uppers; k++) {
                    const int64_t pair[2] = {s->into[s->into_first[m] + k], s->column_lower[star->column + c]};
                    const ptrdiff_t cell = star->cell + k * star->lowers + c;
                    if (s->star_scope[cell] < 0 && pair[0] != pair[1] && sb_cannot_fire(s, pair, 2))
                        s->star_scope[cell] = SB_IMPOSSIBLE, s->star_score[cell] = -INFINITY;
                }
        }
    free(sizes[0]), free(sizes[1]), free(at_word);
    return ok;
}

/* Lists of shared scopes: all that are in no star, can fire, and have two arcs or more. */
static int sb_make_shared(sb_search *s, const sb_block *blocks, ptrdiff_t block_count, const unsigned char *form)
{
    ptrdiff_t count = 0, slots = 0;
    for (ptrdiff_t b = 0; b < block_count; b++)
        for (ptrdiff_t c = 0; c < blocks[b].count; c++) {
            const int64_t *arcs = blocks[b].arcs + c * blocks[b].width;
            if (blocks[b].width == 1) {
                double *base = s->base + arcs[0];
                if (*base * blocks[b].scores[c] < 0.0) /* where scores cancel, both were summed */
                    s->largest = fmax(s->largest, fmin(fabs(*base), fabs(blocks[b].scores[c])));
                *base += blocks[b].scores[c];
            }
            else if (!form[blocks[b].first + c] && blocks[b].scores[c] != 0.0 && !sb_cannot_fire(s, arcs, blocks[b].width))
                count++, slots += blocks[b].width;
        }
    SB_NEW(s, shared_scope, count), SB_NEW(s, shared_first, count + 1), SB_NEW(s, shared_score, count);
    SB_NEW(s, shared_arc, slots), SB_NEW(s, incident_first, s->arcs + 1);
    SB_NEW(s, incident, slots), SB_NEW(s, incident_other, slots), SB_NEW(s, now, slots), SB_NEW(s, now_other, slots);
    SB_NEW(s, now_first, s->arcs + 1), SB_NEW(s, current, count), SB_NEW(s, root_current, count), SB_NEW(s, armed, count), SB_NEW(s, armed_flag, count);
    SB_NEW(s, stamp, count), SB_NEW(s, moved_scope, 2 * count), SB_NEW(s, moved_arc, 2 * count);
    SB_NEW(s, column_max, s->columns), SB_NEW(s, active_columns, s->columns), SB_NEW(s, active_first, s->stars + 1);
    SB_NEW(s, moved_column, s->columns), SB_NEW(s, moved_best, s->columns), SB_NEW(s, moved_star, s->columns);
    if (s->no_memory)
        return 0;
    s->largest_step = 0.0;
    for (ptrdiff_t b = 0; b < block_count; b++)
        for (ptrdiff_t c = 0; c < blocks[b].count; c++) {
            const ptrdiff_t width = blocks[b].width;
            const int64_t *arcs = blocks[b].arcs + c * width;
            const double score = blocks[b].scores[c];
            if (width == 1 || form[blocks[b].first + c] || score == 0.0 || sb_cannot_fire(s, arcs, width))
                continue;
            s->shared_scope[s->shared] = (int32_t)(blocks[b].first + c), s->shared_score[s->shared] = score;
            for (ptrdiff_t k = 0; k < width; k++)
                s->shared_arc[s->shared_slots + k] = (int32_t)arcs[k], s->incident_first[arcs[k] + 1]++;
            s->shared_slots += width, s->shared_first[++s->shared] = s->shared_slots;
            s->largest_step = fmax(s->largest_step, 1.0 / fabs(score));
        }
    for (ptrdiff_t e = 0; e < s->arcs; e++)
        s->incident_first[e + 1] += s->incident_first[e];
    int32_t *filled = calloc(s->arcs + 1, sizeof *filled);
    if (filled == NULL)
        return 0;
    for (ptrdiff_t c = 0; c < s->shared; c++) {
        const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
        for (ptrdiff_t k = 0; k < width; k++) {
            const int32_t e = s->shared_arc[first + k], at = s->incident_first[e] + filled[e]++;
            s->incident[at] = (int32_t)c;
            s->incident_other[at] = width == 2 ? s->shared_arc[first + 1 - k] : -1;
        }
    }
    free(filled);
    for (ptrdiff_t c = 0; c < s->shared; c++)
        s->root_current[c] = (int32_t)c;
    s->root_count = s->shared;
    s->slots = s->star_cells + s->shared_slots;
    SB_NEW(s, split, s->slots);
    return !s->no_memory;
}

/* Everything that is known of the scopes; 0 without memory. */
static int sb_take_blocks(sb_search *s, const sb_block *blocks, ptrdiff_t block_count)
{
    ptrdiff_t rooms[3] = {0, 0, 0};
    unsigned char *form = calloc((size_t)s->scopes + 1, 1);
    int ok = form != NULL;
    if (!s->paper)
        for (ptrdiff_t b = 0; ok && b < block_count; b++)
            if (blocks[b].width == 2 && blocks[b].count)
                ok = sb_make_stars(s, blocks + b, form, rooms);
    ok = ok && sb_make_shared(s, blocks, block_count, form);
    free(form);
    if (!ok)
        return 0;
    for (ptrdiff_t c = 0; c < s->shared; c++) {
        const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
        if (s->shared_score[c] > 0.0)
            for (ptrdiff_t k = 0; k < width; k++)
                s->split[s->star_cells + first + k] = s->shared_score[c] / (double)width;
    }
    return 1;
}

#endif
