// narrow_slots: variables whose values need fewer bits than their types have.
#pragma once

#include "passes/ranges.h"

#include <vector>

namespace treadle {

/// For each slot of the function, 16 or 32 bits that hold every value that is assigned to it as a signed integer, where
/// its type is an integer of more bits; 0 for all others, parameters and variables of loops among them. `ranges`: of
/// the function.
std::vector<uint8_t> findNarrowSlots(const TypedFunction &function, const RangeTable &ranges);

} // namespace treadle
