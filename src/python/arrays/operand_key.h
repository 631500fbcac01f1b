// Operands of a ufunc's call: what the call depends on of them, as one key of a dictionary, and whether they overlap.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to the module:
/// - `operand_key(operands)`: bytes that are equal for tuples of operands with equal types, extents, strides and
/// rights.
///   None where there is no array among them, or something else than device arrays, NumPy's arrays and numbers.
/// - `last_overlaps(operands)`: whether writing the last one of such operands, an array, may change another one.
void addOperandKey(nanobind::module_ &module);

} // namespace treadle::python
