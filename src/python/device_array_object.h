// treadle._core.DeviceArray: the C type under cuda's device arrays. Launches read its fields directly.
#pragma once

#include "launch/type_code.h"
#include "memory/buffer.h"

#include <Python.h>

#include <memory>

namespace treadle::python {

/// A view of a buffer. Subclassed in Python, where everything that needs NumPy is.
struct DeviceArrayObject {
  PyObject_HEAD char *data;
  std::shared_ptr<Buffer> buffer; ///< constructed in place by tp_new, destroyed by tp_dealloc
  NumberCode number;
  uint8_t ndim;
  Layout layout;
  int64_t shape[maxDimensions];
  int64_t strides[maxDimensions]; ///< bytes
};

/// Created by `addDeviceArrayType`; never freed.
PyTypeObject *deviceArrayType();

/// device_array_copy.cpp: to or from an object with the buffer protocol, of the same shape and element type.
/// Arguments: that object, and the stream.
PyObject *copyToDevice(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *copyToHost(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

/// Adds the class DeviceArray to the module. False: a Python error is set.
bool addDeviceArrayType(PyObject *module);

} // namespace treadle::python
