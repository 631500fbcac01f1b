// ErrorRecord: what a kernel compiled with debug leaves behind when a check fails.
#pragma once

#include "border/fault.h"

#include <cstdint>

namespace treadle::ptx {

/// Symbol of the record in the PTX of kernels compiled with debug: zero before the first failure, which alone is kept.
/// The thread that fails ends there; the others go on, and count it as arrived at every barrier.
constexpr const char *errorRecordSymbol = "treadle_error";

struct ErrorRecord {
  Fault fault;           ///< None: all is well
  uint32_t line, column; ///< in the file of the function that holds the check
  uint32_t thread[3];
  uint32_t block[3];
};
static_assert(sizeof(ErrorRecord) == 36);

} // namespace treadle::ptx
