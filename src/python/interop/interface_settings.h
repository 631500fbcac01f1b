// InterfaceSettings: what the environment says of the CUDA Array Interface.
#pragma once

#include <cstdint>

namespace treadle::python {

struct InterfaceSettings {
  bool isOffered = true;     ///< by device arrays
  int64_t version = 3;       ///< of what they show
  bool showsStreams = true;  ///< from version 3 on
  bool ordersImports = true; ///< streams that others show are waited for

  /// Read at the first use, and again when the program sets something. With the GIL. Throws UsageError (Value).
  static const InterfaceSettings &instance();
};

} // namespace treadle::python
