// The types that Python values have as arguments of kernels.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds `types_of(*values)` and `array_type_of(array)`.
void addArgumentTypes(nanobind::module_ &module);

} // namespace treadle::python
