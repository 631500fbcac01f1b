// Allocates and releases buffers.
#include "memory/buffer.h"

namespace treadle {

Buffer::Buffer(MemoryResource &resource, size_t bytes, const StreamTimeline *stream) : resource(resource) {
  resource.allocate({.bytes = bytes, .stream = stream}, *this);
}

Buffer::Buffer(MemoryResource &resource, size_t bytes, MemoryKind kind) : resource(resource) {
  resource.allocate({.bytes = bytes, .kind = kind}, *this);
}

Buffer::Buffer(MemoryResource &resource, std::span<char> memory, std::shared_ptr<const void> owner)
    : resource(resource), owner(std::move(owner)) {
  resource.allocate({.bytes = memory.size(), .isForeign = true, .foreign = memory.data()}, *this);
}

Buffer::~Buffer() { resource.release(*this); }

void Buffer::orderBehindEarlierUse(Stream &stream) const {
  if (isUsedBefore() && stream.last().timeline != usedBefore.timeline)
    stream.wait(usedBefore);
}

} // namespace treadle
