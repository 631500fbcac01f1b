// Loops of the OpenMP peers: plain by default, with `omp simd` under -DUSE_SIMD.
#pragma once

#ifdef USE_SIMD
#define PARALLEL_FOR _Pragma("omp parallel for simd")
#define SIMD _Pragma("omp simd")
#define SIMD_SUM_OF_THREE(a, b, c) SIMD_REDUCTION(omp simd reduction(+ : a, b, c))
#define SIMD_SUM(a) SIMD_REDUCTION(omp simd reduction(+ : a))
#define PARALLEL_SUM(a) SIMD_REDUCTION(omp parallel for simd reduction(+ : a))
#define SIMD_REDUCTION(text) _Pragma(#text)
#else
#define PARALLEL_FOR _Pragma("omp parallel for")
#define SIMD
#define SIMD_SUM_OF_THREE(a, b, c)
#define SIMD_SUM(a)
#define PARALLEL_SUM(a) PLAIN_REDUCTION(omp parallel for reduction(+ : a))
#define PLAIN_REDUCTION(text) _Pragma(#text)
#endif
