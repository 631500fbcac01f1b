// flat_indices: loop versioning for warps within one row of an array whose flat index is divided by the row's length.
#pragma once

#include "passes/analyses/uses.h"
#include "passes/ranges/ranges.h"
#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which statements that divide the thread's position, as `i // w` and `i % w`, are duplicated:
/// one version with the quotient of the warp's first thread and the distance from its multiple, after a test that all
/// threads have that quotient, so that neighbouring threads access neighbouring elements of one row; and the original
/// one (typed::If::isForAll). Null if there are none. Precondition: a kernel as inference or an earlier pass made it.
/// Preserves behaviour.
std::shared_ptr<TypedFunction> separateFlatIndices(const TypedFunction &kernel, const Uses &uses,
                                                   const RangeSeeds &seeds);

} // namespace treadle
