// prefetch: prefetches the memory that loops with long steps read.
#pragma once

namespace llvm {
class Function;
class LoadInst;
class ScalarEvolution;
class LoopInfo;
} // namespace llvm

namespace treadle::codegen {

/// The processor prefetches streams, but not a warp's accesses to an array in steps of the whole grid. Needs loops in
/// their final form; changes nothing but the time at which lines come into the cache.
void prefetchLongSteps(llvm::Function &function, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution);

/// This load reads one lane's element only, so that there are too many of its kind to prefetch for each.
void markLaneLoad(llvm::LoadInst &load);

} // namespace treadle::codegen
