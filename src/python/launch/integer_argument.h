// The conversion of a Python int to an argument, shared by first launches and repeated ones.
#pragma once

#include "python/host/small_integer.h"
#include "types/names/number_code.h"

namespace treadle::python {

struct IntegerArgument {
  NumberCode code; ///< Int64; UInt64 from 2**63 on; None: it does not fit 64 bits
  int64_t bits;
};

inline IntegerArgument largeIntegerArgument(PyObject *value) {
  int overflow = 0;
  const long long narrow = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0)
    return {NumberCode::Int64, narrow};
  const unsigned long long wide = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
  if (overflow > 0 && !PyErr_Occurred())
    return {NumberCode::UInt64, int64_t(wide)};
  PyErr_Clear();
  return {NumberCode::None, 0};
}

/// `value`: an int, or of a class derived from it. Runs no user code, and allocates nothing if it fits.
inline IntegerArgument integerArgument(PyObject *value) {
  if (int64_t small; readSmallInteger(value, small)) [[likely]]
    return {NumberCode::Int64, small};
  return largeIntegerArgument(value);
}

} // namespace treadle::python
