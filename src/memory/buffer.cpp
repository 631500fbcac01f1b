// Allocates and releases buffers.
#include "memory/buffer.h"

#include <algorithm>

namespace treadle {

Buffer::Buffer(Device &device, size_t bytes)
    : device(device), memory(static_cast<char *>(device.allocate(bytes))), length(bytes) {}

Buffer::~Buffer() { device.release(memory); }

void Buffer::use(const StreamPoint &point) {
  const std::lock_guard lock(changing);
  StreamPoint last = point;
  std::erase_if(uses, [&](const StreamPoint &known) {
    const bool isSame = known.timeline == point.timeline;
    if (isSame)
      last.position = std::max(last.position, known.position);
    return isSame || known.isComplete();
  });
  uses.push_back(std::move(last));
}

std::vector<StreamPoint> Buffer::unfinishedUses() {
  const std::lock_guard lock(changing);
  std::erase_if(uses, [](const StreamPoint &known) { return known.isComplete(); });
  return uses;
}

} // namespace treadle
