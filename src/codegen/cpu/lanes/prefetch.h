// prefetch: software prefetching for loops with long strides, and of single elements.
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

/// Access patterns that hardware does not prefetch, unlike streams.
struct Prefetched {
  bool longSteps = false; ///< a warp's accesses to an array in strides of the whole grid
  bool columns = false;   ///< long strides in loops that load nothing else, such as those over matrix columns
  bool elements =
      false; ///< elements that a warp loads one by one, a constant distance apart, such as fields of records
};

/// Needs loops in their final form; affects only timing.
void prefetch(llvm::Function &function, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
              Prefetched wanted);

inline constexpr uint64_t cacheLineBytes = 64;

/// Prefetches the cache line of the address.
void prefetchLine(llvm::IRBuilderBase &b, llvm::Value *address);

/// Marks a load of a single lane's element: there are too many of its kind to prefetch each.
void markLaneLoad(llvm::LoadInst &load);

} // namespace treadle::codegen
