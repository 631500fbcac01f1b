// PtxBackend: LLVM's NVPTX back end as one compilation uses it.
#pragma once

#include "border/image.h"
#include "codegen/target_machines.h"

#include <string>
#include <string_view>

namespace llvm {
class Module;
} // namespace llvm

namespace treadle::codegen::ptx {

/// LLVM's name of a GPU, and the lowest PTX version with everything that we use on it.
struct GpuName {
  unsigned computeCapability;
  const char *processor;
  const char *features;
};

/// The newest known GPU that is not newer than the given one: its PTX runs on all later ones. Throws UsageError below
/// 7.5.
const GpuName &gpuName(unsigned computeCapability);

/// Any number may be at work at once.
class PtxBackend {
public:
  PtxBackend(TargetMachines &machines, const Target &target, const CompileOptions &options);

  /// Sets the triple and data layout of an empty module.
  void prepare(llvm::Module &module) const;
  /// Math functions have been linked, if any are used.
  void optimize(llvm::Module &module) const;
  /// LLVM ends the process on what it cannot select: `checkLegality` has passed. Changes the module.
  std::string assemble(llvm::Module &module) const;

private:
  TargetMachines::Lent machine;
  unsigned level;
  bool keepsVariables; ///< in memory, where debuggers find them
};

} // namespace treadle::codegen::ptx
