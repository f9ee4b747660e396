/* Beam search for the best path of a given length without a class visited twice; see _path_beam_twin.py.
 *
 * Prefixes of one length are extended in the order of their scores (of 256 levels), so that the score that
 * the worst of the next beam must beat is soon high: nearly all extensions are then left out sixteen at a
 * time, and prefixes that even their best edge cannot save are left out whole. What is left is gathered in
 * a table that finds the prefix with the same last vertex and the same classes, and is cut to the beam's
 * width when it has twice that. */
#ifndef GAPLESS_KERNELS_PATH_BEAM_H
#define GAPLESS_KERNELS_PATH_BEAM_H

#include "lanes/lanes.h"
#include "owner.h"

#define GAPLESS_DOUBLE_ONLY
#define GAPLESS_TEMPLATE "paths/graph_rows.h"
#include "lanes/versions.h"

enum { PATH_BEAM_LEVELS = 256, PATH_BEAM_LEAST = 64, PATH_BEAM_SAMPLED = 64 };

typedef struct {
    ptrdiff_t n, classes, length, width;
    const double *start, *ordering, *end;
    const int64_t *class_of;
    /* Prefixes of each length: the last vertex, and which of the prefixes one shorter it extends. */
    int32_t *vertices, *parents; /* length * width */
    double *scores;              /* of the beam that is extended, width */
    uint64_t *keys;              /* a hash of the classes of each */
    int32_t *order;              /* in which they are extended */
    double *best_edge;           /* of each vertex; NaN until it was asked for */
    int64_t *visited;            /* of each class: the last prefix that was seen to visit it */
    int64_t prefix;              /* which prefix is extended, counted over all lengths */
    int32_t *who;                /* one row of extensions, and room for a block */
    double *offers;
    /* The beam that is made. Entries that a better one has replaced score -inf. */
    ptrdiff_t keep, capacity, slots, gathered;
    double threshold;            /* what an extension must beat */
    double *new_scores, *ranking;
    uint64_t *new_keys;
    int32_t *new_vertices, *new_parents, *table;
    array_owner owner;
} path_beam;

/* Allocate what the search works in; its owner frees, also after a failure. 0 without memory. */
static int path_beam_begin(path_beam *beam)
{
    const ptrdiff_t n = beam->n, width = beam->width, length = beam->length;
    beam->capacity = 2 * (width < PATH_BEAM_LEAST / 2 ? PATH_BEAM_LEAST / 2 : width);
    for (beam->slots = PATH_BEAM_LEAST; beam->slots < 2 * beam->capacity;)
        beam->slots *= 2;
#define PATH_BEAM_TAKE(field, count) beam->field = own_array(&beam->owner, count, sizeof *beam->field)
    PATH_BEAM_TAKE(scores, width);
    PATH_BEAM_TAKE(keys, width);
    PATH_BEAM_TAKE(best_edge, n);
    PATH_BEAM_TAKE(visited, beam->classes);
    PATH_BEAM_TAKE(offers, n + GAPLESS_BLOCK);
    PATH_BEAM_TAKE(new_scores, beam->capacity);
    PATH_BEAM_TAKE(ranking, beam->capacity);
    PATH_BEAM_TAKE(new_keys, beam->capacity);
    PATH_BEAM_TAKE(new_vertices, beam->capacity);
    PATH_BEAM_TAKE(new_parents, beam->capacity);
    PATH_BEAM_TAKE(table, beam->slots);
    PATH_BEAM_TAKE(order, width);
    PATH_BEAM_TAKE(who, n + GAPLESS_BLOCK);
    PATH_BEAM_TAKE(vertices, length * width);
    PATH_BEAM_TAKE(parents, length * width);
#undef PATH_BEAM_TAKE
    for (ptrdiff_t v = 0; !beam->owner.failed && v < n; v++)
        beam->best_edge[v] = NAN;
    return !beam->owner.failed;
}

