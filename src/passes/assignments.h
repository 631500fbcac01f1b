// assignments: how often each variable is assigned.
#pragma once

#include "typed/typed.h"

#include <vector>

namespace treadle {

/// Number of assignments of each slot, by slot index; passing an argument to a parameter does not count. The variable
/// of a range loop counts one more, since it changes with each iteration. So a slot with a count of one has a single
/// value once that assignment has run.
std::vector<unsigned> countAssignments(const TypedFunction &function);

} // namespace treadle
