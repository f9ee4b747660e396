/* Eight doubles at a time, for each instruction set: for rows too short for the blocks of sixteen of lanes/lanes.h. */
#ifndef GAPLESS_KERNELS_OCTETS_H
#define GAPLESS_KERNELS_OCTETS_H

#include "lanes/lanes.h"

#define GAPLESS_OCTET 8

typedef struct { double q[GAPLESS_OCTET]; } octet_plain;

static GAPLESS_ALWAYS octet_plain octet_all_plain(double a)
{
    octet_plain x;
    for (int i = 0; i < GAPLESS_OCTET; i++)
        x.q[i] = a;
    return x;
}
static GAPLESS_ALWAYS octet_plain octet_load_plain(const double *p)
{
    octet_plain x;
    memcpy(x.q, p, sizeof x.q);
    return x;
}
static GAPLESS_ALWAYS void octet_store_plain(double *p, octet_plain x) { memcpy(p, x.q, sizeof x.q); }
static GAPLESS_ALWAYS octet_plain octet_add_plain(octet_plain x, octet_plain y)
{
    for (int i = 0; i < GAPLESS_OCTET; i++)
        x.q[i] += y.q[i];
    return x;
}
static GAPLESS_ALWAYS octet_plain octet_max_plain(octet_plain x, octet_plain y)
{
    for (int i = 0; i < GAPLESS_OCTET; i++)
        x.q[i] = x.q[i] > y.q[i] ? x.q[i] : y.q[i];
    return x;
}

#ifdef GAPLESS_X86
#define OP GAPLESS_AVX2 static GAPLESS_ALWAYS
typedef struct { __m256d a, b; } octet_avx2;
OP octet_avx2 octet_all_avx2(double a) { return (octet_avx2){_mm256_set1_pd(a), _mm256_set1_pd(a)}; }
OP octet_avx2 octet_load_avx2(const double *p) { return (octet_avx2){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
OP void octet_store_avx2(double *p, octet_avx2 x)
{
    _mm256_storeu_pd(p, x.a);
    _mm256_storeu_pd(p + 4, x.b);
}
OP octet_avx2 octet_add_avx2(octet_avx2 x, octet_avx2 y)
{
    return (octet_avx2){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
OP octet_avx2 octet_max_avx2(octet_avx2 x, octet_avx2 y)
{
    return (octet_avx2){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}
#undef OP

#define OP GAPLESS_AVX512 static GAPLESS_ALWAYS
typedef __m512d octet_avx512;
OP octet_avx512 octet_all_avx512(double a) { return _mm512_set1_pd(a); }
OP octet_avx512 octet_load_avx512(const double *p) { return _mm512_loadu_pd(p); }
OP void octet_store_avx512(double *p, octet_avx512 x) { _mm512_storeu_pd(p, x); }
OP octet_avx512 octet_add_avx512(octet_avx512 x, octet_avx512 y) { return _mm512_add_pd(x, y); }
OP octet_avx512 octet_max_avx512(octet_avx512 x, octet_avx512 y) { return _mm512_max_pd(x, y); }
#undef OP
#endif

#endif
