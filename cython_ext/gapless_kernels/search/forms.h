/* Which form each scope takes, and the lists made from that: stars, shared scopes, which scopes a decision is in. */
#ifndef GAPLESS_SEARCH_FORMS_H
#define GAPLESS_SEARCH_FORMS_H

#include "search/model.h"

/* A block of scopes of one width, as the caller gives it. */
typedef struct {
    ptrdiff_t count, width, first; /* `first`: number of its first scope among all */
    const int64_t *members;
    const double *scores;
} gs_block;

/* Whether no structure has both of two decisions: they are of one group, or rivals. */
static inline int gs_excludes(const gs_search *s, int64_t e, int64_t f)
{
    return (s->group[e] == s->group[f] && s->group[e] >= 0) || (s->maximiser->rival != NULL && s->maximiser->rival[e] == f);
}

/* Whether no structure has both of two decisions of different groups, as far as the maximiser tells. */
static int gs_never_both(const gs_search *s, int32_t e, int32_t f)
{
    return (s->maximiser->rival != NULL && s->maximiser->rival[e] == f)
        || (s->maximiser->excludes != NULL && s->maximiser->excludes(s->maximiser->object, e, f));
}

/* Whether no structure has all decisions of a scope. */
static int gs_cannot_fire(const gs_search *s, const int64_t *members, ptrdiff_t width)
{
    for (ptrdiff_t a = 0; a < width; a++)
        for (ptrdiff_t b = 0; b < a; b++)
            if (members[a] != members[b] && gs_excludes(s, members[a], members[b]))
                return 1;
    return 0;
}

/* Pairs of one lower decision with uppers of one group that follow one another in their block. */
typedef struct {
    ptrdiff_t first, end; /* in the block */
    int32_t lower, group, size, column;
    int32_t last;         /* upper decision; while these ascend, none comes twice */
    int32_t ascends;
} gs_run;

typedef struct {
    gs_run *run;
    ptrdiff_t count, room;
    ptrdiff_t apart;      /* pairs whose upper decision is loose: they enter no star */
    int side;             /* where the lower decision stands in its pair: 0 or 1 */
} gs_runs;

static inline int gs_is_new(uint64_t *seen, ptrdiff_t key)
{
    const uint64_t bit = (uint64_t)1 << (key & 63);
    const int fresh = !(seen[key >> 6] & bit);
    seen[key >> 6] |= bit;
    return fresh;
}

/* The runs of a block whose lower decisions stand at `side`; how many there would be with the other decision as the lower one goes to
 * `others`. 0 without memory, -1 when a run is not in one piece. */
static int gs_find_runs(const gs_search *s, const gs_block *block, int side, gs_runs *runs, uint64_t *const *seen, ptrdiff_t *others)
{
    const gs_run none = {0, 0, -1, -1, 0, -1, -1, 1};
    gs_run now = none;
    runs->count = runs->apart = 0, runs->side = side, *others = 0;
    for (ptrdiff_t c = 0; c <= block->count; c++) {
        int32_t lower = -1, group = -1, u = -1;
        if (c < block->count) {
            const int32_t l = (int32_t)block->members[2 * c + side];
            u = (int32_t)block->members[2 * c + 1 - side];
            if (l == u || gs_excludes(s, l, u))
                continue;
            *others += s->group[l] < 0 || gs_is_new(seen[0], u * s->groups + s->group[l]);
            if (s->group[u] < 0) {
                runs->apart++;
                continue;
            }
            lower = l, group = s->group[u];
        }
        if (lower != now.lower || group != now.group) {
            if (now.size) {
                if (!gs_grow((void **)&runs->run, &runs->room, runs->count + 1, sizeof *runs->run))
                    return 0;
                runs->run[runs->count++] = now;
            }
            now = none, now.first = c, now.lower = lower, now.group = group;
            if (lower >= 0 && !gs_is_new(seen[1], lower * s->groups + group))
                return -1;
        }
        now.size++, now.end = c + 1, now.ascends &= u > now.last, now.last = u;
    }
    return 1;
}

