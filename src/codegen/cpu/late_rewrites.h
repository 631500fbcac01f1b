// Rewrites of optimised code into what LLVM's back end for x86 makes less machine code of.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace treadle::codegen {

/// Comparisons of vectors of float16 as ones of float32: the optimiser narrows them, and the back end makes a call or a
/// conversion for each lane of what is left. Needs code that the optimiser does not see again; the results are the
/// same.
void compareHalvesAsFloats(llvm::Module &module);

/// Where there are many gathers of whole warps without instructions for them, one function for each type of element,
/// since each is a load and an insertion for each lane. `least`: bits of an element for which there are. The code must
/// have its attributes.
void shareGathers(llvm::Module &module, unsigned least);

} // namespace treadle::codegen
