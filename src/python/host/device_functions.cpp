// Functions over devices by their ordinal.
#include "python/host/device_functions.h"

#include "device/device_attribute.h"
#include "launch/runtime.h"
#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// {name: number} of all attributes a device can be asked for.
nb::dict attributeNumbers() {
  nb::dict numbers;
  for (const DeviceAttributeRow &row : deviceAttributes())
    numbers[nb::str(row.name.data(), row.name.size())] = row.number;
  return numbers;
}

Device &at(int64_t ordinal) { return *Runtime::instance().contextAt(ordinal).device; }

} // namespace

void addDeviceFunctions(nb::module_ &module) {
  module.def("device_attribute_numbers", &attributeNumbers);
  module.def("device_attribute",
             [](int64_t ordinal, unsigned number) { return at(ordinal).attribute(DeviceAttribute(number)); });
  module.def("device_kind", [](int64_t ordinal) { return at(ordinal).kind(); });
  module.def("device_details", [](int64_t ordinal) { return at(ordinal).details(); });
  module.def("can_access_peer", [](int64_t ordinal, int64_t peer) { return at(ordinal).canAccess(at(peer)); });
  module.def("device_name", [](int64_t ordinal) { return at(ordinal).name(); });
  module.def("device_compute_capability", [](int64_t ordinal) { return at(ordinal).computeCapability(); });
  module.def("synchronize", [] {
    {
      GilLock gil;
      Runtime::instance().device().synchronize(gil);
    }
    releaseFinished();
  });
  module.def(
      "fallbacks", [] { return Runtime::instance().fallbacks(); },
      "How many kernels were compiled for launches, and how many of them have each of the fallbacks.");
  module.def(
      "cpu_wake_ups", [] { return Runtime::instance().device().figures()["woken workers"]; },
      "How many workers launches on the CPU device have woken.");
}

} // namespace treadle::python
