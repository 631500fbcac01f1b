// Late rewrites of optimised code into forms for which LLVM's x86 back end emits less machine code.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace treadle::codegen {

/// Compares float16 vectors as float32: the optimiser narrows the comparisons, and the back end emits a call or a
/// conversion per lane for them. Precondition: the optimiser does not run again. Preserves results.
void compareHalvesAsFloats(llvm::Module &module);

/// If there are many whole-warp gathers without instructions for them, outlines one function per element type, since
/// each gather is a load and an insertion per lane. `least`: bits of the smallest element with a gather instruction.
/// Precondition: function attributes are set.
void shareGathers(llvm::Module &module, unsigned least);

/// Expands the whole-warp gathers that remain and have no instructions, where they are from one array: indices are
/// extracted before they are widened to addresses. Precondition: shareGathers() has run.
void extractIndices(llvm::Module &module, unsigned least);

} // namespace treadle::codegen
