// WarpProgram: state shared by all functions of one image during emission.
#include "codegen/cpu/lanes/warp_program.h"

#include "passes/analyses/ordered_values.h"
#include "passes/ranges/narrow_slots.h"

#include <algorithm>

namespace treadle::codegen {

/// The passes may have found that of the kernel already. Results are kept from round to round, as trees do not change.
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
  entry->second = findNarrowSlots(function, analysis.uses.of(function), analysis.ranges);
  // Gather indices end up as 64 bits: with 512-bit registers, widening costs more than is gained.
  if (settings.isa == VectorIsa::Avx512)
    std::ranges::replace(entry->second, 32, 0);
  return entry->second;
}

const InductiveSlots &WarpProgram::orderedSlotsOf(const TypedFunction &function) {
  const auto [entry, isNew] = orderedSlots.try_emplace(&function);
  if (isNew)
    entry->second = findOrderedSlots(analysis.uses.of(function));
  return entry->second;
}

} // namespace treadle::codegen
