// PyTorch's tensors that are more than their memory says.
#pragma once

#include "types/type.h"

#include <nanobind/nanobind.h>

namespace treadle::python {

/// A look-up of a few ns for classes seen before.
bool isTorchTensor(nanobind::handle object);

/// Throws UsageError (Buffer), with the remedy, where a tensor wants gradients, is conjugated or negated only when
/// PyTorch reads it, or, where `element` is null, has no strides. `element`: its type, which most of them cannot have.
/// PyTorch's own exports let some of these pass.
void checkTorchTensor(nanobind::handle tensor, const Type *element);

} // namespace treadle::python