/* One stable pass of a counting sort of the pairs in `from`, by upper group or by lower decision. 0 without memory. */
static int gs_sort_pass(const gs_search *s, const gs_block *block, int side, int by_lower, const ptrdiff_t *from, ptrdiff_t *to, ptrdiff_t count)
{
    const ptrdiff_t keys = by_lower ? s->decisions : s->groups;
    ptrdiff_t *end = calloc((size_t)keys + 1, sizeof *end);
    if (end == NULL)
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        for (ptrdiff_t k = count - 1; k >= 0; k--) {
            const int64_t *pair = block->members + 2 * from[k], key = by_lower ? pair[side] : s->group[pair[1 - side]];
            if (pass)
                to[--end[key]] = from[k];
            else
                end[key]++;
        }
        for (ptrdiff_t key = 1; !pass && key <= keys; key++)
            end[key] += end[key - 1];
    }
    free(end);
    return 1;
}

/* The same for pairs in any order: a sort of theirs by lower decision and group. `order` gets it, `runs` then speak of places in it. */
static int gs_sort_runs(const gs_search *s, const gs_block *block, int side, gs_runs *runs, ptrdiff_t *order)
{
    ptrdiff_t count = 0, *sorted = malloc((size_t)(block->count + 1) * sizeof *sorted);
    runs->count = runs->apart = 0, runs->side = side;
    for (ptrdiff_t c = 0; sorted != NULL && c < block->count; c++) {
        const int64_t l = block->members[2 * c + side], u = block->members[2 * c + 1 - side];
        if (l == u || gs_excludes(s, l, u))
            continue;
        if (s->group[u] < 0)
            runs->apart++;
        else
            order[count++] = c;
    }
    int ok = sorted != NULL && gs_sort_pass(s, block, side, 0, order, sorted, count) && gs_sort_pass(s, block, side, 1, sorted, order, count);
    for (ptrdiff_t i = 0, end; ok && i < count; i = end) {
        const int32_t lower = (int32_t)block->members[2 * order[i] + side], group = s->group[block->members[2 * order[i] + 1 - side]];
        for (end = i; end < count && block->members[2 * order[end] + side] == lower; end++)
            if (s->group[block->members[2 * order[end] + 1 - side]] != group)
                break;
        ok = gs_grow((void **)&runs->run, &runs->room, runs->count + 1, sizeof *runs->run);
        if (ok) {
            const gs_run run = {i, end, lower, group, (int32_t)(end - i), -1, -1, 0};
            runs->run[runs->count++] = run;
        }
    }
    free(sorted);
    return ok;
}

/* The runs of a block with the lower decision on the side that makes fewer, longer ones; 0 without memory. `order` stays NULL where the
 * pairs come sorted. */
static int gs_find_groups(const gs_search *s, const gs_block *block, gs_runs *runs, ptrdiff_t **order)
{
    const ptrdiff_t keys = s->decisions * s->groups;
    if (keys / 64 <= 64 * block->count + 4096) { /* a bit for each key takes less than a sort */
        const size_t words = (size_t)keys / 64 + 1;
        uint64_t *bits = calloc(2 * words, sizeof *bits), *const seen[2] = {bits, bits + words};
        ptrdiff_t others = 0;
        const int found = bits != NULL ? gs_find_runs(s, block, 1, runs, seen, &others) : 0;
        free(bits);
        if (found == 0 || (found == 1 && runs->count + runs->apart <= others))
            return found;
    }
    *order = malloc((size_t)(block->count + 1) * sizeof **order);
    if (*order == NULL || !gs_sort_runs(s, block, 0, runs, *order))
        return 0;
    const ptrdiff_t others = runs->count + runs->apart;
    if (!gs_sort_runs(s, block, 1, runs, *order))
        return 0;
    return runs->count + runs->apart <= others || gs_sort_runs(s, block, 0, runs, *order);
}

/* Whether so many multipliers cannot be numbered; the number is left in `slots` then. Snapshots hold the numbers of slots as int32_t. */
static int gs_are_too_many(gs_search *s, ptrdiff_t slots)
{
    if (slots <= INT32_MAX)
        return 0;
    s->slots = slots;
    return 1;
}

