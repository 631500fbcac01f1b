// Changes to LLVM's machine passes for PTX.
#pragma once

#include "codegen/emit_file.h"

namespace llvm {
class Module;
}

namespace treadle::codegen::ptx {

PassChanges machinePasses(const llvm::Module &module);

} // namespace treadle::codegen::ptx
