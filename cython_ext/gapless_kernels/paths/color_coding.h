/* The best colourful path under one colouring, by the dynamic program over last vertices and sets of
 * colours.
 *
 * Vertices are sorted by colour. The table holds for each set of colours the scores of the best paths
 * through exactly these colours, for each last vertex of one of them, colour by colour. A row of it is
 * made for one colour of targets at a time and from the sources of the set's colours only. The targets of
 * a colour are cut into strips whose maxima stay in registers, and many sets take one strip before the
 * next, so that its edges and their rows stay in the cache. */
#ifndef GAPLESS_KERNELS_COLOR_CODING_H
#define GAPLESS_KERNELS_COLOR_CODING_H

#include "lanes/lanes.h"
#include "owner.h"

enum { COLOR_CODING_OCTETS = 4, COLOR_CODING_MOST = 32, COLOR_CODING_SETS = 128 };

/* Up to COLOR_CODING_OCTETS octets of targets of one colour; filled up with targets that no edge leads to. */
typedef struct {
    int color, octets;
    ptrdiff_t offset;          /* of the first target within its colour */
    double *edges;             /* n rows: from each source, sorted by colour */
    double *start, *end, *best;
} color_strip;

typedef struct {
    ptrdiff_t n, length, colors, classes, strip_count;
    const double *start, *ordering, *end;
    const int64_t *class_of;
    double *scores;            /* the table */
    double *edges, *ends;      /* of all strips */
    ptrdiff_t *first; /* where the row of each set begins, 2^colors + 1; none from `length` colours on */
    ptrdiff_t *of_size;        /* where the sets of each size begin in `sets`, colors + 2 */
    uint32_t *sets;            /* all sets by size, then in order */
    ptrdiff_t begin[COLOR_CODING_MOST + 1], padded[COLOR_CODING_MOST];
    int32_t *vertices;         /* sorted by colour */
    int32_t *color_of;
    color_strip *strips;
    array_owner owner;
} color_coding;

/* Where the vertices of one colour of a set begin in the table. */
static GAPLESS_ALWAYS ptrdiff_t color_coding_block(const color_coding *table, uint32_t set, uint32_t bit)
{
    const uint32_t before = set & (bit - 1);
    return table->first[set] + table->first[before + 1] - table->first[before];
}

#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "paths/color_coding_rows.h"
#include "lanes/versions.h"

/* Make the rows of up to COLOR_CODING_SETS sets of `size` colours, from number `first` on; where the next
 * begin. */
static ptrdiff_t color_coding_step(const color_coding *table, ptrdiff_t size, ptrdiff_t first)
{
    const ptrdiff_t end = table->of_size[size + 1];
    const ptrdiff_t stop = end - first < COLOR_CODING_SETS ? end : first + COLOR_CODING_SETS;
    for (const color_strip *strip = table->strips; strip < table->strips + table->strip_count; strip++)
        GAPLESS_CALL(color_coding_rows_f64, (table, first, stop, strip));
    return stop;
}

/* The most vertices there are once each colour is filled up to whole octets. */
static ptrdiff_t color_coding_filled(ptrdiff_t n, ptrdiff_t colors)
{
    return n + (GAPLESS_OCTET - 1) * (colors < n ? colors : n);
}

/* The number of scores in the table, at most; as a double, since it may be anything. */
static double color_coding_scores(ptrdiff_t n, ptrdiff_t length, ptrdiff_t colors)
{
    double subsets = 1, sum = 0;
    for (ptrdiff_t size = 1; size < length && size <= colors; size++) {
        sum += subsets; /* of colors - 1 others, size - 1 */
        subsets = subsets * (double)(colors - size) / (double)size;
    }
    return sum * (double)color_coding_filled(n, colors);
}

/* Allocate what all colourings need, and list the sets by size; the owner frees, also after a failure. 0
 * without memory. */
static int color_coding_begin(color_coding *table)
{
    const ptrdiff_t n = table->n, all = (ptrdiff_t)1 << table->colors;
    const ptrdiff_t filled = color_coding_filled(n, table->colors);
    const double scores = color_coding_scores(n, table->length, table->colors);
    if (!(scores < (double)(PTRDIFF_MAX / 16)))
        return 0;
#define COLOR_CODING_TAKE(field, count) table->field = own_array(&table->owner, count, sizeof *table->field)
    COLOR_CODING_TAKE(edges, n * filled);
    COLOR_CODING_TAKE(scores, (ptrdiff_t)scores);
    COLOR_CODING_TAKE(ends, 3 * filled);
    COLOR_CODING_TAKE(first, all + 1);
    COLOR_CODING_TAKE(of_size, table->colors + 2);
    COLOR_CODING_TAKE(strips, filled / GAPLESS_OCTET);
    COLOR_CODING_TAKE(sets, all);
    COLOR_CODING_TAKE(vertices, n);
    COLOR_CODING_TAKE(color_of, n);
#undef COLOR_CODING_TAKE
    if (table->owner.failed)
        return 0;
    ptrdiff_t next[COLOR_CODING_MOST + 1] = {0};
    for (ptrdiff_t set = 0; set < all; set++)
        table->of_size[gapless_count((uint32_t)set) + 1]++;
    for (ptrdiff_t size = 0; size <= table->colors; size++) {
        table->of_size[size + 1] += table->of_size[size];
        next[size] = table->of_size[size];
    }
    for (ptrdiff_t set = 0; set < all; set++)
        table->sets[next[gapless_count((uint32_t)set)]++] = (uint32_t)set;
    return 1;
}

