// The passes in order: a generator's analysis of a kernel before emission.
#pragma once

#include "passes/analyses/liveness.h"
#include "passes/analyses/spin_loops.h"
#include "passes/analyses/uses.h"
#include "passes/analyses/vectorizable_loops.h"
#include "passes/grid/grid_ids.h"
#include "passes/grid/strided_loops.h"
#include "passes/grid/worker_tables.h"
#include "passes/ranges/ranges.h"
#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace treadle {

struct CompileOptions;

struct AnalysisRequest {
  const TypedFunction &kernel; ///< or a device function compiled on its own; outlives the analysis
  const Facts &facts;
  const CompileOptions &options;
  bool usesFibers = false; ///< CPU: each warp is a fiber
  bool isReported = false; ///< fill Analysis::report
};

/// The results of the passes for one compilation. Tables refer to nodes of `kernel` by address; typed trees are shared
/// between compilations, so passes never write to them.
struct Analysis {
  Analysis(const AnalysisRequest &request);

  const TypedFunction *kernel; ///< the final tree
  /// The trees made by passes, in order: copies still refer to their originals.
  std::vector<std::shared_ptr<const TypedFunction>> own;
  UsesTable uses;                      ///< of the trees, and of the functions that they call
  std::vector<std::string_view> rules; ///< those applied
  Facts facts;
  const CompileOptions &options;
  bool usesFibers;
  std::optional<WaitingLoops> waiting;
  GridIds gridIds;
  RangeTable ranges;
  /// PTX: barriers that the threads of one warp may reach separately.
  std::unordered_set<const typed::Stmt *> divergentBarriers;
  /// CPU: arrays of which each worker updates a copy.
  std::vector<WorkerTable> tables;
  /// CPU: lanes number threads along x across blocks.
  bool spansBlocks = false;
  /// CPU: a warp may run as two vectors of 16 lanes, in sequence.
  bool canHalveWarps = false;
  /// CPU: of the kernel, before each statement; only if strided loops were looked for.
  std::optional<LivenessTable> liveness;
  /// CPU: loops whose iterations run in sequence for all warps of a block, or of a unit that spans blocks.
  std::vector<StridedLoop> stridedLoops;
  VectorizableLoops vectorizableLoops; ///< CPU
  /// CPU: parameters that are only stored to, in memory order by warp.
  llvm::BitVector streamed;
  /// The stage "passes", if it was asked for.
  std::optional<std::string> report;
};

/// Thrown if warps must be fibers but are not: analysis and generation are then repeated with fibers.
struct NeedsFibers {};

enum class Generator : uint8_t { Ptx, Cpu };

/// Runs the generator's passes. Throws NeedsFibers.
std::unique_ptr<const Analysis> analyse(const AnalysisRequest &request, Generator generator);

struct Pass {
  std::string_view name;
  void (*run)(Analysis &analysis);
  std::vector<std::string> (*findings)(const Analysis &analysis) = nullptr; ///< of an analysis, for the report
};

/// The passes of a generator, in order.
std::span<const Pass> passesOf(Generator generator);

/// Runs them in order. If `verifies`, a tree made by a pass is verified before the next pass reads it, and an
/// InternalError names the pass.
void runPasses(std::span<const Pass> passes, Analysis &analysis, bool verifies);

} // namespace treadle
