// What Python asks of dispatchers besides launching, and compilation without a launch.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds the functions to the module.
void addDispatcherFunctions(nanobind::module_ &module);

} // namespace treadle::python