/* Cut the targets of one colour into strips, and gather the edges that lead to them. */
static void color_coding_cut(color_coding *table, int color, double **edges, double **ends)
{
    const ptrdiff_t n = table->n, first = table->begin[color], last = table->begin[color + 1];
    for (ptrdiff_t offset = 0; offset < table->padded[color];) {
        color_strip *strip = table->strips + table->strip_count++;
        const ptrdiff_t octets = (table->padded[color] - offset) / GAPLESS_OCTET;
        strip->color = color;
        strip->octets = octets < COLOR_CODING_OCTETS ? (int)octets : COLOR_CODING_OCTETS;
        strip->offset = offset;
        const ptrdiff_t width = strip->octets * GAPLESS_OCTET;
        const ptrdiff_t held = last - first - offset < width ? last - first - offset : width;
        const int32_t *targets = table->vertices + first + offset;
        strip->edges = *edges;
        strip->start = *ends;
        strip->end = *ends + width;
        strip->best = *ends + 2 * width;
        *edges += n * width;
        *ends += 3 * width;
        offset += width;
        for (ptrdiff_t t = 0; t < width; t++) {
            strip->start[t] = t < held ? table->start[targets[t]] : -INFINITY;
            strip->end[t] = t < held ? table->end[targets[t]] : -INFINITY;
            strip->best[t] = -INFINITY;
        }
        for (ptrdiff_t u = 0; u < n; u++) {
            const double *from = table->ordering + (ptrdiff_t)table->vertices[u] * n;
            double *row = strip->edges + u * width;
            for (ptrdiff_t t = 0; t < held; t++)
                row[t] = from[targets[t]];
            for (ptrdiff_t t = held; t < width; t++)
                row[t] = -INFINITY;
        }
    }
}

/* Lay the graph out for one colouring: the colour of each class. */
static void color_coding_color(color_coding *table, const uint8_t *colors)
{
    ptrdiff_t next[COLOR_CODING_MOST];
    const uint32_t all = (uint32_t)1 << table->colors;
    double *edges = table->edges, *ends = table->ends;
    memset(table->begin, 0, sizeof table->begin);
    for (ptrdiff_t v = 0; v < table->n; v++) {
        table->color_of[v] = colors[table->class_of[v]];
        table->begin[table->color_of[v] + 1]++;
    }
    for (ptrdiff_t c = 0; c < table->colors; c++) {
        table->padded[c] = (table->begin[c + 1] + GAPLESS_OCTET - 1) / GAPLESS_OCTET * GAPLESS_OCTET;
        table->begin[c + 1] += table->begin[c];
        next[c] = table->begin[c];
    }
    for (ptrdiff_t v = 0; v < table->n; v++)
        table->vertices[next[table->color_of[v]]++] = (int32_t)v;
    table->strip_count = 0;
    for (int c = 0; c < table->colors; c++)
        color_coding_cut(table, c, &edges, &ends);
    table->first[0] = 0;
    for (uint32_t set = 0; set < all; set++) {
        const uint32_t others = set & (set - 1); /* all but the lowest */
        ptrdiff_t length = 0;
        if (set && gapless_count(set) < table->length)
            length = table->first[others + 1] - table->first[others] + table->padded[gapless_lowest(set)];
        table->first[set + 1] = table->first[set] + length;
    }
}

/* The score of the best path through the colours of `set` and on to v; *from is the first of its last
 * vertices. */
static double color_coding_back(const color_coding *table, uint32_t set, int32_t v, int32_t *from)
{
    double best = -INFINITY;
    *from = -1;
    for (uint32_t rest = set; rest; rest &= rest - 1) {
        const int color = gapless_lowest(rest);
        const double *scores = table->scores + color_coding_block(table, set, (uint32_t)1 << color);
        for (ptrdiff_t u = table->begin[color]; u < table->begin[color + 1]; u++) {
            const int32_t vertex = table->vertices[u];
            const double offer =
                scores[u - table->begin[color]] + table->ordering[(ptrdiff_t)vertex * table->n + v];
            if (offer > best || (offer == best && *from >= 0 && vertex < *from)) {
                best = offer;
                *from = vertex;
            }
        }
    }
    return best;
}

/* The best value once all rows are made, and if it beats `incumbent` its path: of equal paths the one
 * whose last vertex comes first, then the one whose colours before it are the smallest set, then whose
 * last but one, ... */
static double color_coding_path(const color_coding *table, double incumbent, int64_t *path)
{
    double best = incumbent;
    int32_t v = -1, from = -1;
    for (ptrdiff_t s = 0; s < table->strip_count; s++) {
        const color_strip *strip = table->strips + s;
        const ptrdiff_t first = table->begin[strip->color] + strip->offset,
                        stop = table->begin[strip->color + 1];
        for (ptrdiff_t t = 0; t < strip->octets * GAPLESS_OCTET && first + t < stop; t++) {
            const int32_t vertex = table->vertices[first + t];
            if (strip->best[t] > best || (strip->best[t] == best && v >= 0 && vertex < v)) {
                best = strip->best[t];
                v = vertex;
            }
        }
    }
    if (v < 0)
        return -INFINITY;
    path[table->length - 1] = v;
    if (table->length == 1)
        return best;
    const uint32_t *set = table->sets + table->of_size[table->length - 1];
    while (*set >> table->color_of[v] & 1
           || color_coding_back(table, *set, v, &from) + table->end[v] != best)
        set++;
    uint32_t left = *set;
    for (ptrdiff_t place = table->length - 2;; place--) {
        path[place] = from;
        left &= ~((uint32_t)1 << table->color_of[from]);
        if (place == 0)
            return best;
        color_coding_back(table, left, from, &from);
    }
}

#endif
