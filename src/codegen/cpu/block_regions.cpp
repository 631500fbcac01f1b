// BlockRegions: kernels with barriers.
#include "codegen/cpu/block_regions.h"

#include "support/error.h"

namespace treadle::codegen {

void BlockRegions::emitKernel(Frame &) {
  (void)e; (void)model; (void)program; (void)forEachWarp;
  throw InternalError("kernels with barriers are not compiled for the CPU yet");
}

} // namespace treadle::codegen
