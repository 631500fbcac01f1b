// Allocates and releases buffers.
#include "memory/buffer.h"

namespace treadle {

Buffer::Buffer(Device &device, size_t bytes)
    : device(device), memory(static_cast<char *>(device.allocate(bytes))), length(bytes) {}

Buffer::~Buffer() { device.release(memory); }

} // namespace treadle
