/* Which form each scope takes, and the lists made from that: stars, shared scopes, which scopes an arc is in. */
#ifndef GAPLESS_SPLIT_BOUND_FORMS_H
#define GAPLESS_SPLIT_BOUND_FORMS_H

#include "search/model.h"

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

/* Pairs of one group that follow one another in their block. */
typedef struct {
    ptrdiff_t first, end; /* in the block */
    int32_t lower, word, size, column;
    int32_t last;         /* upper arc; while these ascend, none comes twice */
    int32_t ascends;
} sb_run;

typedef struct {
    sb_run *run;
    ptrdiff_t count, room;
    int side; /* where the lower arc stands in its pair: 0 or 1 */
} sb_runs;

static inline int sb_is_new(uint64_t *seen, ptrdiff_t key)
{
    const uint64_t bit = (uint64_t)1 << (key & 63);
    const int fresh = !(seen[key >> 6] & bit);
    seen[key >> 6] |= bit;
    return fresh;
}

/* The groups of a block whose lower arcs stand at `side`, as runs; how many groups there would be with the other arc as the lower one
 * goes to `others`. 0 without memory, -1 when a group is not in one piece. */
static int sb_find_runs(const sb_search *s, const sb_block *block, int side, sb_runs *runs, uint64_t *const *seen, ptrdiff_t *others)
{
    const sb_run none = {0, 0, -1, -1, 0, -1, -1, 1};
    sb_run now = none;
    runs->count = 0, runs->side = side, *others = 0;
    for (ptrdiff_t c = 0; c <= block->count; c++) {
        int32_t lower = -1, word = -1, u = -1;
        if (c < block->count) {
            const int32_t l = (int32_t)block->arcs[2 * c + side];
            u = (int32_t)block->arcs[2 * c + 1 - side];
            if (l == u || sb_excludes(s, l, u))
                continue;
            lower = l, word = s->modifier[u];
            *others += sb_is_new(seen[0], u * s->N + s->modifier[l]);
        }
        if (lower != now.lower || word != now.word) {
            if (now.size) {
                if (!sb_grow((void **)&runs->run, &runs->room, runs->count + 1, sizeof *runs->run))
                    return 0;
                runs->run[runs->count++] = now;
            }
            now = none, now.first = c, now.lower = lower, now.word = word;
            if (lower >= 0 && !sb_is_new(seen[1], lower * s->N + word))
                return -1;
        }
        now.size++, now.end = c + 1, now.ascends &= u > now.last, now.last = u;
    }
    return 1;
}

/* The same for pairs in any order: a counting sort of theirs by group. `order` gets it, `runs` then speak of places in it. */
static int sb_sort_runs(const sb_search *s, const sb_block *block, int side, sb_runs *runs, ptrdiff_t *order)
{
    const ptrdiff_t keys = s->arcs * s->N;
    ptrdiff_t *end = calloc((size_t)keys + 1, sizeof *end);
    if (end == NULL)
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        for (ptrdiff_t c = block->count - 1; c >= 0; c--) {
            const int64_t l = block->arcs[2 * c + side], u = block->arcs[2 * c + 1 - side];
            if (l == u || sb_excludes(s, l, u))
                continue;
            if (pass)
                order[--end[l * s->N + s->modifier[u]]] = c;
            else
                end[l * s->N + s->modifier[u]]++;
        }
        for (ptrdiff_t key = 1; !pass && key <= keys; key++)
            end[key] += end[key - 1];
    }
    runs->count = 0, runs->side = side;
    for (ptrdiff_t key = 0; key < keys; key++) { /* the ends have become the begins */
        const ptrdiff_t size = end[key + 1] - end[key];
        if (size == 0)
            continue;
        if (!sb_grow((void **)&runs->run, &runs->room, runs->count + 1, sizeof *runs->run)) {
            free(end);
            return 0;
        }
        const sb_run run = {end[key], end[key + 1], (int32_t)(key / s->N), (int32_t)(key % s->N), (int32_t)size, -1, -1, 0};
        runs->run[runs->count++] = run;
    }
    free(end);
    return 1;
}

