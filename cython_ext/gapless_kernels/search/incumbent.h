/* Exact scores of trees, and better trees by parsing again with scores linearised around one. */
#ifndef GAPLESS_SPLIT_BOUND_INCUMBENT_H
#define GAPLESS_SPLIT_BOUND_INCUMBENT_H

#include "search/scores.h"

static void sb_enter_tree(sb_search *s, const int32_t *heads)
{
    for (ptrdiff_t m = 1; m < s->N; m++) {
        const int32_t e = s->index[heads[m] * s->N + m];
        s->tree[m] = e, s->in_tree[e] = 1;
    }
}

static void sb_leave_tree(sb_search *s)
{
    for (ptrdiff_t m = 1; m < s->N; m++)
        s->in_tree[s->tree[m]] = 0;
}

/* The score of the tree that was entered, all scopes counted. */
static double sb_tree_score(const sb_search *s)
{
    double total = 0.0;
    for (ptrdiff_t m = 1; m < s->N; m++)
        total += s->base[s->tree[m]];
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const sb_star *star = s->star + a;
        const double *score = s->star_score + star->cell + (ptrdiff_t)s->rank[s->tree[star->word]] * star->lowers;
        for (ptrdiff_t c = 0; c < star->lowers; c++)
            if (s->in_tree[s->column_lower[star->column + c]])
                total += score[c];
    }
    for (ptrdiff_t m = 1; m < s->N; m++) {
        const int32_t e = s->tree[m];
        for (ptrdiff_t i = s->incident_first[e]; i < s->incident_first[e + 1]; i++) {
            const int32_t f = s->incident_other[i], c = s->incident[i];
            if (f >= 0 ? s->in_tree[f] && e < f : s->shared_arc[s->shared_first[c]] == e
                    && sb_hits(s, c) == s->shared_first[c + 1] - s->shared_first[c])
                total += s->shared_score[c];
        }
    }
    return total;
}

/* Keep the tree that was entered if it is the best so far. When its scores could not be had, bounds stand in their place. */
static int sb_offer(sb_search *s, const int32_t *heads, double score)
{
    if (s->failed || s->no_memory)
        return 0;
    if (s->working && score > s->best_in_node)
        s->best_in_node = score;
    if (!(score > s->value))
        return 0;
    s->value = score;
    memcpy(s->best_heads, heads, (size_t)s->N * sizeof *heads);
    return 1;
}

/* Arc scores of the tree's neighbours: each scope counts for the arcs that would complete it. */
static void sb_linearise(sb_search *s)
{
    double *w = s->linear;
    for (ptrdiff_t k = 0; k < s->N * s->N; k++)
        w[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->arcs; e++)
        if (s->alive[e])
            w[s->cell[e]] = s->base[e];
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const sb_star *star = s->star + a;
        const int32_t *into = s->into + s->into_first[star->word];
        const double *score = s->star_score + star->cell;
        const ptrdiff_t mine = (ptrdiff_t)s->rank[s->tree[star->word]] * star->lowers;
        for (ptrdiff_t c = 0; c < star->lowers; c++) {
            const int32_t lower = s->column_lower[star->column + c];
            w[s->cell[lower]] += score[mine + c];
            if (s->in_tree[lower])
                for (int32_t k = 0; k < star->uppers; k++)
                    w[s->cell[into[k]]] += score[k * star->lowers + c];
        }
    }
    for (ptrdiff_t m = 1; m < s->N; m++) {
        const int32_t e = s->tree[m];
        for (ptrdiff_t i = s->incident_first[e]; i < s->incident_first[e + 1]; i++) {
            const int32_t c = s->incident[i];
            if (s->incident_other[i] >= 0) {
                w[s->cell[s->incident_other[i]]] += s->shared_score[c];
                continue;
            }
            const ptrdiff_t width = s->shared_first[c + 1] - s->shared_first[c], hits = sb_hits(s, c);
            const int32_t *arcs = s->shared_arc + s->shared_first[c];
            if (hits == width - 1)
                for (ptrdiff_t k = 0; k < width; k++)
                    w[s->cell[arcs[k]]] += s->in_tree[arcs[k]] ? 0.0 : s->shared_score[c] / (double)hits;
            else if (hits == width)
                w[s->cell[e]] += s->shared_score[c];
        }
    }
}

/* The paper's pi(p, z) for the best p at the tree: each scope counts exactly at the tree, and never too much elsewhere. */
static void sb_lower_bound_weights(sb_search *s)
{
    double *w = s->linear;
    for (ptrdiff_t k = 0; k < s->N * s->N; k++)
        w[k] = -INFINITY;
    for (ptrdiff_t e = 0; e < s->arcs; e++)
        if (s->alive[e])
            w[s->cell[e]] = s->base[e];
    for (ptrdiff_t c = 0; c < s->shared; c++) {
        const int32_t *arcs = s->shared_arc + s->shared_first[c];
        const ptrdiff_t width = s->shared_first[c + 1] - s->shared_first[c];
        ptrdiff_t charged = 0;
        if (s->shared_score[c] > 0.0) {
            if (sb_hits(s, c) == width)
                for (ptrdiff_t k = 0; k < width; k++)
                    w[s->cell[arcs[k]]] += s->shared_score[c];
            continue;
        }
        for (ptrdiff_t k = 0; k < width; k++)
            if (!s->in_tree[arcs[k]])
                charged = k;
        w[s->cell[arcs[charged]]] += s->shared_score[c];
    }
}

/* Improve on the tree `heads` while parsing again finds better ones; never touches the chart of the bound.
 * Whether scores had to be asked for. */
static int sb_reparse(sb_search *s, const int32_t *heads, double score, int rounds)
{
    int asked = 0;
    memcpy(s->tree_heads, heads, (size_t)s->N * sizeof *heads);
    for (int round = 0; round < rounds; round++) {
        sb_enter_tree(s, s->tree_heads);
        if (s->paper)
            sb_lower_bound_weights(s);
        else
            sb_linearise(s);
        sb_leave_tree(s);
        if (!(sb_oracle(s, s->linear, s->other_work, s->other_heads) > -INFINITY))
            return asked;
        sb_enter_tree(s, s->other_heads);
        asked |= sb_know_tree(s);
        const double found = sb_tree_score(s);
        sb_offer(s, s->other_heads, found);
        sb_leave_tree(s);
        if (!(found > score) || s->failed)
            return asked;
        score = found;
        memcpy(s->tree_heads, s->other_heads, (size_t)s->N * sizeof *heads);
    }
    return asked;
}

#endif
