// Makes device arrays: extents, strides, memory.
#pragma once

#include "python/arrays/device_array_object.h"

namespace treadle::python {

struct ArrayRequest {
  const Type *element; ///< numbers or records
  PyObject *shape;     ///< an integer, or a tuple of them
  bool isFortran = false;
  PyObject *strides = nullptr; ///< a tuple of integers, instead of those of the order
  PyObject *stream = nullptr;  ///< which uses the memory first; null: any
  MemoryKind kind = MemoryKind::Device;
};
/// A new array of that class; null with a Python error.
PyObject *newArray(PyTypeObject *type, const ArrayRequest &request);
/// Adds `device_array`, and `set_array_maker` for what it leaves to Python.
bool addArrayMakers(PyObject *module);

} // namespace treadle::python
