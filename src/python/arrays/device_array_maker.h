// Constructors of device arrays: extents, strides, memory.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to the module:
/// - `device_array(shape, dtype, ...)`, and `set_array_maker(function)` for the cases that it leaves to Python.
/// - `new_array(dtype, shape, isFortran, strides or None, stream, kind)`: the general form.
/// - `device_array_over(array)`: a device array over the memory of a NumPy array, which it keeps alive.
void addArrayMakers(nanobind::module_ &module);

} // namespace treadle::python