/* One more star for each group of upper decisions, one column for each run of two pairs or more. */
static int gs_lay_stars(gs_search *s, gs_runs *runs, int32_t *at_group, ptrdiff_t *rooms)
{
    const ptrdiff_t before = s->stars;
    for (ptrdiff_t g = 0; g < s->groups; g++)
        at_group[g] = -1;
    for (ptrdiff_t r = 0; r < runs->count; r++) {
        gs_run *run = runs->run + r;
        if (run->size < 2) /* a pair alone is better split */
            continue;
        if (at_group[run->group] < 0) {
            if (!gs_grow((void **)&s->star, &rooms[0], s->stars + 1, sizeof *s->star))
                return 0;
            const gs_star fresh = {run->group, s->group_first[run->group + 1] - s->group_first[run->group], 0, 0, 0};
            s->star[s->stars] = fresh, at_group[run->group] = (int32_t)s->stars++;
        }
        run->column = s->star[at_group[run->group]].lowers++;
    }
    for (ptrdiff_t a = before; a < s->stars; a++) {
        s->star[a].cell = s->star_cells, s->star[a].column = s->columns;
        s->star_cells += (ptrdiff_t)s->star[a].uppers * s->star[a].lowers, s->columns += s->star[a].lowers;
    }
    if (gs_are_too_many(s, s->star_cells)) /* a star has a cell for every pair of its rows and columns: more than scopes, maybe */
        return 0;
    ptrdiff_t same = rooms[1];
    const ptrdiff_t first = before < s->stars ? s->star[before].cell : s->star_cells;
    if (!(gs_grow((void **)&s->star_score, &same, s->star_cells, sizeof *s->star_score)
          && gs_grow((void **)&s->star_scope, &rooms[1], s->star_cells, sizeof *s->star_scope)
          && gs_grow((void **)&s->column_lower, &rooms[2], s->columns, sizeof *s->column_lower)))
        return 0;
    for (ptrdiff_t k = first; k < s->star_cells; k++)
        s->star_score[k] = 0.0, s->star_scope[k] = GS_UNSCOPED;
    for (ptrdiff_t r = 0; r < runs->count; r++)
        if (runs->run[r].column >= 0)
            s->column_lower[s->star[at_group[runs->run[r].group]].column + runs->run[r].column] = runs->run[r].lower;
    return 1;
}

/* Lay the pairs of one block out as stars; `form` says what became of them, `taken` how many are in one, `side` where their lower
 * decisions stand. */
static int gs_make_stars(gs_search *s, const gs_block *block, unsigned char *form, ptrdiff_t *rooms, ptrdiff_t *taken,
                         int32_t *side)
{
    const ptrdiff_t before = s->stars;
    gs_runs runs = {NULL, 0, 0, 0, 1};
    ptrdiff_t *order = NULL;
    int32_t *at_group = malloc((size_t)(s->groups + 1) * sizeof *at_group);
    const int ok = at_group != NULL && gs_find_groups(s, block, &runs, &order) && gs_lay_stars(s, &runs, at_group, rooms);
    for (ptrdiff_t r = 0; ok && r < runs.count; r++) {
        const gs_run *run = runs.run + r;
        if (run->column < 0)
            continue;
        const gs_star *star = s->star + at_group[run->group];
        const int whole = run->end - run->first == run->size;
        for (ptrdiff_t i = run->first; i < run->end; i++) {
            const ptrdiff_t c = order != NULL ? order[i] : i;
            const int64_t upper = block->members[2 * c + 1 - runs.side], lower = block->members[2 * c + runs.side];
            const ptrdiff_t cell = star->cell + (ptrdiff_t)s->rank[upper] * star->lowers + run->column;
            if (!whole && (lower != run->lower || s->group[upper] != run->group || gs_excludes(s, upper, lower)))
                continue; /* pairs that cannot fire lie between others */
            if (!run->ascends && s->star_scope[cell] >= 0) {
                form[block->first + c] = GS_REPEATED; /* the same pair once more is shared */
                continue;
            }
            s->star_scope[cell] = (int32_t)(block->first + c), s->star_score[cell] = block->scores[c];
            form[block->first + c] = GS_IN_STAR, ++*taken;
        }
    }
    for (ptrdiff_t a = before; ok && a < s->stars; a++) { /* an upper decision that cannot stand beside the lower one is no choice */
        const gs_star *star = s->star + a;
        for (ptrdiff_t k = 0; k < star->uppers; k++)
            for (ptrdiff_t c = 0; c < star->lowers; c++) {
                const int32_t upper = s->member[s->group_first[star->group] + k], lower = s->column_lower[star->column + c];
                const ptrdiff_t cell = star->cell + k * star->lowers + c;
                if (s->star_scope[cell] < 0 && upper != lower && gs_excludes(s, upper, lower))
                    s->star_scope[cell] = GS_IMPOSSIBLE, s->star_score[cell] = -INFINITY;
            }
    }
    *side = runs.side;
    free(runs.run), free(order), free(at_group);
    return ok;
}

