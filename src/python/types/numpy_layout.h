// The C structs of NumPy's arrays and scalars, read without NumPy's headers and without importing it.
#pragma once

#include "launch/type_code.h"

#include <Python.h>

#include <cstdint>

namespace treadle::python {

/// The head of every ndarray: the same in NumPy 1 and 2, and promised by NumPy's ABI.
struct NumpyArray {
  PyObject_HEAD char *data;
  int nd;
  int64_t *dimensions;
  int64_t *strides;
  PyObject *base;
  struct NumpyDescription *description;
  int flags;
};

/// The head of a dtype. Behind `typeNumber` NumPy 1 and 2 differ, so nothing behind it may be read.
struct NumpyDescription {
  PyObject_HEAD PyTypeObject *scalarType;
  char kind;
  char character;
  char byteOrder; ///< '=' native, '|' of no matter, '<' or '>' otherwise
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

/// By NumPy's type number on 64-bit Linux; None: a dtype that kernels do not take.
constexpr NumberCode numberOf(int typeNumber) {
  constexpr NumberCode codes[] = {
      NumberCode::Bool,    NumberCode::Int8,  NumberCode::UInt8,     NumberCode::Int16,
      NumberCode::UInt16,  NumberCode::Int32, NumberCode::UInt32,    NumberCode::Int64,
      NumberCode::UInt64,  NumberCode::Int64, NumberCode::UInt64,    NumberCode::Float32,
      NumberCode::Float64, NumberCode::None,  NumberCode::Complex64, NumberCode::Complex128,
  };
  return typeNumber >= 0 && typeNumber < int(sizeof codes / sizeof *codes) ? codes[typeNumber] : NumberCode::None;
}

/// A NumPy scalar keeps its value right behind the object's head.
template <typename T> const T &scalarValue(PyObject *scalar) {
  return *reinterpret_cast<const T *>(reinterpret_cast<const char *>(scalar) + sizeof(PyObject));
}
} // namespace numpy

} // namespace treadle::python
