// CUDA C++ on the host: a kernel compiled by a C++ compiler runs block after block, its threads as fibers.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define KERNEL extern "C"
#define DYNAMIC_SHARED(type, name) type *const name = reinterpret_cast<type *>(host::dynamicShared())

#include "block.h"

#include "warp.h"

#include "atomics.h"
#include "bits.h"
#include "conversions.h"
#include "floats.h"
#include "vectors.h"
