// warp_halves: kernels whose warps may be cut in two.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// Whether nothing in the kernel or its callees depends on warps: no warp functions, masks or lane numbers, no print,
/// whose order shows warps, and no per-warp memory. Threads that exchange data without any of these and without
/// barriers have none of CUDA's guarantees.
bool canHalveWarps(const TypedFunction &kernel);

} // namespace treadle
