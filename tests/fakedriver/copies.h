// Copies and memsets as pieces of work.
#pragma once

#include "driver.h"

namespace fakecuda {

/// One side of a copy. A pointer unknown to the driver is pageable host memory, if `mayBePageable`.
struct CopySide {
  uint64_t address;
  size_t pitch = 0;           ///< bytes from row to row; 0: the width
  bool mayBePageable = false; ///< the caller named it as host memory, or did not say
  bool mayBeDevice = true;    ///< false: the caller named it as host memory
  size_t slice = 0;           ///< bytes from slice to slice; 0: the rows follow each other
};

struct CopyRequest {
  const char *name; ///< HtoD and the like
  CopySide to, from;
  size_t width;      ///< bytes per row
  size_t height = 1; ///< rows
  bool isAsync = false;
  size_t depth = 1; ///< slices
};

/// Guarantees exactly what the driver documents about when such calls return: a synchronous copy between device memory,
/// or from pageable memory, may run after the call.
CUresult copyMemory(Driver &driver, const CopyRequest &request, CUstream stream);

struct FillRequest {
  CUdeviceptr to;
  unsigned value;
  size_t elementBytes;
  size_t count;
  bool isAsync = false; ///< otherwise it waits if the target is pinned or managed
};
CUresult fillMemory(Driver &driver, const FillRequest &request, CUstream stream);

} // namespace fakecuda
