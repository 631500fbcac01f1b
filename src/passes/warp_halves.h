// warp_halves: kernels whose warps may be cut in two.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// Whether nothing in the kernel or what it calls refers to a warp: no warp functions, masks or numbers of lanes, no
/// print, whose order shows warps, and no memory of a warp's own. Threads that exchange data without any of these and
/// without barriers have none of CUDA's guarantees.
bool canHalveWarps(const TypedFunction &kernel);

} // namespace treadle
