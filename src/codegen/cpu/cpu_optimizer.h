// LLVM's part of the way from emitted code to an object file.
#pragma once

#include "border/target.h"

#include "llvm/Target/TargetMachine.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace treadle::codegen {

/// Says in each function which features code for it may use.
void setAttributes(llvm::Module &module, const Target &target);

struct CpuOptimization {
  unsigned level;
  bool prefetches; ///< what loops with long steps will read
};

/// What the emitter leaves to LLVM: promotion of slots, common subexpressions, hoisting, unrolling of constant loops,
/// and moving what only masked code needs to there. Unrolling asks for the trip count of every loop, which is dear:
/// not where none can be constant.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, const CpuOptimization &how);

/// An object file or assembly. Changes the module.
std::string emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type);

} // namespace treadle::codegen
