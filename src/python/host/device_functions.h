// Devices and their memory for Python: attributes, selection, resets, the queue of deallocations, the cache, figures,
// page-locked memory.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds the functions and the class PinnedRange to the module.
void addDeviceFunctions(nanobind::module_ &module);

} // namespace treadle::python
