/* The open nodes: a heap in the order in which they are worked on. */
#ifndef GAPLESS_SEARCH_OPEN_NODES_H
#define GAPLESS_SEARCH_OPEN_NODES_H

#include "search/enumeration.h"

/* Whether the first node comes before the second. */
static int gs_before(const gs_search *s, const gs_node *a, const gs_node *b)
{
    if (s->tree.order == GS_BEST_FIRST && a->bound != b->bound)
        return a->bound > b->bound;
    if (s->tree.order == GS_BREADTH_FIRST && a->depth != b->depth)
        return a->depth < b->depth;
    return s->tree.order == GS_DEPTH_FIRST ? a->order > b->order : a->order < b->order;
}

/* 0 without memory. */
static int gs_push(gs_search *s, const gs_node *node)
{
    if (!GS_GROW(s, tree.open, s->tree.open_count + 1))
        return 0;
    gs_node *open = s->tree.open;
    ptrdiff_t at = s->tree.open_count++;
    for (; at && gs_before(s, node, &open[(at - 1) / 2]); at = (at - 1) / 2)
        open[at] = open[(at - 1) / 2];
    open[at] = *node;
    return 1;
}

static gs_node gs_pop(gs_search *s)
{
    GAPLESS_ASSERT(s->tree.open_count > 0);
    gs_node *open = s->tree.open;
    const gs_node first = open[0], last = open[--s->tree.open_count];
    ptrdiff_t at = 0;
    for (;;) {
        ptrdiff_t child = 2 * at + 1;
        if (child >= s->tree.open_count)
            break;
        if (child + 1 < s->tree.open_count && gs_before(s, &open[child + 1], &open[child]))
            child++;
        if (!gs_before(s, &open[child], &last))
            break;
        open[at] = open[child];
        at = child;
    }
    if (s->tree.open_count)
        open[at] = last;
    return first;
}

/* Work on the nodes made last first from now on, so that hardly any are added: memory for open nodes runs
 * out. */
static void gs_switch_to_depth_first(gs_search *s)
{
    const ptrdiff_t count = s->tree.open_count;
    s->tree.order = GS_DEPTH_FIRST;
    s->tree.open_count = 0;
    for (ptrdiff_t k = 0; k < count; k++) { /* in place: the heap never grows beyond what is read */
        const gs_node node = s->tree.open[k];
        gs_push(s, &node);
    }
}

#endif
