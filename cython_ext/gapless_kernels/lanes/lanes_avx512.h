/* Blocks of sixteen in AVX-512: one register of floats, two of doubles.
 * lanes/lanes_plain.h says what each does. */

#define OP GAPLESS_AVX512 static GAPLESS_ALWAYS

typedef __m512 block_f32_avx512;

OP block_f32_avx512 load_f32_avx512(const float *p) { return _mm512_loadu_ps(p); }
OP block_f32_avx512 load_some_f32_avx512(const float *p, unsigned lanes)
{
    return _mm512_maskz_loadu_ps((__mmask16)lanes, p);
}
OP void store_f32_avx512(float *p, block_f32_avx512 a) { _mm512_storeu_ps(p, a); }
OP block_f32_avx512 all_f32_avx512(float a) { return _mm512_set1_ps(a); }
OP block_f32_avx512 add_f32_avx512(block_f32_avx512 a, block_f32_avx512 b) { return _mm512_add_ps(a, b); }
OP block_f32_avx512 max_f32_avx512(block_f32_avx512 a, block_f32_avx512 b) { return _mm512_max_ps(a, b); }
OP unsigned at_least_f32_avx512(block_f32_avx512 a, block_f32_avx512 b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}
OP unsigned reaching_f32_avx512(const float *p, float bound)
{
    return at_least_f32_avx512(load_f32_avx512(p), all_f32_avx512(bound));
}
OP unsigned improper_f32_avx512(block_f32_avx512 a)
{
    return _mm512_cmp_ps_mask(a, _mm512_set1_ps(FLT_MAX), _CMP_NLE_UQ);
}
OP block_f32_avx512 tagged_f32_avx512(block_f32_avx512 a, block_f32_avx512 tags)
{
    const __m512i kept = _mm512_set1_epi32(~(GAPLESS_TAGS - 1));
    return _mm512_castsi512_ps(
        _mm512_ternarylogic_epi32(_mm512_castps_si512(a), kept, _mm512_castps_si512(tags), 0xEA));
}
OP block_f32_avx512 extent_f32_avx512(block_f32_avx512 a)
{
    const __mmask16 some = _mm512_cmp_ps_mask(a, _mm512_set1_ps(-INFINITY), _CMP_GT_OQ);
    return _mm512_maskz_mov_ps(some, _mm512_abs_ps(a));
}
OP float largest_f32_avx512(block_f32_avx512 a) { return _mm512_reduce_max_ps(a); }
/* Shuffles are shared. */
OP void largest4_f32_avx512(block_f32_avx512 a, block_f32_avx512 b, block_f32_avx512 c, block_f32_avx512 d,
                            float *out)
{
    const __m512 ab = _mm512_max_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE));
    const __m512 cd = _mm512_max_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xEE));
    __m512 m = _mm512_max_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));
    m = _mm512_max_ps(m, _mm512_permute_ps(m, 0xB1));
    m = _mm512_max_ps(m, _mm512_permute_ps(m, 0x4E));
    _mm_storeu_ps(out, _mm512_castps512_ps128(
        _mm512_permutexvar_ps(_mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), m)));
}

