// The words of arguments' keys.
#include "python/launch/argument_key.h"

#include "python/arrays/device_array_object.h"
#include "python/launch/integer_argument.h"
#include "python/types/numpy_layout.h"
#include "python/types/value_kinds.h"

namespace treadle::python {

namespace {

// Words of different kinds differ: serial numbers become odd, addresses are even, and codes are below any address.

uint64_t addressOf(const void *object) { return reinterpret_cast<uintptr_t>(object); }

} // namespace

bool isIdentifiable(PyObject *value) {
  switch (valueKindOf(value).tag) {
  case ValueTag::DeviceArray:
    return Py_TYPE(value) == deviceArrayType();
  case ValueTag::Int:
    return PyLong_CheckExact(value);
  case ValueTag::Float:
    return PyFloat_CheckExact(value);
  case ValueTag::NumpyScalar:
    return !PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE);
  case ValueTag::Bool:
  case ValueTag::None:
    return true;
  default:
    return false;
  }
}

std::optional<NumberCode> numberCodeOf(PyObject *value) {
  const ValueKind kind = valueKindOf(value);
  switch (kind.tag) {
  case ValueTag::Int:
    return integerArgument(value).code;
  case ValueTag::Float:
    return NumberCode::Float64;
  case ValueTag::NumpyScalar:
    return kind.number;
  default:
    return std::nullopt;
  }
}

ArgumentKey::ArgumentKey(std::span<PyObject *const> arguments) : count(arguments.size()) {
  // The value of a float is at the same offset as in NumPy's scalars.
  static_assert(offsetof(PyFloatObject, ob_fval) == sizeof(PyObject));
  const PyTypeObject *const arrayType = deviceArrayType();
  for (size_t i = 0; i < count; ++i) {
    PyObject *const value = arguments[i];
    const PyTypeObject *const type = Py_TYPE(value);
    if (type == arrayType) {
      words[i] = reinterpret_cast<DeviceArrayObject *>(value)->serial * 2 + 1;
    } else if (type == &PyLong_Type) {
      const IntegerArgument integer = integerArgument(value);
      integers[i] = integer.bits;
      values[i] = &integers[i];
      words[i] = uint64_t(integer.code) * 2;
    } else {
      values[i] = numpy::scalarValue(value);
      words[i] = addressOf(type == &PyBool_Type || value == Py_None ? static_cast<const void *>(value) : type);
    }
  }
}

} // namespace treadle::python
