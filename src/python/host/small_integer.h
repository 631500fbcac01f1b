// Python's small integers, read without a call.
#pragma once

#include <Python.h>

#include <cstdint>

namespace treadle::python {

/// The value of an int of at most one digit, which is below 2^30; false for others. The object must be an int.
inline bool readSmallInteger(PyObject *object, int64_t &value) {
#if PY_VERSION_HEX >= 0x030c0000
  const auto *const integer = reinterpret_cast<PyLongObject *>(object);
  if (!PyUnstable_Long_IsCompact(integer)) [[unlikely]]
    return false;
  value = PyUnstable_Long_CompactValue(integer);
#else
  const Py_ssize_t digits = Py_SIZE(object); // negative for negative numbers
  if (digits < -1 || digits > 1) [[unlikely]]
    return false;
  value = digits * int64_t(reinterpret_cast<PyLongObject *>(object)->ob_digit[0]);
#endif
  return true;
}

} // namespace treadle::python
