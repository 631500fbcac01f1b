// prefetch: asks early for what loops with long steps read.
#pragma once

namespace llvm {
class Function;
class ScalarEvolution;
class LoopInfo;
} // namespace llvm

namespace treadle::codegen {

/// The processor foresees streams, but not a warp's way through an array in steps of the whole grid. Needs the loops as
/// they will be, and promises to change nothing but when lines come into the cache.
void prefetchLongSteps(llvm::Function &function, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution);

} // namespace treadle::codegen
