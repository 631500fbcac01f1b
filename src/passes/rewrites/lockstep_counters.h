// lockstep_counters: loop counters are uniform across the threads of a warp that are in the loop.
#pragma once

#include "passes/rewrites/rewriter.h"

namespace treadle {

/// The rule by which loops like
///
///     j = 0
///     while j < m and text[i + j] == pattern[j]:
///         j += 1
///
/// use separate counters, which are assigned to j in each iteration. If threads leave such a loop one after another, j
/// is a vector, as threads that have left read it after the loop; the separate counter is a scalar, and accesses that
/// it indexes are uniform or contiguous.
std::unique_ptr<Rule> lockstepCounters(const RuleInput &input);

} // namespace treadle
