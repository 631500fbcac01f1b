// inner_indices: loop versioning for warps within bounds, without clamped and wrapped indices.
#pragma once

#include "passes/analyses/uses.h"
#include "passes/ranges/ranges.h"
#include "typed/typed.h"

#include <memory>

namespace treadle {

/// A copy of the kernel in which statements that compute indices by `min`, `max` and `%` of sums of the thread's
/// position are duplicated: one version without these, after a test that the bounds hold throughout, so that
/// neighbouring threads access neighbouring elements; and the original one (typed::If::isForAll). Null if there are
/// none. Precondition: a kernel as inference or an earlier pass made it. Preserves behaviour.
std::shared_ptr<TypedFunction> separateInnerIndices(const TypedFunction &kernel, const Uses &uses,
                                                    const RangeSeeds &seeds);

} // namespace treadle
