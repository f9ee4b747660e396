/* Blocks of sixteen in AVX2: two registers of floats, four of doubles.
 * lanes/lanes_plain.h says what each does. */

#define OP GAPLESS_AVX2 static GAPLESS_ALWAYS

typedef struct { __m256 a, b; } block_f32_avx2;

OP block_f32_avx2 load_f32_avx2(const float *p)
{
    return (block_f32_avx2){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
OP __m256i lanes8_avx2(unsigned lanes)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)lanes), bit), bit);
}
OP block_f32_avx2 load_some_f32_avx2(const float *p, unsigned lanes)
{
    return (block_f32_avx2){_mm256_maskload_ps(p, lanes8_avx2(lanes)),
                            _mm256_maskload_ps(p + 8, lanes8_avx2(lanes >> 8))};
}
OP void store_f32_avx2(float *p, block_f32_avx2 x)
{
    _mm256_storeu_ps(p, x.a);
    _mm256_storeu_ps(p + 8, x.b);
}
OP block_f32_avx2 all_f32_avx2(float a) { return (block_f32_avx2){_mm256_set1_ps(a), _mm256_set1_ps(a)}; }
OP block_f32_avx2 add_f32_avx2(block_f32_avx2 x, block_f32_avx2 y)
{
    return (block_f32_avx2){_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
OP block_f32_avx2 max_f32_avx2(block_f32_avx2 x, block_f32_avx2 y)
{
    return (block_f32_avx2){_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)};
}
OP unsigned at_least_f32_avx2(block_f32_avx2 x, block_f32_avx2 y)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x.a, y.a, _CMP_GE_OQ)) |
           (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x.b, y.b, _CMP_GE_OQ)) << 8;
}
OP unsigned reaching_f32_avx2(const float *p, float bound)
{
    return at_least_f32_avx2(load_f32_avx2(p), all_f32_avx2(bound));
}
OP unsigned improper_f32_avx2(block_f32_avx2 x)
{
    const __m256 largest = _mm256_set1_ps(FLT_MAX);
    return (unsigned)_mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x.a, largest, _CMP_NLE_UQ),
                                                     _mm256_cmp_ps(x.b, largest, _CMP_NLE_UQ)));
}
OP block_f32_avx2 tagged_f32_avx2(block_f32_avx2 x, block_f32_avx2 tags)
{
    const __m256 kept = _mm256_castsi256_ps(_mm256_set1_epi32(~(GAPLESS_TAGS - 1)));
    return (block_f32_avx2){_mm256_or_ps(_mm256_and_ps(x.a, kept), tags.a),
                            _mm256_or_ps(_mm256_and_ps(x.b, kept), tags.b)};
}
OP __m256 extent8_avx2(__m256 a)
{
    const __m256 some = _mm256_cmp_ps(a, _mm256_set1_ps(-INFINITY), _CMP_GT_OQ);
    return _mm256_and_ps(some, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a));
}
OP block_f32_avx2 extent_f32_avx2(block_f32_avx2 x)
{
    return (block_f32_avx2){extent8_avx2(x.a), extent8_avx2(x.b)};
}
OP float largest_f32_avx2(block_f32_avx2 x)
{
    const __m256 m = _mm256_max_ps(x.a, x.b);
    __m128 h = _mm_max_ps(_mm256_castps256_ps128(m), _mm256_extractf128_ps(m, 1));
    h = _mm_max_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_max_ss(h, _mm_shuffle_ps(h, h, 1)));
}
OP void largest4_f32_avx2(block_f32_avx2 a, block_f32_avx2 b, block_f32_avx2 c, block_f32_avx2 d, float *out)
{
    out[0] = largest_f32_avx2(a);
    out[1] = largest_f32_avx2(b);
    out[2] = largest_f32_avx2(c);
    out[3] = largest_f32_avx2(d);
}

OP int collect_f32_avx2(block_f32_avx2 a, unsigned bits, float level, ptrdiff_t x, int32_t *who, float *above)
{
    float row[GAPLESS_BLOCK];
    int count = 0;
    store_f32_avx2(row, a);
    for (; bits; bits &= bits - 1) {
        const int lane = gapless_lowest(bits);
        who[count] = (int32_t)(x + lane);
        above[count++] = row[lane] - level;
    }
    return count;
}

typedef struct { __m256d q[4]; } block_f64_avx2;

