// narrow_floats: float64 variables whose values all fit float32 become float32 variables.
#pragma once

#include "passes/rewrites/rewriter.h"

namespace treadle {

/// The rule that makes float64 variables float32, if all values assigned to them are exact in float32:
/// elements of float32 arrays, constants, and selections, minima and maxima of these, as in `v = x[i] if i < n else 0`
/// and `best = max(best, x[i])`. If such a value is finally rounded to float32, it is selected, added, subtracted or
/// multiplied in float32. All results stay the same: float64 has more than twice the digits, so that double rounding is
/// harmless.
std::unique_ptr<Rule> narrowFloats(const RuleInput &input);

} // namespace treadle
