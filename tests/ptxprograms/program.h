// What every program of the corpus begins with: CUDA's own names, or on the host those of the shim.
#pragma once

#ifdef __CUDACC__
#define KERNEL extern "C" __global__
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#else
#include "host/cuda.h"
#endif

using u8 = unsigned char;
using s8 = signed char;
using u16 = unsigned short;
using s16 = short;
using u32 = unsigned;
using s32 = int;
using u64 = unsigned long long;
using s64 = long long;

/// The thread's number in a grid of one dimension.
static __device__ __forceinline__ int threadNumber() { return blockIdx.x * blockDim.x + threadIdx.x; }
