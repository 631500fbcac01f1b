// Keys of operands: words for each of them, one after the other.
#include "python/arrays/operand_key.h"

#include "python/arrays/device_array_object.h"
#include "python/types/value_kinds.h"

#include <algorithm>
#include <cstdint>

namespace nb = nanobind;

namespace treadle::python {

namespace {

constexpr Py_ssize_t mostOperands = 8;
/// Of one: its type, the number of axes, extents and strides.
constexpr size_t mostWords = 2 + 2 * maxDimensions;

int64_t *writeArray(const DeviceArrayObject &array, int64_t *to) {
  *to++ = reinterpret_cast<int64_t>(elementType(array));
  *to++ = array.view.ndim;
  to = std::copy_n(array.view.shape, array.view.ndim, to);
  return std::copy_n(array.view.strides, array.view.ndim, to);
}

/// Classes that live as long as the process: their addresses stand for them.
bool isNumber(PyObject *value) {
  if (PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE))
    return false;
  switch (valueKindOf(value).tag) {
  case ValueTag::Float:
  case ValueTag::Int:
  case ValueTag::Bool:
  case ValueTag::Complex:
  case ValueTag::NumpyScalar:
    return true;
  default:
    return false;
  }
}

PyObject *operandKey(PyObject *, PyObject *operands) {
  if (!PyTuple_Check(operands) || PyTuple_GET_SIZE(operands) > mostOperands)
    Py_RETURN_NONE;
  int64_t words[mostOperands * mostWords];
  int64_t *end = words;
  bool hasArray = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); ++i) {
    PyObject *operand = PyTuple_GET_ITEM(operands, i);
    if (isDeviceArray(operand)) {
      end = writeArray(*reinterpret_cast<DeviceArrayObject *>(operand), end);
      hasArray = true;
      continue;
    }
    if (!isNumber(operand)) {
      if (PyErr_Occurred())
        return nullptr;
      Py_RETURN_NONE;
    }
    *end++ = reinterpret_cast<int64_t>(Py_TYPE(operand));
  }
  if (!hasArray)
    Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(words), (end - words) * sizeof(int64_t));
}

PyMethodDef functions[] = {
    {"operand_key", operandKey, METH_O, "What a call depends on of its operands, a tuple; None if there is no key."},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

void addOperandKey(nb::module_ &module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0)
    throw nb::python_error();
}

} // namespace treadle::python
