/* Model and workspace of the kernels that prune; a template of lanes/types.h. */

/* chain_model: what all sentences share, padded to rows of `stride` entries.
 *   transition      labels * stride for each edge, -inf past the labels
 *   varying         0 when all edges share one matrix, else labels * stride; then the rule is 0
 *   initial, final  labels, or NULL
 *   rule            0: no label is dropped; 1: by bounds; 2: by a table
 *   lower           rules 1 and 2, labels: at most every score of leaving a label (1); a guess (2)
 *   upper           rule 1, labels: at least every score of leaving a label
 *   table           rule 2, labels * stride: at least max over r of score(x, r) - score(y, r), in row y
 *   largest         the largest finite magnitude in transition, initial and final
 *
 * chain_workspace: arrays of the current sentence, of up to `length` positions.
 *   rows            length * stride: messages, the label's own score included
 *   members         length * stride: survivors of each position, rising
 *   counts          length
 *   shifts          length: subtracted from the survivors' messages before they offer
 *   errors          length: by how much a survivor's shifted message may be wrong, up to a common constant
 *   offers, bounds  stride */
typedef struct {
    ptrdiff_t labels, stride, varying;
    const REAL *transition, *initial, *final;
    int rule;
    const REAL *lower, *upper;
    const double *table;
    double largest;
} TYPED(chain_model);

typedef struct {
    REAL *rows;
    int32_t *members, *counts;
    REAL *shifts;
    double *errors;
    REAL *offers, *bounds;
} TYPED(chain_workspace);
