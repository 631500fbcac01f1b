// PythonMemory: the memory manager of another library, which is a Python object, as the devices' memory.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Offers it to the Runtime, and defines the functions that choose it, and those that managers are written with.
void addPythonMemory(nanobind::module_ &module);

} // namespace treadle::python
