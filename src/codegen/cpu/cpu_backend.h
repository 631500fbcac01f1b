// From the typed tree to machine code: an image that the runtime can load.
#pragma once

#include "typed/typed.h"

namespace treadle {
struct CompileOptions;
struct Facts;
struct Image;
struct ReplacedStage;
struct Target;
} // namespace treadle

namespace treadle::codegen {

/// All of it is the caller's, and outlives the call: images have copies of what they need.
struct CpuRequest {
  const TypedFunction &kernel;
  const Target &target;
  const Facts &facts;
  const CompileOptions &options;
  const ReplacedStage *replaced = nullptr; ///< the stage "optimized"
};

class TargetMachines;

/// Thread-safe; holds no global state beyond LLVM's registered targets.
Image generateCpu(TargetMachines &machines, const CpuRequest &request, bool keepStages);

} // namespace treadle::codegen
