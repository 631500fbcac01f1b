// WarpProgram: what all functions of one image share while they are emitted.
#pragma once

#include "border/image.h"
#include "codegen/cpu/vector_math.h"
#include "codegen/cpu/warp_shapes.h"
#include "passes/pipeline.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace treadle::codegen {

/// Decided before anything is emitted.
struct WarpSettings {
  cpu::VectorIsa isa = cpu::VectorIsa::Sse;
  /// Length of a run of lanes with consecutive threadIdx.x: Facts::blockClass; 32 when it spans blocks.
  unsigned runLength = 1;
  /// The kernel is cut at barriers: warps take turns, so what lives across a barrier has a place per warp.
  bool hasRegions = false;
  /// Arrays of Analysis::streamed from so many bytes on go past the caches.
  uint64_t streamedFrom = ~uint64_t(0);
};

/// What one round of emission makes beside the module, and finds out on the way; worth as much as the module.
struct Emission {
  bool hasSafepoints = false;
  bool hasStreams = false;    ///< stores that go past the caches were emitted
  bool readsGridSize = false; ///< as loops do that stride over the grid
  uint32_t sharedBytes = 0;
  uint32_t localBytes = 0;                    ///< of one thread
  uint32_t contextBytes = 0;                  ///< of WorkerArena::context
  std::map<uint32_t, uint32_t> sharedOffsets; ///< by the id of an allocation, as the next ones
  std::map<uint32_t, uint32_t> localOffsets;
  std::set<uint32_t> localArrays; ///< those that localBytes has
  /// Where dynamic shared memory begins: a constant (i64) whose value is known once everything is emitted.
  llvm::GlobalVariable *dynamicOffset = nullptr;
  std::map<std::pair<const TypedFunction *, uint32_t>, llvm::GlobalVariable *> capturedData;
  /// Outlined functions by callee, with the kinds of shape their arguments have.
  std::map<std::pair<const TypedFunction *, std::string>, llvm::Function *> outlined;
  std::map<std::string, uint32_t> fallbacks; ///< of CpuEntry
  std::vector<RaisedError> raises;
};

/// What is known when a round of emission begins stays as it is; what it learns about shapes, the next one knows; what
/// it makes begins anew with each.
struct WarpProgram {
  const Analysis &analysis;
  const WarpSettings settings;
  WarpShapes shapes = {};
  /// Of functions met so far; no round changes them.
  std::map<const TypedFunction *, LivenessTable> liveness = {};
  Emission emission = {};

  /// Warps of a block run by turns, so what is a warp's own has a place for each.
  bool warpsTakeTurns() const { return settings.hasRegions || analysis.usesFibers; }
  const LivenessTable &livenessOf(const TypedFunction &function);
};

} // namespace treadle::codegen
