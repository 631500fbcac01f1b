// Replaces strided accesses (strided_access.h) by code: those of one row together, others one by one.
#pragma once

#include "math/routine_table.h"

namespace llvm {
class AAResults;
class Function;
class Module;
class PostDominatorTree;
} // namespace llvm

namespace treadle::codegen {

/// What decides how a lone access is made.
struct StridedTarget {
  math::VectorIsa isa = math::VectorIsa::Sse;
  bool hasFastGathers = false;
};

struct StridedAnalyses {
  llvm::AAResults &aliases;
  const llvm::PostDominatorTree &tree;
};

bool hasStridedAccesses(const llvm::Module &module);

/// Loads of columns of the same rows, with nothing between them that may write these, become one load of parts of the
/// rows, where the first of them is; stores likewise where the last is. Precondition: the optimiser does not run again.
void lowerStridedAccesses(llvm::Function &function, const StridedAnalyses &analyses, const StridedTarget &target);

} // namespace treadle::codegen
