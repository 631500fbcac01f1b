// From the typed tree to machine code of this machine: an object file, and from it a function in this process.
#pragma once

#include "border/compiler.h"
#include "border/image.h"
#include "typed/typed.h"

#include <memory>
#include <span>

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

/// Links the object with the vector math routines, the poll word and the C library.
NativeCode loadObject(const Image &image, std::span<const uint64_t> captured);

} // namespace treadle::codegen
