/* Russian doll search (Verfaillie, Lemaitre, Schiex 1996): solve the last set alone, then the last two,
 * and so on. The optimum of the last t sets is a lower bound for every later search that has fixed the
 * others. CELL is the type of costs; padding costs FULL. */

typedef struct {
    ptrdiff_t k, width, widest;
    /* The tables of costs. */
    ptrdiff_t *first;    /* (k + 1) multiples of 8 */
    ptrdiff_t *count;    /* (k) */
    int32_t *member;     /* (width) place in the model; -1 for padding */
    CELL *pair;          /* (width, width); read to the right of a member's own set only */
    CELL *own;           /* (width) beyond the minimum of the set */
    WIDE *set_minimum;   /* (k) */
    CELL *later_minimum; /* (width) least costs with all later sets */
    /* Results. */
    SUM *suffix_bound;    /* (k + 1) lower bounds on the cost of the sets from t on */
    int32_t *best_choice; /* (k) the best choice of the sets from `done` on */
    ptrdiff_t done;       /* sets from here on are solved */
    int64_t nodes;
    /* The stack of the current search. */
    CELL *rows; /* (k + 1, width) costs of places with the current choice; `own` is not included */
    CELL *low;                 /* (k + 1, k) their minimum for each set */
    SUM *cost;                 /* (k + 1) */
    int32_t *candidate;        /* (k, widest) places to try, best first */
    SUM *candidate_cost;       /* (k, widest) */
    ptrdiff_t *next_candidate; /* (k) */
    ptrdiff_t *candidate_count; /* (k) */
    int32_t *choice;           /* (k) */
    array_owner owner;
} NAMED(russian_doll);

/* Allocate all arrays; `free_arrays` of the owner frees, also after a failure. 0 without memory. */
TARGET static int NAMED(make_russian_doll)(NAMED(russian_doll) * d, ptrdiff_t k, ptrdiff_t width,
                                           ptrdiff_t widest)
{
    memset(d, 0, sizeof(*d));
    d->k = d->done = k;
    d->width = width;
    d->widest = widest;
    d->first = own_array(&d->owner, k + 1, sizeof *d->first);
    d->count = own_array(&d->owner, k, sizeof *d->count);
    d->member = own_array(&d->owner, width, sizeof *d->member);
    d->pair = own_array(&d->owner, width * width, sizeof(CELL));
    d->own = own_array(&d->owner, width, sizeof(CELL));
    d->set_minimum = own_array(&d->owner, k, sizeof(WIDE));
    d->later_minimum = own_array(&d->owner, width, sizeof(CELL));
    d->suffix_bound = own_array(&d->owner, k + 2, sizeof(SUM));
    d->best_choice = own_array(&d->owner, k, sizeof(int32_t));
    d->rows = own_array(&d->owner, (k + 1) * width, sizeof(CELL));
    d->low = own_array(&d->owner, (k + 1) * (k + 1), sizeof(CELL));
    d->cost = own_array(&d->owner, k + 2, sizeof(SUM));
    d->candidate = own_array(&d->owner, k * widest, sizeof(int32_t));
    d->candidate_cost = own_array(&d->owner, k * widest, sizeof(SUM));
    d->next_candidate = own_array(&d->owner, k, sizeof(ptrdiff_t));
    d->candidate_count = own_array(&d->owner, k, sizeof(ptrdiff_t));
    d->choice = own_array(&d->owner, k, sizeof(int32_t));
    return !d->owner.failed;
}

/* Add the costs of choosing `place` in set t to the rows of the later sets; return the sum of their
 * minima. */
TARGET static inline SUM NAMED(assign)(NAMED(russian_doll) *d, ptrdiff_t t, ptrdiff_t place)
{
    const CELL *row = d->rows + t * d->width, *cost = d->pair + place * d->width;
    CELL *next = d->rows + (t + 1) * d->width, *low = d->low + (t + 1) * d->k;
    SUM sum = 0;
    for (ptrdiff_t j = t + 1; j < d->k; j++) {
        low[j] = NAMED(add_and_minimum)(row + d->first[j], cost + d->first[j], next + d->first[j],
                                  d->first[j + 1] - d->first[j]);
        sum += low[j];
    }
    return sum;
}

