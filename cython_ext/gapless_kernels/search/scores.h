/* Scores that are asked for only when a tree makes them matter.
 *
 * Until then an upper bound stands in a score's place, so that everything which follows from it is a bound, too. Asked for are
 * the scopes that fire in a tree that was found, and those whose upper bound decides how that tree is bounded. Who asks must
 * start its step again: trees, charts and slacks are those of the weights before.
 */
#ifndef GAPLESS_SPLIT_BOUND_SCORES_H
#define GAPLESS_SPLIT_BOUND_SCORES_H

#include "search/weights.h"

#define SB_ASK_FIRST 8   /* scores of a column at a time */
#define SB_CONTENDERS 2  /* arcs into each word */

/* How many arcs of a scope the tree has. */
static ptrdiff_t sb_hits(const sb_search *s, ptrdiff_t c)
{
    ptrdiff_t hits = 0;
    for (ptrdiff_t i = s->shared_first[c]; i < s->shared_first[c + 1]; i++)
        hits += s->in_tree[s->shared_arc[i]];
    return hits;
}

/* Ask for the score at `place`, a cell of star `star` or, with `star` -1, a shared scope. */
static void sb_want(sb_search *s, int32_t star, ptrdiff_t place)
{
    const int32_t scope = star < 0 ? s->shared_scope[place] : s->star_scope[place];
    if (scope < 0 || s->unknown[scope] != SB_UNASKED)
        return;
    if (!sb_grow((void **)&s->wanted, &s->wanted_room, s->wanted_count + 1, sizeof *s->wanted)) {
        s->no_memory = 1;
        return;
    }
    const sb_wanted fresh = {scope, star, place};
    s->wanted[s->wanted_count++] = fresh, s->unknown[scope] = SB_ASKED;
}

static void sb_learn_star(sb_search *s, const sb_star *star, ptrdiff_t cell, double score)
{
    const ptrdiff_t row = (cell - star->cell) / star->lowers, c = (cell - star->cell) % star->lowers;
    const int32_t lower = s->column_lower[star->column + c], upper = s->into[s->into_first[star->word] + row];
    s->star_score[cell] = score;
    if (s->dirty || !s->alive[lower] || !s->alive[upper])
        return;
    if (s->on[lower]) { /* multipliers that make it linear follow its scores */
        s->dirty = 1;
        return;
    }
    int32_t best;
    double *top = s->column_max + star->column + c;
    const double before = *top;
    *top = sb_column_top(s, star, c, &best);
    s->weights[s->cell[lower]] += *top - before;
}

static void sb_learn_shared(sb_search *s, ptrdiff_t c, double score)
{
    const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
    const double bound = s->shared_score[c];
    s->shared_score[c] = score, s->dirty = 1; /* the weights are summed anew, with multipliers as `sb_fit` leaves them */
    if (bound > 0.0 && score <= 0.0) { /* shares are no charge, here and wherever they are remembered */
        memset(s->split + s->star_cells + first, 0, (size_t)width * sizeof(double));
        for (ptrdiff_t k = 0; k < s->snapshot_count; k++)
            if (s->snapshots[k].split != NULL)
                sb_clear(s->snapshots + k, s->star_cells + first, s->star_cells + first + width);
    }
}

/* Ask for what is wanted; whether anything was. */
static int sb_ask(sb_search *s)
{
    const ptrdiff_t count = s->wanted_count;
    if (count == 0 || s->no_memory || s->failed)
        return 0;
    if (!sb_grow((void **)&s->answers, &s->answer_room, count, sizeof *s->answers)
        || !sb_grow((void **)&s->questions, &s->question_room, count, sizeof *s->questions)) {
        s->no_memory = 1;
        return 0;
    }
    for (ptrdiff_t k = 0; k < count; k++)
        s->questions[k] = s->wanted[k].scope;
    s->wanted_count = 0;
    if (s->ask(s->asker, s->questions, count, s->answers)) {
        s->failed = 1;
        return 0;
    }
    for (ptrdiff_t k = 0; k < count; k++) {
        const sb_wanted *wanted = s->wanted + k;
        s->unknown[wanted->scope] = 0;
        s->largest = fmax(s->largest, fabs(s->answers[k]));
        if (wanted->star < 0)
            sb_learn_shared(s, wanted->place, s->answers[k]);
        else
            sb_learn_star(s, s->star + wanted->star, wanted->place, s->answers[k]);
    }
    s->scored += count, s->fresh = 0;
    return 1;
}

/* Know the scopes that fire in the tree that was entered; whether any had to be asked for. */
static int sb_know_tree(sb_search *s)
{
    if (s->unknown == NULL)
        return 0;
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const sb_star *star = s->star + a;
        const ptrdiff_t row = star->cell + (ptrdiff_t)s->rank[s->tree[star->word]] * star->lowers;
        for (ptrdiff_t c = 0; c < star->lowers; c++)
            if (s->in_tree[s->column_lower[star->column + c]])
                sb_want(s, (int32_t)a, row + c);
    }
    for (ptrdiff_t m = 1; m < s->N; m++)
        for (ptrdiff_t i = s->incident_first[s->tree[m]]; i < s->incident_first[s->tree[m] + 1]; i++)
            if (sb_hits(s, s->incident[i]) == s->shared_first[s->incident[i] + 1] - s->shared_first[s->incident[i]])
                sb_want(s, -1, s->incident[i]);
    return sb_ask(s);
}

