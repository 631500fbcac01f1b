// The C structs of NumPy's arrays and scalars, read without NumPy's headers and without importing it.
#pragma once

#include <Python.h>

#include <cstdint>

namespace treadle::python {

/// The head of every ndarray: the same in NumPy 1 and 2, and guaranteed by NumPy's ABI.
struct NumpyArray {
  PyObject_HEAD char *data;
  int nd;
  int64_t *dimensions;
  int64_t *strides;
  PyObject *base;
  struct NumpyDescription *description;
  int flags;
};

/// The head of a dtype. After `typeNumber` NumPy 1 and 2 differ, so nothing after it may be read.
struct NumpyDescription {
  PyObject_HEAD PyTypeObject *scalarType;
  char kind;
  char character;
  char byteOrder; ///< '=' native, '|' not applicable, '<' or '>' otherwise
  char formerFlags;
  int typeNumber;
};

/// The head of every np.void.
struct NumpyRecord {
  PyObject_VAR_HEAD char *data;
  NumpyDescription *description;
  int flags;
};

namespace numpy {
constexpr int cContiguous = 0x1;
constexpr int fContiguous = 0x2;
constexpr int writeable = 0x400;

/// A NumPy scalar stores its value directly after the object's head.
inline const void *scalarValue(PyObject *scalar) { return reinterpret_cast<const char *>(scalar) + sizeof(PyObject); }
} // namespace numpy

} // namespace treadle::python
