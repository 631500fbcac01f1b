// PtxGenerator: a typed function to PTX.
#pragma once

#include "border/image.h"
#include "typed/typed.h"

#include <memory>

namespace treadle::ptx {

class DeviceMath;

struct PtxRequest {
  const TypedFunction &function; ///< a kernel, or a device function that C code is to call
  const Target &target;
  const Facts &facts;
  const CompileOptions &options;
};

/// Any number of compilations may run at once: each has an LLVM context of its own. They share the bitcode of math
/// functions, which is looked for when the first of them needs it.
class PtxGenerator {
public:
  PtxGenerator();
  ~PtxGenerator();

  /// `keepStages` fills the stages "llvm", "optimized" and "ptx". Throws UsageError for a target that is too old.
  Image generate(const PtxRequest &request, bool keepStages) const;

private:
  struct SharedMath;
  std::unique_ptr<SharedMath> math;
};

} // namespace treadle::ptx
