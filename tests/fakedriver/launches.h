// Kernel launches as pieces of work.
#pragma once

#include "driver.h"

namespace fakecuda {

struct LaunchShape {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  bool isCooperative = false;
};

struct LaunchParameters {
  void **pointers; ///< one per parameter
  void **extra;    ///< or a list that names one buffer
};

/// Blocks of the function that can run concurrently on one multiprocessor.
int activeBlocks(const Function &function, size_t blockSize, size_t sharedBytes);

CUresult launchKernel(Driver &driver, CUfunction function, const LaunchShape &shape, const LaunchParameters &parameters,
                      CUstream stream);

} // namespace fakecuda
