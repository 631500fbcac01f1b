// Allocates and releases buffers.
#include "memory/buffer.h"

#include <utility>

namespace treadle {

Buffer::Buffer(MemoryResource &resource, const AllocationRequest &request) : resource(resource) {
  resource.allocate(request, *this);
}

Buffer::Buffer(MemoryResource &resource, size_t bytes, const StreamTimeline *stream)
    : Buffer(resource, AllocationRequest{.bytes = bytes, .stream = stream}) {}

Buffer::Buffer(MemoryResource &resource, size_t bytes, MemoryKind kind)
    : Buffer(resource, AllocationRequest{.bytes = bytes, .kind = kind}) {}

Buffer::Buffer(MemoryResource &resource, std::span<char> memory, MemoryOwner &&owner) : resource(resource) {
  resource.allocate({.bytes = memory.size(), .kind = owner.kind, .isForeign = true, .foreign = memory.data()}, *this);
  usedBefore = owner.usedBefore;
  block->owner = std::move(owner);
}

Buffer::~Buffer() { resource.release(*this); }

void Buffer::close() {
  State usable = State::Usable;
  if (state.compare_exchange_strong(usable, State::Closed) && block->owner && !isHostVisible())
    block->owner->owner.reset();
}

DeviceError Buffer::lostError() const {
  if (isClosed())
    return {
        "use a device array", CudaResult::InvalidHandle,
        kind() == MemoryKind::Mapped
            ? "its memory is that of a host array, which was mapped for a block that has ended: use the host array, "
              "or map it again (cuda.mapped)"
            : "its memory is another process's, and was closed: open the handle again"};
  return {"use a device array", CudaResult::ContextIsDestroyed,
          "its device was reset after it was made: make the array again"};
}

namespace {

class CapturedBuffer final : public CapturedMemory {
public:
  explicit CapturedBuffer(std::shared_ptr<Buffer> buffer) : buffer(std::move(buffer)) {}
  void checkAlive() const override { buffer->checkAlive(); }
  void use(const StreamPoint &point) const override { buffer->use(point); }

private:
  const std::shared_ptr<Buffer> buffer;
};

} // namespace

std::shared_ptr<const CapturedMemory> capturedMemory(std::shared_ptr<Buffer> buffer) {
  return std::make_shared<CapturedBuffer>(std::move(buffer));
}

} // namespace treadle
