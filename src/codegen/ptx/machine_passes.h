// What is changed in LLVM's machine passes for PTX.
#pragma once

namespace treadle::codegen {
struct PassChanges;
} // namespace treadle::codegen

namespace treadle::codegen::ptx {

const PassChanges &machinePasses();

} // namespace treadle::codegen::ptx
