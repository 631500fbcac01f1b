// Compile-time evaluation of Python code in kernels.
#pragma once

#include "python/names/captured_value.h"

namespace treadle::python {

/// NameResolver::evaluate, for the Python function itself.
ConstevalResult evaluated(nanobind::handle function, const ConstevalRequest &request, HandleTable &handles);

} // namespace treadle::python
