// What is changed in LLVM's machine passes for PTX.
#pragma once

namespace llvm {
class Module;
}

namespace treadle::codegen {
struct PassChanges;
} // namespace treadle::codegen

namespace treadle::codegen::ptx {

const PassChanges &machinePasses(const llvm::Module &module);

} // namespace treadle::codegen::ptx
