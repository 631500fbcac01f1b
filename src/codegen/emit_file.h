// LLVM's machine passes: from optimised code to assembly or an object file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class Module;
class Pass;
class TargetMachine;
enum class CodeGenFileType;
} // namespace llvm

namespace treadle::codegen {

/// What one back end changes in LLVM's machine passes; passes are named as LLVM names them.
struct PassChanges {
  struct Replaced {
    std::string_view name;
    llvm::Pass *(*make)(void *context); ///< the caller owns the pass
    void *context = nullptr;
  };
  std::vector<std::string_view> idle = {}; ///< left out, beside `idlePasses()`
  std::span<const Replaced> replaced = {}; ///< idle ones too
};

/// The most blocks that a function has, and the most instructions that a block has. Some passes take time in the square
/// of one of them.
struct CodeSize {
  size_t blocks = 0, inBlock = 0;
};
CodeSize sizeOf(const llvm::Module &module);

/// The passes that are left out for every target, as they would find nothing to do.
std::span<const std::string_view> idlePasses();

/// Changes the module. LLVM ends the process on what it cannot select.
std::string emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                     const PassChanges &changes = {});

} // namespace treadle::codegen