OP block_f64_avx2 load_f64_avx2(const double *p)
{
    return (block_f64_avx2){{_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4), _mm256_loadu_pd(p + 8),
                             _mm256_loadu_pd(p + 12)}};
}
OP __m256i lanes4_avx2(unsigned lanes)
{
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)lanes), bit), bit);
}
OP block_f64_avx2 load_some_f64_avx2(const double *p, unsigned lanes)
{
    return (block_f64_avx2){
        {_mm256_maskload_pd(p, lanes4_avx2(lanes)),
         _mm256_maskload_pd(p + 4, lanes4_avx2(lanes >> 4)),
         _mm256_maskload_pd(p + 8, lanes4_avx2(lanes >> 8)),
         _mm256_maskload_pd(p + 12, lanes4_avx2(lanes >> 12))}};
}
OP void store_f64_avx2(double *p, block_f64_avx2 x)
{
    for (int i = 0; i < 4; i++)
        _mm256_storeu_pd(p + 4 * i, x.q[i]);
}
OP block_f64_avx2 all_f64_avx2(double a)
{
    const __m256d q = _mm256_set1_pd(a);
    return (block_f64_avx2){{q, q, q, q}};
}
OP block_f64_avx2 add_f64_avx2(block_f64_avx2 x, block_f64_avx2 y)
{
    for (int i = 0; i < 4; i++)
        x.q[i] = _mm256_add_pd(x.q[i], y.q[i]);
    return x;
}
OP block_f64_avx2 max_f64_avx2(block_f64_avx2 x, block_f64_avx2 y)
{
    for (int i = 0; i < 4; i++)
        x.q[i] = _mm256_max_pd(x.q[i], y.q[i]);
    return x;
}
OP unsigned at_least_f64_avx2(block_f64_avx2 x, block_f64_avx2 y)
{
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x.q[i], y.q[i], _CMP_GE_OQ)) << 4 * i;
    return bits;
}
OP unsigned reaching_f64_avx2(const double *p, double bound)
{
    return at_least_f64_avx2(load_f64_avx2(p), all_f64_avx2(bound));
}
OP unsigned improper_f64_avx2(block_f64_avx2 x)
{
    const __m256d largest = _mm256_set1_pd(DBL_MAX);
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x.q[i], largest, _CMP_NLE_UQ));
    return bits;
}
OP block_f64_avx2 tagged_f64_avx2(block_f64_avx2 x, block_f64_avx2 tags)
{
    const __m256d kept = _mm256_castsi256_pd(_mm256_set1_epi64x(~(long long)(GAPLESS_TAGS - 1)));
    for (int i = 0; i < 4; i++)
        x.q[i] = _mm256_or_pd(_mm256_and_pd(x.q[i], kept), tags.q[i]);
    return x;
}
OP block_f64_avx2 extent_f64_avx2(block_f64_avx2 x)
{
    const __m256d none = _mm256_set1_pd(-INFINITY), sign = _mm256_set1_pd(-0.0);
    for (int i = 0; i < 4; i++)
        x.q[i] = _mm256_and_pd(_mm256_cmp_pd(x.q[i], none, _CMP_GT_OQ), _mm256_andnot_pd(sign, x.q[i]));
    return x;
}
OP double largest_f64_avx2(block_f64_avx2 x)
{
    const __m256d m = _mm256_max_pd(_mm256_max_pd(x.q[0], x.q[1]), _mm256_max_pd(x.q[2], x.q[3]));
    const __m128d h = _mm_max_pd(_mm256_castpd256_pd128(m), _mm256_extractf128_pd(m, 1));
    return _mm_cvtsd_f64(_mm_max_sd(h, _mm_unpackhi_pd(h, h)));
}
OP void largest4_f64_avx2(block_f64_avx2 a, block_f64_avx2 b, block_f64_avx2 c, block_f64_avx2 d, double *out)
{
    out[0] = largest_f64_avx2(a);
    out[1] = largest_f64_avx2(b);
    out[2] = largest_f64_avx2(c);
    out[3] = largest_f64_avx2(d);
}
OP int collect_f64_avx2(block_f64_avx2 a, unsigned bits, double level, ptrdiff_t x, int32_t *who,
                        double *above)
{
    double row[GAPLESS_BLOCK];
    int count = 0;
    store_f64_avx2(row, a);
    for (; bits; bits &= bits - 1) {
        const int lane = gapless_lowest(bits);
        who[count] = (int32_t)(x + lane);
        above[count++] = row[lane] - level;
    }
    return count;
}

typedef struct { __m256d a, b; } octet_f64_avx2;

OP octet_f64_avx2 octet_all_f64_avx2(double a)
{
    return (octet_f64_avx2){_mm256_set1_pd(a), _mm256_set1_pd(a)};
}
OP octet_f64_avx2 octet_load_f64_avx2(const double *p)
{
    return (octet_f64_avx2){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
OP void octet_store_f64_avx2(double *p, octet_f64_avx2 x)
{
    _mm256_storeu_pd(p, x.a);
    _mm256_storeu_pd(p + 4, x.b);
}
OP octet_f64_avx2 octet_add_f64_avx2(octet_f64_avx2 x, octet_f64_avx2 y)
{
    return (octet_f64_avx2){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
OP octet_f64_avx2 octet_max_f64_avx2(octet_f64_avx2 x, octet_f64_avx2 y)
{
    return (octet_f64_avx2){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}

#undef OP
