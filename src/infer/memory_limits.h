// The limits on a kernel's shared and local arrays.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// Throws a CompileError at the array with which `root` and its callees exceed CUDA's limits: 48 KiB of static
/// shared memory in a block, 512 KiB of local memory in a thread ("Technical Specifications per Compute Capability").
void checkMemoryLimits(const TypedFunction &root);

} // namespace treadle
