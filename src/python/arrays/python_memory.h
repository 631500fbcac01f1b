// PythonMemory: an external memory manager, which is a Python object, as the devices' allocator.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Offers it to the Runtime, and defines the functions that select it, and the building blocks for managers.
void addPythonMemory(nanobind::module_ &module);

} // namespace treadle::python