/* List the members of set t that may still lead below `level`, the most promising first. */
TARGET static void NAMED(list_candidates)(NAMED(russian_doll) *d, ptrdiff_t t, SUM level)
{
    const CELL *row = d->rows + t * d->width, *low = d->low + t * d->k;
    int32_t *candidate = d->candidate + t * d->widest;
    SUM *candidate_cost = d->candidate_cost + t * d->widest, base = d->cost[t] + d->suffix_bound[t + 1];
    ptrdiff_t count = 0;
    for (ptrdiff_t j = t + 1; j < d->k; j++)
        base += low[j];
    for (ptrdiff_t a = d->first[t]; a < d->first[t] + d->count[t]; a++) {
        const SUM value = base + row[a] + (SUM)d->own[a] + d->later_minimum[a];
        if (value >= level)
            continue;
        ptrdiff_t position = count++;
        for (; position > 0 && candidate_cost[position - 1] > value; position--) {
            candidate_cost[position] = candidate_cost[position - 1];
            candidate[position] = candidate[position - 1];
        }
        candidate_cost[position] = value;
        candidate[position] = (int32_t)a;
    }
    d->candidate_count[t] = count;
    d->next_candidate[t] = 0;
}

/* Solve sets from `done` - 1 down to 0, or until the bound of the later sets reaches `level`.
 *
 * Returns 1 if so or all are solved; 0 if `nodes` ran out. `best_choice` is the best choice of the sets
 * from `done` on. */
TARGET static int NAMED(solve_russian_doll)(NAMED(russian_doll) *d, SUM level, int64_t nodes, void *owner)
{
    int64_t left = nodes;
    while (d->done > 0 && d->suffix_bound[d->done] < level) {
        const ptrdiff_t f = d->done - 1;
        /* The best member of set f with the choice that is known for the rest. */
        SUM best = level, suffix_cost = 0;
        for (ptrdiff_t j = f + 1; j < d->k; j++) {
            suffix_cost += d->own[d->best_choice[j]];
            for (ptrdiff_t l = j + 1; l < d->k; l++)
                suffix_cost += d->pair[d->best_choice[j] * d->width + d->best_choice[l]];
        }
        d->best_choice[f] = (int32_t)d->first[f];
        for (ptrdiff_t a = d->first[f]; a < d->first[f] + d->count[f]; a++) {
            SUM value = suffix_cost + d->own[a];
            for (ptrdiff_t j = f + 1; j < d->k; j++)
                value += d->pair[a * d->width + d->best_choice[j]];
            if (value < best) {
                best = value;
                d->best_choice[f] = (int32_t)a;
            }
        }
        for (ptrdiff_t a = 0; a < d->width; a++)
            d->rows[f * d->width + a] = 0;
        for (ptrdiff_t j = f; j < d->k; j++)
            d->low[f * d->k + j] = 0;
        d->cost[f] = 0;
        ptrdiff_t t = f;
        NAMED(list_candidates)(d, t, best);
        while (t >= f) {
            if (d->next_candidate[t] == d->candidate_count[t]
                || d->candidate_cost[t * d->widest + d->next_candidate[t]] >= best) {
                t--;
                continue;
            }
            const int32_t place = d->candidate[t * d->widest + d->next_candidate[t]++];
            const SUM cost = d->cost[t] + d->rows[t * d->width + place] + (SUM)d->own[place];
            d->choice[t] = place;
            d->nodes++;
            if (t == d->k - 1) {
                if (cost < best) {
                    best = cost;
                    memcpy(d->best_choice + f, d->choice + f, (size_t)(d->k - f) * sizeof(int32_t));
                    if (best <= d->suffix_bound[f + 1])
                        break;
                }
                continue;
            }
            if (--left < 0)
                return 0;
            if (!(left & 4095) && CALL_PULSE(owner))
                return 0;
            if (cost + NAMED(assign)(d, t, place) + d->suffix_bound[t + 1] >= best)
                continue;
            d->cost[t + 1] = cost;
            NAMED(list_candidates)(d, ++t, best);
        }
        d->suffix_bound[f] = best;
        d->done = f;
    }
    return 1;
}
