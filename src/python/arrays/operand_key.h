// What the call of a ufunc depends on of its operands, as one key of a dictionary.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds `operand_key(operands)` to the module: bytes that are equal for tuples of operands with equal types, extents
/// and strides. None where there is no device array among them, or something else than those and numbers.
void addOperandKey(nanobind::module_ &module);

} // namespace treadle::python
