// Reads launch configurations: the brackets of kernel[grid, block, stream, shared, cluster].
#pragma once

#include "device/launch_config.h"
#include "python/host/stream_object.h"

namespace treadle::python {

/// Reads the key between the brackets. False: a Python error is set (TypeError, ValueError). Ranges are not checked.
/// Throws UsageError for invalid settings of the default stream.
bool readConfig(PyObject *key, RequestedConfig &config, NamedStream &stream);

} // namespace treadle::python