/* The groups of a block with the lower arc on the side that makes fewer, larger ones; 0 without memory. `order` stays NULL where the
 * pairs come sorted. */
static int sb_find_groups(const sb_search *s, const sb_block *block, sb_runs *runs, ptrdiff_t **order)
{
    const size_t words = (size_t)(s->arcs * s->N) / 64 + 1;
    uint64_t *bits = calloc(2 * words, sizeof *bits), *const seen[2] = {bits, bits + words};
    ptrdiff_t others = 0;
    int found = bits != NULL ? sb_find_runs(s, block, 1, runs, seen, &others) : 0;
    if (found == 1 && runs->count <= others) {
        free(bits);
        return 1;
    }
    if (found != 0) {
        ptrdiff_t groups[2] = {0, 0};
        memset(bits, 0, 2 * words * sizeof *bits);
        for (ptrdiff_t c = 0; c < block->count; c++) {
            const int64_t e = block->arcs[2 * c], f = block->arcs[2 * c + 1];
            if (e != f && !sb_excludes(s, e, f))
                groups[0] += sb_is_new(seen[0], e * s->N + s->modifier[f]), groups[1] += sb_is_new(seen[1], f * s->N + s->modifier[e]);
        }
        *order = malloc((size_t)(block->count + 1) * sizeof **order);
        found = *order != NULL && sb_sort_runs(s, block, groups[1] <= groups[0], runs, *order);
    }
    free(bits);
    return found;
}

/* One more star for each word of whose arcs groups choose, one column for each group of two pairs or more. */
static int sb_lay_stars(sb_search *s, sb_runs *runs, int32_t *at_word, ptrdiff_t *rooms)
{
    const ptrdiff_t before = s->stars;
    for (ptrdiff_t m = 0; m < s->N; m++)
        at_word[m] = -1;
    for (ptrdiff_t r = 0; r < runs->count; r++) {
        sb_run *run = runs->run + r;
        if (run->size < 2) /* a pair alone in its group is better split */
            continue;
        if (at_word[run->word] < 0) {
            if (!sb_grow((void **)&s->star, &rooms[0], s->stars + 1, sizeof *s->star))
                return 0;
            const sb_star fresh = {run->word, s->into_first[run->word + 1] - s->into_first[run->word], 0, 0, 0};
            s->star[s->stars] = fresh, at_word[run->word] = (int32_t)s->stars++;
        }
        run->column = s->star[at_word[run->word]].lowers++;
    }
    for (ptrdiff_t a = before; a < s->stars; a++) {
        s->star[a].cell = s->star_cells, s->star[a].column = s->columns;
        s->star_cells += (ptrdiff_t)s->star[a].uppers * s->star[a].lowers, s->columns += s->star[a].lowers;
    }
    ptrdiff_t same = rooms[1];
    const ptrdiff_t first = before < s->stars ? s->star[before].cell : s->star_cells;
    if (!(sb_grow((void **)&s->star_score, &same, s->star_cells, sizeof *s->star_score)
          && sb_grow((void **)&s->star_scope, &rooms[1], s->star_cells, sizeof *s->star_scope)
          && sb_grow((void **)&s->column_lower, &rooms[2], s->columns, sizeof *s->column_lower)))
        return 0;
    for (ptrdiff_t k = first; k < s->star_cells; k++)
        s->star_score[k] = 0.0, s->star_scope[k] = SB_UNSCOPED;
    for (ptrdiff_t r = 0; r < runs->count; r++)
        if (runs->run[r].column >= 0)
            s->column_lower[s->star[at_word[runs->run[r].word]].column + runs->run[r].column] = runs->run[r].lower;
    return 1;
}

/* Lay the pairs of one block out as stars; `form` says what became of them, `taken` how many are in one, `side` where their lower
 * arcs stand. */
