// Allocates and releases buffers.
#include "memory/buffer.h"

namespace treadle {

Buffer::Buffer(MemoryResource &resource, const AllocationRequest &request) : resource(resource) {
  resource.allocate(request, *this);
}

Buffer::Buffer(MemoryResource &resource, size_t bytes, const StreamTimeline *stream)
    : Buffer(resource, AllocationRequest{.bytes = bytes, .stream = stream}) {}

Buffer::Buffer(MemoryResource &resource, size_t bytes, MemoryKind kind)
    : Buffer(resource, AllocationRequest{.bytes = bytes, .kind = kind}) {}

Buffer::Buffer(MemoryResource &resource, std::span<char> memory, MemoryOwner owner)
    : resource(resource) {
  auto kept = std::make_unique<const MemoryOwner>(std::move(owner));
  resource.allocate({.bytes = memory.size(), .kind = kept->kind, .isForeign = true, .foreign = memory.data()}, *this);
  usedBefore = kept->usedBefore;
  block->owner = std::move(kept);
}

Buffer::~Buffer() { resource.release(*this); }

DeviceError Buffer::lostError() {
  return {"use a device array", CudaResult::ContextIsDestroyed,
          "its device was reset after it was made: make the array again"};
}

} // namespace treadle
