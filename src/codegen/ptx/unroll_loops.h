// UnrollLoops: unrolls short loops.
#pragma once

#include "llvm/IR/PassManager.h"

namespace treadle::codegen::ptx {

/// Unrolls the loops that nvcc unrolls, too: innermost loops with loads, without calls, with a constant step and a
/// single exit. The remaining iterations run in an epilogue.
struct UnrollLoops : llvm::PassInfoMixin<UnrollLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace treadle::codegen::ptx
