// From the typed tree to machine code: an image that the runtime can load.
#pragma once

#include "border/image.h"
#include "typed/typed.h"

namespace treadle::codegen {

struct CpuRequest {
  const TypedFunction &kernel;
  const Target &target;
  const Facts &facts;
  const CompileOptions &options;
};

class TargetMachines;

/// Thread-safe; holds no global state beyond LLVM's registered targets.
Image generateCpu(TargetMachines &machines, const CpuRequest &request, bool keepStages);

} // namespace treadle::codegen
