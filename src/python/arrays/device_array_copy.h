// Copies between device arrays and anything with the buffer protocol.
#pragma once

#include <Python.h>

namespace treadle::python {

/// To or from an object with the buffer protocol, of the same shape and element type. Arguments: that object, and the
/// stream.
PyObject *copyToDevice(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *copyToHost(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
/// Arguments: the byte, and the stream.
PyObject *fillBytes(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

} // namespace treadle::python
