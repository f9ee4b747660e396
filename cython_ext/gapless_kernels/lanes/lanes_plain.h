/* Blocks, octets and tags in plain C, for any compiler and processor. Included once for each type; see
 * README.md. */

typedef struct { REAL q[GAPLESS_BLOCK]; } NAMED(block);

GAPLESS_INLINE NAMED(block) NAMED(load)(const REAL *p)
{
    NAMED(block) x;
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        x.q[i] = p[i];
    return x;
}
/* The lanes whose bits are set; nothing is read for the others, which are 0. */
GAPLESS_INLINE NAMED(block) NAMED(load_some)(const REAL *p, unsigned lanes)
{
    NAMED(block) x;
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        x.q[i] = lanes >> i & 1 ? p[i] : 0;
    return x;
}
GAPLESS_INLINE void NAMED(store)(REAL *p, NAMED(block) x)
{
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        p[i] = x.q[i];
}
GAPLESS_INLINE NAMED(block) NAMED(all)(REAL a)
{
    NAMED(block) x;
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        x.q[i] = a;
    return x;
}
GAPLESS_INLINE NAMED(block) NAMED(add)(NAMED(block) x, NAMED(block) y)
{
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        x.q[i] = x.q[i] + y.q[i];
    return x;
}
GAPLESS_INLINE NAMED(block) NAMED(max)(NAMED(block) x, NAMED(block) y)
{
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        x.q[i] = GAPLESS_MAX(x.q[i], y.q[i]);
    return x;
}
/* A bit for each lane with x >= y; never for NaN. */
GAPLESS_INLINE unsigned NAMED(at_least)(NAMED(block) x, NAMED(block) y)
{
    unsigned bits = 0;
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        bits |= (unsigned)(x.q[i] >= y.q[i]) << i;
    return bits;
}
/* The same for the numbers at p and one bound. */
GAPLESS_INLINE unsigned NAMED(reaching)(const REAL *p, REAL bound)
{
    unsigned bits = 0;
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        bits |= (unsigned)(p[i] >= bound) << i;
    return bits;
}
/* Not 0 if a lane is NaN or plus infinity. */
GAPLESS_INLINE unsigned NAMED(improper)(NAMED(block) x)
{
    unsigned found = 0;
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        found |= !(x.q[i] <= LARGEST);
    return found;
}
/* Scores with their low bits, one less than GAPLESS_TAGS, replaced by tags. */
GAPLESS_INLINE NAMED(block) NAMED(tagged)(NAMED(block) x, NAMED(block) tags)
{
    for (int i = 0; i < GAPLESS_BLOCK; i++) {
        BITS score, tag;
        memcpy(&score, &x.q[i], sizeof score);
        memcpy(&tag, &tags.q[i], sizeof tag);
        score = (score & ~(BITS)(GAPLESS_TAGS - 1)) | tag;
        memcpy(&x.q[i], &score, sizeof score);
    }
    return x;
}
/* Absolute values; 0 for -inf. */
GAPLESS_INLINE NAMED(block) NAMED(extent)(NAMED(block) x)
{
    for (int i = 0; i < GAPLESS_BLOCK; i++)
        x.q[i] = x.q[i] > 0 ? x.q[i] : x.q[i] > -(REAL)INFINITY ? -x.q[i] : 0;
    return x;
}
GAPLESS_INLINE REAL NAMED(largest)(NAMED(block) x)
{
    REAL best = x.q[0];
    for (int i = 1; i < GAPLESS_BLOCK; i++)
        best = GAPLESS_MAX(x.q[i], best);
    return best;
}
/* The largest of each of four blocks. */
GAPLESS_INLINE void NAMED(largest4)(NAMED(block) a, NAMED(block) b, NAMED(block) c, NAMED(block) d, REAL *out)
{
    out[0] = NAMED(largest)(a);
    out[1] = NAMED(largest)(b);
    out[2] = NAMED(largest)(c);
    out[3] = NAMED(largest)(d);
}
/* Write the labels of the lanes in `bits`, from x on, and how far each is above `level`; return the number.
 * May write whole registers: there must be room for sixteen. */
GAPLESS_INLINE int NAMED(collect)(NAMED(block) a, unsigned bits, REAL level, ptrdiff_t x, int32_t *who,
                                  REAL *above)
{
    REAL row[GAPLESS_BLOCK];
    int count = 0;
    NAMED(store)(row, a);
    for (; bits; bits &= bits - 1) {
        const int lane = gapless_lowest(bits);
        who[count] = (int32_t)(x + lane);
        above[count++] = row[lane] - level;
    }
    return count;
}

typedef struct { REAL q[GAPLESS_OCTET]; } NAMED(octet);

GAPLESS_INLINE NAMED(octet) NAMED(octet_all)(REAL a)
{
    NAMED(octet) x;
    for (int i = 0; i < GAPLESS_OCTET; i++)
        x.q[i] = a;
    return x;
}
GAPLESS_INLINE NAMED(octet) NAMED(octet_load)(const REAL *p)
{
    NAMED(octet) x;
    for (int i = 0; i < GAPLESS_OCTET; i++)
        x.q[i] = p[i];
    return x;
}
GAPLESS_INLINE void NAMED(octet_store)(REAL *p, NAMED(octet) x)
{
    for (int i = 0; i < GAPLESS_OCTET; i++)
        p[i] = x.q[i];
}
GAPLESS_INLINE NAMED(octet) NAMED(octet_add)(NAMED(octet) x, NAMED(octet) y)
{
    for (int i = 0; i < GAPLESS_OCTET; i++)
        x.q[i] += y.q[i];
    return x;
}
GAPLESS_INLINE NAMED(octet) NAMED(octet_max)(NAMED(octet) x, NAMED(octet) y)
{
    for (int i = 0; i < GAPLESS_OCTET; i++)
        x.q[i] = GAPLESS_MAX(x.q[i], y.q[i]);
    return x;
}

static inline unsigned TYPED(gapless_tag)(REAL score)
{
    BITS bits;
    memcpy(&bits, &score, sizeof bits);
    return (unsigned)(bits & (GAPLESS_TAGS - 1));
}
static inline REAL TYPED(gapless_tag_bits)(unsigned tag)
{
    const BITS bits = tag;
    REAL score;
    memcpy(&score, &bits, sizeof score);
    return score;
}
