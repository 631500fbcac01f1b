// Objects that name a type: dtype strings, NumPy's dtypes and scalar types, Treadle's type objects.
#pragma once

#include "python/types/numpy_layout.h"
#include "types/type.h"

#include <nanobind/nanobind.h>

#include <string_view>

namespace treadle::python {

/// The type that a dtype string names ("float32", "<f4", "int", "i8"), or nullptr. Uses NumPy, if imported, for names
/// that are not a number's.
const Type *typeOfDtypeName(std::string_view text);

/// The type that an object denotes when it is called or given as dtype: Treadle's type objects, NumPy's scalar types
/// and dtypes, Python's int, float, bool, complex. nullptr: none.
const Type *typeNamedBy(PyObject *object);

/// The element type of a dtype, which may be anything that typeNamedBy or `numpy.dtype` accepts. Cached: a few ns for
/// known dtypes. Null with a Python error if there is no such type.
const Type *elementTypeOf(PyObject *dtype);

/// The type of a non-numeric dtype: a record, or an opaque type. Null for numbers, for references to Python objects,
/// and if the dtype cannot be read. Never leaves a Python error. Results are cached by the dtype object, as arrays made
/// with one dtype share it.
const Type *otherTypeOf(const NumpyDescription &description);

} // namespace treadle::python
