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

/// One back end's changes to LLVM's machine passes; passes are named as in LLVM.
struct PassChanges {
  struct Replaced {
    std::string_view name;
    llvm::Pass *(*make)(void *context); ///< the caller owns the pass
    void *context = nullptr;
  };
  std::vector<std::string_view> idle = {}; ///< skipped, besides `idlePasses()`
  std::span<const Replaced> replaced = {}; ///< may replace idle ones too
};

/// The maximum number of blocks in a function, and of instructions in a block. Some passes take quadratic time in one
/// of them.
struct CodeSize {
  size_t blocks = 0, inBlock = 0;
};
CodeSize sizeOf(const llvm::Module &module);

/// The passes that are skipped for every target, as they would have nothing to do.
std::span<const std::string_view> idlePasses();

/// Changes the module. LLVM aborts on what it cannot select.
std::string emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                     const PassChanges &changes = {});

} // namespace treadle::codegen
