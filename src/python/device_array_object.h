// cuda.DeviceNDArray as a C type. Launches read its fields directly.
#pragma once

#include "launch/type_code.h"
#include "memory/array_view.h"
#include "memory/buffer.h"

#include <Python.h>

#include <memory>

namespace treadle::python {

/// Python adds methods to the type: everything that needs NumPy.
struct DeviceArrayObject {
  PyObject_HEAD ArrayView view; ///< constructed in place by whatever makes the object, destroyed by tp_dealloc
  NumberCode number;            ///< of an element
  Layout layout;
  const Type *record; ///< of the elements, where they are records
  PyObject *stream;   ///< for copies that name none; null: the default one
  PyObject *owner;    ///< of memory that belongs to a Python object: its HostMemory; null where it is the device's
  PyObject *weakReferences;
};

inline const Type *elementType(const DeviceArrayObject &array) {
  return array.record ? array.record : typeOf(array.number);
}

// device_array_maker.cpp: allocation, and what follows from shape and strides.

/// Sets what follows from it.
void setElementType(DeviceArrayObject &array, const Type *element);
/// Whether the memory of a NumPy array, as it is now, lies in the buffer of a device array.
bool holdsArray(const DeviceArrayObject &array, PyObject *numpyArray);
/// Reads a tuple of integers into `to`; returns their number, or -1 with a Python error.
int readExtents(PyObject *tuple, int64_t *to, const char *what);
/// The type that a dtype of any spelling names for elements; null with a Python error where there is none.
const Type *elementTypeOf(PyObject *dtype);

struct ArrayRequest {
  const Type *element; ///< numbers or records
  PyObject *shape;     ///< an integer, or a tuple of them
  bool isFortran = false;
  PyObject *strides = nullptr; ///< a tuple of integers, instead of those of the order
  PyObject *stream = nullptr;  ///< which uses the memory first; null: any
};
/// A new array of that class; null with a Python error.
PyObject *newArray(PyTypeObject *type, const ArrayRequest &request);
/// Adds `device_array`, and `set_array_maker` for what it leaves to Python.
bool addArrayMakers(PyObject *module);

// device_array_views.cpp

/// `array[item]` for integers, slices with any step, `...`, and the name of a field. Where every axis has an integer
/// the answer is what the method `_element` makes of the 0-d view.
PyObject *indexArray(PyObject *self, PyObject *item);
/// _view(type, byte_offset, shape, strides): another view of the same buffer, which it must lie within. Strides None:
/// those of C order.
PyObject *viewArray(PyObject *self, PyObject *arguments);
/// _as(type): the same view as an object of a subclass.
PyObject *viewAs(PyObject *self, PyObject *type);

/// Before the host looks at the memory itself: all that was put on streams and uses it has run. False: a Python error
/// is set, as for arrays that are lost.
bool waitForUses(const DeviceArrayObject &array);

/// Created by `addDeviceArrayType`; never freed.
PyTypeObject *deviceArrayType();
/// Of arrays over memory of a Python object: the same class, but the garbage collector sees what it keeps alive.
PyTypeObject *hostBackedArrayType();

/// device_array_copy.cpp: to or from an object with the buffer protocol, of the same shape and element type.
/// Arguments: that object, and the stream.
PyObject *copyToDevice(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *copyToHost(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
/// Arguments: the byte, and the stream.
PyObject *fillBytes(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

/// Adds the class DeviceNDArray to the module. False: a Python error is set.
bool addDeviceArrayType(PyObject *module);

} // namespace treadle::python
