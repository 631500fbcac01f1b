// treadle._core.LoadedCode: foreign PTX and binaries, loaded on a device.
#include "device/loaded_code.h"

#include "python/host/gil_lock.h"
#include "python/host/module_parts.h"
#include "runtime/runtime.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Grid, block, bytes of dynamic shared memory, and 1 for a cooperative launch.
using Shape = std::array<int64_t, 8>;

struct PythonCode {
  std::shared_ptr<LoadedCode> code;
  LaunchLimits limits;

  /// Without the GIL: the driver compiles PTX.
  static PythonCode load(int64_t ordinal, const nb::bytes &image) {
    const std::string text(image.c_str(), image.size());
    Device &device = *Runtime::instance().contextAt(ordinal).device;
    GilLock gil;
    gil.release();
    return {foreignCodeOf(device).loadCode(text), device.limits()};
  }

  // The driver may load the code lazily here, and wait for the device, whose callbacks may need the GIL.
  uint64_t function(const std::string &name) const {
    GilLock gil;
    gil.release();
    return code->function(name);
  }

  std::pair<uint64_t, size_t> variable(const std::string &name) const {
    GilLock gil;
    gil.release();
    const LoadedCode::Variable found = code->variable(name);
    return {found.address, found.bytes};
  }

  void launch(uint64_t function, const Shape &shape, uint64_t stream, const std::vector<uintptr_t> &parameters) const {
    RequestedConfig requested;
    std::copy_n(shape.begin(), 3, requested.grid);
    std::copy_n(shape.begin() + 3, 3, requested.block);
    requested.sharedBytes = shape[6];
    const LaunchConfig config = checkLaunchConfig(requested, limits);
    std::vector<void *> addresses;
    for (const uintptr_t address : parameters)
      addresses.push_back(reinterpret_cast<void *>(address)); // NOLINT(performance-no-int-to-ptr)
    GilLock gil;
    gil.release();
    code->launch({function, config, stream, addresses, shape[7] != 0});
  }

  void unload() const {
    GilLock gil;
    gil.release();
    code->unload();
  }
};

} // namespace

void addLoadedCode(nb::module_ &module) {
  nb::class_<PythonCode>(module, "LoadedCode", "Code of others that a device has loaded as it is.")
      .def("__init__", [](PythonCode *self, int64_t ordinal,
                          const nb::bytes &image) { new (self) PythonCode(PythonCode::load(ordinal, image)); })
      .def_prop_ro("handle", [](const PythonCode &self) { return self.code->handle(); })
      .def("function", &PythonCode::function)
      .def("variable", &PythonCode::variable)
      .def("launch", &PythonCode::launch)
      .def("unload", &PythonCode::unload);
}

} // namespace treadle::python
