// Allocates and releases buffers.
#include "memory/buffer.h"

namespace treadle {

Buffer::Buffer(MemoryManager &manager, size_t bytes) : manager(manager) { manager.allocate(bytes, *this); }

Buffer::Buffer(MemoryManager &manager, std::span<char> memory, std::shared_ptr<const void> owner)
    : manager(manager), owner(std::move(owner)) {
  manager.adopt(*this, memory.data(), memory.size());
}

Buffer::~Buffer() {
  if (owner)
    manager.disown(*this);
  else
    manager.release(*this, std::move(uses));
}

void Buffer::use(const StreamPoint &point) {
  const std::lock_guard lock(changing);
  noteUse(uses, point);
}

std::vector<StreamPoint> Buffer::unfinishedUses() {
  const std::lock_guard lock(changing);
  std::erase_if(uses, [](const StreamPoint &known) { return known.isComplete(); });
  return uses;
}

} // namespace treadle
