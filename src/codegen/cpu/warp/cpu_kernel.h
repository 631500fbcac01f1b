// The kernel's entry on the CPU: from a range of units to warps, and from the parameter block to slots.
#pragma once

#include "border/parameter_layout.h"
#include "codegen/cpu/warp/warp_model.h"

namespace treadle::codegen {

struct CpuKernelRequest {
  const TypedFunction &kernel;
  const EmitOptions &options;
  const ParameterLayout &layout;
  std::string entry;
};

/// Emits cpu::KernelFunction `request.entry` into the module; returns false if assumptions changed: the module must
/// then be discarded, and the next attempt with the same program has better assumptions.
bool emitCpuKernel(llvm::Module &module, WarpProgram &program, const CpuKernelRequest &request);

} // namespace treadle::codegen
