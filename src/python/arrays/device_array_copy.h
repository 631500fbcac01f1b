// Copies between device arrays and anything with the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to the class of device arrays:
/// - `_copy_from(source, stream)`, `_copy_to(target, stream)`: from or to an object with the buffer protocol, of the
///   same shape and element type.
/// - `_assign(value)`: as `_copy_from`, synchronously, after all queued work that uses either side has run.
/// - `_fill(byte, stream)`.
void addArrayCopies(nanobind::handle type);

} // namespace treadle::python
