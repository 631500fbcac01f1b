// The device and its attributes for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds the functions to the module.
void addDeviceFunctions(nanobind::module_ &module);

} // namespace treadle::python
