// Copies of the CUDA driver: the calls that implement a strided copy.
#pragma once

#include "device/cuda/copy_kernel.h"

namespace treadle::cuda {

/// Where copies are queued.
struct CopyQueue {
  Context &context;
  CopyKernels &kernels;
  StreamHandle stream;
};

/// Queues the copy: one call if both sides are contiguous, one two-dimensional copy for each place of the other axes
/// between host and device, one kernel within the device. The context must be current. Pageable host memory has been
/// read, or written, on return, so the call may wait for the stream.
void queueCopy(const CopyQueue &queue, const CopyShape &shape);

} // namespace treadle::cuda
