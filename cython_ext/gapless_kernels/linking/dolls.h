/* Russian doll search (Verfaillie, Lemaitre, Schiex 1996): the last set alone, then the last two, and so on; what the
 * last t cost at least bounds all searches that have come to them. CELL is the type of costs; pads cost FULL. */

typedef struct {
    ptrdiff_t k, width;
    ptrdiff_t *first;    /* (k + 1) multiples of 8 */
    ptrdiff_t *count;
    int32_t *place;      /* (width) in the model */
    CELL *pair;          /* (width, width); read to the right of a member's own set only */
    CELL *own;           /* (width) beyond the least of the set */
    WIDE *least;         /* (k) that least */
    CELL *reach;         /* (width) least costs with all later sets */
    SUM *rest;           /* (k + 1) the sets from t on cost at least so much */
    int32_t *found;      /* (k) the best choice from `done` on, by place here */
    ptrdiff_t done;      /* sets from here on are settled */
    int64_t nodes;
    /* of the search that is running */
    CELL *rows;          /* (k + 1, width) costs of places with what is chosen so far; own costs are in `rest` */
    CELL *low;           /* (k + 1, k) least of them for each set */
    SUM *cost;           /* (k + 1) */
    int32_t *line;       /* (k, widest): places to try, best first */
    SUM *worth;          /* (k, widest) */
    ptrdiff_t *tried, *lined;  /* (k) */
    int32_t *choice;     /* (k) */
    ptrdiff_t widest;
} NAMED(dolls);

TARGET static void NAMED(drop_dolls)(NAMED(dolls) *d)
{
    void *parts[] = {d->first, d->count, d->place, d->pair, d->own, d->reach, d->least, d->rest, d->found, d->rows,
                     d->low, d->cost, d->line, d->worth, d->tried, d->lined, d->choice};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        free(parts[i]);
    memset(d, 0, sizeof(*d));
}

TARGET static int NAMED(make_dolls)(NAMED(dolls) *d, ptrdiff_t k, ptrdiff_t width, ptrdiff_t widest)
{
    const size_t n = (size_t)width, s = (size_t)k, w = (size_t)widest;
    memset(d, 0, sizeof(*d));
    d->k = k;
    d->width = width;
    d->widest = widest;
    d->first = malloc((s + 1) * sizeof(ptrdiff_t));
    d->count = malloc((s + 1) * sizeof(ptrdiff_t));
    d->place = malloc((n + 1) * sizeof(int32_t));
    d->pair = malloc(n * n * sizeof(CELL) + 64);
    d->own = malloc((n + 1) * sizeof(CELL));
    d->reach = malloc((n + 1) * sizeof(CELL));
    d->least = malloc((s + 1) * sizeof(WIDE));
    d->rest = calloc(s + 2, sizeof(SUM));
    d->found = malloc((s + 1) * sizeof(int32_t));
    d->rows = malloc((s + 1) * n * sizeof(CELL) + 64);
    d->low = malloc((s + 1) * (s + 1) * sizeof(CELL));
    d->cost = malloc((s + 2) * sizeof(SUM));
    d->line = malloc((s * w + 1) * sizeof(int32_t));
    d->worth = malloc((s * w + 1) * sizeof(SUM));
    d->tried = malloc((s + 1) * sizeof(ptrdiff_t));
    d->lined = malloc((s + 1) * sizeof(ptrdiff_t));
    d->choice = malloc((s + 1) * sizeof(int32_t));
    d->done = k;
    if (d->first && d->count && d->place && d->pair && d->own && d->reach && d->least && d->rest && d->found && d->rows && d->low
        && d->cost && d->line && d->worth && d->tried && d->lined && d->choice)
        return 1;
    NAMED(drop_dolls)(d);
    return 0;
}

/* What choosing `place` of set t adds to the rows of the later sets; the sum of their least. */
TARGET static inline SUM NAMED(assign)(NAMED(dolls) *d, ptrdiff_t t, ptrdiff_t place)
{
    const CELL *row = d->rows + t * d->width, *cost = d->pair + place * d->width;
    CELL *next = d->rows + (t + 1) * d->width, *low = d->low + (t + 1) * d->k;
    SUM sum = 0;
    for (ptrdiff_t j = t + 1; j < d->k; j++) {
        low[j] = NAMED(add_least)(row + d->first[j], cost + d->first[j], next + d->first[j],
                                  d->first[j + 1] - d->first[j]);
        sum += low[j];
    }
    return sum;
}

