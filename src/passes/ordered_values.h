// ordered_values: values that are never NaN.
#pragma once

#include "passes/inductive_slots.h"

namespace treadle {

/// The variables of floating point of a function that are never NaN: which begin as numbers, and become minima or
/// maxima of themselves and anything, or the like.
InductiveSlots findOrderedSlots(const TypedFunction &function);

/// Whether that follows for a value of floating point. `slots`: of its function.
bool isOrdered(const typed::Expr &value, const InductiveSlots &slots);

} // namespace treadle
