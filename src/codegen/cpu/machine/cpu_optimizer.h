// LLVM's passes over emitted code.
#pragma once

#include "codegen/cpu/lanes/prefetch.h"
#include "codegen/cpu/lanes/strided_lowering.h"

#include "llvm/Target/TargetMachine.h"

#include <string_view>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace treadle {
struct Target;
}

namespace treadle::codegen {

/// Sets in each function the processor features that its code may use.
void setAttributes(llvm::Module &module, const Target &target);

struct CpuOptimization {
  unsigned level;
  Prefetched prefetched;
  unsigned leastGathered; ///< bits of the smallest element for which there are gathers
  bool vectorizes;        ///< loops that are marked for it
  StridedTarget strided;
};

/// Runs the passes that the emitter relies on: promotion of slots, common subexpressions, hoisting, unrolling of
/// constant loops, and sinking code that only masked code needs. Unrolling computes the trip count of every loop, which
/// is expensive: it is skipped if none can be constant.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, const CpuOptimization &how);

/// The machine passes to skip for large code: PassChanges::idle.
std::vector<std::string_view> idleOfLarge(const llvm::Module &module);

} // namespace treadle::codegen
