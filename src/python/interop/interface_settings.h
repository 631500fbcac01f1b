// InterfaceSettings: settings of the CUDA Array Interface.
#pragma once

#include <cstdint>

namespace treadle::python {

struct InterfaceSettings {
  bool isOffered = true;     ///< by device arrays
  int64_t version = 3;       ///< of exported dictionaries
  bool showsStreams = true;  ///< from version 3 on
  bool ordersImports = true; ///< imports wait for the producers' streams

  /// Read at the first use, and again after the program changes a setting. Needs the GIL. Throws UsageError (Value).
  static const InterfaceSettings &instance();
};

} // namespace treadle::python
