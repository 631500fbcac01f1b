// PythonMemory: an external memory manager, which is a Python object, as the devices' allocator.
#pragma once

#include "device/memory_kind.h"

#include <nanobind/nanobind.h>

#include <string_view>

namespace treadle::python {

/// "device", "pinned", "mapped" or "managed". Throws UsageError (Value).
MemoryKind memoryKindNamed(std::string_view name);

/// Offers it to the Runtime, and defines the functions that select it, and the building blocks for managers.
void addPythonMemory(nanobind::module_ &module);

} // namespace treadle::python
