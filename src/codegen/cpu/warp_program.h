// WarpProgram: what all functions of one image share during emission.
#pragma once

#include "border/image.h"
#include "codegen/cpu/vector_math.h"
#include "codegen/cpu/warp_shapes.h"
#include "codegen/debug_info.h"
#include "passes/inductive_slots.h"
#include "passes/pipeline.h"

#include <array>
#include <map>
#include <memory>
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
  VectorIsa isa = VectorIsa::Sse;
  /// Of a warp as a vector: 32, or 16 where nothing tells the halves of a warp apart.
  unsigned lanes = 32;
  /// Length of a run of lanes with consecutive threadIdx.x: Facts::blockClass; at most `lanes`, and all of
  /// them when warps span blocks.
  unsigned runLength = 1;
  /// The kernel is cut at barriers: warps take turns, so values that live across a barrier have a place per warp.
  bool hasRegions = false;
  /// Stores to arrays of Analysis::streamed that have at least as many bytes go past the caches.
  uint64_t streamedFrom = ~uint64_t(0);

  /// The most that a block of 1024 threads has.
  unsigned warpsOfBlock() const { return 1024 / lanes; }
};

/// What one round of emission makes and learns besides the module; void if the module is.
struct Emission {
  bool hasSafepoints = false;
  bool hasStreams = false;    ///< stores that go past the caches were emitted
  bool readsGridSize = false; ///< as loops that stride over the grid do
  bool loadsInLoops = false;  ///< adjacent elements, in loops of a thread
  bool loadsElements = false; ///< one by one, a constant distance apart
  uint32_t sharedBytes = 0;
  uint32_t localBytes = 0;                    ///< of one thread
  uint32_t contextBytes = 0;                  ///< of WorkerArena::context
  std::map<uint32_t, uint32_t> sharedOffsets; ///< by the id of an allocation, like the next ones
  /// By id, Allocation::copy, and the activation of a function that gives its arrays to its caller (0: of others).
  using LocalArray = std::array<uint32_t, 3>;
  std::map<LocalArray, uint32_t> localOffsets;
  std::set<LocalArray> localArrays;          ///< those counted in localBytes
  std::map<LocalArray, uint32_t> heapPlaces; ///< HeapCall::place
  /// Where dynamic shared memory begins: a constant (i64) whose value is known once everything is emitted.
  llvm::GlobalVariable *dynamicOffset = nullptr;
  std::map<const void *, llvm::GlobalVariable *> capturedData; ///< by CapturedArray::data
  std::map<std::vector<std::byte>, llvm::GlobalVariable *> constants;
  /// Outlined functions by callee and the kinds of shape of their arguments.
  std::map<std::pair<const TypedFunction *, std::string>, llvm::Function *> outlined;
  std::map<std::string, uint32_t> fallbacks; ///< CpuEntry::fallbacks
  std::vector<RaisedError> raises;
  std::vector<FunctionSource> sources;
  std::unique_ptr<DebugInfo> debug; ///< nullptr: none is wanted, or all has been emitted
};

/// The analysis and the settings are the same in all rounds of emission; what a round learns about shapes is kept for
/// the next; `emission` is new in each.
struct WarpProgram {
  const Analysis &analysis;
  const WarpSettings settings;
  WarpShapes shapes = {};
  /// Of the functions met so far; the same in all rounds.
  std::map<const TypedFunction *, LivenessTable> liveness = {};
  Emission emission = {};

  /// Warps of a block take turns, so data of a warp has a place per warp.
  bool warpsTakeTurns() const { return settings.hasRegions || analysis.usesFibers; }
  const LivenessTable &livenessOf(const TypedFunction &function);
  /// As findNarrowSlots() has them, where that makes code faster.
  std::map<const TypedFunction *, std::vector<uint8_t>> narrowSlots = {};
  const std::vector<uint8_t> &narrowSlotsOf(const TypedFunction &function);
  std::map<const TypedFunction *, InductiveSlots> orderedSlots = {};
  const InductiveSlots &orderedSlotsOf(const TypedFunction &function);
};

} // namespace treadle::codegen
