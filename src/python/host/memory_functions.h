// Devices and their memory for Python: selection, resets, the queue of deallocations, the cache, figures.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds the functions to the module.
void addMemoryFunctions(nanobind::module_ &module);

} // namespace treadle::python
