// Per-thread default streams: one for each thread and device.
#pragma once

#include "device/stream.h"

#include <functional>
#include <memory>

namespace treadle {

/// The calling thread's default stream on a device; made at its first use, and freed when the thread ends.
/// `device`: an object unique to the device, with the same lifetime.
std::shared_ptr<Stream> threadStreamOf(const std::shared_ptr<const void> &device,
                                       const std::function<std::shared_ptr<Stream>()> &make);

} // namespace treadle
