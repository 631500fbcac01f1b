// Changes to LLVM's machine passes for PTX.
#pragma once

#include "codegen/emit_file.h"

namespace llvm {
class Module;
}

namespace treadle::codegen::ptx {

/// For the module as LLVM's passes leave it, whose size decides what would take too long.
PassChanges machinePasses(const llvm::Module &module);

} // namespace treadle::codegen::ptx