OP int collect_f32_avx512(block_f32_avx512 a, unsigned bits, float level, ptrdiff_t x, int32_t *who,
                          float *above)
{
    const __m512i label = _mm512_add_epi32(
        _mm512_set1_epi32((int)x), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __mmask16 lanes = (__mmask16)bits;
    _mm512_storeu_si512(who, _mm512_maskz_compress_epi32(lanes, label));
    _mm512_storeu_ps(above, _mm512_maskz_compress_ps(lanes, _mm512_sub_ps(a, _mm512_set1_ps(level))));
    return _mm_popcnt_u32(bits);
}

typedef struct { __m512d a, b; } block_f64_avx512;

OP block_f64_avx512 load_f64_avx512(const double *p)
{
    return (block_f64_avx512){_mm512_loadu_pd(p), _mm512_loadu_pd(p + 8)};
}
OP block_f64_avx512 load_some_f64_avx512(const double *p, unsigned lanes)
{
    return (block_f64_avx512){_mm512_maskz_loadu_pd((__mmask8)lanes, p),
                              _mm512_maskz_loadu_pd((__mmask8)(lanes >> 8), p + 8)};
}
OP void store_f64_avx512(double *p, block_f64_avx512 x)
{
    _mm512_storeu_pd(p, x.a);
    _mm512_storeu_pd(p + 8, x.b);
}
OP block_f64_avx512 all_f64_avx512(double a)
{
    return (block_f64_avx512){_mm512_set1_pd(a), _mm512_set1_pd(a)};
}
OP block_f64_avx512 add_f64_avx512(block_f64_avx512 x, block_f64_avx512 y)
{
    return (block_f64_avx512){_mm512_add_pd(x.a, y.a), _mm512_add_pd(x.b, y.b)};
}
OP block_f64_avx512 max_f64_avx512(block_f64_avx512 x, block_f64_avx512 y)
{
    return (block_f64_avx512){_mm512_max_pd(x.a, y.a), _mm512_max_pd(x.b, y.b)};
}
OP unsigned at_least_f64_avx512(block_f64_avx512 x, block_f64_avx512 y)
{
    return (unsigned)_mm512_cmp_pd_mask(x.a, y.a, _CMP_GE_OQ) |
           (unsigned)_mm512_cmp_pd_mask(x.b, y.b, _CMP_GE_OQ) << 8;
}
OP unsigned reaching_f64_avx512(const double *p, double bound)
{
    return at_least_f64_avx512(load_f64_avx512(p), all_f64_avx512(bound));
}
OP unsigned improper_f64_avx512(block_f64_avx512 x)
{
    const __m512d largest = _mm512_set1_pd(DBL_MAX);
    return (unsigned)_mm512_cmp_pd_mask(x.a, largest, _CMP_NLE_UQ) |
           (unsigned)_mm512_cmp_pd_mask(x.b, largest, _CMP_NLE_UQ) << 8;
}
OP block_f64_avx512 tagged_f64_avx512(block_f64_avx512 x, block_f64_avx512 tags)
{
    const __m512i kept = _mm512_set1_epi64(~(long long)(GAPLESS_TAGS - 1));
    return (block_f64_avx512){
        _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(x.a), kept,
                                                      _mm512_castpd_si512(tags.a), 0xEA)),
        _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(x.b), kept,
                                                      _mm512_castpd_si512(tags.b), 0xEA))};
}
OP block_f64_avx512 extent_f64_avx512(block_f64_avx512 x)
{
    const __m512d none = _mm512_set1_pd(-INFINITY);
    return (block_f64_avx512){
        _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x.a, none, _CMP_GT_OQ), _mm512_abs_pd(x.a)),
        _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x.b, none, _CMP_GT_OQ), _mm512_abs_pd(x.b))};
}
OP double largest_f64_avx512(block_f64_avx512 x) { return _mm512_reduce_max_pd(_mm512_max_pd(x.a, x.b)); }
OP void largest4_f64_avx512(block_f64_avx512 a, block_f64_avx512 b, block_f64_avx512 c, block_f64_avx512 d,
                            double *out)
{
    out[0] = largest_f64_avx512(a);
    out[1] = largest_f64_avx512(b);
    out[2] = largest_f64_avx512(c);
    out[3] = largest_f64_avx512(d);
}
OP int collect_f64_avx512(block_f64_avx512 a, unsigned bits, double level, ptrdiff_t x, int32_t *who,
                          double *above)
{
    const __m512i label = _mm512_add_epi32(
        _mm512_set1_epi32((int)x), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __m512d base = _mm512_set1_pd(level);
    _mm512_storeu_si512(who, _mm512_maskz_compress_epi32((__mmask16)bits, label));
    _mm512_storeu_pd(above, _mm512_maskz_compress_pd((__mmask8)bits, _mm512_sub_pd(a.a, base)));
    above += _mm_popcnt_u32(bits & 0xFFu);
    _mm512_storeu_pd(above, _mm512_maskz_compress_pd((__mmask8)(bits >> 8), _mm512_sub_pd(a.b, base)));
    return _mm_popcnt_u32(bits);
}

typedef __m512d octet_f64_avx512;

OP octet_f64_avx512 octet_all_f64_avx512(double a) { return _mm512_set1_pd(a); }
OP octet_f64_avx512 octet_load_f64_avx512(const double *p) { return _mm512_loadu_pd(p); }
OP void octet_store_f64_avx512(double *p, octet_f64_avx512 x) { _mm512_storeu_pd(p, x); }
OP octet_f64_avx512 octet_add_f64_avx512(octet_f64_avx512 x, octet_f64_avx512 y)
{
    return _mm512_add_pd(x, y);
}
OP octet_f64_avx512 octet_max_f64_avx512(octet_f64_avx512 x, octet_f64_avx512 y)
{
    return _mm512_max_pd(x, y);
}

#undef OP
