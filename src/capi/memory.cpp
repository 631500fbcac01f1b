// Memory, and copies between it and the host.
#include "capi/array_description.h"
#include "capi/objects.h"
#include "capi/sized_struct.h"
#include "memory/copy.h"
#include "memory/new_array.h"
#include "runtime/runtime.h"
#include "support/piece.h"
#include "types/limits.h"

#include <fmt/core.h>

using namespace treadle;
using namespace treadle::capi;

static_assert(sizeof(treadle_memory_info) == 40 && offsetof(treadle_memory_info, bytes) == 8 &&
              offsetof(treadle_memory_info, address) == 16 && offsetof(treadle_memory_info, host_visible) == 24 &&
              offsetof(treadle_memory_info, device) == 32);

namespace treadle::capi {

MemoryKind memoryKindOf(uint32_t kind) {
  switch (kind) {
  case TREADLE_MEMORY_DEVICE:
    return MemoryKind::Device;
  case TREADLE_MEMORY_PINNED:
    return MemoryKind::Pinned;
  case TREADLE_MEMORY_MAPPED:
    return MemoryKind::Mapped;
  case TREADLE_MEMORY_MANAGED:
    return MemoryKind::Managed;
  default:
    failArgument(fmt::format("the kind of memory is {}; it must be one of TREADLE_MEMORY_*", kind));
  }
}

namespace {

uint32_t numberOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return TREADLE_MEMORY_DEVICE;
  case MemoryKind::Pinned:
    return TREADLE_MEMORY_PINNED;
  case MemoryKind::Mapped:
    return TREADLE_MEMORY_MAPPED;
  case MemoryKind::Managed:
    break;
  }
  return TREADLE_MEMORY_MANAGED;
}

ArrayView bytesOf(uint64_t bytes) {
  if (bytes > uint64_t(maxExtent))
    failArgument(fmt::format("bytes is {}; at most 2^47 can be allocated", bytes));
  ArrayView view(nullptr, nullptr, 1);
  view.addAxis(int64_t(bytes), 1);
  return view;
}

/// A piece of memory, as an array of bytes. Throws ApiError if it is out of bounds.
ArrayView pieceOf(const MemoryObject &memory, uint64_t offset, uint64_t bytes) {
  memory.view.owner->checkAlive();
  const auto whole = uint64_t(memory.view.shape[0]);
  if (!isPiece(offset, bytes, whole))
    failArgument(
        fmt::format("the piece of {} bytes from {} on reaches beyond the memory, which has {}", bytes, offset, whole));
  ArrayView piece = memory.view;
  piece.data += offset;
  piece.shape[0] = int64_t(bytes);
  return piece;
}

} // namespace

void writeElements(const ArrayView &to, const void *from, treadle_stream stream) {
  if (to.count() == 0)
    return;
  int64_t strides[maxDimensions];
  packStrides(to.extents(), to.itemBytes, false, strides);
  const CallStream queue(stream, to.owner->device(), "stream");
  HostThread host;
  copyToDevice(to, {static_cast<char *>(const_cast<void *>(from)), {to.extents(), {strides, to.ndim}, to.itemBytes}},
               {queue.stream, queue.isNamed, host});
}

void readElements(const ArrayView &from, void *to, treadle_stream stream) {
  if (from.count() == 0)
    return;
  int64_t strides[maxDimensions];
  packStrides(from.extents(), from.itemBytes, false, strides);
  const CallStream queue(stream, from.owner->device(), "stream");
  HostThread host;
  copyToHost({static_cast<char *>(to), {from.extents(), {strides, from.ndim}, from.itemBytes}}, from,
             {queue.stream, false, host});
}

/// As in Python, copies that are staged in host memory wait for the source's uses.
void copyElements(const ArrayView &to, const ArrayView &from, treadle_stream stream) {
  if (to.count() == 0)
    return;
  const Device &target = to.owner->device(), &source = from.owner->device();
  const bool areOwn = to.owner->kind() == MemoryKind::Device && from.owner->kind() == MemoryKind::Device;
  if (&target != &source && !(target.copiesFrom(source) && areOwn))
    awaitUses(*from.owner);
  const CallStream queue(stream, to.owner->device(), "stream");
  HostThread host;
  copyOnDevice(to, from, {queue.stream, queue.isNamed, host});
}

} // namespace treadle::capi

treadle_status treadle_memory_allocate(treadle_device device, uint32_t kind, uint64_t bytes, treadle_memory *memory) {
  return call(__func__, [&] {
    DeviceContext &context = found<DeviceObject>(device, "device").context;
    treadle_memory &to = required(memory, "memory");
    const MemoryKind wanted = memoryKindOf(kind);
    ArrayView view = bytesOf(bytes);
    allocateElements(view, {}, {context.memory, nullptr, wanted, awaitForMemory});
    to = handleOf(std::make_unique<MemoryObject>(std::move(view)));
  });
}

treadle_status treadle_memory_free(treadle_memory memory) {
  return call(__func__, [&] { freeHandle<MemoryObject>(memory, "memory"); });
}

treadle_status treadle_memory_get_info(treadle_memory memory, treadle_memory_info *info) {
  return call(__func__, [&] {
    const Buffer &buffer = *found<MemoryObject>(memory, "memory").view.owner;
    checkedSize(info, "info");
    treadle_memory_info filled{};
    filled.kind = numberOf(buffer.kind());
    filled.bytes = buffer.bytes();
    filled.address = reinterpret_cast<uintptr_t>(buffer.data());
    filled.host_visible = buffer.isHostVisible();
    filled.device = handleOf(Runtime::instance().contextOf(buffer.device()));
    writeStruct(info, filled);
  });
}

treadle_status treadle_memory_write(treadle_memory memory, uint64_t offset, const void *from, uint64_t bytes,
                                    treadle_stream stream) {
  return call(__func__, [&] {
    const ArrayView to = pieceOf(found<MemoryObject>(memory, "memory"), offset, bytes);
    checkHost(from, bytes, "from");
    writeElements(to, from, stream);
  });
}

treadle_status treadle_memory_read(treadle_memory memory, uint64_t offset, void *to, uint64_t bytes,
                                   treadle_stream stream) {
  return call(__func__, [&] {
    const ArrayView from = pieceOf(found<MemoryObject>(memory, "memory"), offset, bytes);
    checkHost(to, bytes, "to");
    readElements(from, to, stream);
  });
}

treadle_status treadle_memory_copy(treadle_memory to, uint64_t to_offset, treadle_memory from, uint64_t from_offset,
                                   uint64_t bytes, treadle_stream stream) {
  return call(__func__, [&] {
    const ArrayView target = pieceOf(found<MemoryObject>(to, "to"), to_offset, bytes);
    const ArrayView source = pieceOf(found<MemoryObject>(from, "from"), from_offset, bytes);
    copyElements(target, source, stream);
  });
}

treadle_status treadle_memory_fill(treadle_memory memory, uint64_t offset, uint64_t bytes, uint8_t value,
                                   treadle_stream stream) {
  return call(__func__, [&] {
    const ArrayView piece = pieceOf(found<MemoryObject>(memory, "memory"), offset, bytes);
    const CallStream queue(stream, piece.owner->device(), "stream");
    if (bytes == 0)
      return;
    HostThread host;
    fillBytes(piece, value, {queue.stream, queue.isNamed, host});
  });
}
