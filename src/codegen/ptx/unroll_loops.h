// UnrollLoops: unrolls short loops.
#pragma once

#include "llvm/IR/PassManager.h"

namespace treadle::codegen::ptx {

/// Unrolls the loops that nvcc unrolls, too: innermost ones that load, call nothing, count by a constant and have one
/// exit. The remaining iterations follow one by one.
struct UnrollLoops : llvm::PassInfoMixin<UnrollLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace treadle::codegen::ptx
