// WideDivisions: divisions of more than 64 bits, which LLVM creates for closed-form sums and NVPTX cannot select.
#pragma once

#include "llvm/IR/PassManager.h"

namespace treadle::codegen::ptx {

/// Divides in 64 bits where the operands fit, and bit by bit elsewhere.
struct WideDivisions : llvm::PassInfoMixin<WideDivisions> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace treadle::codegen::ptx
