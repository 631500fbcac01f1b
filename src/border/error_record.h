// ErrorRecord: layout of the record that debug PTX writes when a check fails and the loader reads.
#pragma once

#include "border/fault.h"

#include <cstdint>

namespace treadle {

/// Symbol of the record in the PTX of kernels compiled with debug: zero before the first failure; later ones are
/// dropped. The thread that fails exits; the others continue, and barriers do not wait for it.
constexpr const char *errorRecordSymbol = "treadle_error";

struct ErrorRecord {
  Fault fault; ///< None: no error
  FaultPlace place;
  uint32_t thread[3];
  uint32_t block[3];
};
static_assert(sizeof(ErrorRecord) == 40);

} // namespace treadle
