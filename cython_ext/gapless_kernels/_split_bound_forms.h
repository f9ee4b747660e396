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

/* Whether no tree has both of two arcs: they enter one word, or face each other. */
static inline int sb_excludes(const sb_search *s, int64_t e, int64_t f)
{
    return s->modifier[e] == s->modifier[f] || (s->head[e] == s->modifier[f] && s->head[f] == s->modifier[e]);
}

/* Whether no tree has all arcs of a scope. */
static int sb_cannot_fire(const sb_search *s, const int64_t *arcs, ptrdiff_t width)
{
    for (ptrdiff_t a = 0; a < width; a++)
        for (ptrdiff_t b = 0; b < a; b++)
            if (arcs[a] != arcs[b] && sb_excludes(s, arcs[a], arcs[b]))
                return 1;
    return 0;
}

/* The pairs of a block that can fire (`fires`), and how many there are by lower arc and word of the upper one: `sizes[side]` with
 * the lower arc second (side 1) or first (side 0). Which side has fewer groups, more pairs to a group. */
static int sb_count_groups(const sb_search *s, const sb_block *block, unsigned char *fires, int32_t *const *sizes)
{
    for (ptrdiff_t c = 0; c < block->count; c++) {
        const int64_t e = block->arcs[2 * c], f = block->arcs[2 * c + 1];
        fires[c] = e != f && !sb_excludes(s, e, f);
        if (fires[c])
            sizes[0][e * s->N + s->modifier[f]]++, sizes[1][f * s->N + s->modifier[e]]++;
    }
    ptrdiff_t groups[2] = {0, 0};
    for (ptrdiff_t key = 0; key < s->arcs * s->N; key++)
        groups[0] += sizes[0][key] != 0, groups[1] += sizes[1][key] != 0;
    return groups[1] <= groups[0];
}

/* One more star for each word of whose arcs groups choose, one column for each group, whose number replaces its size. */
static int sb_lay_stars(sb_search *s, int32_t *size, int32_t *at_word, ptrdiff_t *rooms)
{
    const ptrdiff_t before = s->stars;
    for (ptrdiff_t m = 0; m < s->N; m++)
        at_word[m] = -1;
    for (ptrdiff_t lower = 0; lower < s->arcs; lower++)
        for (ptrdiff_t word = 0; word < s->N; word++) {
            int32_t *here = size + lower * s->N + word;
            if (*here < 2) { /* a pair alone in its group is better split */
                *here = -1;
                continue;
            }
            if (at_word[word] < 0) {
                if (!sb_grow((void **)&s->star, &rooms[0], s->stars + 1, sizeof *s->star))
                    return 0;
                const sb_star fresh = {(int32_t)word, s->into_first[word + 1] - s->into_first[word], 0, 0, 0};
                s->star[s->stars] = fresh, at_word[word] = (int32_t)s->stars++;
            }
            *here = s->star[at_word[word]].lowers++;
        }
    for (ptrdiff_t a = before; a < s->stars; a++) {
        sb_star *star = s->star + a;
        const ptrdiff_t cells = (ptrdiff_t)star->uppers * star->lowers;
        ptrdiff_t same = rooms[1];
        star->cell = s->star_cells, star->column = s->columns;
        if (!(sb_grow((void **)&s->star_score, &same, s->star_cells + cells, sizeof *s->star_score)
              && sb_grow((void **)&s->star_scope, &rooms[1], s->star_cells + cells, sizeof *s->star_scope)
              && sb_grow((void **)&s->column_lower, &rooms[2], s->columns + star->lowers, sizeof *s->column_lower)))
            return 0;
        s->star_cells += cells, s->columns += star->lowers;
        for (ptrdiff_t k = 0; k < cells; k++)
            s->star_score[star->cell + k] = 0.0, s->star_scope[star->cell + k] = SB_UNSCOPED;
    }
    for (ptrdiff_t lower = 0; lower < s->arcs; lower++)
        for (ptrdiff_t word = 0; word < s->N; word++)
            if (size[lower * s->N + word] >= 0)
                s->column_lower[s->star[at_word[word]].column + size[lower * s->N + word]] = (int32_t)lower;
    return 1;
}

/* Lay the pairs of one block out as stars; `form` gets 1 for those taken. */
static int sb_make_stars(sb_search *s, const sb_block *block, unsigned char *form, ptrdiff_t *rooms)
{
    const ptrdiff_t keys = s->arcs * s->N, before = s->stars;
    int32_t *sizes[2] = {calloc(keys + 1, sizeof(int32_t)), calloc(keys + 1, sizeof(int32_t))};
    int32_t *at_word = malloc((size_t)s->N * sizeof *at_word);
    unsigned char *fires = malloc((size_t)block->count + 1);
    int ok = sizes[0] && sizes[1] && at_word && fires;
    if (ok) {
        const int side = sb_count_groups(s, block, fires, sizes);
        const int32_t *column = sizes[side];
        ok = sb_lay_stars(s, sizes[side], at_word, rooms);
        for (ptrdiff_t c = 0; ok && c < block->count; c++) {
            const int64_t lower = block->arcs[2 * c + side], upper = block->arcs[2 * c + 1 - side];
            const ptrdiff_t word = s->modifier[upper];
            const int32_t at = column[lower * s->N + word];
            if (!fires[c] || at < 0)
                continue;
            const sb_star *star = s->star + at_word[word];
            const ptrdiff_t cell = star->cell + (ptrdiff_t)s->rank[upper] * star->lowers + at;
            if (s->star_scope[cell] >= 0)
                continue; /* the same pair once more: shared */
            s->star_scope[cell] = (int32_t)(block->first + c), s->star_score[cell] = block->scores[c];
            form[block->first + c] = 1;
        }
    }
    for (ptrdiff_t a = before; ok && a < s->stars; a++) { /* an upper arc that cannot stand beside the lower one is no choice */
        const sb_star *star = s->star + a;
        for (ptrdiff_t k = 0; k < star->uppers; k++)
            for (ptrdiff_t c = 0; c < star->lowers; c++) {
                const int32_t upper = s->into[s->into_first[star->word] + k], lower = s->column_lower[star->column + c];
                const ptrdiff_t cell = star->cell + k * star->lowers + c;
                if (s->star_scope[cell] < 0 && upper != lower && sb_excludes(s, upper, lower))
                    s->star_scope[cell] = SB_IMPOSSIBLE, s->star_score[cell] = -INFINITY;
            }
    }
    free(sizes[0]), free(sizes[1]), free(at_word), free(fires);
    return ok;
}

/* Whether a scope's score is, or may turn out to be, another than 0. */
static int sb_matters(const sb_search *s, const sb_block *block, ptrdiff_t c)
{
    return block->scores[c] != 0.0 || (s->unknown != NULL && s->unknown[block->first + c]);
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
            else if (!form[blocks[b].first + c] && sb_matters(s, blocks + b, c) && !sb_cannot_fire(s, arcs, blocks[b].width))
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
            if (width == 1 || form[blocks[b].first + c] || !sb_matters(s, blocks + b, c) || sb_cannot_fire(s, arcs, width))
                continue;
            s->shared_scope[s->shared] = (int32_t)(blocks[b].first + c), s->shared_score[s->shared] = score;
            for (ptrdiff_t k = 0; k < width; k++)
                s->shared_arc[s->shared_slots + k] = (int32_t)arcs[k], s->incident_first[arcs[k] + 1]++;
            s->shared_slots += width, s->shared_first[++s->shared] = s->shared_slots;
            s->largest_step = score != 0.0 ? fmax(s->largest_step, 1.0 / fabs(score)) : s->largest_step;
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
