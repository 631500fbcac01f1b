// What failed on streams, as Python errors.
#pragma once

#include "device/stream.h"

#include <string>
#include <vector>

namespace treadle::python {

/// Sets the Python error that its launch asks for; its notes list later failures, which no other call reports.
void raiseQueuedFailure(const QueuedFailure &failure);

/// "IndexError: ..." for each of them. Throws nanobind::python_error.
std::vector<std::string> textsOf(const QueuedFailure &failure);

} // namespace treadle::python
