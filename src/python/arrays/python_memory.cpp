// Asks treadle.devices.external_memory for memory, and makes arrays of what has an address.
#include "python/arrays/python_memory.h"

#include "python/arrays/device_array_object.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "runtime/runtime.h"
#include "support/error.h"
#include "support/piece.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

constexpr std::pair<std::string_view, MemoryKind> kindNames[] = {
    {"device", MemoryKind::Device},
    {"pinned", MemoryKind::Pinned},
    {"mapped", MemoryKind::Mapped},
    {"managed", MemoryKind::Managed},
};

std::string_view nameOf(MemoryKind kind) { return kindNames[size_t(kind)].first; }

class PythonMemory final : public ExternalMemory {
public:
  ExternalPiece allocate(Device &device, size_t bytes, MemoryKind kind) override {
    const GilTurn gil;
    const SelectedDevice selected(&device);
    const unsigned ordinal = Runtime::instance().contextOf(device).ordinal;
    const std::string_view name = nameOf(kind);
    const nb::object piece = nb::module_::import_("treadle.devices.external_memory")
                                 .attr("allocate")(ordinal, bytes, nb::str(name.data(), name.size()));
    const auto address = nb::cast<uintptr_t>(piece[0]);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return {reinterpret_cast<char *>(address), {heldMemory(nb::object(piece[1]).ptr()), kind}};
  }
};

/// Waits for the work on memory without references, so that its owners get it back. False: there is none.
bool settleLent(int64_t ordinal) {
  MemoryManager &memory = Runtime::instance().contextAt(ordinal).memory;
  const std::vector<StreamPoint> points = memory.usesOfLent();
  if (points.empty())
    return false;
  {
    GilLock gil;
    awaitPoints(points, gil);
  }
  memory.returnLent();
  return true;
}

DeviceArray bytesOf(std::shared_ptr<Buffer> buffer) {
  char *const data = buffer->data();
  const auto bytes = int64_t(buffer->bytes());
  DeviceArray array = makeDeviceArray(deviceArrayType(), data, std::move(buffer), 1u);
  array->view.addAxis(bytes, 1);
  setElementType(*array, types::uint8());
  array->layout = Layout::C;
  return array;
}

/// From the device itself.
DeviceArray ownBytes(int64_t ordinal, size_t bytes, std::string_view kind) {
  MemoryManager &memory = Runtime::instance().contextAt(ordinal).memory;
  const AllocationRequest request{.bytes = bytes, .kind = memoryKindNamed(kind), .isOwn = true};
  return bytesOf(std::make_shared<Buffer>(memory, request));
}

struct BytesOfOwner {
  uintptr_t address;
  size_t bytes;
  nb::handle owner; ///< keeps them
};

DeviceArray foreignBytes(int64_t ordinal, const BytesOfOwner &given, std::string_view kind) {
  MemoryManager &memory = Runtime::instance().contextAt(ordinal).memory;
  if (!isMemory(given.address, given.bytes))
    throw UsageError(UsageError::Kind::Value,
                     fmt::format("no memory at address {} has {} bytes", given.address, given.bytes));
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const std::span<char> bytes(reinterpret_cast<char *>(given.address), given.bytes);
  return bytesOf(
      std::make_shared<Buffer>(memory, bytes, MemoryOwner{heldMemory(given.owner.ptr()), memoryKindNamed(kind)}));
}

nb::object onDevice(int64_t ordinal, const nb::callable &function) {
  const SelectedDevice selected(Runtime::instance().contextAt(ordinal).device.get());
  return function();
}

/// The finalizer of memory of that generation: called with its device selected, whatever thread drops it. What a reset
/// has voided opens the device for no caller.
void endMemory(int64_t ordinal, uint64_t generation, const nb::callable &finalizer) {
  Device &device = *Runtime::instance().contextAt(ordinal).device;
  if (device.generation() == generation)
    onDevice(ordinal, finalizer);
  else
    finalizer();
}

/// Without raising what that work has failed with, which a reset forgets.
void awaitDevice(int64_t ordinal) {
  Device &device = *Runtime::instance().contextAt(ordinal).device;
  GilLock gil;
  try {
    awaitPoints(device.unfinished(), gil);
  } catch (const DeviceLost &) {
    // Nothing runs any more.
  }
}

} // namespace

MemoryKind memoryKindNamed(std::string_view name) {
  for (const auto &[known, kind] : kindNames)
    if (known == name)
      return kind;
  throw UsageError(UsageError::Kind::Value, "memory is of kind device, pinned, mapped or managed");
}

void addPythonMemory(nb::module_ &module) {
  Runtime::instance().offerExternal(std::make_unique<PythonMemory>());
  module.def("use_external_memory", [](bool isUsed) { Runtime::instance().useExternal(isUsed); });
  module.def("uses_external_memory", [] { return Runtime::instance().usesExternal(); });
  module.def("holds_memory", [] { return Runtime::instance().holdsMemory(); });
  module.def("settle_lent", &settleLent);
  module.def("own_bytes", &ownBytes);
  module.def("foreign_bytes",
             [](int64_t ordinal, uintptr_t address, size_t bytes, nb::handle owner, std::string_view kind) {
               return foreignBytes(ordinal, {address, bytes, owner}, kind);
             });
  module.def("on_device", &onDevice);
  module.def("end_memory", &endMemory);
  module.def("await_device", &awaitDevice);
}

} // namespace treadle::python