/* Whether a scope's score is, or may turn out to be, another than 0. */
static int gs_matters(const gs_search *s, const gs_block *block, ptrdiff_t c)
{
    return block->scores[c] != 0.0 || (s->unknown != NULL && s->unknown[block->first + c]);
}

/* Add to `lift` those of the group of `e` that no structure has beside `f` or any that `lift` holds from `first` on. */
static void gs_lift_side(gs_search *s, int32_t e, int32_t f, ptrdiff_t first)
{
    const int32_t group = s->group[e];
    const ptrdiff_t end = s->lifts;
    for (ptrdiff_t k = s->group_first[group]; k < s->group_first[group + 1]; k++) {
        const int32_t other = s->member[k];
        int apart = other != e && gs_never_both(s, other, f);
        for (ptrdiff_t i = first; apart && i < end; i++)
            apart = gs_never_both(s, other, s->lift[i]);
        if (apart)
            s->lift[s->lifts++] = other;
    }
}

/* Find the decisions that the charge of a pair takes in, when it first charges something: for all pairs at the start, most would be in vain. */
static void gs_lift(gs_search *s, ptrdiff_t c)
{
    if (s->lift_count[c] >= 0)
        return;
    const int32_t *pair = s->shared_member + s->shared_first[c];
    s->lift_first[c] = s->lifts, s->lift_count[c] = 0;
    if (!s->lifted || s->shared_first[c + 1] - s->shared_first[c] != 2 || s->group[pair[0]] < 0 || s->group[pair[1]] < 0)
        return;
    const int32_t *first = s->group_first, g = s->group[pair[0]], h = s->group[pair[1]];
    if (!gs_grow((void **)&s->lift, &s->lift_room, s->lifts + first[g + 1] - first[g] + first[h + 1] - first[h], sizeof *s->lift)) {
        s->no_memory = 1;
        return;
    }
    gs_lift_side(s, pair[0], pair[1], s->lifts);
    gs_lift_side(s, pair[1], pair[0], s->lift_first[c]);
    s->lift_count[c] = (int32_t)(s->lifts - s->lift_first[c]);
}

