// prefetch: prefetches what loops read with long steps, and element by element.
#pragma once

namespace llvm {
class Function;
class LoadInst;
class ScalarEvolution;
class LoopInfo;
} // namespace llvm

namespace treadle::codegen {

/// What processors do not prefetch themselves, though they do streams.
struct Prefetched {
  bool longSteps = false; ///< a warp's accesses to an array in steps of the whole grid
  bool elements = false;  ///< those that a warp loads one by one, out of records or rows
};

/// Needs loops in their final form; changes nothing but the time at which lines come into the cache.
void prefetch(llvm::Function &function, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
              Prefetched wanted);

/// This load reads one lane's element only, so that there are too many of its kind to prefetch for each.
void markLaneLoad(llvm::LoadInst &load);

} // namespace treadle::codegen
