/* The form of each scope, and the lists made from that: stars, shared scopes, scopes of each decision. */
#ifndef GAPLESS_SEARCH_FORMS_H
#define GAPLESS_SEARCH_FORMS_H

#include "search/model.h"

/* A block of scopes of one width, as the caller passes it. */
typedef struct {
    ptrdiff_t count, width, first; /* `first`: number of its first scope among all */
    const int64_t *members;
    const double *scores;
} gs_block;

static inline int gs_are_in_conflict(const gs_search *s, int64_t e, int64_t f)
{
    return s->input.maximiser->conflict != NULL && s->input.maximiser->conflict[e] == f;
}

/* Whether no structure has both decisions: they are of one group, or in conflict. Verifiers know the same, so
 * that such pairs count nothing for them, either. */
static inline int gs_are_exclusive(const gs_search *s, int64_t e, int64_t f)
{
    return (s->input.group[e] == s->input.group[f] && s->input.group[e] >= 0) || gs_are_in_conflict(s, e, f);
}

/* Whether no structure has both of two decisions of different groups, as far as the maximiser knows. */
static int gs_maximiser_excludes(const gs_search *s, int32_t e, int32_t f)
{
    const gs_maximiser *role = s->input.maximiser;
    return gs_are_in_conflict(s, e, f) || (role->excludes != NULL && role->excludes(role->object, e, f));
}

/* Whether no structure has all decisions of a scope. */
static int gs_cannot_fire(const gs_search *s, const int64_t *members, ptrdiff_t width)
{
    for (ptrdiff_t a = 0; a < width; a++)
        for (ptrdiff_t b = 0; b < a; b++)
            if (members[a] != members[b] && gs_are_exclusive(s, members[a], members[b]))
                return 1;
    return 0;
}

/* Pairs of one lower decision with uppers of one group that follow one another in their block. */
typedef struct {
    ptrdiff_t first, end; /* in the block */
    int32_t lower, group, size, column;
    int32_t last; /* upper decision; while these ascend, none comes twice */
    int32_t ascends;
} gs_run;

typedef struct {
    gs_run *run;
    ptrdiff_t count, capacity;
    ptrdiff_t ungrouped; /* pairs whose upper decision is ungrouped: they enter no star */
    int side;            /* where the lower decision stands in its pair: 0 or 1 */
} gs_runs;

/* Set the bit of a key; whether it was not set before. */
static inline int gs_is_new(uint64_t *bits, ptrdiff_t key)
{
    const uint64_t bit = (uint64_t)1 << (key & 63);
    const int is_new = !(bits[key >> 6] & bit);
    bits[key >> 6] |= bit;
    return is_new;
}

static int gs_add_run(gs_runs *runs, gs_run run)
{
    if (!array_grow(&runs->run, &runs->capacity, runs->count + 1, sizeof *runs->run))
        return 0;
    runs->run[runs->count++] = run;
    return 1;
}

/* Find the runs of a block whose lower decisions stand at `side`; `others` gets their number with the other
 * decision as the lower one. 0 without memory, -1 if a run is not in one piece. */
static int gs_find_runs(const gs_search *s, const gs_block *block, int side, gs_runs *runs,
                        uint64_t *const *seen, ptrdiff_t *others)
{
    const gs_run none = {0, 0, -1, -1, 0, -1, -1, 1};
    gs_run current = none;
    runs->count = runs->ungrouped = *others = 0;
    runs->side = side;
    for (ptrdiff_t c = 0; c <= block->count; c++) {
        int32_t lower = -1, group = -1, u = -1;
        if (c < block->count) {
            const int32_t l = (int32_t)block->members[2 * c + side];
            u = (int32_t)block->members[2 * c + 1 - side];
            if (l == u || gs_are_exclusive(s, l, u))
                continue;
            *others += s->input.group[l] < 0 || gs_is_new(seen[0], u * s->input.groups + s->input.group[l]);
            if (s->input.group[u] < 0) {
                runs->ungrouped++;
                continue;
            }
            lower = l;
            group = s->input.group[u];
        }
        if (lower != current.lower || group != current.group) {
            if (current.size && !gs_add_run(runs, current))
                return 0;
            current = none;
            current.first = c;
            current.lower = lower;
            current.group = group;
            if (lower >= 0 && !gs_is_new(seen[1], lower * s->input.groups + group))
                return -1;
        }
        current.size++;
        current.end = c + 1;
        current.ascends &= u > current.last;
        current.last = u;
    }
    return 1;
}

/* One stable pass of a counting sort of the pairs in `from`, by upper group or by lower decision. 0 without
 * memory. */
