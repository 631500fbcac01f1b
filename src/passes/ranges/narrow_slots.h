// narrow_slots: variables whose values need fewer bits than their types have.
#pragma once

#include "passes/analyses/uses.h"
#include "passes/ranges/ranges.h"

#include <vector>

namespace treadle {

/// For each slot of the function, 16 or 32 bits that hold every value assigned to it as a signed integer, if its type
/// is a wider integer; 0 for all others, including parameters and loop variables. `ranges`: those of the function.
std::vector<uint8_t> findNarrowSlots(const TypedFunction &function, const Uses &uses, const RangeTable &ranges);

} // namespace treadle
