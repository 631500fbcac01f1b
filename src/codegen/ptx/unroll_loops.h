// UnrollLoops: short loops with several iterations in one.
#pragma once

#include "llvm/IR/PassManager.h"

namespace treadle::ptx {

/// Takes the loops that nvcc takes as well: innermost ones that load, call nothing, count by a constant and leave in
/// one place. The iterations that are left over come after them, one by one.
struct UnrollLoops : llvm::PassInfoMixin<UnrollLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace treadle::ptx
