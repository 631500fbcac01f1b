// Memory of other GPUs: access to it, and copies from it.
#pragma once

#include "device/cuda/copies.h"

namespace treadle::cuda {

/// Queues one driver copy for each row of a shape whose `fromDevice` is another GPU; without peer access the driver
/// stages them. The target's context must be current.
void copyFromPeer(const CopyQueue &queue, const CopyShape &shape);

} // namespace treadle::cuda
