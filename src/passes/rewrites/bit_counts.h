// bit_counts: loops that run over the set bits of an integer, as one instruction.
#pragma once

#include "passes/rewrites/rewriter.h"

namespace treadle {

/// The rule that makes `n += popc(x); x = 0` of
///
///     while x != 0:
///         x &= x - 1
///         n += 1
///
/// and of loops that shift x to the right and count its ones or their rounds. Threads of a warp have different numbers
/// of rounds, and each waits for the longest.
std::unique_ptr<Rule> bitCounts(const RuleInput &input);

} // namespace treadle
