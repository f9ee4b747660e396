/* One row of the table for many targets at once: a template of lanes/versions.h, for double only. */

/* best[b] = the best score of a path through the colours of `set`, and on to each of the strip's targets. */
TARGET static GAPLESS_ALWAYS void NAMED(color_coding_strip)(const int octets, const color_coding *table,
                                                            uint32_t set, const double *strip,
                                                            LANES(octet) * best)
{
    const double *scores = table->scores + table->first[set];
    for (int b = 0; b < octets; b++)
        best[b] = LANES(octet_all)(-INFINITY);
    for (uint32_t rest = set; rest; rest &= rest - 1) {
        const int color = gapless_lowest(rest);
        const double *row = strip + table->begin[color] * octets * GAPLESS_OCTET;
        const ptrdiff_t count = table->begin[color + 1] - table->begin[color];
        ptrdiff_t u = 0;
        /* Two sources at a time: the chain of maxima is what takes the time. */
        for (; u + 1 < count; u += 2, row += 2 * octets * GAPLESS_OCTET) {
            const LANES(octet) score = LANES(octet_all)(scores[u]), other = LANES(octet_all)(scores[u + 1]);
            for (int b = 0; b < octets; b++) {
                const LANES(octet) offer =
                    LANES(octet_add)(score, LANES(octet_load)(row + b * GAPLESS_OCTET));
                const LANES(octet) more =
                    LANES(octet_add)(other, LANES(octet_load)(row + (octets + b) * GAPLESS_OCTET));
                best[b] = LANES(octet_max)(LANES(octet_max)(offer, more), best[b]);
            }
        }
        if (u < count) {
            const LANES(octet) score = LANES(octet_all)(scores[u]);
            for (int b = 0; b < octets; b++)
                best[b] = LANES(octet_max)(
                    LANES(octet_add)(score, LANES(octet_load)(row + b * GAPLESS_OCTET)), best[b]);
        }
        scores += table->padded[color];
    }
}

/* Rows of the sets from number `first` on, all of one size, for the targets of one strip. */
TARGET static GAPLESS_ALWAYS void NAMED(color_coding_sets)(const int octets, const color_coding *table,
                                                           ptrdiff_t first, ptrdiff_t stop,
                                                           const color_strip *strip)
{
    const uint32_t bit = (uint32_t)1 << strip->color;
    const int last = gapless_count(table->sets[first]) == table->length - 1;
    LANES(octet) best[COLOR_CODING_OCTETS], top[COLOR_CODING_OCTETS];
    for (int b = 0; b < octets; b++)
        top[b] = LANES(octet_load)(strip->best + b * GAPLESS_OCTET);
    for (ptrdiff_t s = first; s < stop; s++) {
        const uint32_t set = table->sets[s];
        if (set & bit)
            continue;
        if (set == 0)
            for (int b = 0; b < octets; b++)
                best[b] = LANES(octet_load)(strip->start + b * GAPLESS_OCTET);
        else
            NAMED(color_coding_strip)(octets, table, set, strip->edges, best);
        if (last) {
            for (int b = 0; b < octets; b++)
                top[b] = LANES(octet_max)(
                    LANES(octet_add)(best[b], LANES(octet_load)(strip->end + b * GAPLESS_OCTET)), top[b]);
            continue;
        }
        double *row = table->scores + color_coding_block(table, set | bit, bit) + strip->offset;
        for (int b = 0; b < octets; b++)
            LANES(octet_store)(row + b * GAPLESS_OCTET, best[b]);
    }
    for (int b = 0; b < octets; b++)
        LANES(octet_store)(strip->best + b * GAPLESS_OCTET, top[b]);
}

TARGET static GAPLESS_NEVER void NAMED(color_coding_rows)(const color_coding *table, ptrdiff_t first,
                                                          ptrdiff_t stop, const color_strip *strip)
{
    switch (strip->octets) {
    case 1: NAMED(color_coding_sets)(1, table, first, stop, strip); break;
    case 2: NAMED(color_coding_sets)(2, table, first, stop, strip); break;
    case 3: NAMED(color_coding_sets)(3, table, first, stop, strip); break;
    default: NAMED(color_coding_sets)(COLOR_CODING_OCTETS, table, first, stop, strip);
    }
}
