// remainders: `x - x // c * c` is `x % c`, of which more is known.
#pragma once

#include "passes/rewrites/rewriter.h"

namespace treadle {

/// The rule that makes `r = x % 60` of
///
///     q = x // 60
///     r = x - q * 60
///
/// for integers and constants above 0. The range of a remainder is known, and with it what is computed of it in fewer
/// bits.
std::unique_ptr<Rule> remainders(const RuleInput &input);

} // namespace treadle
