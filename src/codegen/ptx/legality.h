// Legality: an allowlist of what NVPTX can select. LLVM aborts the process on anything else, so this is checked first.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace treadle::codegen::ptx {

/// Throws an InternalError that names the first instruction that is not on the list. Needs valid IR; runs after all
/// passes, just before the assembler.
void checkLegality(const llvm::Module &module);

} // namespace treadle::codegen::ptx
