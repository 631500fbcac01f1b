// cuda.DeviceNDArray as a C type. Launches read its fields directly.
#pragma once

#include "launch/type_code.h"
#include "memory/buffer.h"

#include <Python.h>

#include <memory>

namespace treadle::python {

/// A view of a buffer. Python adds methods to the type: everything that needs NumPy.
struct DeviceArrayObject {
  PyObject_HEAD char *data;
  std::shared_ptr<Buffer> buffer; ///< constructed in place by who makes the object, destroyed by tp_dealloc
  NumberCode number;              ///< of an element
  uint8_t ndim;
  Layout layout;
  uint32_t itemBytes; ///< of an element
  const Type *record; ///< of the elements, where they are records
  PyObject *stream;   ///< for copies that name none; null: the default one
  PyObject *weakReferences;
  int64_t shape[maxDimensions];
  int64_t strides[maxDimensions]; ///< bytes
};

inline const Type *elementType(const DeviceArrayObject &array) {
  return array.record ? array.record : typeOf(array.number);
}

// device_array_maker.cpp: allocation, and what follows from shape and strides.

/// A 0-d array has one.
int64_t elementCount(const DeviceArrayObject &array);
/// In C or Fortran order without gaps.
bool isContiguous(const DeviceArrayObject &array, bool fortran);
/// From shape and strides.
void setLayout(DeviceArrayObject &array);
/// Sets what follows from it.
void setElementType(DeviceArrayObject &array, const Type *element);
/// Reads a tuple of integers into `to`; returns their number, or -1 with a Python error.
int readExtents(PyObject *tuple, int64_t *to, const char *what);
/// The type that a dtype of any spelling names for elements; null with a Python error where there is none.
const Type *elementTypeOf(PyObject *dtype);

struct ArrayRequest {
  const Type *element; ///< numbers or records
  PyObject *shape;     ///< an integer, or a tuple of them
  bool isFortran = false;
};
/// A new array of that class; null with a Python error.
PyObject *newArray(PyTypeObject *type, const ArrayRequest &request);
/// Adds `device_array`, and `set_array_maker` for what it leaves to Python.
bool addArrayMakers(PyObject *module);

// device_array_views.cpp

/// `array[item]` for integers, slices with any step, `...`, and the name of a field. Where every axis has an integer
/// the answer is what the method `_element` makes of the 0-d view.
PyObject *indexArray(PyObject *self, PyObject *item);
/// _view(type, byte_offset, shape, strides): another view of the same buffer, which it must lie within.
PyObject *viewArray(PyObject *self, PyObject *arguments);
/// _as(type): the same view as an object of a subclass.
PyObject *viewAs(PyObject *self, PyObject *type);

/// Created by `addDeviceArrayType`; never freed.
PyTypeObject *deviceArrayType();

/// device_array_copy.cpp: to or from an object with the buffer protocol, of the same shape and element type.
/// Arguments: that object, and the stream.
PyObject *copyToDevice(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *copyToHost(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

/// Adds the class DeviceNDArray to the module. False: a Python error is set.
bool addDeviceArrayType(PyObject *module);

} // namespace treadle::python
