// assignments: how often each variable is assigned.
#pragma once

#include "typed/typed.h"

#include <vector>

namespace treadle {

/// Assignments of each slot, by index, without the one that a call makes of a parameter. The variable of a range loop
/// has one more than that: it changes from iteration to iteration. So a slot with exactly one holds one value wherever
/// that assignment has run once.
std::vector<unsigned> countAssignments(const TypedFunction &function);

} // namespace treadle
