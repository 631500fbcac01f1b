// The passes in their order: what a generator knows of a kernel before it emits it.
#pragma once

#include "border/image.h"
#include "passes/grid_ids.h"
#include "passes/liveness.h"
#include "passes/ranges.h"
#include "passes/spin_loops.h"
#include "passes/strided_loops.h"
#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace treadle {

struct AnalysisRequest {
  const TypedFunction &kernel; ///< or a device function that is an image of its own; outlives the analysis
  const Facts &facts;
  const CompileOptions &options;
  bool usesFibers = false; ///< CPU: each warp is a fiber
};

/// What the passes found, for one compilation. Tables know the nodes of `kernel` by their addresses; typed trees are
/// shared between compilations, so nothing is written into them.
struct Analysis {
  Analysis(const AnalysisRequest &request);

  const TypedFunction *kernel;              ///< as the passes have left it
  std::shared_ptr<const TypedFunction> own; ///< the same, if a pass made it
  Facts facts;
  const CompileOptions &options;
  bool usesFibers;
  std::optional<WaitingLoops> waiting;
  GridIds gridIds;
  RangeTable ranges;
  /// PTX: barriers that threads of one warp may reach apart.
  std::unordered_set<const typed::Stmt *> divergentBarriers;
  /// CPU: lanes number threads along x across blocks.
  bool spansBlocks = false;
  /// CPU: of the kernel, before each statement; only where strided loops were looked for.
  std::optional<LivenessTable> liveness;
  /// CPU: iterations run one after the other for all warps of a block, or of a unit that spans blocks.
  std::vector<StridedLoop> stridedLoops;
  /// CPU: parameters that are stored to and no more, where their order in memory is the warps'.
  llvm::BitVector streamed;
};

/// Thrown where warps must be fibers and are not: the kernel is analysed and generated again, with fibers.
struct NeedsFibers {};

enum class Generator : uint8_t { Ptx, Cpu };

/// Runs the generator's passes. Throws NeedsFibers.
std::unique_ptr<const Analysis> analyse(const AnalysisRequest &request, Generator generator);

struct Pass {
  std::string_view name;
  void (*run)(Analysis &analysis);
};

/// The passes of a generator, in their order.
std::span<const Pass> passesOf(Generator generator);

/// Runs them one after the other. Where `verifies`, a tree that a pass has made is verified before the next one sees
/// it, and an InternalError says which pass it was.
void runPasses(std::span<const Pass> passes, Analysis &analysis, bool verifies);

} // namespace treadle
