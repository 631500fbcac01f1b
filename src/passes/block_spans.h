// block_spans: kernels whose warps may reach across blocks.
#pragma once

#include "passes/grid_ids.h"
#include "typed/typed.h"

namespace treadle {

/// Whether the kernel reads its position only through cuda.grid and its kin and has no memory or barrier of the block:
/// then nobody can tell which threads share a warp, and warps may reach across blocks.
bool canSpanBlocks(const TypedFunction &kernel, const GridIds &gridIds);

} // namespace treadle
