/* Dead-end elimination (Goldstein 1994): drop a member if another of its set costs no more, whatever the
 * other sets choose. Messages cancel in this comparison, so it uses the distances of the problem. */

/* Compare each member with the cheapest of its set, and clear `keep` for those it dominates. `dominator`
 * gets the cheapest place of each set. Returns the number of dominated members. */
TARGET static ptrdiff_t NAMED(mark_dominated)(const NAMED(model) *m, uint8_t *keep, ptrdiff_t *dominator)
{
    ptrdiff_t dropped = 0;
    memset(keep, 1, (size_t)m->width);
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const REAL *own = m->own + m->first[i];
        ptrdiff_t cheapest = 0;
        for (ptrdiff_t a = 1; a < m->count[i]; a++)
            cheapest = own[a] < own[cheapest] ? a : cheapest;
        dominator[i] = m->first[i] + cheapest;
        for (ptrdiff_t b = 0; b < m->count[i]; b++) {
            if (b == cheapest)
                continue;
            WIDE difference = own[cheapest] - own[b];
            for (ptrdiff_t j = 0; j < m->k; j++) {
                if (j == i)
                    continue;
                const ptrdiff_t w = m->first[j + 1] - m->first[j];
                const DIST *cheapest_row = BLOCK(m, i, j) + cheapest * w, *row = BLOCK(m, i, j) + b * w;
                REAL largest = (REAL)cheapest_row[0] - row[0];
                for (ptrdiff_t y = 1; y < m->count[j]; y++) {
                    const REAL distance = (REAL)cheapest_row[y] - row[y];
                    largest = distance > largest ? distance : largest;
                }
                difference += LIFT(largest, m->shift) - (MESSAGE(m, i, j)[cheapest] - MESSAGE(m, i, j)[b]);
            }
            if (difference <= 0) {
                keep[m->first[i] + b] = 0;
                dropped++;
            }
        }
    }
    return dropped;
}
