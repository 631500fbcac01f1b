// ordered_values: values that are never NaN.
#pragma once

#include "passes/analyses/inductive_slots.h"

namespace treadle {

/// The floating-point variables of a function that are never NaN: those that start as numbers, and are assigned minima
/// or maxima of themselves and anything, or the like.
InductiveSlots findOrderedSlots(const Uses &uses);

/// Whether that follows for a floating-point value. `slots`: those of its function.
bool isOrdered(const typed::Expr &value, const InductiveSlots &slots);

} // namespace treadle
