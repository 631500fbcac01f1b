// WarpProgram: state shared by all functions of one image during emission.
#pragma once

#include "border/fault.h"
#include "codegen/cpu/lanes/vector_math.h"
#include "codegen/cpu/lanes/warp_shapes.h"
#include "codegen/debug_info.h"
#include "passes/analyses/inductive_slots.h"
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

/// Fixed before emission.
struct WarpSettings {
  VectorIsa isa = VectorIsa::Sse;
  bool hasFastGathers = false; ///< of the target
  /// Lanes of a warp as a vector: 32, or 16 if nothing distinguishes the halves of a warp.
  unsigned lanes = 32;
  /// Length of a run of lanes with consecutive threadIdx.x: Facts::blockClass; at most `lanes`, and all of
  /// them when warps span blocks.
  unsigned runLength = 1;
  /// The kernel is split at barriers: warps take turns, so values that live across a barrier have a place per warp.
  bool hasRegions = false;
  /// Stores to arrays of Analysis::streamed that have at least as many bytes bypass the caches.
  uint64_t streamedFrom = ~uint64_t(0);

  /// The maximum, in a block of 1024 threads.
  unsigned warpsOfBlock() const { return 1024 / lanes; }
};

/// The results of one round of emission besides the module; void if the module is.
struct Emission {
  bool hasSafepoints = false;
  bool hasStreams = false;     ///< streaming stores were emitted
  bool readsGridSize = false;  ///< as grid-stride loops do
  bool loadsInLoops = false;   ///< adjacent elements, in a thread's loops
  bool loadsElements = false;  ///< single ones, a constant distance apart
  bool hasVectorLoops = false; ///< loops that LLVM is to vectorize
  uint32_t sharedBytes = 0;
  uint32_t localBytes = 0;                    ///< of one thread
  uint32_t contextBytes = 0;                  ///< of WorkerArena::context
  std::map<uint32_t, uint32_t> sharedOffsets; ///< by the id of an allocation, like the next ones
  /// By id, Allocation::copy, and the activation of a function that returns arrays (0: others).
  using LocalArray = std::array<uint32_t, 3>;
  std::map<LocalArray, uint32_t> localOffsets;
  std::set<LocalArray> localArrays;          ///< those counted in localBytes
  std::map<LocalArray, uint32_t> heapPlaces; ///< HeapCall::place
  /// The offset of dynamic shared memory: a constant (i64) whose value is known after emission.
  llvm::GlobalVariable *dynamicOffset = nullptr;
  std::map<const void *, llvm::GlobalVariable *> capturedData; ///< by CapturedArray::data
  std::map<std::vector<std::byte>, llvm::GlobalVariable *> constants;
  /// Outlined functions by callee and the shapes of their arguments.
  std::map<std::pair<const TypedFunction *, std::string>, llvm::Function *> outlined;
  std::map<std::string, uint32_t> fallbacks; ///< CpuCode::fallbacks
  std::vector<RaisedError> raises;
  std::vector<FunctionSource> sources;
  std::unique_ptr<DebugInfo> debug; ///< nullptr: not wanted, or everything has been emitted
};

/// The analysis and the settings are the same in all rounds of emission; knowledge about shapes carries over to the
/// next; `emission` is new in each.
struct WarpProgram {
  const Analysis &analysis;
  const WarpSettings settings;
  WarpShapes shapes = {};
  /// Of the functions met so far; the same in all rounds.
  std::map<const TypedFunction *, LivenessTable> liveness = {};
  Emission emission = {};

  /// Warps of a block take turns, so per-warp data has a place per warp.
  bool warpsTakeTurns() const { return settings.hasRegions || analysis.usesFibers; }
  const LivenessTable &livenessOf(const TypedFunction &function);
  /// The results of findNarrowSlots(), if they make code faster.
  std::map<const TypedFunction *, std::vector<uint8_t>> narrowSlots = {};
  const std::vector<uint8_t> &narrowSlotsOf(const TypedFunction &function);
  std::map<const TypedFunction *, InductiveSlots> orderedSlots = {};
  const InductiveSlots &orderedSlotsOf(const TypedFunction &function);
};

} // namespace treadle::codegen
