// Operands of a ufunc's call: the properties that the call depends on, as one dictionary key, and whether they overlap.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to the module:
/// - `operand_key(operands)`: bytes that are equal for tuples of operands with equal types, extents, strides and
///   rights. None if there is no array among them, or anything but device arrays, NumPy's arrays and numbers.
/// - `last_overlaps(operands)`: whether writing the last one of such operands, an array, may change another one.
void addOperandKey(nanobind::module_ &module);

} // namespace treadle::python
