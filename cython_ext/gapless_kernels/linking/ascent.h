/* Raises the bound pair by pair; see linking/model.h for the numbers. Each step takes all costs of two sets' members
 * into their pair and gives back as much as it can, half of the first set's share held back until the second has
 * had its own (MPLP++: Tourani, Shekhovtsov, Rother, Savchynskyy 2018). The bound never falls, and pairs cost nothing
 * at their cheapest, so the bound is the sum of the least own costs. */

/* out[a] = min over b of lift(dist[b][a]) - heard[b], for `lanes` places a. */
TARGET static inline void NAMED(nearest)(
    const DIST *dist, ptrdiff_t width, ptrdiff_t count, ptrdiff_t lanes, const REAL *heard, int shift, REAL *out)
{
    (void)shift;
    for (ptrdiff_t g = 0; g < lanes; g += GAPLESS_OCTET) {
        REAL low[GAPLESS_OCTET];
        const DIST *row = dist + g;
        for (int l = 0; l < GAPLESS_OCTET; l++)
            low[l] = LIFT(row[l], shift) - heard[0];
        for (ptrdiff_t b = 1; b < count; b++) {
            row += width;
            for (int l = 0; l < GAPLESS_OCTET; l++) {
                const REAL cost = LIFT(row[l], shift) - heard[b];
                low[l] = cost < low[l] ? cost : low[l];
            }
        }
        for (int l = 0; l < GAPLESS_OCTET; l++)
            out[g + l] = low[l];
    }
}

TARGET static inline void NAMED(raise_pair)(NAMED(model) *m, ptrdiff_t i, ptrdiff_t j, REAL *spare)
{
    const ptrdiff_t wi = m->first[i + 1] - m->first[i], wj = m->first[j + 1] - m->first[j];
    REAL *own_i = m->own + m->first[i], *own_j = m->own + m->first[j];
    REAL *heard_i = SENT(m, i, j), *heard_j = SENT(m, j, i);
    const DIST *from_i = BLOCK(m, i, j), *from_j = BLOCK(m, j, i);
    for (ptrdiff_t b = 0; b < wj; b++)
        heard_j[b] -= own_j[b];
    NAMED(nearest)(from_j, wi, m->count[j], wi, heard_j, m->shift, spare);
    for (ptrdiff_t a = 0; a < wi; a++) {
        const REAL kept = HALF(spare[a] - (heard_i[a] - own_i[a]));
        heard_i[a] += kept - own_i[a];
        own_i[a] = kept;
    }
    NAMED(nearest)(from_i, wj, m->count[i], wj, heard_i, m->shift, spare);
    for (ptrdiff_t b = 0; b < wj; b++) {
        own_j[b] = spare[b] - heard_j[b];
        heard_j[b] = spare[b];
    }
    NAMED(nearest)(from_j, wi, m->count[j], wi, heard_j, m->shift, spare);
    /* The same added to what one set has heard and taken from the other changes nothing: it is chosen so that sums of
     * many sweeps stay in range. Padding may wrap around (-fwrapv); nobody reads it. */
    const REAL drift = spare[0];
    for (ptrdiff_t a = 0; a < wi; a++) {
        own_i[a] += spare[a] - heard_i[a];
        heard_i[a] = spare[a] - drift;
    }
    for (ptrdiff_t b = 0; b < wj; b++)
        heard_j[b] += drift;
}

/* All pairs once, from the first sets on or from the last back, tile by tile so that the tables of a tile stay near.
 * `spare` has room for the widest set. */
TARGET static void NAMED(sweep)(NAMED(model) *m, int forward, REAL *spare)
{
    const ptrdiff_t k = m->k, tile = 16, tiles = (k + tile - 1) / tile;
    for (ptrdiff_t s = 0; s < tiles; s++)
        for (ptrdiff_t t = s; t < tiles; t++)
            for (ptrdiff_t x = s * tile; x < k && x < (s + 1) * tile; x++)
                for (ptrdiff_t y = t > s ? t * tile : x + 1; y < k && y < (t + 1) * tile; y++)
                    NAMED(raise_pair)(m, forward ? x : k - 1 - x, forward ? y : k - 1 - y, spare);
}
