// Copies between device arrays and anything with the buffer protocol.
#pragma once

#include <Python.h>

namespace treadle::python {

/// To or from an object with the buffer protocol, of the same shape and element type. Arguments: that object, and the
/// stream.
PyObject *copyHere(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *copyThere(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
/// _assign(value): as `_copy_from`, at once, when all that was put on streams and uses one of the two has run.
PyObject *assignArray(PyObject *self, PyObject *value);
/// Arguments: the byte, and the stream.
PyObject *fillArray(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

} // namespace treadle::python
