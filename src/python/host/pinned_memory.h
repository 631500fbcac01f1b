// treadle._core.PinnedRange: memory of the host that is page-locked.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds the class to the module.
void addPinnedMemory(nanobind::module_ &module);

} // namespace treadle::python
