// The CUDA Array Interface for Python: dictionaries in both directions.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds `__cuda_array_interface__` to the class of device arrays, which exists, and to the module `is_cuda_array`,
/// `as_cuda_array` and `from_cuda_array_interface`.
void addArrayInterface(nanobind::module_ &module);

/// Of addArrayInterface.
void addInterfaceImport(nanobind::module_ &module);

} // namespace treadle::python
