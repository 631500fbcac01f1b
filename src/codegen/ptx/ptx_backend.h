// PtxBackend: LLVM's NVPTX back end, for one compilation.
#pragma once

#include "codegen/target_machines.h"

#include <string>
#include <string_view>

namespace llvm {
class Module;
} // namespace llvm

namespace treadle {
struct CompileOptions;
struct Target;
} // namespace treadle

namespace treadle::codegen::ptx {

/// LLVM's name of a GPU, and the lowest PTX version with every feature that we use on it.
struct GpuName {
  unsigned computeCapability;
  const char *processor;
  const char *features;
};

/// The newest known GPU that is not newer than the given one: its PTX runs on all later ones. Throws UsageError below
/// 7.5.
const GpuName &gpuName(unsigned computeCapability);

/// Any number may be in use at once.
class PtxBackend {
public:
  PtxBackend(TargetMachines &machines, const Target &target, const CompileOptions &options);

  /// Sets the triple and data layout of an empty module.
  void prepare(llvm::Module &module) const;
  /// Precondition: math functions have been linked, if any are used.
  void optimize(llvm::Module &module) const;
  /// Precondition: `checkLegality` has passed, as LLVM aborts on what it cannot select. Changes the module.
  std::string assemble(llvm::Module &module) const;

private:
  TargetMachines::Lent machine;
  unsigned level;
  bool keepsVariables; ///< in memory, for debuggers
};

} // namespace treadle::codegen::ptx
