// Copies of the CUDA driver: which of its calls make a strided copy.
#pragma once

#include "device/cuda/copy_kernel.h"

namespace treadle::cuda {

/// Where copies are queued.
struct CopyQueue {
  Context &context;
  CopyKernels &kernels;
  StreamHandle stream;
};

/// Queues the copy: one call where both sides have no gaps, one two-dimensional copy for each place of the other axes
/// between host and device, one kernel within the device. The context must be current. Memory of the host that is
/// pageable has been read, or written, when it returns, so that it may wait for the stream.
void queueCopy(const CopyQueue &queue, const CopyShape &shape);

} // namespace treadle::cuda
