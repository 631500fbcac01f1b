// Keys of operands: a sequence of words per operand.
#include "python/arrays/operand_key.h"

#include "python/arrays/device_array_object.h"
#include "python/types/numpy_layout.h"
#include "python/types/value_kinds.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace nb = nanobind;

namespace treadle::python {

namespace {

constexpr Py_ssize_t mostOperands = 8;
/// Per operand: its type, the number of axes and rights, extents and strides.
constexpr size_t mostWords = 2 + 2 * maxDimensions;
/// NumPy's type numbers from bool to complex128, excluding long doubles.
constexpr int lastNumber = 15, longDouble = 13;

/// A device array or a NumPy array.
struct Operand {
  int64_t type; ///< an address, or a number below 16
  char *data;
  StridedExtents extents;
  bool isWritable;
};

std::optional<Operand> readNumpyArray(PyObject *value) {
  const auto &array = *reinterpret_cast<NumpyArray *>(value);
  const NumpyDescription &dtype = *array.description;
  const bool isNumber = dtype.typeNumber >= 0 && dtype.typeNumber <= lastNumber && dtype.typeNumber != longDouble;
  if (!isNumber || (dtype.byteOrder != '=' && dtype.byteOrder != '|') || array.nd > int(maxDimensions))
    return std::nullopt;
  constexpr int64_t bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 4, 8, 0, 8, 16};
  return Operand{dtype.typeNumber,
                 array.data,
                 {{array.dimensions, size_t(array.nd)}, {array.strides, size_t(array.nd)}, bytes[dtype.typeNumber]},
                 (array.flags & numpy::writeable) != 0};
}

/// Nothing if it is not an array, or is of a class derived from NumPy's.
std::optional<Operand> readArray(PyObject *value) {
  if (isDeviceArray(value)) {
    const auto &array = *reinterpret_cast<DeviceArrayObject *>(value);
    const auto type = reinterpret_cast<int64_t>(elementType(array));
    return Operand{type, array.view.data, array.view.strided(), !array.isReadOnly};
  }
  if (Py_TYPE(value)->tp_base == &PyBaseObject_Type && valueKindOf(value).tag == ValueTag::NumpyArray)
    return readNumpyArray(value);
  return std::nullopt;
}

int64_t *write(const Operand &operand, int64_t *to) {
  *to++ = operand.type;
  *to++ = int64_t(operand.extents.shape.size()) * 2 + operand.isWritable;
  to = std::ranges::copy(operand.extents.shape, to).out;
  return std::ranges::copy(operand.extents.strides, to).out;
}

/// For classes that live as long as the process: their addresses identify them.
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
    PyObject *value = PyTuple_GET_ITEM(operands, i);
    if (const std::optional<Operand> array = readArray(value)) {
      end = write(*array, end);
      hasArray = true;
    } else if (isNumber(value)) {
      *end++ = reinterpret_cast<int64_t>(Py_TYPE(value));
    } else {
      if (PyErr_Occurred())
        return nullptr;
      Py_RETURN_NONE;
    }
  }
  if (!hasArray)
    Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(words), (end - words) * sizeof(int64_t));
}

/// Addresses of the first byte and past the last one. Nothing if they overflow.
std::optional<ByteRange> addressesOf(const Operand &operand) {
  std::optional<ByteRange> range = reachOf(operand.extents);
  if (range) {
    range->first += reinterpret_cast<int64_t>(operand.data);
    range->last += reinterpret_cast<int64_t>(operand.data);
  }
  return range;
}

PyObject *lastOverlaps(PyObject *, PyObject *operands) {
  const Py_ssize_t count = PyTuple_Check(operands) ? PyTuple_GET_SIZE(operands) : 0;
  PyObject *last = count ? PyTuple_GET_ITEM(operands, count - 1) : nullptr;
  const std::optional<Operand> target = last ? readArray(last) : std::nullopt;
  const std::optional<ByteRange> written = target ? addressesOf(*target) : std::nullopt;
  if (!written)
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_True);
  for (Py_ssize_t i = 0; i < count - 1; ++i) {
    PyObject *value = PyTuple_GET_ITEM(operands, i);
    const std::optional<Operand> array = value == last ? std::nullopt : readArray(value);
    const std::optional<ByteRange> read = array ? addressesOf(*array) : ByteRange{};
    if (!read || (read->first < written->last && written->first < read->last))
      Py_RETURN_TRUE;
  }
  return PyErr_Occurred() ? nullptr : Py_NewRef(Py_False);
}

PyMethodDef functions[] = {
    {"operand_key", operandKey, METH_O, "What a call depends on of its operands, a tuple; None if there is no key."},
    {"last_overlaps", lastOverlaps, METH_O, "Whether writing the last of these operands may change another one."},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

void addOperandKey(nb::module_ &module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0)
    throw nb::python_error();
}

} // namespace treadle::python
