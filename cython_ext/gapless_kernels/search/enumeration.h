/* The end of a node of which little is left: all trees of the arcs that are still possible, by depth-first search.
 *
 * Pairs of open arcs and the scores beside arcs that are on are laid out densely, so that a choice costs a row of
 * additions; what cannot exceed the incumbent is cut off. Scopes with three arcs or more to choose count as much
 * as they may, and exactly once a tree is complete. The proof is that all trees of the fixings were looked at: a checker may do that
 * in its own way, so no multipliers are kept.
 */
#ifndef GAPLESS_SPLIT_BOUND_ENUMERATION_H
#define GAPLESS_SPLIT_BOUND_ENUMERATION_H

#include "search/proof.h"

#define SB_OPEN_ARCS 64     /* into words with a choice, at most */
#define SB_OPEN_WORDS 14    /* likewise */
#define SB_CHOICES 16384    /* 2^14 ways to choose their heads, at most: the checker goes through all of them */
#define SB_ENUMERATED (-2)  /* in the place of a leaf's multipliers */

typedef struct {
    int words, arcs;
    int32_t first[SB_OPEN_WORDS + 1], arc[SB_OPEN_ARCS];
    double constant, wide, lost; /* lost: to rounding, at most */
    double pair[SB_OPEN_ARCS][SB_OPEN_ARCS];
    double score[SB_OPEN_WORDS + 1][SB_OPEN_ARCS]; /* of the arcs beside what is chosen */
    double rest[SB_OPEN_WORDS + 1];                /* what pairs of words not chosen yet, and wide scopes, may add */
} sb_choices;

/* Whether no tree of this family has both arcs. */
static int sb_exclude(const sb_search *s, int32_t e, int32_t f)
{
    const int32_t g = s->head[e], m = s->modifier[e], h = s->head[f], w = s->modifier[f];
    if ((g == w && h == m) || (s->single_root && g == 0 && h == 0))
        return 1;
    if (!s->projective)
        return 0;
    const int32_t a = g < m ? g : m, b = g < m ? m : g, c = h < w ? h : w, d = h < w ? w : h;
    return (a < c && c < b && b < d) || (c < a && a < d && d < b);
}

/* Number the arcs of words with a choice; 0 if they are too many. */
static int sb_open_words(sb_search *s, sb_choices *left)
{
    double choices = 1.0;
    int words = 0, arcs = 0;
    for (ptrdiff_t m = 1; m < s->N; m++)
        if (s->candidates[m] > 1) {
            words++, arcs += s->candidates[m], choices *= s->candidates[m];
            if (choices > s->choices || arcs > SB_OPEN_ARCS)
                return 0;
        }
    left->words = left->arcs = 0;
    for (ptrdiff_t m = 1; m < s->N; m++)
        for (ptrdiff_t k = s->into_first[m], begun = 0; k < s->into_first[m + 1]; k++) {
            const int32_t e = s->into[k];
            s->slot[e] = -1;
            if (s->candidates[m] < 2 || !s->alive[e])
                continue;
            if (!begun++)
                left->first[left->words++] = left->arcs;
            s->slot[e] = left->arcs, left->arc[left->arcs++] = e;
        }
    left->first[words] = arcs;
    return 1;
}

/* A score of possible arcs, of which `free_arcs` are open: at most two of them are told apart. */
static void sb_count_scope(const sb_search *s, sb_choices *left, const int32_t *arcs, ptrdiff_t width, double score)
{
    int32_t open[2] = {-1, -1};
    ptrdiff_t free_arcs = 0;
    for (ptrdiff_t k = 0; k < width; k++)
        if (s->slot[arcs[k]] >= 0) {
            if (free_arcs < 2)
                open[free_arcs] = s->slot[arcs[k]];
            free_arcs++;
        }
    if (free_arcs == 0)
        left->constant += score;
    else if (free_arcs == 1)
        left->score[0][open[0]] += score;
    else if (free_arcs == 2)
        left->pair[open[0]][open[1]] += score, left->pair[open[1]][open[0]] += score;
    else if (score > 0.0)
        left->wide += score;
}

