// block_spans: kernels whose warps may extend across blocks.
#pragma once

#include "passes/grid/grid_ids.h"
#include "typed/typed.h"

namespace treadle {

/// Whether the kernel reads its position only through cuda.grid and the like and has no shared memory or barriers: then
/// which threads share a warp is unobservable, and warps may extend across blocks.
bool canSpanBlocks(const TypedFunction &kernel, const GridIds &gridIds);

} // namespace treadle
