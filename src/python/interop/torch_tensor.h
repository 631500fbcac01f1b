// PyTorch's tensors whose semantics go beyond their memory.
#pragma once

#include "types/type.h"

#include <nanobind/nanobind.h>

namespace treadle::python {

/// A look-up of a few ns for classes seen before.
bool isTorchTensor(nanobind::handle object);

/// Throws UsageError (Buffer), with the remedy, if a tensor requires gradients, has a lazy conjugation or negation, or,
/// if `element` is null, has no strides. `element`: its type, which excludes most of these. PyTorch's own exports let
/// some of these pass.
void checkTorchTensor(nanobind::handle tensor, const Type *element);

} // namespace treadle::python
