// WarpProgram: what all functions of one image share while they are emitted.
#include "codegen/cpu/warp_program.h"

#include "passes/narrow_slots.h"
#include "passes/ordered_values.h"

#include <algorithm>

namespace treadle::codegen {

const LivenessTable &WarpProgram::livenessOf(const TypedFunction &function) {
  if (&function == analysis.kernel && analysis.liveness)
    return *analysis.liveness;
  const auto [entry, isNew] = liveness.try_emplace(&function);
  if (isNew)
    entry->second = findLiveness(function, settings.hasRegions);
  return entry->second;
}

const std::vector<uint8_t> &WarpProgram::narrowSlotsOf(const TypedFunction &function) {
  const auto [entry, isNew] = narrowSlots.try_emplace(&function);
  if (!isNew)
    return entry->second;
  entry->second = findNarrowSlots(function, analysis.ranges);
  // Indices of gathers have 64 bits in the end: with registers of 512 bits, getting there costs more than is gained.
  if (settings.isa == VectorIsa::Avx512)
    std::ranges::replace(entry->second, 32, 0);
  return entry->second;
}

const InductiveSlots &WarpProgram::orderedSlotsOf(const TypedFunction &function) {
  const auto [entry, isNew] = orderedSlots.try_emplace(&function);
  if (isNew)
    entry->second = findOrderedSlots(function);
  return entry->second;
}

} // namespace treadle::codegen
