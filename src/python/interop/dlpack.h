// DLPack's protocol for Python: capsules in both directions.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds `__dlpack__` and `__dlpack_device__` to the class of device arrays, which exists, and
/// `from_dlpack(x, *, device=None, copy=None)` to the module.
void addDlpack(nanobind::module_ &module);

} // namespace treadle::python
