// ErrorRecord: what PTX compiled with debug writes when a check fails, for whoever loads it to read.
#pragma once

#include "border/fault.h"

#include <cstdint>

namespace treadle {

/// Symbol of the record in the PTX of kernels compiled with debug: zero before the first failure; later ones are
/// dropped. The thread that fails exits; the others continue, and barriers do not wait for it.
constexpr const char *errorRecordSymbol = "treadle_error";

struct ErrorRecord {
  Fault fault; ///< None: all is well
  FaultPlace place;
  uint32_t thread[3];
  uint32_t block[3];
};
static_assert(sizeof(ErrorRecord) == 40);

} // namespace treadle
