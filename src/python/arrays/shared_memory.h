// Memory that processes share, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Defines the functions by which memory is shared, opened and closed.
void addSharedMemory(nanobind::module_ &module);

} // namespace treadle::python
