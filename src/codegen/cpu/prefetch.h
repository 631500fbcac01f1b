// prefetch: prefetches what loops read with long steps, and element by element.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
class IRBuilderBase;
class LoadInst;
class LoopInfo;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace treadle::codegen {

/// What processors do not prefetch themselves, though they do streams.
struct Prefetched {
  bool longSteps = false; ///< a warp's accesses to an array in steps of the whole grid
  bool columns = false;   ///< long steps in loops that load nothing else, as those over columns of a matrix do
  bool elements = false;  ///< those that a warp loads one by one, a constant distance apart, as fields of records are
};

/// Needs loops in their final form; changes nothing but the time at which lines come into the cache.
void prefetch(llvm::Function &function, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
              Prefetched wanted);

inline constexpr uint64_t cacheLineBytes = 64;

/// The line that the address is in comes into the caches.
void prefetchLine(llvm::IRBuilderBase &b, llvm::Value *address);

/// This load reads one lane's element only, so that there are too many of its kind to prefetch for each.
void markLaneLoad(llvm::LoadInst &load);

} // namespace treadle::codegen
