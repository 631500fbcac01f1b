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

/// Sets what follows from it.
void setElementType(DeviceArrayObject &array, const Type *element);
/// Whether the memory of a NumPy array, as it is now, lies in the buffer of a device array. False, too, with a Python
/// error set.
bool holdsArray(const DeviceArrayObject &array, PyObject *numpyArray);
/// Reads a tuple of integers into `to`; returns their number, or -1 with a Python error.
int readExtents(PyObject *tuple, int64_t *to, const char *what);

/// Before the host looks at the memory itself: all that was put on streams and uses it has run. False: a Python error
/// is set, as for arrays that are lost.
bool waitForUses(const DeviceArrayObject &array);

/// Created by `addDeviceArrayType`; never freed.
PyTypeObject *deviceArrayType();
/// Of arrays over memory of a Python object: the same class, but the garbage collector sees what it keeps alive.
PyTypeObject *hostBackedArrayType();

/// Adds the class DeviceNDArray to the module. False: a Python error is set.
bool addDeviceArrayType(PyObject *module);

} // namespace treadle::python
