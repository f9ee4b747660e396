/* The open nodes: a heap in the order in which they are worked on. */
#ifndef GAPLESS_SEARCH_OPEN_H
#define GAPLESS_SEARCH_OPEN_H

#include "search/enumeration.h"

/* Whether the first node is to be worked on before the second. */
static int gs_before(const gs_search *s, const gs_node *a, const gs_node *b)
{
    if (s->order == GS_BEST_FIRST && a->bound != b->bound)
        return a->bound > b->bound;
    if (s->order == GS_BREADTH_FIRST && a->depth != b->depth)
        return a->depth < b->depth;
    return s->order == GS_DEPTH_FIRST ? a->order > b->order : a->order < b->order;
}

static int gs_push(gs_search *s, const gs_node *node)
{
    if (!gs_grow((void **)&s->open, &s->open_room, s->open_count + 1, sizeof *s->open))
        return s->no_memory = 1, 0;
    ptrdiff_t at = s->open_count++;
    for (; at && gs_before(s, node, &s->open[(at - 1) / 2]); at = (at - 1) / 2)
        s->open[at] = s->open[(at - 1) / 2];
    s->open[at] = *node;
    return 1;
}

static gs_node gs_pop(gs_search *s)
{
    const gs_node first = s->open[0], last = s->open[--s->open_count];
    ptrdiff_t at = 0;
    for (;;) {
        ptrdiff_t child = 2 * at + 1;
        if (child >= s->open_count)
            break;
        if (child + 1 < s->open_count && gs_before(s, &s->open[child + 1], &s->open[child]))
            child++;
        if (!gs_before(s, &s->open[child], &last))
            break;
        s->open[at] = s->open[child], at = child;
    }
    if (s->open_count)
        s->open[at] = last;
    return first;
}

/* Too many nodes are open: those made last go first from now on, so that hardly any are added. */
static void gs_go_deep(gs_search *s)
{
    const ptrdiff_t count = s->open_count;
    s->order = GS_DEPTH_FIRST, s->open_count = 0;
    for (ptrdiff_t k = 0; k < count; k++) { /* in place: the heap grows behind what is read */
        const gs_node node = s->open[k];
        gs_push(s, &node);
    }
}

#endif
