// WarpProgram: what all functions of one image share while they are emitted.
#include "codegen/cpu/warp_program.h"

namespace treadle::codegen {

const LivenessTable &WarpProgram::livenessOf(const TypedFunction &function) {
  if (&function == analysis.kernel && analysis.liveness)
    return *analysis.liveness;
  const auto [entry, isNew] = liveness.try_emplace(&function);
  if (isNew)
    entry->second = findLiveness(function, settings.hasRegions);
  return entry->second;
}

} // namespace treadle::codegen
