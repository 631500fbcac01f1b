// Allocates and releases buffers.
#include "memory/buffer.h"

namespace treadle {

Buffer::Buffer(MemoryManager &manager, size_t bytes, const StreamTimeline *stream) : manager(manager) {
  manager.allocate(bytes, *this, stream);
}

Buffer::Buffer(MemoryManager &manager, size_t bytes, MemoryKind kind) : manager(manager) {
  manager.allocate(bytes, *this, nullptr, kind);
}

Buffer::Buffer(MemoryManager &manager, std::span<char> memory, std::shared_ptr<const void> owner)
    : manager(manager), owner(std::move(owner)) {
  manager.adopt(*this, memory.data(), memory.size());
}

Buffer::~Buffer() {
  if (owner)
    manager.disown(*this);
  else
    manager.release(*this);
}

void Buffer::orderBehindEarlierUse(Stream &stream) const {
  if (isUsedBefore() && stream.last().timeline != usedBefore.timeline)
    stream.wait(usedBefore);
}

} // namespace treadle