static int gs_sort_pass(const gs_search *s, const gs_block *block, int side, int by_lower,
                        const ptrdiff_t *from, ptrdiff_t *to, ptrdiff_t count)
{
    const ptrdiff_t keys = by_lower ? s->input.decisions : s->input.groups;
    ptrdiff_t *end = calloc((size_t)keys + 1, sizeof *end);
    if (end == NULL)
        return 0;
    for (int pass = 0; pass < 2; pass++) {
        for (ptrdiff_t k = count - 1; k >= 0; k--) {
            const int64_t *pair = block->members + 2 * from[k];
            const int64_t key = by_lower ? pair[side] : s->input.group[pair[1 - side]];
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

/* Find the runs of pairs in any order, sorted by lower decision and group: `order` gets the sorted pairs, and
 * the runs are ranges of it. 0 without memory. */
static int gs_sort_runs(const gs_search *s, const gs_block *block, int side, gs_runs *runs, ptrdiff_t *order)
{
    ptrdiff_t count = 0, *sorted = malloc((size_t)(block->count + 1) * sizeof *sorted);
    runs->count = runs->ungrouped = 0;
    runs->side = side;
    for (ptrdiff_t c = 0; sorted != NULL && c < block->count; c++) {
        const int64_t l = block->members[2 * c + side], u = block->members[2 * c + 1 - side];
        if (l == u || gs_are_exclusive(s, l, u))
            continue;
        if (s->input.group[u] < 0)
            runs->ungrouped++;
        else
            order[count++] = c;
    }
    int ok = sorted != NULL && gs_sort_pass(s, block, side, 0, order, sorted, count)
        && gs_sort_pass(s, block, side, 1, sorted, order, count);
    for (ptrdiff_t i = 0, end; ok && i < count; i = end) {
        const int32_t lower = (int32_t)block->members[2 * order[i] + side];
        const int32_t group = s->input.group[block->members[2 * order[i] + 1 - side]];
        for (end = i; end < count && block->members[2 * order[end] + side] == lower; end++)
            if (s->input.group[block->members[2 * order[end] + 1 - side]] != group)
                break;
        ok = gs_add_run(runs, (gs_run){i, end, lower, group, (int32_t)(end - i), -1, -1, 0});
    }
    free(sorted);
    return ok;
}

/* Find the runs of a block with the lower decision on the side that makes fewer, longer ones; 0 without
 * memory. `order` stays NULL if the pairs come sorted. */
static int gs_find_groups(const gs_search *s, const gs_block *block, gs_runs *runs, ptrdiff_t **order)
{
    const ptrdiff_t keys = s->input.decisions * s->input.groups;
    if (keys / 64 <= 64 * block->count + 4096) { /* then a bit for each key is cheaper than a sort */
        const size_t words = (size_t)keys / 64 + 1;
        uint64_t *bits = calloc(2 * words, sizeof *bits), *const seen[2] = {bits, bits + words};
        ptrdiff_t others = 0;
        const int found = bits != NULL ? gs_find_runs(s, block, 1, runs, seen, &others) : 0;
        free(bits);
        if (found == 0 || (found == 1 && runs->count + runs->ungrouped <= others))
            return found;
    }
    *order = malloc((size_t)(block->count + 1) * sizeof **order);
    if (*order == NULL || !gs_sort_runs(s, block, 0, runs, *order))
        return 0;
    const ptrdiff_t others = runs->count + runs->ungrouped;
    if (!gs_sort_runs(s, block, 1, runs, *order))
        return 0;
    return runs->count + runs->ungrouped <= others || gs_sort_runs(s, block, 0, runs, *order);
}

/* Whether so many multipliers cannot be numbered; then `slots` is their number, for the message. Snapshots
 * hold the numbers of slots as int32_t. */
static int gs_are_too_many(gs_search *s, ptrdiff_t slots)
{
    if (slots <= INT32_MAX)
        return 0;
    s->ascent.slots = slots;
    return 1;
}

/* Add a star for each group of upper decisions, with a column for each run of two pairs or more. 0 without
 * memory. */
static int gs_add_stars(gs_search *s, gs_runs *runs, int32_t *star_of_group)
{
    gs_stars *stars = &s->stars;
    const ptrdiff_t previous = stars->count, first_cell = stars->cells;
    for (ptrdiff_t g = 0; g < s->input.groups; g++)
        star_of_group[g] = -1;
    for (ptrdiff_t r = 0; r < runs->count; r++) {
        gs_run *run = runs->run + r;
        if (run->size < 2) /* nothing is won by a column of one pair, and its other cells would take memory */
            continue;
        if (star_of_group[run->group] < 0) {
            if (!GS_GROW(s, stars.star, stars->count + 1))
                return 0;
            const int32_t uppers = s->input.group_first[run->group + 1] - s->input.group_first[run->group];
            stars->star[stars->count] = (gs_star){run->group, uppers, 0, 0, 0};
            star_of_group[run->group] = (int32_t)stars->count++;
        }
        run->column = stars->star[star_of_group[run->group]].lowers++;
    }
    for (ptrdiff_t a = previous; a < stars->count; a++) {
        gs_star *star = stars->star + a;
        star->cell = stars->cells;
        star->column = stars->columns;
        stars->cells += (ptrdiff_t)star->uppers * star->lowers;
        stars->columns += star->lowers;
    }
    /* A star has a cell for each row and column, and maybe fewer pairs. */
    if (gs_are_too_many(s, stars->cells))
        return 0;
    if (!GS_GROW(s, stars.score, stars->cells) || !GS_GROW(s, stars.scope, stars->cells)
        || !GS_GROW(s, stars.column_lower, stars->columns))
        return 0;
    for (ptrdiff_t k = first_cell; k < stars->cells; k++) {
        stars->score[k] = 0.0;
        stars->scope[k] = GS_UNSCOPED;
    }
    for (ptrdiff_t r = 0; r < runs->count; r++) {
        const gs_run *run = runs->run + r;
        if (run->column >= 0)
            stars->column_lower[stars->star[star_of_group[run->group]].column + run->column] = run->lower;
    }
    return 1;
}

/* Put the pairs of one run into its column; how many, as a pair that is listed again is shared. */
static ptrdiff_t gs_fill_column(gs_search *s, const gs_block *block, const gs_run *run, const gs_star *star,
                                int side, const ptrdiff_t *order)
{
    const int is_contiguous = run->end - run->first == run->size;
    ptrdiff_t count = 0;
    for (ptrdiff_t i = run->first; i < run->end; i++) {
        const ptrdiff_t c = order != NULL ? order[i] : i;
        const int64_t upper = block->members[2 * c + 1 - side], lower = block->members[2 * c + side];
        const ptrdiff_t cell = star->cell + (ptrdiff_t)s->input.rank[upper] * star->lowers + run->column;
        if (!is_contiguous /* pairs that cannot fire lie between the others */
            && (lower != run->lower || s->input.group[upper] != run->group
                || gs_are_exclusive(s, upper, lower)))
            continue;
        if (!run->ascends && s->stars.scope[cell] >= 0) {
            s->stars.form[block->first + c] = GS_REPEATED;
            continue;
        }
        s->stars.scope[cell] = (int32_t)(block->first + c);
        s->stars.score[cell] = block->scores[c];
        s->stars.form[block->first + c] = GS_IN_STAR;
        count++;
    }
    return count;
}

/* Forbid the cells of a star whose upper and lower decision exclude each other: they are no choice for its
 * columns. */
static void gs_forbid_cells(gs_search *s, const gs_star *star)
{
    for (ptrdiff_t k = 0; k < star->uppers; k++)
        for (ptrdiff_t c = 0; c < star->lowers; c++) {
            const int32_t upper = s->input.member[s->input.group_first[star->group] + k];
            const int32_t lower = s->stars.column_lower[star->column + c];
            const ptrdiff_t cell = star->cell + k * star->lowers + c;
            if (s->stars.scope[cell] < 0 && upper != lower && gs_are_exclusive(s, upper, lower)) {
                s->stars.scope[cell] = GS_IMPOSSIBLE;
                s->stars.score[cell] = -INFINITY;
            }
        }
}

/* Lay the pairs of one block out as stars; `in_stars` gets their number, `side` where their lower decisions
 * stand. 0 without memory. */
static int gs_make_stars(gs_search *s, const gs_block *block, ptrdiff_t *in_stars, int32_t *side)
{
    const ptrdiff_t previous = s->stars.count;
    gs_runs runs = {NULL, 0, 0, 0, 1};
    ptrdiff_t *order = NULL;
    int32_t *star_of_group = malloc((size_t)(s->input.groups + 1) * sizeof *star_of_group);
    const int ok = star_of_group != NULL && gs_find_groups(s, block, &runs, &order)
        && gs_add_stars(s, &runs, star_of_group);
    for (ptrdiff_t r = 0; ok && r < runs.count; r++) {
        const gs_run *run = runs.run + r;
        if (run->column >= 0)
            *in_stars +=
                gs_fill_column(s, block, run, s->stars.star + star_of_group[run->group], runs.side, order);
    }
    for (ptrdiff_t a = previous; ok && a < s->stars.count; a++)
        gs_forbid_cells(s, s->stars.star + a);
    *side = runs.side;
    free(runs.run);
    free(order);
    free(star_of_group);
    return ok;
}

/* Add to `lift` those of the group of `e` that exclude `f` and all that `lift` holds from `first` on. */
static void gs_lift_side(gs_search *s, int32_t e, int32_t f, ptrdiff_t first)
{
    gs_shared *shared = &s->shared;
    const int32_t group = s->input.group[e];
    const ptrdiff_t end = shared->lift_size;
    for (ptrdiff_t k = s->input.group_first[group]; k < s->input.group_first[group + 1]; k++) {
        const int32_t other = s->input.member[k];
        int excludes = other != e && gs_maximiser_excludes(s, other, f);
        for (ptrdiff_t i = first; excludes && i < end; i++)
            excludes = gs_maximiser_excludes(s, other, shared->lift[i]);
        if (excludes)
            shared->lift[shared->lift_size++] = other;
    }
}

/* Find the decisions that the charge of a pair takes in. This is done when the pair is first charged, because
 * few are. */
static void gs_lift(gs_search *s, ptrdiff_t c)
{
    gs_shared *shared = &s->shared;
    const int32_t *pair = shared->member + shared->first[c], *first = s->input.group_first;
    if (shared->lift_count[c] >= 0)
        return;
    shared->lift_first[c] = shared->lift_size;
    shared->lift_count[c] = 0;
    if (!s->options.is_lifted || shared->first[c + 1] - shared->first[c] != 2)
        return;
    const int32_t g = s->input.group[pair[0]], h = s->input.group[pair[1]];
    if (g < 0 || h < 0
        || !GS_GROW(s, shared.lift, shared->lift_size + first[g + 1] - first[g] + first[h + 1] - first[h]))
        return;
    gs_lift_side(s, pair[0], pair[1], shared->lift_size);
    gs_lift_side(s, pair[1], pair[0], shared->lift_first[c]);
    shared->lift_count[c] = (int32_t)(shared->lift_size - shared->lift_first[c]);
}

/* Whether a scope is shared: it is in no star, has two decisions or more that may fire, and a score that is,
 * or may turn out to be, another than 0. */
static int gs_is_shared(const gs_search *s, const gs_block *block, ptrdiff_t c)
{
    const ptrdiff_t number = block->first + c;
    const int matters = block->scores[c] != 0.0 || (s->lazy.unknown != NULL && s->lazy.unknown[number]);
    return block->width > 1 && s->stars.form[number] != GS_IN_STAR && matters
        && !gs_cannot_fire(s, block->members + c * block->width, block->width);
}

/* Add the scores of scopes of one decision to the base weights. */
static void gs_add_single_scores(gs_search *s, const gs_block *block)
{
    for (ptrdiff_t c = 0; c < block->count; c++) {
        double *base = s->input.base + block->members[c];
        if (*base * block->scores[c] < 0.0) { /* the sum does not show how large terms were that cancel */
            const double cancelled = fmin(fabs(*base), fabs(block->scores[c]));
            s->ascent.magnitude = fmax(s->ascent.magnitude, cancelled);
        }
        *base += block->scores[c];
    }
}

/* Reserve the arrays whose sizes depend on shared scopes and stars; 0 without memory. */
static int gs_reserve_shared(gs_search *s, ptrdiff_t count, ptrdiff_t slots)
{
    const ptrdiff_t decisions = s->input.decisions, columns = s->stars.columns;
    const gs_allocation arrays[] = {
        GS_ARRAY(shared.scope, count), GS_ARRAY(shared.first, count + 1), GS_ARRAY(shared.score, count),
        GS_ARRAY(shared.member, slots), GS_ARRAY(shared.incident_first, decisions + 1),
        GS_ARRAY(shared.incident, slots), GS_ARRAY(shared.incident_other, slots),
        GS_ARRAY(shared.lift_first, count), GS_ARRAY(shared.lift_count, count),
        GS_ARRAY(fixings.scope, count), GS_ARRAY(fixings.root_scope, count),
        GS_ARRAY(ascent.open_first, decisions + 1), GS_ARRAY(ascent.open_scope, slots),
        GS_ARRAY(ascent.open_other, slots), GS_ARRAY(ascent.charged, count),
        GS_ARRAY(ascent.is_charged, count), GS_ARRAY(ascent.column_max, columns),
        GS_ARRAY(ascent.active_column, columns), GS_ARRAY(ascent.active_first, s->stars.count + 1),
        GS_ARRAY(ascent.multipliers, s->stars.cells + slots + s->factors.slots),
        GS_ARRAY(moves.stamp, count), GS_ARRAY(moves.scope, 2 * count), GS_ARRAY(moves.column, columns),
        GS_ARRAY(moves.best, columns), GS_ARRAY(moves.star, columns),
    };
    return GS_ALLOCATE(s, arrays);
}

/* List the shared scopes of a block. */
static void gs_list_shared(gs_search *s, const gs_block *block)
{
    gs_shared *shared = &s->shared;
    for (ptrdiff_t c = 0; c < block->count; c++) {
        const int64_t *members = block->members + c * block->width;
        const double score = block->scores[c];
        if (!gs_is_shared(s, block, c))
            continue;
        for (ptrdiff_t k = 0; k < block->width; k++) {
            shared->member[shared->slots + k] = (int32_t)members[k];
            shared->incident_first[members[k] + 1]++;
        }
        shared->scope[shared->count] = (int32_t)(block->first + c);
        shared->score[shared->count] = score;
        shared->slots += block->width;
        shared->first[++shared->count] = shared->slots;
        if (score != 0.0)
            shared->largest_step = fmax(shared->largest_step, 1.0 / fabs(score));
    }
}

/* List for each decision its shared scopes, with the other decision of a pair. */
static void gs_list_incident(gs_search *s)
{
    gs_shared *shared = &s->shared;
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        shared->incident_first[e + 1] += shared->incident_first[e];
    for (ptrdiff_t c = shared->count - 1; c >= 0; c--) { /* each decision's list is filled from its end */
        const gs_scope scope = gs_shared_scope(s, c);
        for (ptrdiff_t k = scope.width - 1; k >= 0; k--) {
            const int32_t at = --shared->incident_first[scope.member[k] + 1];
            shared->incident[at] = (int32_t)c;
            shared->incident_other[at] = scope.width == 2 ? scope.member[1 - k] : -1;
        }
    }
    /* Each end became the start of its list: what stands one further on is what belongs here. */
    for (ptrdiff_t e = 0; e < s->input.decisions; e++)
        shared->incident_first[e] = shared->incident_first[e + 1];
    shared->incident_first[s->input.decisions] = (int32_t)shared->slots;
}

/* Take the blocks: the form of each scope, and multipliers to start with. 0 without memory, or if there are
 * too many. */
static int gs_take_blocks(gs_search *s, const gs_block *blocks, ptrdiff_t block_count)
{
    const gs_allocation arrays[] = {GS_ARRAY(stars.form, s->input.scopes), GS_ARRAY(stars.side, block_count)};
    ptrdiff_t *in_stars = calloc((size_t)block_count + 1, sizeof *in_stars), count = 0, slots = 0;
    int ok = GS_ALLOCATE(s, arrays) && in_stars != NULL;
    for (ptrdiff_t b = 0; ok && b < block_count; b++)
        if (!s->options.is_paper && blocks[b].width == 2 && blocks[b].count)
            ok = gs_make_stars(s, blocks + b, in_stars + b, s->stars.side + b);
    for (ptrdiff_t b = 0; ok && b < block_count; b++) {
        if (blocks[b].width == 1)
            gs_add_single_scores(s, blocks + b);
        if (in_stars[b] == blocks[b].count)
            continue;
        for (ptrdiff_t c = 0; c < blocks[b].count; c++)
            if (gs_is_shared(s, blocks + b, c)) {
                count++;
                slots += blocks[b].width;
            }
    }
    ok = ok && !gs_are_too_many(s, s->stars.cells + slots + s->factors.slots)
        && gs_reserve_shared(s, count, slots);
    for (ptrdiff_t b = 0; ok && b < block_count; b++)
        if (in_stars[b] < blocks[b].count)
            gs_list_shared(s, blocks + b);
    free(in_stars);
    if (!ok)
        return 0;
    gs_list_incident(s);
    for (ptrdiff_t c = 0; c < s->shared.count; c++) {
        const gs_scope scope = gs_shared_scope(s, c);
        s->shared.lift_count[c] = -1;
        s->fixings.root_scope[c] = (int32_t)c;
        for (ptrdiff_t k = 0; scope.score > 0.0 && k < scope.width; k++)
            scope.multiplier[k] = scope.score / (double)scope.width;
    }
    s->fixings.root_scope_count = s->shared.count;
    s->ascent.slots = s->stars.cells + s->shared.slots + s->factors.slots;
    return 1;
}

#endif
