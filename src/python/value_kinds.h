// Which kind of argument a Python value is: one ordered table over its type, remembered per type.
#pragma once

#include "launch/type_code.h"

#include <Python.h>

#include <cstdint>
#include <string>

namespace treadle::python {

enum class ValueTag : uint8_t {
  NumpyArray,
  VisibleArray, ///< a NumPy array over memory of a device: treadle.host_arrays
  DeviceArray,
  Float,
  Int,
  NumpyScalar,
  NumpyRecord,
  Bool,
  Complex,
  None,
  Tuple,
  NamedTuple,
  EnumMember,
  InArgument,  ///< cuda.In
  OutArgument, ///< cuda.Out, cuda.InOut
  Buffer,
  Unsupported,
};

struct ValueKind {
  ValueTag tag = ValueTag::Unsupported;
  NumberCode number = NumberCode::None;        ///< NumpyScalar
  const NamedTupleClass *tupleClass = nullptr; ///< NamedTuple
  const char *reason = nullptr;                ///< Unsupported: why, where there is more to say than that
};

/// A look-up of a few ns for types seen before. Never fails; needs the GIL.
ValueKind valueKindOf(PyObject *value);

/// "float16", "[('x', '<f4')]", ...: what NumPy calls an array's dtype.
std::string describeDtype(PyObject *array);

} // namespace treadle::python