static int sb_make_stars(sb_search *s, const sb_block *block, unsigned char *form, ptrdiff_t *rooms, ptrdiff_t *taken, int32_t *side)
{
    const ptrdiff_t before = s->stars;
    sb_runs runs = {NULL, 0, 0, 1};
    ptrdiff_t *order = NULL;
    int32_t *at_word = malloc((size_t)s->N * sizeof *at_word);
    const int ok = at_word != NULL && sb_find_groups(s, block, &runs, &order) && sb_lay_stars(s, &runs, at_word, rooms);
    for (ptrdiff_t r = 0; ok && r < runs.count; r++) {
        const sb_run *run = runs.run + r;
        if (run->column < 0)
            continue;
        const sb_star *star = s->star + at_word[run->word];
        const int whole = run->end - run->first == run->size;
        for (ptrdiff_t i = run->first; i < run->end; i++) {
            const ptrdiff_t c = order != NULL ? order[i] : i;
            const int64_t upper = block->arcs[2 * c + 1 - runs.side], lower = block->arcs[2 * c + runs.side];
            const ptrdiff_t cell = star->cell + (ptrdiff_t)s->rank[upper] * star->lowers + run->column;
            if (!whole && (lower != run->lower || sb_excludes(s, upper, lower)))
                continue; /* pairs that cannot fire lie between others */
            if (!run->ascends && s->star_scope[cell] >= 0) {
                form[block->first + c] = SB_REPEATED; /* the same pair once more is shared */
                continue;
            }
            s->star_scope[cell] = (int32_t)(block->first + c), s->star_score[cell] = block->scores[c];
            form[block->first + c] = SB_IN_STAR, ++*taken;
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
    *side = runs.side;
    free(runs.run), free(order), free(at_word);
    return ok;
}

/* Whether a scope's score is, or may turn out to be, another than 0. */
static int sb_matters(const sb_search *s, const sb_block *block, ptrdiff_t c)
{
    return block->scores[c] != 0.0 || (s->unknown != NULL && s->unknown[block->first + c]);
}

/* Lists of shared scopes: all that are in no star, can fire, and have two arcs or more. */
static int sb_make_shared(sb_search *s, const sb_block *blocks, ptrdiff_t block_count, const unsigned char *form, const ptrdiff_t *taken)
{
    ptrdiff_t count = 0, slots = 0;
    for (ptrdiff_t b = 0; b < block_count; b++)
        for (ptrdiff_t c = 0; taken[b] < blocks[b].count && c < blocks[b].count; c++) {
            const int64_t *arcs = blocks[b].arcs + c * blocks[b].width;
            if (blocks[b].width == 1) {
                double *base = s->base + arcs[0];
                if (*base * blocks[b].scores[c] < 0.0) /* where scores cancel, both were summed */
                    s->largest = fmax(s->largest, fmin(fabs(*base), fabs(blocks[b].scores[c])));
                *base += blocks[b].scores[c];
            }
            else if (form[blocks[b].first + c] != SB_IN_STAR && sb_matters(s, blocks + b, c) && !sb_cannot_fire(s, arcs, blocks[b].width))
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
        for (ptrdiff_t c = 0; taken[b] < blocks[b].count && c < blocks[b].count; c++) {
            const ptrdiff_t width = blocks[b].width;
            const int64_t *arcs = blocks[b].arcs + c * width;
            const double score = blocks[b].scores[c];
            if (width == 1 || form[blocks[b].first + c] == SB_IN_STAR || !sb_matters(s, blocks + b, c) || sb_cannot_fire(s, arcs, width))
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
    unsigned char *form = SB_NEW(s, form, s->scopes);
    SB_NEW(s, side, block_count);
    ptrdiff_t *taken = calloc((size_t)block_count + 1, sizeof *taken);
    int ok = !s->no_memory && taken != NULL;
    if (!s->paper)
        for (ptrdiff_t b = 0; ok && b < block_count; b++)
            if (blocks[b].width == 2 && blocks[b].count)
                ok = sb_make_stars(s, blocks + b, form, rooms, taken + b, s->side + b);
    ok = ok && sb_make_shared(s, blocks, block_count, form, taken);
    free(taken);
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