/* Line up the members of set t that may still lead below `level`, the most promising first. */
TARGET static void NAMED(line_up)(NAMED(dolls) *d, ptrdiff_t t, SUM level)
{
    const CELL *row = d->rows + t * d->width, *low = d->low + t * d->k;
    int32_t *line = d->line + t * d->widest;
    SUM *worth = d->worth + t * d->widest, base = d->cost[t] + d->rest[t + 1];
    ptrdiff_t lined = 0;
    for (ptrdiff_t j = t + 1; j < d->k; j++)
        base += low[j];
    for (ptrdiff_t a = d->first[t]; a < d->first[t] + d->count[t]; a++) {
        const SUM value = base + row[a] + (SUM)d->own[a] + d->reach[a];
        if (value >= level)
            continue;
        ptrdiff_t at = lined++;
        for (; at > 0 && worth[at - 1] > value; at--) {
            worth[at] = worth[at - 1];
            line[at] = line[at - 1];
        }
        worth[at] = value;
        line[at] = (int32_t)a;
    }
    d->lined[t] = lined;
    d->tried[t] = 0;
}

/* Settle sets from `done` - 1 down to 0, or until what is known of the rest reaches `level`. 1 when that is so or all
 * are settled; 0 when `nodes` ran out. `found` holds the best choice of the sets from `done` on. */
TARGET static int NAMED(open_dolls)(NAMED(dolls) *d, SUM level, int64_t nodes, void *owner)
{
    int64_t left = nodes;
    while (d->done > 0 && d->rest[d->done] < level) {
        const ptrdiff_t f = d->done - 1;
        /* The best member of set f with the choice that is known for the rest. */
        SUM best = level, known = 0;
        for (ptrdiff_t j = f + 1; j < d->k; j++) {
            known += d->own[d->found[j]];
            for (ptrdiff_t l = j + 1; l < d->k; l++)
                known += d->pair[d->found[j] * d->width + d->found[l]];
        }
        d->found[f] = (int32_t)d->first[f];
        for (ptrdiff_t a = d->first[f]; a < d->first[f] + d->count[f]; a++) {
            SUM value = known + d->own[a];
            for (ptrdiff_t j = f + 1; j < d->k; j++)
                value += d->pair[a * d->width + d->found[j]];
            if (value < best) {
                best = value;
                d->found[f] = (int32_t)a;
            }
        }
        for (ptrdiff_t a = 0; a < d->width; a++)
            d->rows[f * d->width + a] = 0;
        for (ptrdiff_t j = f; j < d->k; j++)
            d->low[f * d->k + j] = 0;
        d->cost[f] = 0;
        ptrdiff_t t = f;
        NAMED(line_up)(d, t, best);
        while (t >= f) {
            if (d->tried[t] == d->lined[t] || d->worth[t * d->widest + d->tried[t]] >= best) {
                t--;
                continue;
            }
            const int32_t place = d->line[t * d->widest + d->tried[t]++];
            const SUM cost = d->cost[t] + d->rows[t * d->width + place] + (SUM)d->own[place];
            d->choice[t] = place;
            d->nodes++;
            if (t == d->k - 1) {
                if (cost < best) {
                    best = cost;
                    memcpy(d->found + f, d->choice + f, (size_t)(d->k - f) * sizeof(int32_t));
                    if (best <= d->rest[f + 1])
                        break;
                }
                continue;
            }
            if (--left < 0)
                return 0;
            if (!(left & 4095) && ASK_STOP(owner))
                return 0;
            if (cost + NAMED(assign)(d, t, place) + d->rest[t + 1] >= best)
                continue;
            d->cost[t + 1] = cost;
            NAMED(line_up)(d, ++t, best);
        }
        d->rest[f] = best;
        d->done = f;
    }
    return 1;
}