static inline uint64_t path_beam_mixed(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static inline ptrdiff_t path_beam_first_slot(const path_beam *beam, uint64_t key, int32_t vertex)
{
    return (ptrdiff_t)((key + (uint64_t)vertex * 0x9E3779B97F4A7C15u) >> 20) & (beam->slots - 1);
}

/* Whether the prefix that is extended, of `place` vertices, visits the classes of what an entry extends. */
static int path_beam_same_classes(const path_beam *beam, ptrdiff_t place, int32_t entry)
{
    int32_t at = beam->new_parents[entry];
    for (ptrdiff_t p = place - 1; p >= 0; p--) {
        const int32_t vertex = beam->vertices[p * beam->width + at];
        if (beam->visited[beam->class_of[vertex]] != beam->prefix)
            return 0;
        at = beam->parents[p * beam->width + at];
    }
    return 1;
}

/* Where the entry with the same last vertex and the same classes is in the table, or would be. */
static ptrdiff_t path_beam_slot(const path_beam *beam, ptrdiff_t place, uint64_t key, int32_t vertex)
{
    ptrdiff_t slot = path_beam_first_slot(beam, key, vertex);
    for (; beam->table[slot] >= 0; slot = (slot + 1) & (beam->slots - 1)) {
        const int32_t entry = beam->table[slot];
        /* The key is but a hash of the classes. */
        if (beam->new_keys[entry] == key && beam->new_vertices[entry] == vertex
            && path_beam_same_classes(beam, place, entry))
            break;
    }
    return slot;
}

/* Enter what was gathered into an empty table. */
static void path_beam_index(path_beam *beam)
{
    for (ptrdiff_t s = 0; s < beam->slots; s++)
        beam->table[s] = -1;
    for (ptrdiff_t e = 0; e < beam->gathered; e++) {
        ptrdiff_t slot = path_beam_first_slot(beam, beam->new_keys[e], beam->new_vertices[e]);
        while (beam->table[slot] >= 0)
            slot = (slot + 1) & (beam->slots - 1);
        beam->table[slot] = (int32_t)e;
    }
}

/* Leave the best `keep` entries, in their order; of equals the earlier ones. */
static void path_beam_cut(path_beam *beam)
{
    ptrdiff_t kept = 0, equals = beam->keep;
    double last = beam->threshold;
    if (beam->gathered > beam->keep) {
        memcpy(beam->ranking, beam->new_scores, (size_t)beam->gathered * sizeof *beam->ranking);
        const double ranked = GAPLESS_CALL(select_f64, (beam->ranking, beam->gathered, beam->keep));
        last = ranked > last ? ranked : last;
    }
    for (ptrdiff_t e = 0; e < beam->gathered; e++)
        equals -= beam->new_scores[e] > last;
    for (ptrdiff_t e = 0; e < beam->gathered; e++) {
        const double score = beam->new_scores[e];
        if (score == -INFINITY || score < last || (score == last && equals-- <= 0))
            continue;
        beam->new_scores[kept] = score;
        beam->new_keys[kept] = beam->new_keys[e];
        beam->new_vertices[kept] = beam->new_vertices[e];
        beam->new_parents[kept++] = beam->new_parents[e];
    }
    beam->gathered = kept;
    if (kept == beam->keep)
        beam->threshold = last;
}

/* Extend one prefix of `place` vertices, or the empty one: into the entries of the next beam. */
static void path_beam_extend(path_beam *beam, ptrdiff_t place, int32_t at, double base, uint64_t key,
                             const double *row)
{
    const double *end = place == beam->length - 1 ? beam->end : NULL;
    const double bound = beam->threshold > -INFINITY ? nextafter(beam->threshold, INFINITY) : -DBL_MAX;
    const ptrdiff_t count =
        GAPLESS_CALL(row_offers_f64, (base, row, end, beam->n, bound, beam->who, beam->offers));
    int32_t walk = at;
    if (count == 0)
        return;
    beam->prefix++;
    for (ptrdiff_t p = place - 1; p >= 0; p--) {
        beam->visited[beam->class_of[beam->vertices[p * beam->width + walk]]] = beam->prefix;
        walk = beam->parents[p * beam->width + walk];
    }
    for (ptrdiff_t c = 0; c < count; c++) {
        const int32_t vertex = beam->who[c];
        const int64_t group = beam->class_of[vertex];
        if (!(beam->offers[c] > beam->threshold) || beam->visited[group] == beam->prefix)
            continue;
        const uint64_t new_key = key + path_beam_mixed((uint64_t)group);
        const ptrdiff_t slot = path_beam_slot(beam, place, new_key, vertex);
        const int32_t other = beam->table[slot];
        if (other >= 0) {
            if (beam->new_scores[other] >= beam->offers[c])
                continue;
            beam->new_scores[other] = -INFINITY;
        }
        const ptrdiff_t entry = beam->gathered++;
        beam->table[slot] = (int32_t)entry;
        beam->new_scores[entry] = beam->offers[c];
        beam->new_keys[entry] = new_key;
        beam->new_vertices[entry] = vertex;
        beam->new_parents[entry] = at;
        if (beam->gathered == beam->capacity) {
            path_beam_cut(beam);
            path_beam_index(beam);
        }
    }
}

/* In which order prefixes are extended: by the level of their scores, the best first; a stable counting
 * sort. */
static void path_beam_sort(path_beam *beam, ptrdiff_t held)
{
    ptrdiff_t first[PATH_BEAM_LEVELS + 1] = {0};
    double least = INFINITY, most = -INFINITY;
    for (ptrdiff_t i = 0; i < held; i++) {
        least = beam->scores[i] < least ? beam->scores[i] : least;
        most = beam->scores[i] > most ? beam->scores[i] : most;
    }
    const double scale = (PATH_BEAM_LEVELS - 1) / (most - least);
    const int even = !(scale > 0 && scale < INFINITY);
#define PATH_BEAM_LEVEL(i) (even ? 0 : (ptrdiff_t)((most - beam->scores[i]) * scale))
    for (ptrdiff_t i = 0; i < held; i++)
        first[PATH_BEAM_LEVEL(i) + 1]++;
    for (ptrdiff_t l = 1; l < PATH_BEAM_LEVELS; l++)
        first[l + 1] += first[l];
    for (ptrdiff_t i = 0; i < held; i++)
        beam->order[first[PATH_BEAM_LEVEL(i)]++] = (int32_t)i;
#undef PATH_BEAM_LEVEL
}

/* Gather the best `keep` extensions above `threshold` of prefixes of `place` vertices: of every
 * `stride`-th. */
static void path_beam_gather(path_beam *beam, ptrdiff_t place, ptrdiff_t held, ptrdiff_t stride,
                             ptrdiff_t keep, double threshold)
{
    const int last = place == beam->length - 1;
    const double best_end = last ? GAPLESS_CALL(row_largest_f64, (beam->end, beam->n)) : 0;
    beam->keep = keep;
    beam->threshold = threshold;
    beam->gathered = 0;
    path_beam_index(beam);
    if (place == 0)
        path_beam_extend(beam, 0, -1, 0.0, 0, beam->start);
    for (ptrdiff_t i = stride / 2; i < held; i += stride) {
        const int32_t at = beam->order[i], v = beam->vertices[(place - 1) * beam->width + at];
        const double *row = beam->ordering + (ptrdiff_t)v * beam->n;
        if (isnan(beam->best_edge[v]))
            beam->best_edge[v] = GAPLESS_CALL(row_largest_f64, (row, beam->n));
        if (beam->scores[at] + beam->best_edge[v] + best_end > beam->threshold)
            path_beam_extend(beam, place, at, beam->scores[at], beam->keys[at], row);
    }
    path_beam_cut(beam);
}

/* Fill the beam of prefixes of place + 1 vertices from that of `place` vertices, which holds `held`; its
 * size. */
static ptrdiff_t path_beam_step(path_beam *beam, ptrdiff_t place, ptrdiff_t held)
{
    const ptrdiff_t width = beam->width, keep = place == beam->length - 1 ? 1 : width;
    double guess = -INFINITY;
    path_beam_sort(beam, held);
    if (held >= PATH_BEAM_SAMPLED && keep >= held) {
        /* What extensions of a sample must beat is about what all must beat, and rather less. */
        const ptrdiff_t stride = keep < 4 * PATH_BEAM_SAMPLED ? 4 : 16, some = 3 * keep / (2 * stride) + 16;
        path_beam_gather(beam, place, held, stride, some, guess);
        if (beam->gathered == some)
            guess = beam->threshold;
    }
    path_beam_gather(beam, place, held, 1, keep, guess);
    if (beam->gathered < keep && guess > -INFINITY)
        path_beam_gather(beam, place, held, 1, keep, -INFINITY);
    const size_t made = (size_t)beam->gathered;
    memcpy(beam->scores, beam->new_scores, made * sizeof *beam->scores);
    memcpy(beam->keys, beam->new_keys, made * sizeof *beam->keys);
    memcpy(beam->vertices + place * width, beam->new_vertices, made * sizeof *beam->vertices);
    memcpy(beam->parents + place * width, beam->new_parents, made * sizeof *beam->parents);
    return beam->gathered;
}

/* The path that is left at last. */
static void path_beam_path(const path_beam *beam, int64_t *path)
{
    int32_t at = 0;
    for (ptrdiff_t p = beam->length - 1; p >= 0; p--) {
        path[p] = beam->vertices[p * beam->width + at];
        at = beam->parents[p * beam->width + at];
    }
}

#endif
