/* Blocks of sixteen in plain C, for any compiler and processor. See lanes/lanes.h. */

#define GAPLESS_PLAIN_LANES(REAL, BITS, SUFFIX, LARGEST)                                                       \
    typedef struct { REAL q[GAPLESS_BLOCK]; } block_##SUFFIX;                                                  \
    static GAPLESS_ALWAYS block_##SUFFIX load_##SUFFIX(const REAL *p)                                          \
    {                                                                                                          \
        block_##SUFFIX x;                                                                                      \
        memcpy(x.q, p, sizeof x.q);                                                                            \
        return x;                                                                                              \
    }                                                                                                          \
    static GAPLESS_ALWAYS block_##SUFFIX load_some_##SUFFIX(const REAL *p, unsigned lanes)                     \
    {                                                                                                          \
        block_##SUFFIX x;                                                                                      \
        for (int i = 0; i < GAPLESS_BLOCK; i++)                                                                \
            x.q[i] = lanes >> i & 1 ? p[i] : 0;                                                                \
        return x;                                                                                              \
    }                                                                                                          \
    static GAPLESS_ALWAYS void store_##SUFFIX(REAL *p, block_##SUFFIX x) { memcpy(p, x.q, sizeof x.q); }       \
    static GAPLESS_ALWAYS block_##SUFFIX all_##SUFFIX(REAL a)                                                  \
    {                                                                                                          \
        block_##SUFFIX x;                                                                                      \
        for (int i = 0; i < GAPLESS_BLOCK; i++)                                                                \
            x.q[i] = a;                                                                                        \
        return x;                                                                                              \
    }                                                                                                          \
    static GAPLESS_ALWAYS block_##SUFFIX add_##SUFFIX(block_##SUFFIX x, block_##SUFFIX y)                      \
    {                                                                                                          \
        for (int i = 0; i < GAPLESS_BLOCK; i++)                                                                \
            x.q[i] = x.q[i] + y.q[i];                                                                          \
        return x;                                                                                              \
    }                                                                                                          \
    static GAPLESS_ALWAYS block_##SUFFIX max_##SUFFIX(block_##SUFFIX x, block_##SUFFIX y)                      \
    {                                                                                                          \
        for (int i = 0; i < GAPLESS_BLOCK; i++)                                                                \
            x.q[i] = x.q[i] > y.q[i] ? x.q[i] : y.q[i];                                                        \
        return x;                                                                                              \
    }                                                                                                          \
    static GAPLESS_ALWAYS unsigned at_least_##SUFFIX(block_##SUFFIX x, block_##SUFFIX y)                       \
    {                                                                                                          \
        unsigned bits = 0;                                                                                     \
        for (int i = 0; i < GAPLESS_BLOCK; i++)                                                                \
            bits |= (unsigned)(x.q[i] >= y.q[i]) << i;                                                         \
        return bits;                                                                                           \
    }                                                                                                          \
    static GAPLESS_ALWAYS unsigned improper_##SUFFIX(block_##SUFFIX x)                                         \
    {                                                                                                          \
        unsigned found = 0;                                                                                    \
        for (int i = 0; i < GAPLESS_BLOCK; i++)                                                                \
            found |= !(x.q[i] <= LARGEST);                                                                     \
        return found;                                                                                          \
    }                                                                                                          \
    static GAPLESS_ALWAYS block_##SUFFIX tagged_##SUFFIX(block_##SUFFIX x, block_##SUFFIX tags)                \
    {                                                                                                          \
        for (int i = 0; i < GAPLESS_BLOCK; i++) {                                                              \
            BITS score, tag;                                                                                   \
            memcpy(&score, &x.q[i], sizeof score);                                                             \
            memcpy(&tag, &tags.q[i], sizeof tag);                                                              \
            score = (score & ~(BITS)(GAPLESS_TAGS - 1)) | tag;                                                 \
            memcpy(&x.q[i], &score, sizeof score);                                                             \
        }                                                                                                      \
        return x;                                                                                              \
    }                                                                                                          \
    static GAPLESS_ALWAYS block_##SUFFIX extent_##SUFFIX(block_##SUFFIX x)                                     \
    {                                                                                                          \
        for (int i = 0; i < GAPLESS_BLOCK; i++)                                                                \
            x.q[i] = x.q[i] > 0 ? x.q[i] : x.q[i] > -(REAL)INFINITY ? -x.q[i] : 0;                             \
        return x;                                                                                              \
    }                                                                                                          \
    static GAPLESS_ALWAYS REAL largest_##SUFFIX(block_##SUFFIX x)                                              \
    {                                                                                                          \
        REAL best = x.q[0];                                                                                    \
        for (int i = 1; i < GAPLESS_BLOCK; i++)                                                                \
            best = x.q[i] > best ? x.q[i] : best;                                                              \
        return best;                                                                                           \
    }                                                                                                          \
    static GAPLESS_ALWAYS int collect_##SUFFIX(block_##SUFFIX a, unsigned bits, REAL level, ptrdiff_t x, \
                                               int32_t *who, REAL *above) \
    {                                                                                                          \
        REAL row[GAPLESS_BLOCK];                                                                               \
        int count = 0;                                                                                         \
        store_##SUFFIX(row, a);                                                                                \
        for (; bits; bits &= bits - 1) {                                                                       \
            const int lane = gapless_lowest(bits);                                                             \
            who[count] = (int32_t)(x + lane);                                                                  \
            above[count++] = row[lane] - level;                                                                \
        }                                                                                                      \
        return count;                                                                                          \
    }                                                                                                          \
    static GAPLESS_ALWAYS void largest4_##SUFFIX(block_##SUFFIX a, block_##SUFFIX b, block_##SUFFIX c,         \
                                                 block_##SUFFIX d, REAL *out)                                  \
    {                                                                                                          \
        out[0] = largest_##SUFFIX(a);                                                                          \
        out[1] = largest_##SUFFIX(b);                                                                          \
        out[2] = largest_##SUFFIX(c);                                                                          \
        out[3] = largest_##SUFFIX(d);                                                                          \
    }

GAPLESS_PLAIN_LANES(float, uint32_t, f32_plain, FLT_MAX)
GAPLESS_PLAIN_LANES(double, uint64_t, f64_plain, DBL_MAX)
