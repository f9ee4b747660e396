/* Scores that are asked for only when a structure makes them matter.
 *
 * Until then an upper bound stands in a score's place, so that everything which follows from it is a bound, too. Asked for are
 * the scopes that fire in a structure that was found, and those whose upper bound decides how it is bounded. Who asks must
 * start its step again: structures, charts and slacks are those of the weights before.
 */
#ifndef GAPLESS_SEARCH_SCORES_H
#define GAPLESS_SEARCH_SCORES_H

#include "search/weights.h"

#define GS_ASK_FIRST 8   /* scores of a column at a time */
#define GS_CONTENDERS 2  /* decisions of each group */

/* How many decisions of a scope the structure entered takes. */
static ptrdiff_t gs_hits(const gs_search *s, ptrdiff_t c)
{
    ptrdiff_t hits = 0;
    for (ptrdiff_t i = s->shared_first[c]; i < s->shared_first[c + 1]; i++)
        hits += s->taken[s->shared_member[i]];
    return hits;
}

/* How much of a scope's charge is taken: how many of its decisions, and of those that the charge takes in, the structure has above all but one. */
static double gs_over(const gs_search *s, ptrdiff_t c)
{
    ptrdiff_t over = gs_hits(s, c) - (s->shared_first[c + 1] - s->shared_first[c] - 1);
    for (ptrdiff_t i = 0; i < s->lift_count[c]; i++)
        over += s->taken[s->lift[s->lift_first[c] + i]];
    return (double)over;
}

/* Ask for the score at `place`, a cell of star `star` or, with `star` -1, a shared scope. */
static void gs_want(gs_search *s, int32_t star, ptrdiff_t place)
{
    const int32_t scope = star < 0 ? s->shared_scope[place] : s->star_scope[place];
    if (scope < 0 || s->unknown[scope] != GS_UNASKED)
        return;
    if (!gs_grow((void **)&s->wanted, &s->wanted_room, s->wanted_count + 1, sizeof *s->wanted)) {
        s->no_memory = 1;
        return;
    }
    const gs_wanted fresh = {scope, star, place};
    s->wanted[s->wanted_count++] = fresh, s->unknown[scope] = GS_ASKED;
}

static void gs_learn_star(gs_search *s, const gs_star *star, ptrdiff_t cell, double score)
{
    const ptrdiff_t row = (cell - star->cell) / star->lowers, c = (cell - star->cell) % star->lowers;
    const int32_t lower = s->column_lower[star->column + c], upper = s->member[s->group_first[star->group] + row];
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
    *top = gs_column_top(s, star, c, &best);
    s->weights[s->cell[lower]] += *top - before;
}

static void gs_learn_shared(gs_search *s, ptrdiff_t c, double score)
{
    const ptrdiff_t first = s->shared_first[c], width = s->shared_first[c + 1] - first;
    const double bound = s->shared_score[c];
    s->shared_score[c] = score, s->dirty = 1; /* the weights are summed anew, with multipliers as `gs_fit` leaves them */
    if (bound > 0.0 && score <= 0.0) { /* shares are no charge, here and wherever they are remembered */
        memset(s->split + s->star_cells + first, 0, (size_t)width * sizeof(double));
        for (ptrdiff_t k = 0; k < s->snapshot_count; k++)
            if (s->snapshots[k].split != NULL)
                gs_clear(s->snapshots + k, s->star_cells + first, s->star_cells + first + width);
    }
}

/* Ask for what is wanted; whether anything was. */
static int gs_ask(gs_search *s)
{
    const ptrdiff_t count = s->wanted_count;
    if (count == 0 || s->no_memory || s->failed)
        return 0;
    if (!gs_grow((void **)&s->answers, &s->answer_room, count, sizeof *s->answers)
        || !gs_grow((void **)&s->questions, &s->question_room, count, sizeof *s->questions)) {
        s->no_memory = 1;
        return 0;
    }
    for (ptrdiff_t k = 0; k < count; k++)
        s->questions[k] = s->wanted[k].scope;
    s->wanted_count = 0;
    if (s->ask(s->asker, s->questions, count, s->answers)) {
        s->failed = GS_RAISED;
        return 0;
    }
    for (ptrdiff_t k = 0; k < count; k++) {
        const gs_wanted *wanted = s->wanted + k;
        s->unknown[wanted->scope] = 0;
        s->largest = fmax(s->largest, fabs(s->answers[k]));
        if (wanted->star < 0)
            gs_learn_shared(s, wanted->place, s->answers[k]);
        else
            gs_learn_star(s, s->star + wanted->star, wanted->place, s->answers[k]);
    }
    s->scored += count, s->fresh = 0;
    return 1;
}

