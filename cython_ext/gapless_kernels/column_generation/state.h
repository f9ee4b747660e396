/* What a batch shares, and the workspace of the current sentence.
 *
 * Second piece of column_generation/loops.h: rows.h, state.h, exact.h, pricing.h, search.h. */

typedef struct {
    ptrdiff_t labels, stride;
    const REAL *forward,
        *backward; /* transitions of the search, source first and target first; (labels, stride) */
    const REAL *into, *out_of;      /* largest transition into, out of a label; (stride,) */
    const REAL *zeros;              /* (stride,) */
    const REAL *extra[4];           /* added to the first, a middle, the last, the only row; (stride,) */
    const REAL *rest[4];            /* what rounding took from `extra`; (stride,) */
    REAL coarse;                    /* a number with as large a rounding error as all of that leaves */
    REAL largest;                   /* largest magnitude in `forward` */
    const double *transition;       /* the scores proper, (labels, labels) */
    const double *initial, *final;  /* (labels,) */
    const unsigned char
        *lowered; /* (labels, labels): pairs whose search score is above the true one; or NULL */
    int start;                      /* GAPLESS_START_... */
    double gap, margin;             /* relative gap that is enough; < 0 margin: no second best */
    double effort; /* label rows that may be priced before dense Viterbi takes over, over all rows */
} NAMED(cg_model);

typedef struct {
    REAL *rows, *left, *right; /* (longest, stride): own scores, messages from the left and from the right */
    const REAL **a, **b;       /* (longest,): the message in use, a row of a table or of `left`, `right` */
    int32_t *domain;           /* (longest, stride): labels of each domain, in the order of their coming */
    unsigned char *member;     /* (longest, stride); IN_DOMAIN, MISSING, or 0; all 0 between sentences */
    ptrdiff_t *size, *grown;         /* (longest,): labels priced with, labels found since */
    int32_t *path;                   /* (longest,): best path of the search */
    REAL *top, *threshold,
        *base; /* (longest,): largest S+; for pricing targets; reduced cost of the path's edge */
    INTEGER *targets, *better;       /* (longest,): counts, see NAMED(node) */
    unsigned char *todo, *moved;     /* (longest,): positions to price; whose messages or path changed */
    double *slack;                   /* (longest + 1,): largest positive reduced costs, doubled */
    int32_t *hits, *targeted, *sources; /* (stride,) */
    double rows_priced; /* label rows read by the oracle, the passes over all positions not counted */
    REAL *plus, *minus, *offers;     /* (stride,) */
    double *best, *second;           /* (longest, stride): messages of the last, exact solve */
    int32_t *from, *from_second;     /* (longest, stride): 2 * index in the domain before + rank */
    double *local;                   /* (stride,) */
    array_owner owner;
} NAMED(cg_workspace);

typedef struct {
    const REAL *unary;
    ptrdiff_t n;
    int64_t *labels, *second_labels; /* second_labels may be NULL */
    double value, second, bound;
    int64_t rounds, size, candidates;
    unsigned char status;
} NAMED(cg_sentence);

/* The score proper of a label, the scores of starting and ending included. */
GAPLESS_INLINE double NAMED(cg_local)(const NAMED(cg_model) * m, const NAMED(cg_sentence) * s, ptrdiff_t i,
                                      ptrdiff_t x)
{
    double score = (double)s->unary[i * m->labels + x];
    if (i == 0)
        score += m->initial[x];
    if (i == s->n - 1)
        score += m->final[x];
    return score;
}

/* Remember a label that a domain lacks. */
GAPLESS_INLINE void NAMED(cg_request)(const NAMED(cg_model) * m, NAMED(cg_workspace) * r, ptrdiff_t i,
                                      int32_t x)
{
    unsigned char *member = r->member + i * m->stride + x;
    if (!*member) {
        *member = MISSING;
        r->domain[i * m->stride + r->size[i] + r->grown[i]++] = x;
    }
}

static void NAMED(cg_singletons)(const NAMED(cg_model) *m, NAMED(cg_workspace) *r, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        r->size[i] = 1;
        r->grown[i] = 0;
        r->domain[i * m->stride] = r->path[i];
        r->member[i * m->stride + r->path[i]] = IN_DOMAIN;
        r->a[i] = i ? m->forward + r->path[i - 1] * m->stride : m->zeros;
        r->b[i] = i + 1 < n ? m->backward + r->path[i + 1] * m->stride : m->zeros;
    }
}

static void NAMED(cg_clear)(const NAMED(cg_model) *m, NAMED(cg_workspace) *r, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t c = 0; c < r->size[i] + r->grown[i]; c++)
            r->member[i * m->stride + r->domain[i * m->stride + c]] = 0;
}
