// Structured dtypes of NumPy as record types.
#pragma once

#include "python/numpy_layout.h"
#include "types/type.h"

#include <Python.h>

#include <string>

namespace treadle::python {

/// The type of a structured dtype; nullptr for any other dtype, and where the dtype cannot be read. Fields of dtypes
/// that kernels do not have stay as names that cannot be used. Never leaves a Python error. Answers are kept by the
/// dtype object, as dtypes are shared by all arrays made with them.
const Type *recordTypeOf(const NumpyDescription &description);
inline const Type *recordTypeOf(PyObject *dtype) {
  return recordTypeOf(*reinterpret_cast<const NumpyDescription *>(dtype));
}

/// As the buffer protocol describes records (PEP 3118): "T{=i:a:=f:b:}", bytes between fields as padding. Lives as long
/// as the process; nullptr where fields overlap, are not in ascending order or have no such format.
const char *formatOfRecord(const Type *record);

} // namespace treadle::python
