/* The cubic loops over spans: a template of lanes/versions.h, for double only.
 *
 * A row of a chart holds all spans of one length, by their first word. So spans of one length, which do not
 * depend on each other, are neighbours, and so are their left parts of a given length, and their right parts:
 * every maximum over splits is a lane of a vector maximum that stays in a register while the split moves.
 * Rows end in a margin of -inf as wide as a vector. A lane past the end of a row only ever adds a margin's
 * -inf, so that what it stores is -inf,
 * too. */

/* Fill the charts; `incomplete_*` hold the weights of the arcs before. */
TARGET static void NAMED(eisner_fill)(const eisner_charts *charts)
{
    const ptrdiff_t m = charts->words;
    double *const complete_right = charts->complete_right, *const complete_left = charts->complete_left,
                  *const incomplete_right = charts->incomplete_right,
                  *const incomplete_left = charts->incomplete_left;
    for (ptrdiff_t length = 1; length < m; length++) {
        const ptrdiff_t row = eisner_row(m, length);
        for (ptrdiff_t i = 0; i < m - length; i += GAPLESS_OCTET) {
            LANES(octet) halves = LANES(octet_all)(-(double)INFINITY), right = halves, left = halves;
            /* The part before the split has length d, or d - 1 where the halves do not share a word. */
            ptrdiff_t shorter = eisner_row(m, 0) + i, first = eisner_row(m, 1) + i,
                      second = eisner_row(m, length - 1) + i + 1;
            for (ptrdiff_t d = 1; d < length; d++) {
                halves = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(complete_right + shorter),
                                                           LANES(octet_load)(complete_left + second)),
                                          halves);
                right = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(incomplete_right + first),
                                                          LANES(octet_load)(complete_right + second)),
                                         right);
                left = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(complete_left + first),
                                                         LANES(octet_load)(incomplete_left + second)), left);
                shorter = first;
                first += m - d + GAPLESS_OCTET;
                second -= m - (length - d - 1) + GAPLESS_OCTET - 1;
            }
            halves = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(complete_right + shorter),
                                                         LANES(octet_load)(complete_left + second)), halves);
            const LANES(octet) to_right =
                LANES(octet_add)(halves, LANES(octet_load)(incomplete_right + row + i));
            const LANES(octet) to_left =
                LANES(octet_add)(halves, LANES(octet_load)(incomplete_left + row + i));
            LANES(octet_store)(incomplete_right + row + i, to_right);
            LANES(octet_store)(incomplete_left + row + i, to_left);
            LANES(octet_store)(complete_right + row + i, LANES(octet_max)(to_right, right));
            LANES(octet_store)(complete_left + row + i, LANES(octet_max)(to_left, left));
        }
    }
}

/* Turn the arcs' weights in `right` and `left` into the best value of a tree with the arc.
 *
 * `outside_right` and `outside_left` hold, for complete spans, what the root adds to them, or -inf. Arcs'
 * outside values need no chart of their own: only the better of the two directions is asked for again, as
 * `outside_halves`. */
TARGET static void NAMED(eisner_fill_outside)(const eisner_charts *charts)
{
    const ptrdiff_t m = charts->words;
    const double *const complete_right = charts->complete_right, *const complete_left = charts->complete_left,
                        *const incomplete_right = charts->incomplete_right,
                        *const incomplete_left = charts->incomplete_left;
    double *const outside_right = charts->outside_right, *const outside_left = charts->outside_left,
                  *const outside_halves = charts->outside_halves, *const arcs_right = charts->arcs_right,
                  *const arcs_left = charts->arcs_left;
    for (ptrdiff_t length = m - 1; length > 0; length--) {
        const ptrdiff_t row = eisner_row(m, length);
        for (ptrdiff_t i = 0; i < m - length; i += GAPLESS_OCTET) {
            LANES(octet) right = LANES(octet_load)(outside_right + row + i),
                                left = LANES(octet_load)(outside_left + row + i);
            LANES(octet) arc_right = LANES(octet_all)(-(double)INFINITY), arc_left = arc_right,
                                right_too = arc_right, left_too = arc_right;
            /* Spans d words longer that begin at the same word; those past the end of the sentence are in
             * margins. */
            ptrdiff_t outer = eisner_row(m, length + 1) + i, rest = eisner_row(m, 1) + i + length,
                      shorter = eisner_row(m, 0) + i + length + 1;
            for (ptrdiff_t d = 1; d < m - length - i; d++) {
                right = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(outside_halves + outer),
                                                          LANES(octet_load)(complete_left + shorter)),
                                         right);
                left = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(outside_left + outer),
                                                           LANES(octet_load)(incomplete_left + rest)), left);
                arc_right = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(outside_right + outer),
                                                              LANES(octet_load)(complete_right + rest)),
                                             arc_right);
                outer += m - length - d + GAPLESS_OCTET;
                shorter = rest + 1;
                rest += m - d + GAPLESS_OCTET;
            }
            /* Spans d words longer that end at the same word; those before the sentence are in margins. */
            const ptrdiff_t longest = i + GAPLESS_OCTET < m - length ? i + GAPLESS_OCTET : m - length;
            outer = eisner_row(m, length + 1) + i - 1;
            rest = eisner_row(m, 1) + i - 1;
            shorter = eisner_row(m, 0) + i - 1;
            for (ptrdiff_t d = 1; d < longest; d++) {
                right_too = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(outside_right + outer),
                                                              LANES(octet_load)(incomplete_right + rest)),
                                             right_too);
                left_too = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(outside_halves + outer),
                                                             LANES(octet_load)(complete_right + shorter)),
                                            left_too);
                arc_left = LANES(octet_max)(LANES(octet_add)(LANES(octet_load)(outside_left + outer),
                                                             LANES(octet_load)(complete_left + rest)),
                                            arc_left);
                outer += m - length - d + GAPLESS_OCTET - 1;
                shorter = rest - 1;
                rest += m - d + GAPLESS_OCTET - 1;
            }
            right = LANES(octet_max)(right, right_too);
            left = LANES(octet_max)(left, left_too);
            arc_right = LANES(octet_max)(right, arc_right);
            arc_left = LANES(octet_max)(left, arc_left);
            LANES(octet_store)(outside_right + row + i, right);
            LANES(octet_store)(outside_left + row + i, left);
            LANES(octet_store)(
                outside_halves + row + i,
                LANES(octet_max)(LANES(octet_add)(arc_right, LANES(octet_load)(arcs_right + row + i)),
                                  LANES(octet_add)(arc_left, LANES(octet_load)(arcs_left + row + i))));
            LANES(octet_store)(arcs_right + row + i,
                                LANES(octet_add)(arc_right, LANES(octet_load)(incomplete_right + row + i)));
            LANES(octet_store)(arcs_left + row + i,
                                LANES(octet_add)(arc_left, LANES(octet_load)(incomplete_left + row + i)));
        }
    }
}
