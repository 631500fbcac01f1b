// A handle on one of the pinned ranges of a device.
#include "python/host/pinned_memory.h"

#include "launch/runtime.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Its maker keeps the memory alive, and calls `release`.
struct PinnedRange {
  DeviceContext &context;
  std::span<char> memory; ///< empty: released

  static PinnedRange pin(uintptr_t address, size_t bytes) {
    DeviceContext &context = Runtime::instance().context();
    const std::span<char> memory(reinterpret_cast<char *>(address), bytes);
    context.pinned.pin(memory);
    return {context, memory};
  }

  void release() { context.pinned.unpin(std::exchange(memory, {})); }
};

} // namespace

void addPinnedMemory(nb::module_ &module) {
  nb::class_<PinnedRange>(module, "PinnedRange", "Memory of the host that the selected device knows as page-locked.")
      .def("__init__", [](PinnedRange *self, uintptr_t address,
                          size_t bytes) { new (self) PinnedRange(PinnedRange::pin(address, bytes)); })
      .def("release", &PinnedRange::release);
}

} // namespace treadle::python