static void sb_lay_out(sb_search *s, sb_choices *left)
{
    left->constant = left->wide = 0.0;
    for (int k = 0; k < left->arcs; k++) {
        left->score[0][k] = s->base[left->arc[k]];
        for (int j = 0; j < left->arcs; j++)
            left->pair[k][j] = sb_exclude(s, left->arc[k], left->arc[j]) ? -INFINITY : 0.0;
    }
    for (ptrdiff_t e = 0; e < s->arcs; e++) {
        if (!s->on[e])
            continue;
        left->constant += s->base[e];
        for (int k = 0; k < left->arcs; k++)
            if (sb_exclude(s, (int32_t)e, left->arc[k]))
                left->score[0][k] = -INFINITY;
    }
    for (ptrdiff_t a = 0; a < s->stars; a++) {
        const sb_star *star = s->star + a;
        for (int32_t k = 0; k < star->uppers; k++) {
            int32_t pair[2] = {s->into[s->into_first[star->word] + k], 0};
            if (!s->alive[pair[0]])
                continue;
            for (ptrdiff_t c = 0; c < star->lowers; c++) {
                const ptrdiff_t cell = star->cell + (ptrdiff_t)k * star->lowers + c;
                pair[1] = s->column_lower[star->column + c];
                if (s->alive[pair[1]] && s->star_scope[cell] >= 0)
                    sb_count_scope(s, left, pair, 2, s->star_score[cell]);
            }
        }
    }
    for (ptrdiff_t k = 0; k < s->current_count; k++) {
        const int32_t c = s->current[k];
        const ptrdiff_t first = s->shared_first[c];
        sb_count_scope(s, left, s->shared_arc + first, s->shared_first[c + 1] - first, s->shared_score[c]);
    }
    left->rest[left->words] = left->wide;
    for (int i = left->words - 1; i >= 0; i--) {
        left->rest[i] = left->rest[i + 1];
        for (int j = i + 1; j < left->words; j++) {
            double most = -INFINITY;
            for (int k = left->first[i]; k < left->first[i + 1]; k++)
                for (int l = left->first[j]; l < left->first[j + 1]; l++)
                    most = fmax(most, left->pair[k][l]);
            left->rest[i] += most;
        }
    }
}

/* Whether every word reaches the root by `heads`, as a single root and projectivity ask. */
static int sb_is_tree(sb_search *s, const int32_t *heads)
{
    ptrdiff_t roots = 0;
    for (ptrdiff_t m = 1; m < s->N; m++) {
        int32_t above = heads[m];
        roots += above == 0;
        for (ptrdiff_t steps = 0; above != 0; above = heads[above])
            if (++steps > s->n)
                return 0;
    }
    if (roots == 0 || (s->single_root && roots > 1))
        return 0;
    if (s->projective) /* arcs that are on were not compared with one another */
        for (ptrdiff_t m = 2; m < s->N; m++)
            for (ptrdiff_t w = 1; w < m; w++)
                if (sb_exclude(s, s->index[heads[m] * s->N + m], s->index[heads[w] * s->N + w]))
                    return 0;
    return 1;
}

/* Choose the heads of open words `word` and later; `total` is what is certain so far. */
static void sb_choose(sb_search *s, sb_choices *left, int word, double total)
{
    if (word == left->words) {
        if (!sb_is_tree(s, s->other_heads))
            return;
        sb_enter_tree(s, s->other_heads);
        sb_offer(s, s->other_heads, sb_tree_score(s));
        sb_leave_tree(s);
        return;
    }
    const double *score = left->score[word];
    double *next = left->score[word + 1];
    for (int k = left->first[word]; k < left->first[word + 1]; k++) {
        double bound = total + score[k] + left->rest[word + 1];
        for (int j = word + 1; j < left->words; j++) {
            double most = -INFINITY;
            for (int l = left->first[j]; l < left->first[j + 1]; l++) {
                next[l] = score[l] + left->pair[k][l];
                most = next[l] > most ? next[l] : most;
            }
            bound += most;
        }
        if (bound + left->lost <= s->value)
            continue;
        const int32_t e = left->arc[k];
        s->other_heads[s->modifier[e]] = s->head[e];
        sb_choose(s, left, word + 1, total + score[k]);
    }
}

/* Look at all trees that the node has left, if these are few; whether that was done. After sb_weigh. */
static int sb_enumerate(sb_search *s)
{
    sb_choices left;
    if (!sb_open_words(s, &left))
        return 0;
    sb_know_all(s);
    if (s->failed || s->no_memory)
        return 0;
    sb_lay_out(s, &left);
    left.lost = sb_rough(s) ? sb_lost(s) : 0.0; /* else ties would all be looked at */
    for (ptrdiff_t e = 0; e < s->arcs; e++)
        if (s->on[e])
            s->other_heads[s->modifier[e]] = s->head[e];
    s->other_heads[0] = -1;
    sb_choose(s, &left, 0, left.constant);
    s->enumerated++;
    return 1;
}

#endif