/* Lists of shared scopes: all that are in no star, can fire, and have two decisions or more. */
static int gs_make_shared(gs_search *s, const gs_block *blocks, ptrdiff_t block_count, const unsigned char *form, const ptrdiff_t *taken)
{
    ptrdiff_t count = 0, slots = 0;
    for (ptrdiff_t b = 0; b < block_count; b++)
        for (ptrdiff_t c = 0; taken[b] < blocks[b].count && c < blocks[b].count; c++) {
            const int64_t *members = blocks[b].members + c * blocks[b].width;
            if (blocks[b].width == 1) {
                double *base = s->base + members[0];
                if (*base * blocks[b].scores[c] < 0.0) /* where scores cancel, both were summed */
                    s->largest = fmax(s->largest, fmin(fabs(*base), fabs(blocks[b].scores[c])));
                *base += blocks[b].scores[c];
            }
            else if (form[blocks[b].first + c] != GS_IN_STAR && gs_matters(s, blocks + b, c) && !gs_cannot_fire(s, members, blocks[b].width))
                count++, slots += blocks[b].width;
        }
    if (gs_are_too_many(s, s->star_cells + slots + s->factor_slots))
        return 0;
    GS_NEW(s, shared_scope, count), GS_NEW(s, shared_first, count + 1), GS_NEW(s, shared_score, count);
    GS_NEW(s, shared_member, slots), GS_NEW(s, incident_first, s->decisions + 1);
    GS_NEW(s, incident, slots), GS_NEW(s, incident_other, slots), GS_NEW(s, now, slots), GS_NEW(s, now_other, slots);
    GS_NEW(s, now_first, s->decisions + 1), GS_NEW(s, current, count), GS_NEW(s, root_current, count), GS_NEW(s, armed, count), GS_NEW(s, armed_flag, count);
    GS_NEW(s, stamp, count), GS_NEW(s, moved_scope, 2 * count), GS_NEW(s, lift_first, count), GS_NEW(s, lift_count, count);
    GS_NEW(s, column_max, s->columns), GS_NEW(s, active_columns, s->columns), GS_NEW(s, active_first, s->stars + 1);
    GS_NEW(s, moved_column, s->columns), GS_NEW(s, moved_best, s->columns), GS_NEW(s, moved_star, s->columns);
    if (s->no_memory)
        return 0;
    memset(s->lift_count, 0xff, (size_t)count * sizeof *s->lift_count);
    s->largest_step = 0.0;
    for (ptrdiff_t b = 0; b < block_count; b++)
        for (ptrdiff_t c = 0; taken[b] < blocks[b].count && c < blocks[b].count; c++) {
            const ptrdiff_t width = blocks[b].width;
            const int64_t *members = blocks[b].members + c * width;
            const double score = blocks[b].scores[c];
            if (width == 1 || form[blocks[b].first + c] == GS_IN_STAR || !gs_matters(s, blocks + b, c) || gs_cannot_fire(s, members, width))
                continue;
            s->shared_scope[s->shared] = (int32_t)(blocks[b].first + c), s->shared_score[s->shared] = score;
            for (ptrdiff_t k = 0; k < width; k++)
                s->shared_member[s->shared_slots + k] = (int32_t)members[k], s->incident_first[members[k] + 1]++;
            s->shared_slots += width, s->shared_first[++s->shared] = s->shared_slots;
            s->largest_step = score != 0.0 ? fmax(s->largest_step, 1.0 / fabs(score)) : s->largest_step;
        }
    for (ptrdiff_t e = 0; e < s->decisions; e++)
        s->incident_first[e + 1] += s->incident_first[e];
    int32_t *filled = calloc(s->decisions + 1, sizeof *filled);
    if (filled == NULL)
        return 0;
    for (ptrdiff_t c = 0; c < s->shared; c++) {
        const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
        for (ptrdiff_t k = 0; k < width; k++) {
            const int32_t e = s->shared_member[first + k], at = s->incident_first[e] + filled[e]++;
            s->incident[at] = (int32_t)c;
            s->incident_other[at] = width == 2 ? s->shared_member[first + 1 - k] : -1;
        }
    }
    free(filled);
    for (ptrdiff_t c = 0; c < s->shared; c++)
        s->root_current[c] = (int32_t)c;
    s->root_count = s->shared;
    s->slots = s->star_cells + s->shared_slots + s->factor_slots;
    GS_NEW(s, split, s->slots);
    return !s->no_memory;
}

/* Everything that is known of the scopes; 0 without memory. */
static int gs_take_blocks(gs_search *s, const gs_block *blocks, ptrdiff_t block_count)
{
    ptrdiff_t rooms[3] = {0, 0, 0};
    unsigned char *form = GS_NEW(s, form, s->scopes);
    GS_NEW(s, side, block_count);
    ptrdiff_t *taken = calloc((size_t)block_count + 1, sizeof *taken);
    int ok = !s->no_memory && taken != NULL;
    if (!s->paper)
        for (ptrdiff_t b = 0; ok && b < block_count; b++)
            if (blocks[b].width == 2 && blocks[b].count)
                ok = gs_make_stars(s, blocks + b, form, rooms, taken + b, s->side + b);
    ok = ok && gs_make_shared(s, blocks, block_count, form, taken);
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
