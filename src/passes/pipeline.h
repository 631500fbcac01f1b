// The passes in their order: what a generator knows about a kernel before emitting it.
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

/// Whether debuggers find the user's variables in memory, with the values that they have in the source.
inline bool keepsVariables(const CompileOptions &options) { return options.debug && options.optimization == 0; }

struct AnalysisRequest {
  const TypedFunction &kernel; ///< or a device function compiled on its own; outlives the analysis
  const Facts &facts;
  const CompileOptions &options;
  bool usesFibers = false; ///< CPU: each warp is a fiber
};

/// The results of the passes for one compilation. Tables refer to nodes of `kernel` by address; typed trees are shared
/// between compilations, so passes never write to them.
struct Analysis {
  Analysis(const AnalysisRequest &request);

  const TypedFunction *kernel; ///< as the passes have left it
  /// The trees that passes have made, in order: what is copied from one refers to it further on.
  std::vector<std::shared_ptr<const TypedFunction>> own;
  Facts facts;
  const CompileOptions &options;
  bool usesFibers;
  std::optional<WaitingLoops> waiting;
  GridIds gridIds;
  RangeTable ranges;
  /// PTX: barriers that the threads of one warp may reach separately.
  std::unordered_set<const typed::Stmt *> divergentBarriers;
  /// CPU: lanes number threads along x across blocks.
  bool spansBlocks = false;
  /// CPU: a warp may run as two vectors of 16 lanes, one after the other.
  bool canHalveWarps = false;
  /// CPU: of the kernel, before each statement; only if strided loops were looked for.
  std::optional<LivenessTable> liveness;
  /// CPU: loops whose iterations run one after the other for all warps of a block, or of a unit that spans blocks.
  std::vector<StridedLoop> stridedLoops;
  /// CPU: parameters that are only stored to, and whose order in memory is that of the warps.
  llvm::BitVector streamed;
};

/// Thrown if warps must be fibers and are not: the kernel is then analysed and generated again, with fibers.
struct NeedsFibers {};

enum class Generator : uint8_t { Ptx, Cpu };

/// Runs the generator's passes. Throws NeedsFibers.
std::unique_ptr<const Analysis> analyse(const AnalysisRequest &request, Generator generator);

struct Pass {
  std::string_view name;
  void (*run)(Analysis &analysis);
};

/// The passes of a generator, in order.
std::span<const Pass> passesOf(Generator generator);

/// Runs them in order. If `verifies`, a tree made by a pass is verified before the next pass reads it, and an
/// InternalError names the pass.
void runPasses(std::span<const Pass> passes, Analysis &analysis, bool verifies);

} // namespace treadle
