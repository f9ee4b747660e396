/* The open nodes: a heap in the order in which they are worked on. */
#ifndef GAPLESS_SPLIT_BOUND_OPEN_H
#define GAPLESS_SPLIT_BOUND_OPEN_H

#include "search/enumeration.h"

/* Whether the first node is to be worked on before the second. */
static int sb_before(const sb_search *s, const sb_node *a, const sb_node *b)
{
    if (s->order == SB_BEST_FIRST && a->bound != b->bound)
        return a->bound > b->bound;
    if (s->order == SB_BREADTH_FIRST && a->depth != b->depth)
        return a->depth < b->depth;
    return s->order == SB_DEPTH_FIRST ? a->order > b->order : a->order < b->order;
}

static int sb_push(sb_search *s, const sb_node *node)
{
    if (!sb_grow((void **)&s->open, &s->open_room, s->open_count + 1, sizeof *s->open))
        return s->no_memory = 1, 0;
    ptrdiff_t at = s->open_count++;
    for (; at && sb_before(s, node, &s->open[(at - 1) / 2]); at = (at - 1) / 2)
        s->open[at] = s->open[(at - 1) / 2];
    s->open[at] = *node;
    return 1;
}

static sb_node sb_pop(sb_search *s)
{
    const sb_node first = s->open[0], last = s->open[--s->open_count];
    ptrdiff_t at = 0;
    for (;;) {
        ptrdiff_t child = 2 * at + 1;
        if (child >= s->open_count)
            break;
        if (child + 1 < s->open_count && sb_before(s, &s->open[child + 1], &s->open[child]))
            child++;
        if (!sb_before(s, &s->open[child], &last))
            break;
        s->open[at] = s->open[child], at = child;
    }
    if (s->open_count)
        s->open[at] = last;
    return first;
}

/* Too many nodes are open: those made last go first from now on, so that hardly any are added. */
static void sb_go_deep(sb_search *s)
{
    const ptrdiff_t count = s->open_count;
    s->order = SB_DEPTH_FIRST, s->open_count = 0;
    for (ptrdiff_t k = 0; k < count; k++) { /* in place: the heap grows behind what is read */
        const sb_node node = s->open[k];
        sb_push(s, &node);
    }
}

#endif
