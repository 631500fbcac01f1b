// roundings: float64 operations whose results are immediately rounded to float32 are computed in float32.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace treadle::codegen {

/// Creates a sum, a difference or a product (an LLVM opcode) of two numbers of the narrow type that is not fused with
/// its user.
using MakeRounded =
    llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, unsigned opcode, llvm::Value *, llvm::Value *)>;

/// Sums, differences and products of converted numbers that are rounded back to the original type become operations on
/// that type, also through negations and selects: float64 has more than twice the digits of float32, as float32 has of
/// float16, so that double rounding is harmless. LLVM does the same, but its operations may be fused with their users,
/// which would drop the rounding that the program asks for: to be called before LLVM's own pass.
void narrowRounded(llvm::Function &function, MakeRounded make);

/// Such an operation on the CPU: without LLVM's contract flag.
llvm::Value *makeUnfused(llvm::IRBuilder<> &builder, unsigned opcode, llvm::Value *left, llvm::Value *right);

} // namespace treadle::codegen