/* Ask for the scores that may be a column's highest: the first few of those whose bound exceeds the best that is known. */
static void sb_want_top(sb_search *s, int32_t a, ptrdiff_t c)
{
    const sb_star *star = s->star + a;
    const int32_t *into = s->into + s->into_first[star->word];
    ptrdiff_t place[SB_ASK_FIRST], count = 0;
    double offer[SB_ASK_FIRST], known = -INFINITY;
    for (int32_t k = 0; k < star->uppers; k++) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        const double here = s->star_score[cell] - s->split[cell];
        if (!s->alive[into[k]])
            continue;
        if (s->star_scope[cell] < 0 || !s->unknown[s->star_scope[cell]]) {
            known = fmax(known, here);
            continue;
        }
        ptrdiff_t at = count < SB_ASK_FIRST ? count++ : here > offer[count - 1] ? count - 1 : SB_ASK_FIRST;
        if (at == SB_ASK_FIRST)
            continue;
        for (; at && offer[at - 1] < here; at--)
            offer[at] = offer[at - 1], place[at] = place[at - 1];
        offer[at] = here, place[at] = cell;
    }
    for (ptrdiff_t k = 0; k < count && offer[k] > known; k++)
        sb_want(s, a, place[k]);
}

/* Mark the arcs of the tree that was entered, and those that weigh most into each word. */
static void sb_choose_contenders(sb_search *s)
{
    memset(s->contender, 0, (size_t)s->arcs);
    for (ptrdiff_t m = 1; m < s->N; m++) {
        int32_t most[SB_CONTENDERS];
        ptrdiff_t count = 0;
        for (ptrdiff_t k = s->into_first[m]; k < s->into_first[m + 1]; k++) {
            const int32_t e = s->into[k];
            const double here = s->weights[s->cell[e]];
            if (!s->alive[e] || (count == SB_CONTENDERS && here <= s->weights[s->cell[most[count - 1]]]))
                continue;
            ptrdiff_t at = count < SB_CONTENDERS ? count++ : count - 1;
            for (; at && s->weights[s->cell[most[at - 1]]] < here; at--)
                most[at] = most[at - 1];
            most[at] = e;
        }
        s->contender[s->tree[m]] = 1;
        for (ptrdiff_t k = 0; k < count; k++)
            s->contender[most[k]] = 1;
    }
}

/* Know what decides the bound at the tree that was entered, too: the best choice in each column of its arcs, and of the arcs that
 * weigh most into their words, which would come next; and the shares of its arcs. Few questions cost more than many scores. */
static int sb_know_bound(sb_search *s)
{
    int asked = sb_know_tree(s);
    if (s->unknown == NULL)
        return 0;
    for (ptrdiff_t m = 1; m < s->N; m++)
        for (ptrdiff_t i = s->incident_first[s->tree[m]]; i < s->incident_first[s->tree[m] + 1]; i++)
            if (s->shared_score[s->incident[i]] > 0.0)
                sb_want(s, -1, s->incident[i]);
    for (int again = 1; again;) {
        sb_choose_contenders(s);
        for (ptrdiff_t a = 0; a < s->stars; a++)
            for (ptrdiff_t c = 0; c < s->star[a].lowers; c++)
                if (s->contender[s->column_lower[s->star[a].column + c]])
                    sb_want_top(s, (int32_t)a, c);
        again = sb_ask(s), asked |= again;
    }
    return asked;
}

/* Know every scope whose arcs are all possible. */
static int sb_know_all(sb_search *s)
{
    if (s->unknown == NULL)
        return 0;
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const sb_star *star = s->star + a;
        for (int32_t k = 0; k < star->uppers; k++)
            if (s->alive[s->into[s->into_first[star->word] + k]])
                for (ptrdiff_t c = 0; c < star->lowers; c++)
                    if (s->alive[s->column_lower[star->column + c]])
                        sb_want(s, (int32_t)a, star->cell + (ptrdiff_t)k * star->lowers + c);
    }
    for (ptrdiff_t k = 0; k < s->current_count; k++)
        sb_want(s, -1, s->current[k]);
    return sb_ask(s);
}

/* Multipliers that are not negative, as the scores known by now allow them. */
static void sb_fit(sb_search *s)
{
    for (ptrdiff_t c = 0; c < s->shared; c++) {
        const ptrdiff_t width = s->shared_first[c + 1] - s->shared_first[c];
        double *q = s->split + s->star_cells + s->shared_first[c], sum = 0.0;
        if (s->shared_score[c] < 0.0) {
            q[0] = fmin(q[0], -s->shared_score[c]);
            continue;
        }
        for (ptrdiff_t k = 0; k < width; k++)
            sum += q[k];
        for (ptrdiff_t k = 0; k < width; k++)
            q[k] = sum > 0.0 ? q[k] * s->shared_score[c] / sum : s->shared_score[c] / (double)width;
    }
}

#endif
