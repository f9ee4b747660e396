/* Dead-end elimination (Goldstein 1994): a member that costs no less than another of its set, whatever is chosen
 * elsewhere, can go. What was moved cancels, so distances are compared as the problem gives them. */

/* Mark in `keep` the places that are left when each is compared with the cheapest of its set, and say in `by` which one
 * that is (by set). How many are not kept. */
TARGET static ptrdiff_t NAMED(dominated)(const NAMED(model) *m, uint8_t *keep, ptrdiff_t *by)
{
    ptrdiff_t gone = 0;
    memset(keep, 1, (size_t)m->width);
    for (ptrdiff_t i = 0; i < m->k; i++) {
        const REAL *own = m->own + m->first[i];
        ptrdiff_t least = 0;
        for (ptrdiff_t a = 1; a < m->count[i]; a++)
            least = own[a] < own[least] ? a : least;
        by[i] = m->first[i] + least;
        for (ptrdiff_t b = 0; b < m->count[i]; b++) {
            if (b == least)
                continue;
            WIDE more = own[least] - own[b];
            for (ptrdiff_t j = 0; j < m->k; j++) {
                if (j == i)
                    continue;
                const ptrdiff_t w = m->first[j + 1] - m->first[j];
                const DIST *mine = BLOCK(m, i, j) + least * w, *other = BLOCK(m, i, j) + b * w;
                REAL most = (REAL)mine[0] - other[0];
                for (ptrdiff_t y = 1; y < m->count[j]; y++) {
                    const REAL apart = (REAL)mine[y] - other[y];
                    most = apart > most ? apart : most;
                }
                more += LIFT(most, m->shift) - (SENT(m, i, j)[least] - SENT(m, i, j)[b]);
            }
            if (more <= 0) {
                keep[m->first[i] + b] = 0;
                gone++;
            }
        }
    }
    return gone;
}
