// Captured arrays: host memory by the buffer protocol, and Treadle's device arrays.
#pragma once

#include "border/name_resolver.h"

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Arrays in host memory (their contents are copied) and device arrays (by pointer). False: the object is neither, or
/// its elements are of no type that kernels know. Throws UsageError (NotImplemented) for device memory of other
/// libraries.
bool captureArray(nanobind::handle object, CapturedValue &value);

} // namespace treadle::python
