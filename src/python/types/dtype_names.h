// What names a type: dtype strings, NumPy's dtypes and scalar types, Treadle's type objects.
#pragma once

#include "python/types/numpy_layout.h"
#include "types/type.h"

#include <nanobind/nanobind.h>

#include <string_view>

namespace treadle::python {

/// The type that a dtype string names ("float32", "<f4", "int", "i8"), or nullptr. Asks NumPy, where it is imported,
/// for what is no name of a number.
const Type *typeOfDtypeName(std::string_view text);

/// The type that an object names when it is called or given as dtype: Treadle's type objects, NumPy's scalar types and
/// dtypes, Python's int, float, bool, complex. nullptr: it names none.
const Type *typeNamedBy(PyObject *object);

/// The elements of arrays of a dtype, which may be whatever typeNamedBy or `numpy.dtype` takes. A look-up of a few ns
/// for dtypes seen before. Null with a Python error where there is no such type.
const Type *elementTypeOf(PyObject *dtype);

/// The type of a dtype that is no number's: a record, or what kernels do not have. Null for numbers, for what refers to
/// Python objects, and where the dtype cannot be read. Never leaves a Python error. Answers are kept by the dtype
/// object, as dtypes are shared by all arrays made with them.
const Type *otherTypeOf(const NumpyDescription &description);

} // namespace treadle::python
