// The default streams of threads: one for each thread and device.
#pragma once

#include "device/stream.h"

#include <functional>
#include <memory>

namespace treadle {

/// The calling thread's default stream on a device; made at its first use, and freed when the thread ends.
/// `device`: something that lives as long as the device and belongs to it alone.
std::shared_ptr<Stream> threadStreamOf(const std::shared_ptr<const void> &device,
                                       const std::function<std::shared_ptr<Stream>()> &make);

} // namespace treadle
