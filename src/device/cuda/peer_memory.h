// Memory of other GPUs: access to it, and copies from it.
#pragma once

#include "device/cuda/copies.h"

namespace treadle::cuda {

/// Queues one copy of the driver for each row of a shape whose `fromDevice` is another GPU; without peer access the
/// driver stages them itself. The context of the target must be current.
void copyFromPeer(const CopyQueue &queue, const CopyShape &shape);

} // namespace treadle::cuda
