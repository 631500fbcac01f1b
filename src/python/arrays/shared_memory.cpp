// Handles of memory, and arrays over what they open, which close it with their last reference, if nobody has before.
#include "python/arrays/shared_memory.h"

#include "launch/runtime.h"
#include "python/arrays/device_array_object.h"
#include "python/host/gil_lock.h"
#include "support/error.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr)
char *pointerTo(uintptr_t address) { return reinterpret_cast<char *>(address); }

/// With the GIL again when nothing is queued on the memory. `usesNow`: asked again after each wait.
template <typename Uses> void awaitAll(Device &device, Uses usesNow) {
  for (;;) {
    std::vector<StreamPoint> points = usesNow();
    points.push_back(device.runningOnCaller());
    if (std::ranges::all_of(points, [](const StreamPoint &point) { return point.isComplete(); }))
      return;
    GilLock gil;
    awaitPoints(points, gil);
  }
}

/// Other processes find what was queued until now. The GIL is held while the memory changes its place.
nb::tuple exportMemory(int64_t ordinal, uintptr_t address, size_t bytes) {
  DeviceContext &context = Runtime::instance().contextAt(ordinal);
  char *const memory = pointerTo(address);
  awaitAll(*context.device, [&] { return context.memory.leaveCacheAt(memory); });
  const std::span<char> around = context.device->allocationAround(memory);
  if (!around.empty() && bytes > size_t(around.data() + around.size() - memory))
    throw UsageError(UsageError::Kind::Value, std::to_string(bytes) + " bytes are more than the allocation has");
  const SharedHandle handle = context.device->share(memory);
  return nb::make_tuple(nb::bytes(handle.bytes.data(), handle.bytes.size()), handle.offset);
}

/// An allocation of another process as this one has it.
struct Opened {
  Device &device;
  uint64_t generation;
  char *memory;

  Opened(Device &device, const SharedHandle &handle, size_t bytes)
      : device(device), generation(device.generation()), memory(device.openShared(handle, bytes)) {}
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;
  ~Opened() {
    try {
      close();
    } catch (const Error &) {
      // The driver goes on having it open; it ends with the process.
    }
  }

  /// Once. A reset has closed it, where it ends what a device has opened. Throws the device's error.
  void close() {
    char *const open = std::exchange(memory, nullptr);
    if (open && (device.generation() == generation || !device.resetsMemory()))
      device.closeShared(open);
  }
};

void dropOpened(const void *opened) { delete static_cast<const Opened *>(opened); }

DeviceArray openMemory(int64_t ordinal, const nb::bytes &bytes, size_t offset, size_t size) {
  DeviceContext &context = Runtime::instance().contextAt(ordinal);
  SharedHandle handle{.offset = offset};
  if (bytes.size() != handle.bytes.size())
    throw UsageError(UsageError::Kind::Value, "a handle has 64 bytes");
  std::memcpy(handle.bytes.data(), bytes.c_str(), bytes.size());
  auto opened = std::make_unique<Opened>(*context.device, handle, offset + size);
  char *const data = opened->memory + offset;
  const std::span<char> around = context.device->allocationAround(opened->memory);
  if (!around.empty() && offset + size > around.size())
    throw UsageError(UsageError::Kind::Value, std::to_string(offset + size) +
                                                  " bytes from the allocation's beginning are wanted, and it has " +
                                                  std::to_string(around.size()));
  KeptMemory kept(opened.release(), {dropOpened});
  auto buffer = std::make_shared<Buffer>(context.memory, std::span(data, size), MemoryOwner{.owner = std::move(kept)});
  DeviceArray array = makeDeviceArray(deviceArrayType(), data, std::move(buffer), 1u);
  array->view.addAxis(int64_t(size), 1);
  setElementType(*array, types::uint8());
  array->layout = Layout::C;
  return array;
}

/// Launches read their arguments with the GIL, which is held from the last look to the end.
void closeMemory(const DeviceArray &array) {
  Buffer &buffer = *array->view.owner;
  if (buffer.isLost())
    return;
  awaitAll(buffer.device(), [&] { return buffer.uses(); });
  const struct Closing {
    Buffer &buffer;
    ~Closing() { buffer.close(); }
  } closing{buffer}; // also where the device fails
  const MemoryOwner *const owner = buffer.memoryOwner();
  if (!buffer.isHostVisible() && owner && owner->owner && owner->owner.get_deleter().drop == dropOpened)
    const_cast<Opened *>(static_cast<const Opened *>(owner->owner.get()))->close();
}

nb::tuple extentsAround(int64_t ordinal, uintptr_t address, size_t bytes) {
  const std::span<char> around = Runtime::instance().contextAt(ordinal).device->allocationAround(pointerTo(address));
  const auto first = reinterpret_cast<uintptr_t>(around.data());
  return around.empty() ? nb::make_tuple(address, address + bytes) : nb::make_tuple(first, first + around.size());
}

} // namespace

void addSharedMemory(nb::module_ &module) {
  module.def("export_memory", &exportMemory);
  module.def("open_memory", &openMemory);
  module.def("close_memory", &closeMemory);
  module.def("allocation_around", &extentsAround);
}

} // namespace treadle::python
