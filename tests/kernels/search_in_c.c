/* The search without Python, for what Python cannot bring about: memory that ends at the n-th allocation, and
 * roles that lie.
 *
 *     search_in_c memory        every allocation of a small search fails once
 *     search_in_c lie NAME      a role breaks one rule; prints how the search ended
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long allocations_left = -1; /* -1: endless */

static int is_out_of_memory(void)
{
    if (allocations_left < 0)
        return 0;
    return allocations_left-- == 0;
}

static void *limited_malloc(size_t size) { return is_out_of_memory() ? NULL : malloc(size); }
static void *limited_calloc(size_t count, size_t size)
{
    return is_out_of_memory() ? NULL : calloc(count, size);
}
static void *limited_realloc(void *old, size_t size)
{
    return is_out_of_memory() ? NULL : realloc(old, size);
}

#define malloc limited_malloc
#define calloc limited_calloc
#define realloc limited_realloc
#include "search/tree.h"

enum { GROUPS = 5, CHOICES = 4, DECISIONS = GROUPS * CHOICES, PAIRS = 120, TRIPLES = 20, SCOPE = 4 };

static const char *lie = "";

static int lies(const char *name) { return strcmp(lie, name) == 0; }

static double drawn(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

/* --- a backbone: the best choice of each group */

static int maximise(void *object, int chart, const double *weights, const signed char *state, double *value,
                    int32_t *on, ptrdiff_t *count)
{
    (void)object;
    (void)chart;
    (void)state;
    *value = 0.0;
    *count = GROUPS;
    for (int g = 0; g < GROUPS; g++) {
        int best = g * CHOICES;
        for (int e = best + 1; e < (g + 1) * CHOICES; e++)
            best = weights[e] > weights[best] ? e : best;
        on[g] = best;
        *value += weights[best];
    }
    if (*value == -INFINITY)
        return GS_NOTHING;
    if (lies("negative decision"))
        on[1] = -5;
    if (lies("unknown decision"))
        on[1] = DECISIONS;
    if (lies("huge decision"))
        on[1] = INT32_MAX;
    if (lies("decision twice"))
        on[1] = on[0];
    if (lies("negative count"))
        *count = -3;
    if (lies("large count"))
        *count = 1 << 20;
    if (lies("NaN"))
        *value = NAN;
    if (lies("infinite value"))
        *value = INFINITY;
    return lies("code of maximise") ? 7 : GS_FOUND;
}

static int marginals(void *object, const double *weights, const signed char *state, double *with,
                     double *without)
{
    (void)object;
    (void)state;
    (void)without;
    double top[GROUPS], total = 0.0;
    for (int g = 0; g < GROUPS; g++) {
        top[g] = -INFINITY;
        for (int e = g * CHOICES; e < (g + 1) * CHOICES; e++)
            top[g] = fmax(top[g], weights[e]);
        total += top[g];
    }
    for (int e = 0; e < DECISIONS; e++)
        with[e] = total - top[e / CHOICES] + weights[e];
    return lies("code of marginals") ? 7 : GS_FOUND;
}

static int internal_score(void *object, const int32_t *on, ptrdiff_t count, double *score)
{
    (void)object;
    (void)on;
    (void)count;
    *score = lies("infinite own score") ? INFINITY : 0.0;
    return lies("code of own") ? 7 : GS_FOUND;
}

/* --- a factor: each pair of its decisions costs something */

static const int32_t scope[SCOPE] = {0, CHOICES, 2 * CHOICES, 3 * CHOICES};

static double cost_of(int number) { return -0.3 * number * number; }

static int factor_maximise(void *object, const double *prices, const signed char *state, double *value,
                           signed char *y)
{
    (void)object;
    *value = -INFINITY;
    for (int bits = 0; bits < 1 << SCOPE; bits++) {
        double sum = 0.0;
        int number = 0, agrees = 1;
        for (int k = 0; k < SCOPE; k++) {
            const int is_on = bits >> k & 1;
            agrees &= state[k] == GS_FREE || state[k] == is_on;
            number += is_on;
            sum -= is_on ? prices[k] : 0.0;
        }
        if (!agrees || !(sum + cost_of(number) > *value))
            continue;
        *value = sum + cost_of(number);
        for (int k = 0; k < SCOPE; k++)
            y[k] = bits >> k & 1;
    }
    if (lies("configuration"))
        y[0] = 77;
    return lies("code of a factor") ? 7 : *value > -INFINITY ? GS_FOUND : GS_NOTHING;
}

static int factor_value(void *object, const signed char *y, double *value)
{
    (void)object;
    int number = 0;
    for (int k = 0; k < SCOPE; k++)
        number += y[k];
    if (lies("forbids all by its code")) /* without a value: whatever stood there must not count */
        return GS_NOTHING;
    *value = cost_of(number);
    return lies("code of value") ? 7 : GS_FOUND;
}

static int64_t pair[PAIRS][2], triple[TRIPLES][3];
static double pair_score[PAIRS], triple_score[TRIPLES], weight[DECISIONS];

static void draw_problem(void)
{
    uint32_t seed = 11;
    int count = 0;
    for (int e = 0; e < DECISIONS; e++)
        weight[e] = drawn(&seed);
    for (int f = 0; f < DECISIONS && count < PAIRS; f++)
        for (int e = 0; e < DECISIONS && count < PAIRS; e++)
            if (e / CHOICES < f / CHOICES && drawn(&seed) > -0.6) {
                pair[count][0] = e;
                pair[count][1] = f;
                pair_score[count++] = 2.0 * drawn(&seed);
            }
    while (count < PAIRS) { /* so often the same one: they are shared */
        pair[count][0] = 0;
        pair[count][1] = CHOICES;
        pair_score[count++] = drawn(&seed);
    }
    for (int c = 0; c < TRIPLES; c++) {
        for (int k = 0; k < 3; k++)
            triple[c][k] = (c + k) % GROUPS * CHOICES + (c * (k + 3)) % CHOICES;
        triple_score[c] = 2.0 * drawn(&seed);
    }
}

/* Ready to advance; 0 without memory. */
static int begin(gs_search *s, const gs_maximiser *maximiser, const gs_factor *factor)
{
    const gs_block blocks[2] = {
        {PAIRS, 2, 0, &pair[0][0], pair_score},
        {TRIPLES, 3, PAIRS, &triple[0][0], triple_score},
    };
    memset(s, 0, sizeof *s);
    s->options.max_choices = 4;
    s->options.root_steps = 12;
    s->options.root_trend = 7;
    s->options.is_lifted = 1;
    s->options.proof_limit = 0x1p28;
    s->options.memory_limit = 0x1p30;
    s->proof.is_kept = 1;
    if (!gs_reserve(s, maximiser, GROUPS, PAIRS + TRIPLES))
        return 0;
    for (int e = 0; e < DECISIONS; e++) {
        s->input.base[e] = weight[e];
        s->input.group[e] = e / CHOICES;
    }
    if (!gs_number(s) || !gs_reserve_factors(s, 1, SCOPE, 0))
        return 0;
    gs_take_factor(s, 0, factor, NULL);
    return gs_take_blocks(s, blocks, 2) && gs_start(s, NULL);
}

static int advance(gs_search *s, int64_t steps)
{
    return gs_advance(s, 1e9, INT64_MAX, steps, INFINITY, 0.0);
}

/* One whole search that begins again once; GS_NO_MEMORY or GS_PROVED, and its value and bound. */
static int run(const gs_maximiser *maximiser, const gs_factor *factor, double *value, double *bound)
{
    gs_search s;
    int status = GS_NO_MEMORY;
    *value = -INFINITY;
    *bound = INFINITY;
    if (begin(&s, maximiser, factor)) {
        status = advance(&s, 20);
        if (status == GS_STEPS) {
            double split[4096];
            memcpy(split, s.ascent.multipliers, (size_t)s.ascent.slots * sizeof *split);
            status = gs_restart(&s, split, NULL) ? advance(&s, INT64_MAX) : GS_NO_MEMORY;
        }
        *value = s.incumbent.value;
        *bound = gs_bound(&s);
        if (status == GS_NO_MEMORY) { /* nothing of a structure may be left behind, and no call may go on */
            for (int e = 0; e < DECISIONS; e++)
                if (s.marks.on[e])
                    *bound = NAN;
            gs_bound_current_node(&s);
            if (advance(&s, INT64_MAX) != GS_NO_MEMORY)
                *bound = NAN;
        }
    }
    gs_free(&s);
    return status;
}

int main(int count, char **arguments)
{
    const gs_maximiser trusted = {
        sizeof trusted, NULL, DECISIONS, DECISIONS, NULL, GROUPS, 0, 0, NULL, maximise, marginals, NULL, NULL,
    };
    const gs_factor factor = {
        sizeof factor, NULL, SCOPE, scope, 0, factor_maximise, factor_value, NULL, NULL,
    };
    double value, bound, best;
    draw_problem();
    if (count > 2) {
        gs_maximiser maximiser = trusted;
        gs_search s;
        lie = arguments[2];
        if (lies("infinite value") || lies("infinite own score") || lies("code of own")) {
            maximiser.has_internal_scores = 1;
            maximiser.internal_score = internal_score;
        }
        if (!begin(&s, &maximiser, &factor))
            return 1;
        const int status = advance(&s, INT64_MAX);
        printf("%d %d %td %g\n", status, s.failure, s.failed_factor, s.incumbent.value);
        gs_free(&s);
        return 0;
    }
    if (run(&trusted, &factor, &best, &bound) != GS_PROVED)
        return 1;
    for (long n = 0;; n++) {
        allocations_left = n;
        const int status = run(&trusted, &factor, &value, &bound);
        const int failed = allocations_left < 0;
        allocations_left = -1;
        if (!failed) {
            printf("%ld allocations\n", n);
            return !(status == GS_PROVED && value == best);
        }
        if (!(status == GS_PROVED ? value == best : status == GS_NO_MEMORY && bound >= best - 1e-9)) {
            printf("allocation %ld: status %d, value %g, bound %g, the best is %g\n", n, status, value, bound,
                   best);
            return 1;
        }
    }
}
