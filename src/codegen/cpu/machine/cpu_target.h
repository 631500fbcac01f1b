// The target processor of CPU code: its features, and LLVM's machine for it.
#pragma once

#include "codegen/cpu/lanes/vector_math.h"
#include "codegen/target_machines.h"

namespace treadle {
struct Target;
}

namespace treadle::codegen {

/// Compiler::chosenFeatures.
std::string chosenFeatures(const std::string &here);

/// All features of a processor that LLVM knows by this name: "+avx,+avx2,...".
/// Compiler::processorFeatures.
std::string processorFeatures(const std::string &processor, const std::string &what);

/// The widest vector instruction set that the target supports completely.
VectorIsa isaOf(const Target &target);

/// Whether gathers are preferred to single loads of elements at an affine stride; only where elements of 4 and 8 bytes
/// have gathers (VectorIsa::Avx512).
bool hasFastGathers(const Target &target);

TargetMachines::Lent machineFor(TargetMachines &machines, const Target &target, unsigned optimization);

} // namespace treadle::codegen