/* Know the scopes that fire in the structure that was entered; whether any had to be asked for. */
static int gs_know_structure(gs_search *s)
{
    if (s->unknown == NULL)
        return 0;
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const gs_star *star = s->star + a;
        const ptrdiff_t row = star->cell + (ptrdiff_t)s->rank[s->choice[star->group]] * star->lowers;
        for (ptrdiff_t c = 0; c < star->lowers; c++)
            if (s->taken[s->column_lower[star->column + c]])
                gs_want(s, (int32_t)a, row + c);
    }
    for (ptrdiff_t k = 0; k < s->entered->count; k++)
        for (ptrdiff_t i = s->incident_first[s->entered->on[k]]; i < s->incident_first[s->entered->on[k] + 1]; i++)
            if (gs_hits(s, s->incident[i]) == s->shared_first[s->incident[i] + 1] - s->shared_first[s->incident[i]])
                gs_want(s, -1, s->incident[i]);
    return gs_ask(s);
}

/* Ask for the scores that may be a column's highest: the first few of those whose bound exceeds the best that is known. */
static void gs_want_top(gs_search *s, int32_t a, ptrdiff_t c)
{
    const gs_star *star = s->star + a;
    const int32_t *upper = s->member + s->group_first[star->group];
    ptrdiff_t place[GS_ASK_FIRST], count = 0;
    double offer[GS_ASK_FIRST], known = -INFINITY;
    for (int32_t k = 0; k < star->uppers; k++) {
        const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
        const double here = s->star_score[cell] - s->split[cell];
        if (!s->alive[upper[k]])
            continue;
        if (s->star_scope[cell] < 0 || !s->unknown[s->star_scope[cell]]) {
            known = fmax(known, here);
            continue;
        }
        ptrdiff_t at = count < GS_ASK_FIRST ? count++ : here > offer[count - 1] ? count - 1 : GS_ASK_FIRST;
        if (at == GS_ASK_FIRST)
            continue;
        for (; at && offer[at - 1] < here; at--)
            offer[at] = offer[at - 1], place[at] = place[at - 1];
        offer[at] = here, place[at] = cell;
    }
    for (ptrdiff_t k = 0; k < count && offer[k] > known; k++)
        gs_want(s, a, place[k]);
}

/* Mark the decisions of the structure that was entered, and those that weigh most in each group. */
static void gs_choose_contenders(gs_search *s)
{
    memset(s->contender, 0, (size_t)s->decisions);
    for (ptrdiff_t g = 0; g < s->groups; g++) {
        int32_t most[GS_CONTENDERS];
        ptrdiff_t count = 0;
        for (ptrdiff_t k = s->group_first[g]; k < s->group_first[g + 1]; k++) {
            const int32_t e = s->member[k];
            const double here = s->weights[s->cell[e]];
            if (!s->alive[e] || (count == GS_CONTENDERS && here <= s->weights[s->cell[most[count - 1]]]))
                continue;
            ptrdiff_t at = count < GS_CONTENDERS ? count++ : count - 1;
            for (; at && s->weights[s->cell[most[at - 1]]] < here; at--)
                most[at] = most[at - 1];
            most[at] = e;
        }
        for (ptrdiff_t k = 0; k < count; k++)
            s->contender[most[k]] = 1;
    }
    for (ptrdiff_t k = 0; k < s->entered->count; k++)
        s->contender[s->entered->on[k]] = 1;
}

/* Know what decides the bound at the structure that was entered, too: the best choice in each column of its decisions, and of those
 * that weigh most in their groups, which would come next; and the shares of its decisions. Few questions cost more than many scores. */
static int gs_know_bound(gs_search *s)
{
    int asked = gs_know_structure(s);
    if (s->unknown == NULL)
        return 0;
    for (ptrdiff_t k = 0; k < s->entered->count; k++)
        for (ptrdiff_t i = s->incident_first[s->entered->on[k]]; i < s->incident_first[s->entered->on[k] + 1]; i++)
            if (s->shared_score[s->incident[i]] > 0.0)
                gs_want(s, -1, s->incident[i]);
    for (int again = 1; again;) {
        gs_choose_contenders(s);
        for (ptrdiff_t a = 0; a < s->stars; a++)
            for (ptrdiff_t c = 0; c < s->star[a].lowers; c++)
                if (s->contender[s->column_lower[s->star[a].column + c]])
                    gs_want_top(s, (int32_t)a, c);
        again = gs_ask(s), asked |= again;
    }
    return asked;
}

/* Know every scope whose decisions are all possible. */
static int gs_know_all(gs_search *s)
{
    if (s->unknown == NULL)
        return 0;
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const gs_star *star = s->star + a;
        for (int32_t k = 0; k < star->uppers; k++)
            if (s->alive[s->member[s->group_first[star->group] + k]])
                for (ptrdiff_t c = 0; c < star->lowers; c++)
                    if (s->alive[s->column_lower[star->column + c]])
                        gs_want(s, (int32_t)a, star->cell + (ptrdiff_t)k * star->lowers + c);
    }
    for (ptrdiff_t k = 0; k < s->current_count; k++)
        gs_want(s, -1, s->current[k]);
    return gs_ask(s);
}

/* Multipliers that are not negative, as the scores known by now allow them. */
static void gs_fit(gs_search *s)
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
