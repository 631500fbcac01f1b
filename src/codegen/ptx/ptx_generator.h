// PtxGenerator: compiles a typed function to PTX.
#pragma once

#include "typed/typed.h"

#include <memory>

namespace treadle::codegen {
class TargetMachines;
}

namespace treadle {
struct CompileOptions;
struct Facts;
struct Image;
struct ReplacedStage;
struct Target;
} // namespace treadle

namespace treadle::codegen::ptx {

class DeviceMath;

/// All of it is the caller's, and outlives the call: images have copies of what they need.
struct PtxRequest {
  const TypedFunction &function; ///< a kernel, or a device function that C code will call
  const Target &target;
  const Facts &facts;
  const CompileOptions &options;
  const ReplacedStage *replaced = nullptr; ///< the stage "ptx"
};

/// Any number of compilations may run at once: each has its own LLVM context. They share the bitcode of math functions,
/// which is located when it is first needed, and LLVM's target machines.
class PtxGenerator {
public:
  PtxGenerator();
  ~PtxGenerator();

  /// `keepStages` fills the stages "passes", "llvm", "optimized" and "ptx". Throws UsageError for a target that is too
  /// old.
  Image generate(const PtxRequest &request, bool keepStages) const;

private:
  struct SharedMath;
  std::unique_ptr<SharedMath> math;
  std::unique_ptr<TargetMachines> machines;
};

} // namespace treadle::codegen::ptx
