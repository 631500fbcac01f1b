// The processor that CPU code is made for: its features, and LLVM's machine for it.
#pragma once

#include "border/target.h"
#include "codegen/cpu/vector_math.h"

#include <memory>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace treadle::codegen {

/// The features of this machine that generated code uses (TREADLE_CPU_FEATURES replaces them), and its caches.
Target cpuHostTarget();

/// The widest vector instruction set that the target supports completely.
VectorIsa isaOf(const Target &target);

std::unique_ptr<llvm::TargetMachine> makeMachine(const Target &target, unsigned optimization);

} // namespace treadle::codegen
