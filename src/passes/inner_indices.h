// inner_indices: code without clamped and wrapped indices, for warps that are within the bounds.
#pragma once

#include "passes/ranges.h"
#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which what computes indices by `min`, `max` and `%` of sums of the thread's position stands
/// twice: behind a test that the bounds hold wherever it runs, without these, so that neighbouring threads access
/// neighbouring elements; and as it was (typed::If::isForAll). Null if there is nothing of the kind. Needs a kernel as
/// inference or an earlier pass made it. What the kernel does stays the same.
std::shared_ptr<TypedFunction> separateInnerIndices(const TypedFunction &kernel, const RangeSeeds &seeds);

} // namespace treadle
