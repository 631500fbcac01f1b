// Handles of memory, and arrays over opened ones, which close them with their last reference, unless already closed.
#include "python/arrays/shared_memory.h"

#include "python/arrays/device_array_object.h"
#include "python/host/gil_lock.h"
#include "runtime/runtime.h"
#include "support/error.h"
#include "support/piece.h"
#include "types/limits.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <memory>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr)
char *pointerTo(uintptr_t address) { return reinterpret_cast<char *>(address); }

/// Returns with the GIL when no work is queued on the memory. `usesNow`: called again after each wait.
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

/// Other processes see the effects of all work queued so far. The GIL is held while the memory is moved.
nb::tuple exportMemory(int64_t ordinal, uintptr_t address, size_t bytes) {
  DeviceContext &context = Runtime::instance().contextAt(ordinal);
  char *const memory = pointerTo(address);
  awaitAll(*context.device, [&] { return context.memory.leaveCacheAt(memory); });
  const std::span<char> around = context.device->memory().allocationAround(memory);
  if (!around.empty() && bytes > size_t(around.data() + around.size() - memory))
    throw UsageError(UsageError::Kind::Value, fmt::format("{} bytes are more than the allocation has", bytes));
  const SharedHandle handle = sharingOf(*context.device).share(memory);
  return nb::make_tuple(nb::bytes(handle.bytes.data(), handle.bytes.size()), handle.offset);
}

/// An allocation of another process, opened in this one.
struct Opened {
  Device &device;
  uint64_t generation;
  char *memory;

  Opened(Device &device, const SharedHandle &handle, size_t bytes)
      : device(device), generation(device.generation()), memory(sharingOf(device).openShared(handle, bytes)) {}
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;
  ~Opened() {
    try {
      close();
    } catch (const Error &) {
      // The driver keeps it open until the process ends.
    }
  }

  /// Idempotent. A reset may have closed it already. Throws the device's error.
  void close() {
    char *const open = std::exchange(memory, nullptr);
    if (open && (device.generation() == generation || !device.resetsMemory()))
      sharingOf(device).closeShared(open);
  }
};

void dropOpened(const void *opened) { delete static_cast<const Opened *>(opened); }

DeviceArray openMemory(int64_t ordinal, const nb::bytes &bytes, size_t offset, size_t size) {
  DeviceContext &context = Runtime::instance().contextAt(ordinal);
  SharedHandle handle{.offset = offset};
  if (bytes.size() != handle.bytes.size())
    throw UsageError(UsageError::Kind::Value, "a handle has 64 bytes");
  std::memcpy(handle.bytes.data(), bytes.c_str(), bytes.size());
  auto opened = std::make_unique<Opened>(*context.device, handle, size);
  // If the device does not know the size, only the process that made the handle does.
  const std::span<char> around = context.device->memory().allocationAround(opened->memory);
  if (!isPiece(offset, size, around.empty() ? uint64_t(maxExtent) : around.size()))
    throw UsageError(UsageError::Kind::Value, fmt::format("{} bytes from {} on are wanted, and the allocation has {}",
                                                          size, offset, around.size()));
  char *const data = opened->memory + offset;
  KeptMemory kept(opened.release(), {dropOpened});
  auto buffer = std::make_shared<Buffer>(context.memory, std::span(data, size), MemoryOwner{.owner = std::move(kept)});
  DeviceArray array = makeDeviceArray(deviceArrayType(), data, std::move(buffer), 1u);
  array->view.addAxis(int64_t(size), 1);
  setElementType(*array, types::uint8());
  array->layout = Layout::C;
  return array;
}

/// Closes at the end of the scope, even if the device has failed.
struct Closing {
  Buffer &buffer;
  ~Closing() { buffer.close(); }
};

/// Launches read their arguments under the GIL, which is held from the last check to the end.
void closeMemory(const DeviceArray &array) {
  Buffer &buffer = *array->view.owner;
  if (buffer.isLost())
    return;
  awaitAll(buffer.device(), [&] { return buffer.uses(); });
  const Closing closing{buffer};
  const MemoryOwner *const owner = buffer.memoryOwner();
  if (!buffer.isHostVisible() && owner && owner->owner && owner->owner.get_deleter().drop == dropOpened)
    const_cast<Opened *>(static_cast<const Opened *>(owner->owner.get()))->close();
}

/// Of a host array that was mapped for a `with` block. Throws the failures of work on it.
void endMapping(const DeviceArray &array) {
  Buffer &buffer = *array->view.owner;
  const Closing closing{buffer};
  awaitUses(*array);
  awaitAll(buffer.device(), [&] { return buffer.uses(); });
}

nb::tuple extentsAround(int64_t ordinal, uintptr_t address, size_t bytes) {
  const std::span<char> around =
      Runtime::instance().contextAt(ordinal).device->memory().allocationAround(pointerTo(address));
  const auto first = reinterpret_cast<uintptr_t>(around.data());
  return around.empty() ? nb::make_tuple(address, address + bytes) : nb::make_tuple(first, first + around.size());
}

} // namespace

void addSharedMemory(nb::module_ &module) {
  module.def("export_memory", &exportMemory);
  module.def("open_memory", &openMemory);
  module.def("close_memory", &closeMemory);
  module.def("end_mapping", &endMapping);
  module.def("allocation_around", &extentsAround);
}

} // namespace treadle::python
