// Structured dtypes of NumPy as record types.
#pragma once

#include "python/types/numpy_layout.h"
#include "types/type.h"

#include <Python.h>

#include <string>

namespace treadle::python {

/// The type of a structured dtype; nullptr for any other dtype, for one with Python objects among its fields, and where
/// the dtype cannot be read. Fields of dtypes
/// that kernels do not have stay as names that cannot be used. Never leaves a Python error. Answers are kept by the
/// dtype object, as dtypes are shared by all arrays made with them.
const Type *recordTypeOf(const NumpyDescription &description);
inline const Type *recordTypeOf(PyObject *dtype) {
  return recordTypeOf(*reinterpret_cast<const NumpyDescription *>(dtype));
}

} // namespace treadle::python
