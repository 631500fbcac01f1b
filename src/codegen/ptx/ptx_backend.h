// PtxBackend: LLVM's NVPTX back end as one compilation uses it.
#pragma once

#include "border/image.h"

#include <memory>
#include <string>
#include <string_view>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace treadle::ptx {

/// What LLVM calls a GPU, and the least PTX version that has all we use on it.
struct GpuName {
  unsigned computeCapability;
  const char *processor;
  const char *features;
};

/// The newest GPU we know that is not newer: its PTX runs on all that follow. Throws UsageError below 7.5.
const GpuName &gpuName(unsigned computeCapability);

/// Shares nothing with other compilations; any number may run at once.
class PtxBackend {
public:
  PtxBackend(const Target &target, const CompileOptions &options);
  ~PtxBackend();

  /// Gives an empty module its triple and data layout.
  void prepare(llvm::Module &module) const;
  /// Math functions have been linked, if any are used.
  void optimize(llvm::Module &module) const;
  /// LLVM ends the process on what it cannot select: `checkLegality` has passed. Changes the module.
  std::string assemble(llvm::Module &module) const;

private:
  std::unique_ptr<llvm::TargetMachine> machine;
  unsigned level;
};

} // namespace treadle::ptx
