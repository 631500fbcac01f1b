// LLVM's machine passes: from optimised code to assembly or an object file.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace llvm {
class Module;
class TargetMachine;
enum class CodeGenFileType;
} // namespace llvm

namespace treadle::codegen {

/// LLVM's names of the passes that are left out, as they would find nothing to do.
std::span<const std::string_view> idlePasses();

/// Changes the module. LLVM ends the process on what it cannot select.
std::string emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type);

} // namespace treadle::codegen
