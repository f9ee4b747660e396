/* Block-coordinate ascent: raises the bound pair by pair of sets; see model.h for the numbers.
 *
 * Each step moves all costs of two sets' members into their pair, and returns as much as it can; half of
 * the first set's share is held back until the second has its own (MPLP++: Tourani, Shekhovtsov, Rother,
 * Savchynskyy, MPLP++: fast, parallel dual block-coordinate ascent for dense graphical models, 2018). The
 * bound never falls. The least cost of each pair is 0, so the bound is the sum of the least own costs. */

/* Compute out[a] = min over b of lift(dist[b][a]) - received[b], for `lanes` places a. */
TARGET static inline void NAMED(min_messages)(const DIST *dist, ptrdiff_t width, ptrdiff_t count,
                                              ptrdiff_t lanes, const REAL *received, int shift, REAL *out)
{
    (void)shift;
    for (ptrdiff_t g = 0; g < lanes; g += GAPLESS_OCTET) {
        REAL low[GAPLESS_OCTET];
        const DIST *row = dist + g;
        for (int l = 0; l < GAPLESS_OCTET; l++)
            low[l] = LIFT(row[l], shift) - received[0];
        for (ptrdiff_t b = 1; b < count; b++) {
            row += width;
            for (int l = 0; l < GAPLESS_OCTET; l++) {
                const REAL cost = LIFT(row[l], shift) - received[b];
                low[l] = cost < low[l] ? cost : low[l];
            }
        }
        for (int l = 0; l < GAPLESS_OCTET; l++)
            out[g + l] = low[l];
    }
}

TARGET static inline void NAMED(raise_pair)(NAMED(model) *m, ptrdiff_t i, ptrdiff_t j, REAL *workspace)
{
    const ptrdiff_t wi = m->first[i + 1] - m->first[i], wj = m->first[j + 1] - m->first[j];
    REAL *own_i = m->own + m->first[i], *own_j = m->own + m->first[j];
    REAL *received_i = MESSAGE(m, i, j), *received_j = MESSAGE(m, j, i);
    const DIST *from_i = BLOCK(m, i, j), *from_j = BLOCK(m, j, i);
    for (ptrdiff_t b = 0; b < wj; b++)
        received_j[b] -= own_j[b];
    NAMED(min_messages)(from_j, wi, m->count[j], wi, received_j, m->shift, workspace);
    for (ptrdiff_t a = 0; a < wi; a++) {
        const REAL half = HALF(workspace[a] - (received_i[a] - own_i[a]));
        received_i[a] += half - own_i[a];
        own_i[a] = half;
    }
    NAMED(min_messages)(from_i, wj, m->count[i], wj, received_i, m->shift, workspace);
    for (ptrdiff_t b = 0; b < wj; b++) {
        own_j[b] = workspace[b] - received_j[b];
        received_j[b] = workspace[b];
    }
    NAMED(min_messages)(from_j, wi, m->count[j], wi, received_j, m->shift, workspace);
    /* A number added to the messages of one set and subtracted from those of the other changes no cost. It
     * is chosen so that sums of many sweeps stay in range. Padding may wrap around (-fwrapv); it is never
     * read. */
    const REAL drift = workspace[0];
    for (ptrdiff_t a = 0; a < wi; a++) {
        own_i[a] += workspace[a] - received_i[a];
        received_i[a] = workspace[a] - drift;
    }
    for (ptrdiff_t b = 0; b < wj; b++)
        received_j[b] += drift;
}

/* Update each pair once, forward or backward, tile by tile so that the tables of a tile stay in the cache.
 * `workspace` holds the widest set. */
TARGET static void NAMED(sweep)(NAMED(model) *m, int forward, REAL *workspace)
{
    const ptrdiff_t k = m->k, tile = 16, tiles = (k + tile - 1) / tile;
    for (ptrdiff_t s = 0; s < tiles; s++)
        for (ptrdiff_t t = s; t < tiles; t++)
            for (ptrdiff_t x = s * tile; x < k && x < (s + 1) * tile; x++)
                for (ptrdiff_t y = t > s ? t * tile : x + 1; y < k && y < (t + 1) * tile; y++)
                    NAMED(raise_pair)(m, forward ? x : k - 1 - x, forward ? y : k - 1 - y, workspace);
}
