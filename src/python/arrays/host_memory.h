// HostMemory: makes Python objects whose memory device arrays use visible to the garbage collector.
#pragma once

#include "memory/buffer.h"

#include <nanobind/nanobind.h>

#include <memory>

namespace treadle::python {

/// Represents `buffer`, whose owner is a reference to `host`, to the garbage collector: a cycle from the
/// host array through its device arrays back to it is found, however many views there are.
nanobind::object hostMemory(const std::shared_ptr<Buffer> &buffer, nanobind::handle host);

/// Creates the type, which is never freed.
void addHostMemoryType();

} // namespace treadle::python
