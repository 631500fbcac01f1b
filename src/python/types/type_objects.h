// treadle.float32 and the like: types and signatures as Python objects.
#pragma once

#include "types/signature.h"

#include <nanobind/nanobind.h>

#include <span>

namespace treadle::python {

/// The Python object of a type; equal types have the same object. None for nullptr.
nanobind::object typeObject(const Type *type);

nanobind::tuple typeTuple(std::span<const Type *const> types);

/// The type that a Python object denotes in a signature: a Type, a string, NumPy's and Python's number types, None.
/// Throws UsageError (Type) if it denotes none.
const Type *typeFromObject(nanobind::handle object);

} // namespace treadle::python
